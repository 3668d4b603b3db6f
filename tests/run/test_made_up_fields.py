"""A field that a host made up, at every object of an answer: never a failure, whatever it is called and holds.

Across dialects its loss is a NOTE, within one a WARN, and an adapter that passes it on is at no fault. Not where the
JSON is the user's own (arguments, results), which is content; what else stands in an error is not judged.
"""

import copy
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from bridgecheck import normalise
from bridgecheck.cassette.traffic import TrafficItem, read_traffic
from bridgecheck.checks import judge
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.drivers.resolve import load_converter
from bridgecheck.errors import BadTraffic
from bridgecheck.model.evidence import CaseTranscript, Evidence
from bridgecheck.model.jsonvalue import arr
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.run.plan import Selection
from bridgecheck.run.traffic import plan, run_case

CASSETTES: Final = Path(__file__).resolve().parents[2] / "cassettes"
SCENARIOS: Final = (
    "tools/parallel-one-chunk", "thinking/thought-parts-stream", "usage/cached-input", "grounding/annotations",
    "grounding/page-citations", "errors/rate-limit", "safety/refusal-text", "settings/penalties-and-logprobs",
    "multimodal/image-output", "interleaved", "server-tools",
)  # fmt: skip
NAMES: Final = (
    "cost", "cost_details", "latency_ms", "token_ids", "prompt_token_ids", "related_questions", "search_results",
    "x_groq", "provider", "matched_stop", "queue_time", "kv_transfer_params", "weight_version", "native_finish_reason",
)  # fmt: skip
"""Of OpenRouter, Groq, Perplexity, vLLM and SGLang, as recorded (2026-11-21)."""
VALUES: Final[dict[str, object]] = {
    "text": "harbour-17", "number": 0.8125, "object": {"unit": "usd-17", "parts": [{"kind": "gpu-17"}]},
    "list": [151, "gpu-17", {"at": 17}],
}  # fmt: skip
OWN_JSON: Final = frozenset({"args", "input", "response", "metadata", "parameters", "labels"})
"""Keys whose values have the members that the user chose."""


def add_fields(document: object, rng: random.Random, value: object) -> object:
    """Return a document with one field more at every object that is not the user's own."""
    if isinstance(document, list):
        return [add_fields(item, rng, value) for item in document]
    if not isinstance(document, dict):
        return document
    made = {key: item if key in OWN_JSON else add_fields(item, rng, value) for key, item in document.items()}
    name = rng.choice([*NAMES, f"zz_{rng.randrange(10**6)}"])
    return {**made, name: copy.deepcopy(value)} if name not in made else made


def played_items() -> Iterator[TrafficItem]:
    for name in SCENARIOS:
        for item in read_traffic(CASSETTES / name):
            assert not isinstance(item, BadTraffic)
            yield replace(item, id=f"{name}/{item.id}")


ITEMS: Final = tuple(played_items())


@pytest.fixture(scope="module", name="reference")
def _reference() -> Driver:
    return load_converter("")


def with_fields(item: TrafficItem, kind: str) -> TrafficItem:
    rng = random.Random(f"{item.id} {kind}")
    response = item.interaction.response
    documents = tuple(arr(add_fields(list(response.documents), rng, VALUES[kind])))
    return replace(
        item, interaction=replace(item.interaction, response=replace(response, documents=documents, chunks=None))
    )


def results(item: TrafficItem, driver: Driver) -> Iterator[CaseResult]:
    for case in plan(item, driver, Selection()):
        yield run_case(case, item, driver)


@pytest.mark.parametrize("kind", VALUES)
def test_made_up_fields_are_never_a_failure(reference: Driver, kind: str) -> None:
    worse: list[str] = []
    cases = 0
    for item in ITEMS:
        plain = {case.key: case.status for case in results(item, reference)}
        for case in results(with_fields(item, kind), reference):
            cases += 1
            within = case.key.client == case.key.upstream
            allowed = {plain[case.key], "PASS", "NOTE", "INHERITED"} | ({"WARN"} if within else set())
            for verdict in case.verdicts if case.status not in allowed else ():
                worse += [f"{case.key} {verdict.check}: {verdict.message}"] if verdict.status != "PASS" else []
    assert worse == []
    assert cases > 100


@pytest.mark.parametrize("kind", VALUES)
def test_lost_within_one_dialect_they_are_a_warning_and_kept_nothing(kind: str) -> None:
    for item in ITEMS:
        extended = with_fields(item, kind)
        assert {case.status for case in results(extended, IDENTITY)} <= {"PASS", "INHERITED", "NOT_APPLICABLE"}, item.id
        statuses = {verdict.status for verdict in judge(losing(item, extended))}
        judged = item.interaction.response.status < 400
        assert ("WARN" in statuses) == judged and not statuses & {"FAIL", "ERROR"}, (item.id, statuses)


def losing(plain: TrafficItem, extended: TrafficItem) -> Evidence:
    """Return the evidence of an adapter that takes every such field out."""
    sent, received = extended.interaction, plain.interaction
    dialect, mode = sent.response.dialect, sent.response.mode
    prompt = normalise.request(sent.request) if sent.request else None
    return Evidence(
        CaseKey(plain.id, "native", dialect, dialect, mode, "wire"), CaseTranscript((received,), (sent,)), None,
        (prompt,), (prompt,), (normalise.response(sent.response),), (normalise.response(received.response),),
        answered_by=(0,),
    )  # fmt: skip
