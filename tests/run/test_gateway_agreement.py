"""The reference gateway, driven as a black box, has the same verdicts as its converters in process.

CI plays a few scenarios in which HTTP shows more than documents do, ``make slow`` a sample of the corpus, and
``make agreement`` all of it.
"""

import pytest

from bridgecheck.model.scenario import Scenario
from bridgecheck.run.plan import Selection

from ..agreement import RULES, Pair, describe_pair, play_pairs, select_scenarios

ALL_MUTANTS = 15
"""Of the scenarios in their order, which mixes the topics well enough."""

TELLING = (
    "broken-streams/reset",
    "broken-streams/no-done-marker",
    "correlation/result-without-call",
    "errors/body-is-an-array",
    "errors/key-not-echoed",
    "errors/midstream",
    "finish/malformed-function-call",
    "relay/client-goes-away",
    "signatures/call-roundtrip",
    "sse/done-and-more",
    "sse/ids-not-passed-on",
    "unicode/lone-surrogate",
)
"""Those in which HTTP shows more than documents do."""


def _sample() -> list[Scenario]:
    every = select_scenarios([])
    named = [scenario for scenario in every if scenario.id in TELLING]
    return [*named, *(scenario for scenario in every[::ALL_MUTANTS] if scenario not in named)]


@pytest.fixture(scope="module")
def compared_pairs() -> list[Pair]:
    return list(play_pairs(_sample()))


def test_a_small_sample_has_no_unexplained_difference() -> None:
    selection = Selection(paths=("bridged",), layers=("http",))
    compared_pairs = list(play_pairs(select_scenarios(["sse/done-and-more", "errors/key-not-echoed"]), selection))
    assert not [
        describe_pair(pair)
        for pair in compared_pairs
        if pair.rule == "?" or pair.outside.status in ("FAIL", "ERROR", "WARN")
    ]
    assert len(compared_pairs) > 20


@pytest.mark.slow
def test_every_difference_is_explained(compared_pairs: list[Pair]) -> None:
    unexplained = [pair for pair in compared_pairs if pair.rule == "?"]
    assert not unexplained, "\n".join(map(describe_pair, unexplained))
    assert len(compared_pairs) > 400


@pytest.mark.slow
def test_every_explanation_is_needed(compared_pairs: list[Pair]) -> None:
    assert {pair.rule for pair in compared_pairs} == {"", *RULES}


@pytest.mark.slow
def test_all_nine_directions_are_driven(compared_pairs: list[Pair]) -> None:
    judged = {
        (pair.outside.key.client, pair.outside.key.upstream, pair.outside.key.layer)
        for pair in compared_pairs
        if pair.outside.status == "PASS"
    }
    assert len(judged) == 18


@pytest.mark.slow
def test_nothing_fails(compared_pairs: list[Pair]) -> None:
    assert not [describe_pair(pair) for pair in compared_pairs if pair.outside.status in ("FAIL", "ERROR", "WARN")]
