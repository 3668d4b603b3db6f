"""How documents are varied: each variation changes the stream, preserves its outcome, and skips unsuitable documents."""

from itertools import pairwise
from typing import Any

import pytest

from bridgecheck import normalise
from bridgecheck.checks.laws import comparable_outcome
from bridgecheck.model.exchange import Response
from bridgecheck.relations import RELATIONS, Documents
from bridgecheck.relations.chunk import Vary
from bridgecheck.wire import DIALECTS, Dialect, JsonObject

from .streams import STREAMS, call, chat, delta, gemini

VARIED = [
    (relation.id, dialect, relation.documents[dialect])
    for relation in RELATIONS
    for dialect in DIALECTS
    if dialect in relation.documents
]
BY_ID = {relation.id: relation for relation in RELATIONS}


def vary(name: str, dialect: Dialect, *documents: JsonObject) -> Documents:
    return BY_ID[name].documents[dialect](documents)


def outcome(dialect: Dialect, documents: Documents) -> JsonObject:
    return comparable_outcome(normalise.response(Response(dialect, "stream", documents)))


OPPOSITE = {
    "calls_together": "calls_apart",
    "calls_apart": "calls_together",
    "finish_alone": "finish_with_text",
    "finish_with_text": "finish_alone",
    "usage_every": "usage_last",
    "usage_last": "usage_every",
    "usage_alone": "usage_last",
}
"""The variation applied to a stream first, so that there is something to vary."""


@pytest.mark.parametrize(("name", "dialect", "change"), VARIED, ids=[f"{name}-{on}" for name, on, _ in VARIED])
def test_a_variation_changes_the_stream_and_not_its_outcome(name: str, dialect: Dialect, change: Vary) -> None:
    first = BY_ID[OPPOSITE[name]].documents.get(dialect) if name in OPPOSITE else None
    before = first(STREAMS[dialect]) if first else STREAMS[dialect]
    after = change(before)
    assert after != before
    assert outcome(dialect, after) == outcome(dialect, STREAMS[dialect])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "strange", [{}, {"choices": None}, {"candidates": [3]}, {"choices": [{}]}, {"type": 7}, {"delta": 1}]
)
def test_an_unexpected_document_is_passed_on(dialect: Dialect, strange: Any) -> None:
    for relation in RELATIONS:
        change = relation.documents.get(dialect)
        if change is not None:
            assert strange in change((*STREAMS[dialect][:2], strange, *STREAMS[dialect][2:])), relation.id
            assert change(()) == (), relation.id


def texts(documents: Documents) -> list[str]:
    return [document["choices"][0]["delta"].get("content") for document in documents]  # type: ignore[index]


def test_text_is_split_between_code_points() -> None:
    family = "👩‍👩"
    pieces = texts(vary("deltas_split", "openai-chat", chat({"content": f"ä{family}"})))
    assert "".join(pieces) == f"ä{family}"
    assert len(pieces) == 2
    for piece in pieces:
        assert piece.encode("utf-8").decode("utf-8") == piece


def test_a_single_character_is_not_split() -> None:
    assert vary("deltas_split", "openai-chat", chat({"content": "😀"})) == (chat({"content": "😀"}),)


def test_a_signed_part_is_neither_split_nor_merged() -> None:
    signed = gemini({"text": "signed", "thoughtSignature": "c2ln"})
    plain = gemini({"text": "plain"})
    assert vary("deltas_split", "gemini", signed) == (signed,)
    assert vary("deltas_merged", "gemini", plain, signed, plain) == (plain, signed, plain)


def test_a_signed_call_is_not_split() -> None:
    signed = call(0, '{"city":"Wien"}', id="a", name="f", extra_content={"google": {"thought_signature": "c2ln"}})
    document = chat({"tool_calls": [signed]})
    assert vary("deltas_split", "openai-chat", document) == (document,)


def test_signed_calls_keep_their_signatures_when_separated() -> None:
    first, second = {"functionCall": {"name": "f"}, "thoughtSignature": "c2ln"}, {"functionCall": {"name": "g"}}
    varied = vary("calls_apart", "gemini", gemini(first, second, finish="STOP"))
    assert varied == (gemini(first), gemini(second, finish="STOP"))
    assert vary("calls_together", "gemini", *varied) == (gemini(first, second, finish="STOP"),)


def test_thoughts_do_not_merge_with_text() -> None:
    thought, text = gemini({"text": "hm", "thought": True}), gemini({"text": "ah"})
    assert vary("deltas_merged", "gemini", thought, text) == (thought, text)


def test_calls_that_share_an_index_are_unchanged() -> None:
    shared = tuple(chat({"tool_calls": [call(0, "{}", id=mark, name="f")]}) for mark in "ab")
    for name in ("deltas_split", "deltas_merged", "calls_together"):
        assert vary(name, "openai-chat", *shared) == shared, name


def test_a_call_without_index_is_not_split() -> None:
    document = chat({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"n":1}'}}]})
    assert vary("deltas_split", "openai-chat", document) == (document,)


def test_log_probabilities_stay_with_their_text() -> None:
    document = chat({"content": "words"})
    document["choices"][0]["logprobs"] = {"content": []}  # type: ignore[index]
    rest = chat({"content": "more"})
    document["choices"][0]["logprobs"] = {"content": [{"token": "words"}]}  # type: ignore[index]
    assert vary("deltas_split", "openai-chat", document) == (document,)
    assert vary("deltas_merged", "openai-chat", document, rest) == (document, rest)


def test_a_first_delta_with_a_role_takes_the_text_after_it() -> None:
    merged = vary("deltas_merged", "openai-chat", chat({"role": "assistant", "content": ""}), chat({"content": "Hi"}))
    assert merged == (chat({"role": "assistant", "content": "Hi"}),)


def test_a_finish_reason_on_every_chunk_is_unchanged() -> None:
    every = (gemini({"text": "a"}, finish="STOP"), gemini({"text": "b"}, finish="STOP"))
    for name in ("finish_alone", "finish_with_text", "empty_chunks"):
        assert vary(name, "gemini", *every) == every, name


def test_the_finish_reason_moves_with_its_safety_ratings() -> None:
    last = gemini({"text": "b"}, finish="STOP", usage=(1, 2))
    last["candidates"][0]["safetyRatings"] = [{"category": "X"}]  # type: ignore[index]
    text, end = vary("finish_alone", "gemini", last)
    assert "safetyRatings" not in text["candidates"][0]  # type: ignore[index]
    assert end["candidates"][0]["safetyRatings"] == [{"category": "X"}]  # type: ignore[index]
    assert end["candidates"][0]["content"] == {"role": "model", "parts": [{"text": ""}]}  # type: ignore[index]


def test_a_signed_empty_tail_is_not_dropped() -> None:
    tail = gemini({"text": "", "thoughtSignature": "c2ln"}, finish="STOP")
    assert vary("finish_with_text", "gemini", gemini({"text": "a"}), tail) == (gemini({"text": "a"}), tail)


def test_falling_counts_are_unchanged() -> None:
    falling = (gemini({"text": "a"}, usage=(9, 1)), gemini({"text": "b"}, finish="STOP", usage=(5, 2)))
    for name in ("usage_every", "usage_last", "usage_alone"):
        assert vary(name, "gemini", *falling) == falling, name


def test_counts_of_a_response_without_an_end_are_unchanged() -> None:
    cut = (chat({"content": "a"}), chat({"content": "b"}, usage={"prompt_tokens": 1}))
    assert vary("usage_every", "openai-chat", *cut) == cut


def test_the_location_of_usage_counts() -> None:
    stream = STREAMS["openai-chat"]
    every = vary("usage_every", "openai-chat", *stream)
    assert len(every) == len(stream) - 1
    assert all("usage" in document for document in every)
    last = vary("usage_last", "openai-chat", *stream)
    assert ["usage" in document for document in last] == [False] * 6 + [True]
    assert vary("usage_alone", "openai-chat", *last) == stream


def test_anthropic_sends_its_counts_once_or_twice() -> None:
    stream = STREAMS["anthropic"]
    twice = vary("usage_every", "anthropic", *stream)
    assert twice[-2]["usage"] == {"input_tokens": 3, "output_tokens": 5}
    assert vary("usage_last", "anthropic", *twice) == stream


def test_calls_with_fragmented_arguments_are_gathered() -> None:
    together = vary("calls_together", "openai-chat", *STREAMS["openai-chat"])
    calls = together[3]["choices"][0]["delta"]["tool_calls"]  # type: ignore[index]
    assert [call_["function"] for call_ in calls] == [
        {"name": "f", "arguments": '{"n":1}'},
        {"name": "g", "arguments": "{}"},
    ]


def test_a_ping_is_between_all_events() -> None:
    events = vary("heartbeats", "anthropic", *STREAMS["anthropic"])
    assert all("ping" in (first["type"], second["type"]) for first, second in pairwise(events))
    assert events[-1]["type"] == "message_stop"


def test_empty_deltas_start_a_call_only_where_anthropic_sends_them() -> None:
    events = vary("empty_chunks", "anthropic", *STREAMS["anthropic"])
    added = [event for event in events if event not in STREAMS["anthropic"]]
    assert added == [delta(1, "input_json_delta", "partial_json", "")]


def test_nothing_is_sent_before_an_error() -> None:
    error: JsonObject = {"error": {"message": "no"}}
    assert vary("empty_chunks", "openai-chat", error) == (error,)
