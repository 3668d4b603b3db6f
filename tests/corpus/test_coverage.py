"""What the corpus as a whole covers: subjects, capabilities and the faults that adapters are known for."""

from collections import Counter

import pytest

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.wire import JsonObject

SUBJECTS = (
    "empty-chunks", "parallel-tool-calls", "thinking", "thought-signatures", "multimodal-in", "multimodal-out",
    "finish-reasons", "usage", "tool-result-correlation", "schema-cleaning", "errors", "broken-streams",
    "safety-blocks", "unicode",
)  # fmt: skip

FIRST = (
    "chunks/usage-only-final", "chunks/role-only-first", "chunks/explicit-null-finish",
    "chunks/finish-without-content", "chunks/stop-on-every-chunk", "chunks/multi-part-frame",
    "tools/parallel-separate-chunks-indices", "tools/parallel-same-name-no-ids", "tools/args-fragments-accumulate",
    "tools/args-fragments-interleaved", "tools/id-name-null-continuation", "tools/arguments-empty-string",
    "tools/arguments-invalid-json", "correlation/same-name-parallel-pair-by-order", "correlation/tool-name-recovered",
    "correlation/parallel-results-one-content", "correlation/response-array-wrapped", "finish/stop-after-call-chunk",
    "finish/terminal-reason-beats-calls", "finish/malformed-function-call", "safety/prompt-block-unary",
    "usage/thoughts-in-completion", "usage/stream-cumulative", "thinking/thought-parts-stream",
    "signatures/call-roundtrip", "schema/strip-additional-properties", "schema/type-list-null", "errors/midstream",
    "broken-streams/cut-no-finish", "sse/utf8-split", "sse/comment-not-forwarded-to-gemini",
)  # fmt: skip
"""The most requested scenarios: each represents a public report, and most represent several."""

FAULTS = {
    "tool index stuck at 0": ("tools/parallel-separate-chunks-indices", "tools/parallel-same-name-no-ids"),
    "thought text leaking into content": ("thinking/thought-parts-unary", "thinking/thought-parts-stream"),
    "usage summed over chunks": ("usage/stream-cumulative",),
    "STOP kept beside tool calls": ("finish/stop-after-call-chunk", "tools/parallel-one-body"),
    "arguments as object instead of text": ("tools/single-call",),
    "responses paired by last call of that name": ("correlation/same-name-parallel-pair-by-order",),
    "signature dropped": (
        "signatures/call-roundtrip",
        "signatures/text-roundtrip",
        "signatures/empty-tail-roundtrip",
    ),
    "empty chunk crashes": ("chunks/usage-only-final", "chunks/empty-choices-midstream"),
    "finish invented on a cut stream": ("broken-streams/cut-no-finish", "broken-streams/cut-mid-event"),
    "parts joined with newlines": ("messages/adjacent-text-parts", "chunks/multi-part-frame"),
    "second image lost": ("multimodal/two-images-in-order",),
    "system's second part lost": ("messages/several-system",),
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_subject_has_three_scenarios(corpus: dict[str, JsonObject], subject: str) -> None:
    assert sum(subject in arr(scenario["tags"]) for scenario in corpus.values()) >= 3


def test_every_topic_has_three_scenarios(corpus: dict[str, JsonObject]) -> None:
    counted = Counter(scenario_id.split("/")[0] for scenario_id in corpus)
    assert {topic: count for topic, count in counted.items() if count < 3} == {}


@pytest.mark.parametrize("scenario_id", FIRST)
def test_every_initially_required_scenario_exists(corpus: dict[str, JsonObject], scenario_id: str) -> None:
    assert objs(corpus[scenario_id]["sources"])


def test_the_list_of_initially_required_scenarios_is_complete() -> None:
    assert len(set(FIRST)) == 31


@pytest.mark.parametrize("fault", FAULTS)
def test_every_known_fault_has_a_scenario(corpus: dict[str, JsonObject], fault: str) -> None:
    assert all(corpus[scenario_id]["expect"] for scenario_id in FAULTS[fault])


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_a_capability_is_detected_by_a_scenario_that_requires_it(
    corpus: dict[str, JsonObject], capability: str
) -> None:
    assert capability in arr(corpus[CAPABILITIES[capability]]["requires"])


@pytest.mark.parametrize("dialect", ["gemini", "openai-chat", "anthropic"])
def test_each_dialect_is_played_as_client_and_upstream(corpus: dict[str, JsonObject], dialect: str) -> None:
    assert sum(dialect in obj(scenario["client"]) for scenario in corpus.values()) >= 5
    assert sum(dialect in obj(scenario["upstream"]) for scenario in corpus.values()) >= 5


def test_response_scenarios_are_played_from_every_upstream_that_can_express_them(
    corpus: dict[str, JsonObject],
) -> None:
    both = [scenario for scenario in corpus.values() if {"gemini", "openai-chat"} <= set(obj(scenario["upstream"]))]
    assert len(both) > len(corpus) / 2


def test_scenario_titles_are_distinct(corpus: dict[str, JsonObject]) -> None:
    titles = Counter(text(scenario["title"]) for scenario in corpus.values())
    assert [title for title, count in titles.items() if count > 1] == []
