"""What scenarios say about live providers: enough of them, for every provider, and predicates that tell something.

A predicate counts once it accepted an answer that a provider really gave, and rejected another. Those for which no
recording has the behaviour are listed here, each with its reason; one that gets a recording leaves the list."""

from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest
from tests.corpus.live_recordings import RecordedAnswer, holds, recorded_answers

from bridgecheck.errors import BadScenario
from bridgecheck.files import load_scenario, scenarios, scenarios_root
from bridgecheck.files.jsonfile import dump_json, read_json
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.live import FAMILIES
from bridgecheck.model.scenario import Scenario
from bridgecheck.wire import DIALECTS, Dialect, Mode

FEWEST: Final = 120
FEWEST_OF_ONE: Final = 100
"""Scenarios for each provider."""

NO_RECORDING: Final[dict[tuple[str, Dialect], tuple[set[Mode], str]]] = {
    ("chunks/five-calls", "gemini"): ({"unary", "stream"}, "nothing recorded has five calls"),
    ("chunks/five-calls", "openai-chat"): ({"unary", "stream"}, "nothing recorded has five calls"),
    ("chunks/five-calls", "anthropic"): ({"stream"}, "nothing recorded has five calls"),
    ("errors/invalid-request", "gemini"): ({"stream"}, "refused streams were recorded as one document"),
    ("errors/invalid-request", "anthropic"): ({"stream"}, "refused streams were recorded as one document"),
    ("errors/not-found", "gemini"): ({"stream"}, "refused streams were recorded as one document"),
    ("errors/not-found", "openai-chat"): ({"stream"}, "refused streams were recorded as one document"),
    ("errors/not-found", "anthropic"): ({"stream"}, "refused streams were recorded as one document"),
    ("finish/max-tokens-no-parts", "gemini"): ({"stream"}, "no stream was cut while it still thought"),
    ("messages/several-candidates", "gemini"): ({"unary", "stream"}, "nobody recorded candidateCount above 1"),
    ("tools/arguments-cut-by-length", "openai-chat"): ({"stream"}, "no stream was cut within a call"),
    ("tools/arguments-cut-by-length", "anthropic"): ({"stream"}, "no stream was cut within a call"),
}  # fmt: skip
"""(scenario, dialect) -> the modes for whose predicates nothing was recorded, and why."""


@pytest.fixture(scope="module")
def live_scenarios() -> list[Scenario]:
    return [scenario for scenario in scenarios(scenarios_root()) if scenario.live and not scenario.client_model]


@pytest.fixture(scope="module")
def answers(traffic_folder: Path) -> dict[tuple[Dialect, Mode], list[RecordedAnswer]]:
    found: dict[tuple[Dialect, Mode], list[RecordedAnswer]] = defaultdict(list)
    for answer in recorded_answers(traffic_folder):
        found[answer.dialect, answer.mode].append(answer)
    return found


def test_enough_scenarios_are_live_of_every_provider_and_model_family(live_scenarios: list[Scenario]) -> None:
    assert len(live_scenarios) >= FEWEST
    for dialect in DIALECTS:
        assert sum(dialect in scenario.live for scenario in live_scenarios) >= FEWEST_OF_ONE, dialect
    used = {row.family for scenario in live_scenarios for row in scenario.live.values()}
    assert used >= set(FAMILIES)  # each model of the table is asked


def test_prompts_are_cheap(live_scenarios: list[Scenario]) -> None:
    long = [scenario.id for scenario in live_scenarios for row in scenario.live.values() if len(row.prompt) > 200]
    assert long == []


def test_each_predicate_accepts_a_recorded_answer_and_rejects_another(
    live_scenarios: list[Scenario], answers: dict[tuple[Dialect, Mode], list[RecordedAnswer]]
) -> None:
    without: dict[tuple[str, Dialect], set[Mode]] = defaultdict(set)
    verdicts: dict[str, tuple[bool, bool]] = {}
    for scenario in live_scenarios:
        for dialect, row in scenario.live.items():
            for mode in row.modes:
                shown = row.shows_in(mode)
                for turn in {predicate.turn for predicate in shown}:
                    of_turn = tuple(predicate for predicate in shown if predicate.turn == turn)
                    key = repr((dialect, mode, [(item.path, item.operator, item.operand) for item in of_turn]))
                    if key not in verdicts:
                        held = [holds(of_turn, answer.document) for answer in answers[dialect, mode]]
                        verdicts[key] = any(held), not all(held)
                    accepts, rejects = verdicts[key]
                    assert rejects, f"{scenario.id}, {dialect}, {mode}: holds of every recorded answer"
                    if not accepts:
                        without[scenario.id, dialect].add(mode)
    assert dict(without) == {key: modes for key, (modes, _) in NO_RECORDING.items()}


_WRONG: Final = [
    ({"gemini": {"shows": [{"on": "upstream_request[0]", "path": "a", "present": True}]}}, "a request shows nothing"),
    ({"gemini": {"shows": []}}, "live.gemini.shows"),
    ({"gemini": {"family": "gpt-mini", "shows": [{"on": "client_response", "path": "a", "present": True}]}}, "family"),
    (
        {"gemini": {"family": "gpt-9", "shows": [{"on": "client_response", "path": "a", "present": True}]}},
        "no such family",
    ),
    ({"gemini": {"shows": [{"on": "client_response", "path": "a", "turn": 3, "present": True}]}}, "no turn 3"),
    ({"gemini": {"shows": [{"on": "client_response", "path": "a", "bind": "x"}]}}, "bind"),
    (
        {
            "gemini": {
                "settings": {"contents": [{"parts": [{"thoughtSignature": "bWFkZSB1cA=="}]}]},
                "shows": [{"on": "client_response", "path": "a", "present": True}],
            }
        },
        "a signature that is made up",
    ),
]


@pytest.mark.parametrize(("live", "message"), _WRONG)
def test_live_that_cannot_be_played_is_refused(live: object, message: str, tmp_path: Path) -> None:
    source = scenarios_root() / "tools" / "single-call.json"
    document = obj(read_json(source, BadScenario)[0]) | {"live": live}
    path = tmp_path / "tools" / "single-call.json"
    path.parent.mkdir()
    path.write_text(dump_json(document), encoding="utf-8")
    with pytest.raises(BadScenario) as refused:
        load_scenario(path)
    assert message in str(refused.value)
