"""OpenAI chunks -> Anthropic stream events, as the official SDK reads them."""

import pytest

from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.signatures import prefix_gemini_signature, split_signed_id

from ..samples import chunk, tool_call
from .answer_samples import Json, accumulate_message, flatten, from_openai, run_stream

USAGE = {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}


def usage(**extra: object) -> Json:
    return {"id": "chatcmpl-1", "model": "m", "choices": [], "usage": {**USAGE, **extra}}


def fragment(index: int, arguments: str) -> Json:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})


def call_start(index: int, id: str, name: str, arguments: str = "") -> Json:
    return chunk({"tool_calls": [{"index": index, **tool_call(id, name, arguments)}]})


def kinds(events: list[Json]) -> list[str]:
    return [event["type"].removeprefix("content_block_") for event in events]


def shapes(events: list[Json]) -> list[tuple[str, object]]:
    """(event, index) of the events of blocks."""
    return [(event["type"].removeprefix("content_block_"), event["index"]) for event in events if "index" in event]


@pytest.mark.row("S2.91")
def test_text_in_one_block_between_start_and_stop() -> None:
    events = from_openai(
        chunk({"role": "assistant", "content": ""}), chunk({"content": "Hel"}), chunk({"content": "lo"}),
        chunk({}, "stop"), usage(),
    )  # fmt: skip
    assert kinds(events) == ["message_start", "start", "delta", "delta", "stop", "message_delta", "message_stop"]
    made = accumulate_message(events)
    assert made["content"] == [{"type": "text", "text": "Hello"}]
    assert (made["id"], made["model"], made["stop_reason"]) == ("chatcmpl-1", "m", "end_turn")
    assert made["usage"] == {"input_tokens": 10, "output_tokens": 7}


def test_the_message_begins_with_the_first_chunk() -> None:
    assert OpenAIToAnthropicStream().feed(chunk({"role": "assistant"}))[0]["type"] == "message_start"


@pytest.mark.row("S2.91")
def test_reasoning_becomes_a_thinking_block_before_the_text() -> None:
    events = from_openai(chunk({"reasoning_content": "h"}), chunk({"reasoning": "m"}), chunk({"content": "x"}, "stop"))
    assert [block["type"] for block in accumulate_message(events)["content"]] == ["thinking", "text"]
    assert accumulate_message(events)["content"][0]["thinking"] == "hm"


def test_a_signature_ends_the_thinking_it_belongs_to() -> None:
    detail = {"type": "reasoning.text", "text": "hm", "signature": "S1"}
    events = from_openai(
        chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"}), chunk({"reasoning_details": [detail]}),
        chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "D"}]}),
        chunk({"reasoning_content": "again"}), chunk({}, "stop"),
    )  # fmt: skip
    assert accumulate_message(events)["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "S1"},
        {"type": "redacted_thinking", "data": "D"},
        {"type": "thinking", "thinking": "again", "signature": ""},
    ]


def test_pieces_of_signed_reasoning_as_openrouter_streams_them() -> None:
    def piece(thought: str, **extra: object) -> Json:
        detail = {"type": "reasoning.text", "text": thought, "index": 0, **extra}
        return chunk({"reasoning": thought, "reasoning_details": [detail]})

    events = from_openai(piece("a"), piece("\n b"), piece("", signature="S"), chunk({"content": "x"}, "stop"))
    assert accumulate_message(events)["content"][0] == {"type": "thinking", "thinking": "a\n b", "signature": "S"}


@pytest.mark.row("S2.91")
def test_calls_one_after_another_pass_at_once() -> None:
    stream = OpenAIToAnthropicStream()
    content = [
        stream.feed(item)
        for item in (call_start(0, "c1", "f"), fragment(0, '{"a"'), fragment(0, ": 1}"), call_start(1, "c2", "g", "{}"))
    ]
    assert [kinds(events) for events in content] == [
        ["message_start"],
        ["start", "delta"],
        ["delta"],
        ["stop", "start", "delta"],
    ]
    events = [*flatten(content), *stream.feed(chunk({}, "tool_calls")), *stream.close()]
    assert accumulate_message(events)["content"] == [
        {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
    ]
    assert accumulate_message(events)["stop_reason"] == "tool_use"


def test_calls_whose_fragments_are_interleaved_wait_for_their_turn() -> None:
    events = from_openai(
        chunk({"tool_calls": [{"index": i, **tool_call(f"c{i}", "f", "")} for i in (0, 1, 2)]}),
        fragment(2, '{"n"'), fragment(0, '{"n"'), fragment(1, '{"n": 1}'), fragment(0, ": 0}"), fragment(2, ": 2}"),
        chunk({}, "tool_calls"),
    )  # fmt: skip
    assert [block["input"] for block in accumulate_message(events)["content"]] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert [index for kind, index in shapes(events) if kind == "start"] == [0, 1, 2]
    open_block = None
    for kind, index in shapes(events):
        assert (open_block is None) if kind == "start" else (open_block == index)
        open_block = None if kind == "stop" else index


@pytest.mark.parametrize("arguments", ["", "null", "  ", "{}"])
def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    events = from_openai(call_start(0, "c", "f", arguments), chunk({}, "tool_calls"))
    assert accumulate_message(events)["content"] == [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]


def test_arguments_that_came_as_an_object() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": {"a": [1]}}}
    assert accumulate_message(from_openai(chunk({"tool_calls": [call]}, "tool_calls")))["content"][0]["input"] == {
        "a": [1]
    }


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", '"text"', "nonsense"])
def test_arguments_that_are_no_object_are_an_error(arguments: str) -> None:
    events = from_openai(chunk({"content": "x"}), call_start(0, "c", "f", arguments), chunk({}, "tool_calls"))
    assert events[-1]["error"]["message"] == f"malformed arguments of a tool call: {arguments}"
    assert "message_stop" not in kinds(events)


def test_a_call_cut_by_the_token_limit_ends_with_max_tokens() -> None:
    events = from_openai(call_start(0, "c", "f", '{"a": "b'), chunk({}, "length"))
    assert accumulate_message(events)["stop_reason"] == "max_tokens"


def test_text_behind_a_call_follows_it() -> None:
    events = from_openai(call_start(0, "c", "f", '{"a": 1}'), chunk({"content": "done"}), chunk({}, "tool_calls"))
    assert [block["type"] for block in accumulate_message(events)["content"]] == ["tool_use", "text"]


def test_text_between_the_fragments_of_a_call_waits() -> None:
    events = from_openai(
        call_start(0, "c", "f", '{"a"'), chunk({"content": "by "}), chunk({"content": "the way"}), fragment(0, ": 1}"),
        chunk({}, "tool_calls"),
    )  # fmt: skip
    call, content = accumulate_message(events)["content"]
    assert (call["input"], content["text"]) == ({"a": 1}, "by the way")


def test_a_call_without_an_id_gets_one() -> None:
    made = [
        accumulate_message(
            from_openai({**chunk({"tool_calls": [{"index": 0, "function": {"name": "f"}}]}, "stop"), "id": id})
        )
        for id in ("one", "two", "one")
    ]
    ids = [answer["content"][0]["id"] for answer in made]
    assert ids[0] == ids[2] != ids[1]
    assert ids[0].startswith("toolu_")


def test_an_id_that_a_host_counts_anew_is_not_that_of_an_earlier_call() -> None:
    earlier = {"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "f", "input": {}}]}
    for id, expected in (("call_0", "toolu_"), ("call_1", "call_1")):
        stream = OpenAIToAnthropicStream(request={"messages": [{"role": "user", "content": "a"}, earlier]})
        first = {**chunk({"tool_calls": [{"index": 0, **tool_call(id, "f", "{}")}]}, "tool_calls"), "id": "two"}
        events = [*stream.feed(first), *stream.close()]
        assert accumulate_message(events)["content"][0]["id"].startswith(expected)


def test_the_older_function_call() -> None:
    events = from_openai(chunk({"function_call": {"name": "f", "arguments": '{"a": 1}'}}), chunk({}, "function_call"))
    assert accumulate_message(events)["content"][0]["input"] == {"a": 1}
    assert accumulate_message(events)["stop_reason"] == "tool_use"


@pytest.mark.parametrize("lost", ["images", "audio", "annotations"])
def test_members_unknown_to_anthropic_are_a_loss(lost: str) -> None:
    stream = OpenAIToAnthropicStream()
    stream.feed(chunk({"content": "x", lost: [{"url": "u"}]}))
    assert f"choices[].delta.{lost}" in {loss.path for loss in stream.losses}


def test_only_the_first_choice_is_sent() -> None:
    stream = OpenAIToAnthropicStream()
    events = [made for index in (0, 1) for made in stream.feed(chunk({"content": str(index)}, "stop", index=index))]
    assert accumulate_message(events + stream.close())["content"] == [{"type": "text", "text": "0"}]
    assert "choices[]" in {loss.path for loss in stream.losses}


def test_choice_0_is_sent_though_another_begins() -> None:
    stream = OpenAIToAnthropicStream()
    events = [made for index in (1, 0, 1) for made in stream.feed(chunk({"content": str(index)}, "stop", index=index))]
    assert accumulate_message(events + stream.close())["content"] == [{"type": "text", "text": "0"}]


def test_a_choice_that_is_numbered_from_1_is_sent() -> None:
    stream = OpenAIToAnthropicStream()
    pieces = ((2, "b", None), (1, "a", None), (1, "!", "length"))
    events = [
        made for index, content, end in pieces for made in stream.feed(chunk({"content": content}, end, index=index))
    ]
    message = accumulate_message(events + stream.close())
    assert (message["content"], message["stop_reason"]) == ([{"type": "text", "text": "a!"}], "max_tokens")


def test_a_refusal_is_text() -> None:
    assert accumulate_message(from_openai(chunk({"refusal": "No."}, "stop")))["content"] == [
        {"type": "text", "text": "No."}
    ]


def test_signatures_of_gemini_stand_before_what_they_sign() -> None:
    call = {**tool_call("c", "f", "{}"), "extra_content": {"google": {"thought_signature": "SC"}}}
    signed = {"content": "x", "extra_content": {"google": {"thought_signature": "ST"}}}
    chunks = [chunk(signed), chunk({"tool_calls": [{"index": 0, **call}]}, "tool_calls")]
    events = from_openai(*chunks, request={"thinking": {"type": "adaptive"}})
    assert [block.get("signature") for block in accumulate_message(events)["content"]] == [
        prefix_gemini_signature("ST", "text"), None, prefix_gemini_signature("SC", "call"), None,
    ]  # fmt: skip


@pytest.mark.parametrize("request_", [None, {}, {"thinking": {"type": "disabled"}}])
def test_without_thinking_a_call_is_signed_in_its_id_and_a_text_not_at_all(request_: Json | None) -> None:
    call = {**tool_call("c", "f", "{}"), "extra_content": {"google": {"thought_signature": "SC"}}}
    signed = {"content": "x", "extra_content": {"google": {"thought_signature": "ST"}}}
    machine = OpenAIToAnthropicStream(request=request_)
    chunks = [chunk(signed), chunk({"tool_calls": [{"index": 0, **call}]}, "tool_calls")]
    text_block, call_block = accumulate_message(run_stream(machine, chunks))["content"]
    assert text_block == {"type": "text", "text": "x"}
    assert split_signed_id(call_block["id"]) == ("c", "SC")
    assert [loss.path for loss in machine.losses] == ["created", "choices[].delta.reasoning_details"]


def test_without_thinking_a_signature_longer_than_an_id_is_a_loss() -> None:
    call = {**tool_call("c", "f", "{}"), "extra_content": {"google": {"thought_signature": "S" * 9000}}}
    machine = OpenAIToAnthropicStream()
    events = run_stream(machine, [chunk({"tool_calls": [{"index": 0, **call}]}, "tool_calls")])
    assert [block["id"] for block in accumulate_message(events)["content"]] == ["c"]
    assert "choices[].delta.tool_calls[].extra_content.google.thought_signature" in {
        loss.path for loss in machine.losses
    }


def test_an_error_chunk_ends_the_stream_and_is_no_clean_stop() -> None:
    error = {"error": {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}
    events = from_openai(chunk({"content": "Hel"}), error, chunk({"content": "lost"}, "stop"))
    assert events[-1] == {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    assert kinds(events) == ["message_start", "start", "delta", "error"]


@pytest.mark.parametrize("word", ["error", "network_error"])
def test_a_failed_choice_is_an_error(word: str) -> None:
    assert from_openai(chunk({"content": "x"}), chunk({}, word))[-1]["type"] == "error"


@pytest.mark.parametrize("count", [0, 1])
def test_a_cut_stream_is_an_error(count: int) -> None:
    events = from_openai([chunk({"content": "Hel"})] * count)
    assert events[-1]["type"] == "error"
    assert "message_stop" not in kinds(events)
