"""Details of an answer that are easily lost, repeated, or mixed up with another answer."""

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai, openai_response_to_anthropic
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.anthropic.stream_to_openai import AnthropicToOpenAIStream

from ..samples import chunk, tool_call
from .answer_samples import (
    Json,
    accumulate_message,
    block,
    deltas,
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

DROP = replace(NATIVE, signatures="drop")


def completion(message_fields: Json, finish: str = "stop", **extra: object) -> Json:
    choice = {"index": 0, "message": {"role": "assistant", **message_fields}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 5, "model": "m", "choices": [choice], **extra}


THINKS = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


def blocks(document: Json, request: Json | None = None) -> list[Json]:
    return openai_response_to_anthropic(document, request=request).value["content"]


def test_two_thoughts_of_a_whole_answer_are_two_blocks() -> None:
    details = [{"type": "reasoning.text", "text": "one"}, {"type": "reasoning.text", "text": "two"}]
    made = blocks(completion({"content": "x", "reasoning_details": details}))
    assert [item.get("thinking") for item in made] == ["one", "two", None]


@pytest.mark.parametrize(("part", "signature"), [(None, "gemini.text.S"), ("tail", "gemini.tail.S")])
def test_a_signature_names_the_part_that_it_signs(part: str | None, signature: str) -> None:
    google = {"thought_signature": "S", **({"thought_signature_part": part} if part else {})}
    document = completion({"content": "x", "extra_content": {"google": google}})
    signed = [{"type": "thinking", "thinking": "", "signature": signature}, {"type": "text", "text": "x"}]
    assert blocks(document, THINKS) == signed
    assert blocks(document) == [{"type": "text", "text": "x"}]
    dropped = openai_response_to_anthropic(document, profile=DROP)
    assert dropped.value["content"] == [{"type": "text", "text": "x"}]
    assert "choices[].delta.extra_content.google.thought_signature" in {loss.path for loss in dropped.losses}


def test_thoughts_in_a_list_of_contents() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "x"}]
    assert [item["type"] for item in blocks(completion({"content": parts}))] == ["thinking", "text"]


def test_arguments_before_the_name_are_sent_once() -> None:
    pieces: list[Json] = [
        {"id": "a", "function": {"arguments": '{"x"'}}, {"function": {"arguments": ": "}},
        {"function": {"name": "f", "arguments": "[1"}}, {"function": {"arguments": ", 2"}}, {"function": {"arguments": "]}"}},
    ]  # fmt: skip
    events = from_openai([chunk({"tool_calls": [{"index": 0, **piece}]}) for piece in pieces], chunk({}, "tool_calls"))
    assert accumulate_message(events)["content"][0]["input"] == {"x": [1, 2]}


def test_a_terminator_in_place_of_arguments_is_no_call() -> None:
    machine = OpenAIToAnthropicStream()
    sent = [
        chunk({"content": "x"}),
        chunk({"tool_calls": [{"index": 0, **tool_call("a", "f", "[DONE]")}]}),
        chunk({}, "stop"),
    ]
    made = accumulate_message(run_stream(machine, sent))
    assert (made["content"], made["stop_reason"]) == ([{"type": "text", "text": "x"}], "end_turn")
    assert "choices[].delta.tool_calls[].function.arguments" in {loss.path for loss in machine.losses}


def test_the_text_of_a_failing_chunk_is_sent() -> None:
    content = chunk({"content": "Hel"})
    failing = {"index": 0, "delta": {}, "finish_reason": "error"}
    events = from_openai({**content, "choices": [*content["choices"], failing]})
    kinds = [event["type"] for event in events]
    assert kinds == ["message_start", "content_block_start", "content_block_delta", "error"]


def test_the_requested_model_stands_in_for_a_missing_one() -> None:
    content = {key: value for key, value in chunk({"content": "x"}, "stop").items() if key != "model"}
    assert from_openai(content, model="asked")[0]["message"]["model"] == "asked"


def test_usage_is_read_from_groqs_member() -> None:
    counts = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    events = from_openai(chunk({"content": "x"}, "stop"), {"id": "c", "choices": [], "x_groq": {"usage": counts}})
    assert events[-2]["usage"] == {"input_tokens": 3, "output_tokens": 2}


def test_a_signature_that_comes_in_pieces_is_whole() -> None:
    signed = [{"type": "signature_delta", "signature": piece} for piece in ("Eq", "QB")]
    block_start = {"type": "thinking", "thinking": "", "signature": ""}
    chunks = to_openai(
        start(), block(0, block_start, {"type": "thinking_delta", "thinking": "hm"}, *signed), text(1, "x"), stop()
    )
    assert {"reasoning_details": [{"type": "reasoning.text", "text": "hm", "signature": "EqQB", "index": 0}]} in deltas(
        chunks
    )


def test_thinking_without_a_signature_has_no_details() -> None:
    content = deltas(to_openai(start(), thinking(0, "hm", ""), text(1, "x"), stop()))
    assert content[1:] == [{"reasoning_content": "hm"}, {"content": "x"}]


def test_a_second_message_in_the_stream_starts_new_blocks() -> None:
    """One that was left open is not ended by a block of the next message."""
    unfinished = thinking(0, "hm", "S")[:-1]
    late = {"type": "content_block_stop", "index": 0}
    content = deltas(to_openai(start(), unfinished, start(id="msg_2"), late, text(0, "x"), stop()))
    assert content[1:] == [{"reasoning_content": "hm"}, {"content": "x"}]


def test_the_citations_of_a_unary_answer_are_annotations() -> None:
    cited = {"type": "web_search_result_location", "url": "https://x.test/", "title": "X", "cited_text": "x"}
    made = anthropic_response_to_openai(message({"type": "text", "text": "It is so.", "citations": [cited]}))
    page = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 9, "title": "X", "url": "https://x.test/"},
    }
    assert made.value["choices"][0]["message"]["annotations"] == [page]


def test_answers_without_an_id_differ_from_turn_to_turn() -> None:
    nameless = message({"type": "text", "text": "x"}, id=None)
    ids = [
        anthropic_response_to_openai(nameless, request={"messages": [{"role": "user", "content": "x"}] * count}).value[
            "id"
        ]
        for count in (1, 3, 3)
    ]
    assert ids[0] != ids[1] == ids[2]


def test_counts_without_a_field_in_openai_are_a_loss() -> None:
    machine = AnthropicToOpenAIStream()
    run_stream(machine, flatten([start(), text(0, "x"), stop(server_tool_use={"web_search_requests": 2})]))
    assert [loss.path for loss in machine.losses] == ["usage.server_tool_use"]


@pytest.mark.parametrize(
    ("make", "first_input", "second_input"),
    [
        (
            AnthropicToOpenAIStream,
            [start(), *thinking(0, "hm", "S"), *tool_use(1, "a", "f", '{"x"', ": 1}"), *stop("tool_use")],
            [start(id="msg_2"), *text(0, "x"), *tool_use(1, "b", "g", '{"y": 2', "}"), *stop("tool_use")],
        ),
        (
            OpenAIToAnthropicStream,
            [chunk({"tool_calls": [{"index": 0, **tool_call("a", "f", '{"x"')}]}),
             chunk({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}), chunk({}, "tool_calls")],
            [chunk({"content": "x"}), chunk({"tool_calls": [{"index": 0, **tool_call("b", "g", '{"y": 2}')}]}),
             chunk({}, "tool_calls")],
        ),
    ],
)  # fmt: skip
def test_two_streams_at_once_share_no_state(
    make: Callable[[], Any], first_input: list[Json], second_input: list[Json]
) -> None:
    first_stream, second_stream = make(), make()
    made: tuple[list[Json], list[Json]] = [], []
    for first_item, second_item in zip_longest(first_input, second_input):
        made[0].extend(first_stream.feed(first_item) if first_item else [])
        made[1].extend(second_stream.feed(second_item) if second_item else [])
    assert [*made[0], *first_stream.close()] == run_stream(make(), first_input)
    assert [*made[1], *second_stream.close()] == run_stream(make(), second_input)
