"""Properties of any answer: where a stream is cut makes no difference, a stream folds into the unary answer, conversion
changes no input, does not crash, and is deterministic."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck_reference.conversion_profile import ANTHROPIC_PIVOT, MEMORY, NATIVE, Profile
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai, openai_response_to_anthropic
from bridgecheck_reference.convert.anthropic.responses import fold_chunks as fold_chunks
from bridgecheck_reference.convert.anthropic.responses import fold_events as fold_events
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

from ..samples import chunk, tool_call
from ..with_habits import ALL_PROFILES
from .answer_samples import (
    Json,
    accumulate_message,
    flatten,
    from_openai,
    message,
    run_stream,
    start,
    stop,
    text,
    thinking,
    to_openai,
    tool_use,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NONEMPTY_TEXTS = TEXTS.filter(lambda text_value: text_value)
VALUES = st.none() | st.booleans() | st.integers() | TEXTS
ARGUMENTS = st.dictionaries(TEXTS, VALUES | st.lists(VALUES, max_size=3), max_size=4)
NAMES = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
BLOCKS = st.lists(
    st.tuples(st.just("text"), NONEMPTY_TEXTS, NONEMPTY_TEXTS)
    | st.tuples(st.just("thinking"), TEXTS, NONEMPTY_TEXTS)
    | st.tuples(st.just("tool_use"), NAMES, ARGUMENTS),
    max_size=5,
)
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
KEYS = st.sampled_from([
    "type", "message", "content_block", "delta", "index", "usage", "error", "choices", "id", "content", "tool_calls",
    "reasoning_details", "extra_content", "finish_reason", "function", "stop_reason", "signature", "text", "order",
])  # fmt: skip
KINDS = st.sampled_from([
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "message_stop", "text", "tool_use", "thinking", "input_json_delta", "text_delta", "error", "ping",
])  # fmt: skip
ARBITRARY_VALUES = st.recursive(
    VALUES | KINDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
EVENTS = st.lists(st.dictionaries(KEYS, ARBITRARY_VALUES, max_size=5), max_size=5)


def cut_randomly(data: st.DataObject, whole: str) -> list[str]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    return [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def content_blocks(blocks: list[tuple[str, str, object]]) -> list[Json]:
    made: list[Json] = []
    for at, (kind, first, second) in enumerate(blocks):
        if kind == "text":
            made.append({"type": "text", "text": first})
        elif kind == "thinking":
            made.append({"type": "thinking", "thinking": first, "signature": second})
        else:
            made.append({"type": "tool_use", "id": f"toolu_{at}", "name": first, "input": second})
    return made


def stream_events(data: st.DataObject, blocks: list[Json]) -> list[Json]:
    """The events of a message, cut anywhere."""
    events = [start(usage={"input_tokens": 10, "output_tokens": 1})]
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            events += text(at, *cut_randomly(data, block["text"]))
        elif block["type"] == "thinking":
            events += thinking(at, block["thinking"], block["signature"])
        else:
            events += tool_use(at, block["id"], block["name"], *cut_randomly(data, json.dumps(block["input"])))
    return [*events, *stop("tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn")]


@pytest.mark.parametrize("profile", [NATIVE, MEMORY, ANTHROPIC_PIVOT])
@settings(deadline=None)
@given(st.data(), BLOCKS)
def test_a_stream_folds_into_the_unary_answer(
    profile: Profile, data: st.DataObject, blocks: list[tuple[str, str, object]]
) -> None:
    content = content_blocks(blocks)
    reason = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
    unary = anthropic_response_to_openai(message(*content, reason=reason), profile=profile).value
    chunks = to_openai(stream_events(data, content), profile=profile)
    converted = fold_chunks(chunks, ordered=profile.extended or profile.carries_anthropic)
    for document in (unary, converted):
        for call in document["choices"][0]["message"].get("tool_calls", ()):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    assert converted == unary


@settings(deadline=None)
@given(st.data(), BLOCKS)
def test_a_carried_answer_comes_back_block_by_block(data: st.DataObject, blocks: list[tuple[str, str, object]]) -> None:
    content = content_blocks(blocks)
    there = anthropic_response_to_openai(message(*content), profile=ANTHROPIC_PIVOT).value
    assert openai_response_to_anthropic(there, profile=ANTHROPIC_PIVOT).value == message(*content)
    chunks = to_openai(stream_events(data, content), profile=ANTHROPIC_PIVOT)
    assert accumulate_message(from_openai(chunks, profile=ANTHROPIC_PIVOT))["content"] == content


@settings(deadline=None)
@given(st.data(), TEXTS, st.lists(ARGUMENTS, max_size=3), st.booleans())
def test_how_an_openai_stream_is_cut_makes_no_difference(
    data: st.DataObject, text_value: str, arguments: list[Json], interleaved: bool
) -> None:
    calls = [tool_call(f"c{at}", "f", json.dumps(original)) for at, original in enumerate(arguments)]
    fragments = [
        [chunk({"tool_calls": [{"index": at, **tool_call(f"c{at}", "f", "")}]})]
        + [
            chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
            for piece in cut_randomly(data, json.dumps(original))
        ]
        for at, original in enumerate(arguments)
    ]
    order = sorted(range(sum(map(len, fragments))), key=lambda _: data.draw(st.integers(0, 9))) if interleaved else []
    queues = [list(item) for item in fragments]
    mixed = [queues[at % len(queues)].pop(0) for at in order if queues[at % len(queues)]]
    chunks = [chunk({"content": piece}) for piece in cut_randomly(data, text_value)] + mixed + flatten(queues)
    events = from_openai(chunks, chunk({}, "tool_calls" if calls else "stop"))
    sent = {"role": "assistant", "content": text_value, "tool_calls": calls}
    choice = {"index": 0, "message": sent, "finish_reason": "tool_calls" if calls else "stop"}
    unary = {"id": "chatcmpl-1", "object": "chat.completion", "created": 5, "model": "m", "choices": [choice]}
    made = fold_events(events)
    expected = openai_response_to_anthropic(unary).value
    assert sorted(map(repr, made["content"])) == sorted(map(repr, expected["content"]))
    assert {**made, "content": []} == {**expected, "content": []}
    assert accumulate_message(events)["content"] == made["content"]


@settings(deadline=None)
@given(EVENTS, st.sampled_from(sorted(ALL_PROFILES)))
def test_nothing_a_server_sends_makes_a_stream_crash_or_is_changed(events: list[Json], name: str) -> None:
    profile = ALL_PROFILES[name]
    before = copy.deepcopy(events)
    for machine in (AnthropicToOpenAIStream, OpenAIToAnthropicStream):
        once = run_stream(machine(profile=profile), events)
        assert events == before
        assert json.dumps(once) == json.dumps(run_stream(machine(profile=profile), events))
        assert once


@settings(deadline=None)
@given(st.dictionaries(KEYS, ARBITRARY_VALUES, max_size=6), st.sampled_from(sorted(ALL_PROFILES)))
def test_no_unary_answer_makes_a_converter_crash(document: Json, name: str) -> None:
    before = copy.deepcopy(document)
    profile = ALL_PROFILES[name]
    for convert in (anthropic_response_to_openai, openai_response_to_anthropic):
        assert convert(document, profile=profile).value
        assert document == before
