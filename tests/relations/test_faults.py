"""Every relation finds a fault that a stream in its usual form does not show."""

from typing import Any

import pytest

from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.model.exchange import Interaction, Response
from bridgecheck.model.verdict import CaseResult
from bridgecheck.relations import RELATIONS, Documents
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run import traffic
from bridgecheck.run.plan import Selection
from bridgecheck.run.turns import minimal_request
from bridgecheck.wire import Dialect

from . import careless_adapters
from .streams import STREAMS, chat, gemini
from .test_documents import vary

COUNTED_AT_THE_END: Documents = (gemini({"text": "Grüße "}), gemini({"text": "aus"}, finish="STOP", usage=(3, 2)))
USUAL_CHAT: Documents = STREAMS["openai-chat"]
TEXT_AND_FINISH: Documents = (chat({"content": "Grüße "}), chat({"content": "aus"}, "stop"))
WORDS_LAST: Documents = (gemini({"text": "Grüße "}), gemini({"text": "aus"}, finish="STOP"))
SILENCE_LAST: Documents = (gemini({"text": "Grüße "}), gemini({"text": ""}, finish="STOP"))
SEPARATE_CALLS: Documents = vary("calls_apart", "gemini", *STREAMS["gemini"])

FAULTS: tuple[tuple[str, Dialect, Documents, careless_adapters.Step], ...] = (
    ("empty_chunks", "openai-chat", USUAL_CHAT, careless_adapters.first_choice_is_always_there),
    ("empty_chunks", "gemini", STREAMS["gemini"], careless_adapters.parts_are_always_there),
    ("empty_chunks", "anthropic", STREAMS["anthropic"], careless_adapters.arguments_are_never_empty),
    ("heartbeats", "anthropic", STREAMS["anthropic"], careless_adapters.every_event_is_known),
    ("finish_alone", "openai-chat", TEXT_AND_FINISH, careless_adapters.drop_chunks_without_content),
    ("finish_alone", "gemini", WORDS_LAST, careless_adapters.drop_chunks_without_content),
    ("finish_with_text", "openai-chat", USUAL_CHAT, careless_adapters.the_last_chunk_has_no_words),
    ("finish_with_text", "gemini", SILENCE_LAST, careless_adapters.the_last_chunk_has_no_words),
    ("usage_every", "openai-chat", USUAL_CHAT, careless_adapters.counts_are_added_up),
    ("usage_every", "gemini", COUNTED_AT_THE_END, careless_adapters.counts_are_added_up),
    ("usage_every", "anthropic", STREAMS["anthropic"], careless_adapters.input_is_counted_once_more),
    ("usage_last", "openai-chat", USUAL_CHAT, careless_adapters.counts_have_a_chunk_of_their_own),
    ("usage_last", "gemini", vary("usage_every", "gemini", *STREAMS["gemini"]), careless_adapters.counts_come_first),
    (
        "usage_last",
        "anthropic",
        vary("usage_every", "anthropic", *STREAMS["anthropic"]),
        careless_adapters.final_counts_repeat_the_first,
    ),
    (
        "usage_alone",
        "openai-chat",
        vary("usage_last", "openai-chat", *USUAL_CHAT),
        careless_adapters.counts_without_choices_are_passed_over,
    ),
    ("deltas_merged", "openai-chat", USUAL_CHAT, careless_adapters.the_first_delta_is_the_role),
    ("deltas_merged", "gemini", STREAMS["gemini"], careless_adapters.a_long_text_is_cut),
    ("deltas_merged", "anthropic", STREAMS["anthropic"], careless_adapters.a_long_text_is_cut),
    ("deltas_split", "openai-chat", USUAL_CHAT, careless_adapters.a_short_text_is_trimmed),
    ("deltas_split", "gemini", STREAMS["gemini"], careless_adapters.a_short_text_is_trimmed),
    ("deltas_split", "anthropic", STREAMS["anthropic"], careless_adapters.a_short_text_is_trimmed),
    ("calls_together", "openai-chat", USUAL_CHAT, careless_adapters.one_call_a_chunk),
    ("calls_together", "gemini", SEPARATE_CALLS, careless_adapters.one_call_a_chunk),
    (
        "calls_apart",
        "openai-chat",
        vary("calls_together", "openai-chat", *USUAL_CHAT),
        careless_adapters.calls_come_in_one_chunk,
    ),
    ("calls_apart", "gemini", STREAMS["gemini"][:3], careless_adapters.calls_come_in_one_chunk),
    ("two_streams", "openai-chat", USUAL_CHAT, careless_adapters.state_stays_with_the_adapter),
    ("two_streams", "gemini", COUNTED_AT_THE_END, careless_adapters.state_stays_with_the_adapter),
    ("two_streams", "anthropic", STREAMS["anthropic"], careless_adapters.state_stays_with_the_adapter),
)


def judge_traffic(dialect: Dialect, documents: Documents, step: careless_adapters.Step | None) -> CaseResult:
    """Judge the bridged case of recorded traffic with all relations."""
    item = TrafficItem(
        "t/1", "t.jsonl:1", Interaction(minimal_request(dialect, "stream", "m"), Response(dialect, "stream", documents))
    )
    driver = describe_adapter("python:x:y", careless_adapters.Adapter(step))
    (case,) = [case for case in traffic.plan(item, driver, Selection(paths=("bridged",))) if not case.why_not]
    return traffic.run_case(case, item, driver, RelationChoice("all"))


def failed_relations(result: CaseResult) -> set[str]:
    return {verdict.check.removeprefix("relation.") for verdict in result.verdicts if verdict.status == "FAIL"}


@pytest.mark.parametrize(
    ("relation", "dialect", "documents", "step"), FAULTS, ids=[f"{fault[0]}-{fault[1]}" for fault in FAULTS]
)
def test_the_relation_finds_the_fault(
    relation: str, dialect: Dialect, documents: Documents, step: careless_adapters.Step
) -> None:
    result = judge_traffic(dialect, documents, step)
    assert relation in failed_relations(result)
    assert not {check for check in failed_relations(result) if check.startswith(("response", "stream", "adapter"))}


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{fault[0]}-{fault[1]}" for fault in FAULTS])
def test_without_the_fault_every_relation_holds(fault: tuple[str, Dialect, Documents, Any]) -> None:
    relation, dialect, documents, _ = fault
    result = judge_traffic(dialect, documents, None)
    assert failed_relations(result) == set()
    assert f"relation.{relation}" in {verdict.check for verdict in result.verdicts}


def test_every_relation_on_documents_has_a_fault() -> None:
    named = {(relation, dialect) for relation, dialect, _, _ in FAULTS}
    expected = {
        (relation.id, dialect)
        for relation in RELATIONS
        for dialect in relation.documents
        if dialect in relation.realistic
    }
    assert expected <= named
