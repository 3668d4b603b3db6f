"""Unary answers both ways, and the tables of finish reasons and counts."""

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion

from bridgecheck_reference.conversion_profile import ANTHROPIC_PIVOT, Profile
from bridgecheck_reference.convert.anthropic import finish
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai, openai_response_to_anthropic
from bridgecheck_reference.convert.anthropic.usage import usage_to_anthropic, usage_to_openai

from ..samples import tool_call
from ..with_habits import convert_response, habits
from .answer_samples import Json, message

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "S"}
HIDDEN = {"type": "redacted_thinking", "data": "D"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"n": 12345678901234567890, "x": 1.0, "é": "ü"}}


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def completion(message_fields: Json, finish: str | None = "stop", **extra: object) -> Json:
    choice = {"index": 0, "message": {"role": "assistant", **message_fields}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "created": 5, "model": "m", "choices": [choice], **extra}


def to_openai(*content: Json, **extra: object) -> Json:
    result = anthropic_response_to_openai(message(*content, **extra))
    assert result.meta["status"] == 200
    assert ChatCompletion.model_validate(result.value)
    return result.value


def to_anthropic(document: Json, profile: Profile | None = None) -> Json:
    result = openai_response_to_anthropic(document, profile=profile or Profile())
    assert result.meta["status"] == 200
    assert Message.model_validate(result.value)
    return result.value


@pytest.mark.row("S2.91")
def test_a_message_and_back() -> None:
    converted_answer = to_openai(THOUGHT, HIDDEN, text_block("Hello"), CALL, reason="tool_use")
    converted = converted_answer["choices"][0]
    assert converted["finish_reason"] == "tool_calls"
    assert converted["message"] == {
        "role": "assistant",
        "content": "Hello",
        "reasoning_content": "hm",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "hm", "signature": "S", "index": 0},
            {"type": "reasoning.encrypted", "data": "D", "index": 1},
        ],
        "tool_calls": [tool_call("toolu_1", "f", '{"n": 12345678901234567890, "x": 1.0, "é": "ü"}')],
    }
    assert to_anthropic(converted_answer) == message(THOUGHT, HIDDEN, text_block("Hello"), CALL, reason="tool_use")


def test_a_call_alone_has_null_content_and_no_arguments_are_an_empty_object() -> None:
    converted = to_openai({**CALL, "input": {}}, reason="tool_use")["choices"][0]["message"]
    assert converted["content"] is None
    assert converted["tool_calls"][0]["function"]["arguments"] == "{}"


def test_texts_join_with_nothing_in_between() -> None:
    assert to_openai(text_block("a"), text_block("b"))["choices"][0]["message"]["content"] == "ab"


def test_an_empty_answer_stays_an_answer() -> None:
    assert to_openai()["choices"][0]["message"] == {"role": "assistant", "content": ""}
    assert to_anthropic(completion({"content": ""}))["content"] == []


@pytest.mark.row("S2.91")
@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("tool_use", "stop"), ("pause_turn", "stop"),
        ("compaction", "stop"), ("max_tokens", "length"), ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"), ("novelty", "stop"),
    ],
)  # fmt: skip
def test_stop_reasons_and_back(native: str, expected: str) -> None:
    converted_answer = to_openai(text_block("x"), reason=native)
    assert converted_answer["choices"][0]["finish_reason"] == expected
    back = openai_response_to_anthropic(converted_answer).value
    assert back["stop_reason"] == ("end_turn" if native == "tool_use" else native)


def test_the_stop_sequence_travels_in_extra_content() -> None:
    converted_answer = to_openai(text_block("x"), reason="stop_sequence", stop_sequence="END")
    assert converted_answer["choices"][0]["extra_content"]["anthropic"] == {
        "stop_reason": "stop_sequence",
        "stop_sequence": "END",
    }
    assert to_anthropic(converted_answer)["stop_sequence"] == "END"


def test_an_unknown_reason_is_a_loss_both_ways() -> None:
    assert "stop_reason" in {loss.path for loss in anthropic_response_to_openai(message(reason="novelty")).losses}
    converted_answer = openai_response_to_anthropic(completion({"content": "x"}, "novelty"))
    assert converted_answer.value["stop_reason"] == "end_turn"
    assert "choices[].finish_reason" in {loss.path for loss in converted_answer.losses}


@pytest.mark.parametrize("word", [*finish.FROM_OPENAI, *finish.TO_OPENAI])
@pytest.mark.parametrize("has_calls", [True, False])
def test_every_finish_reason_has_one_that_anthropic_knows(word: str, has_calls: bool) -> None:
    assert finish.to_anthropic(word, has_calls) in finish.TO_OPENAI


@pytest.mark.parametrize(
    ("word", "calls", "native"),
    [
        ("stop", False, "end_turn"), ("stop", True, "tool_use"), ("tool_calls", True, "tool_use"),
        ("tool_calls", False, "end_turn"), ("function_call", True, "tool_use"), ("length", True, "max_tokens"),
        ("content_filter", False, "refusal"),
    ],
)  # fmt: skip
def test_finish_reasons(word: str, calls: bool, native: str) -> None:
    body = {"content": "x", **({"tool_calls": [tool_call("c", "f")]} if calls else {})}
    assert to_anthropic(completion(body, word))["stop_reason"] == native


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (completion({"content": "par"}, None), "upstream ended without a finish reason"),
        ({"choices": []}, "upstream answered without choices"),
        ({}, "upstream answered without choices"),
        (completion({"tool_calls": [tool_call("c", "f", "nope")]}), "malformed arguments of a tool call: nope"),
    ],
)
def test_an_invalid_answer_is_a_bad_gateway(document: Json, message: str) -> None:
    result = openai_response_to_anthropic(document)
    assert (result.meta["status"], result.value["error"]["message"]) == (502, message)


def test_the_text_before_a_failure_stands_in_the_error() -> None:
    assert openai_response_to_anthropic(completion({"content": "par"}, None)).value["error"]["partial_text"] == "par"
    result = anthropic_response_to_openai(message(text_block("par"), reason=None))
    assert (result.meta["status"], result.value["error"]["partial_text"]) == (502, "par")


def test_a_call_cut_by_the_token_limit_is_dropped() -> None:
    document = completion({"content": "x", "tool_calls": [tool_call("c", "f", '{"a": "b')]}, "length")
    assert [block["type"] for block in to_anthropic(document)["content"]] == ["text"]
    losses = {loss.path for loss in openai_response_to_anthropic(document).losses}
    assert "choices[].delta.tool_calls[].function.arguments" in losses


def test_renamed_functions_get_their_names_back() -> None:
    request = {"tools": [{"name": "fs.read", "input_schema": {}}]}
    document = completion({"tool_calls": [tool_call("c", "fs_read")]}, "tool_calls")
    assert openai_response_to_anthropic(document, request=request).value["content"][0]["name"] == "fs.read"


def test_reasoning_of_several_blocks_is_not_repeated() -> None:
    details = [{"type": "reasoning.text", "text": name, "signature": name} for name in ("A", "B")]
    made = to_anthropic(completion({"content": "x", "reasoning_content": "AB", "reasoning_details": details}))
    assert [block.get("thinking") for block in made["content"]] == ["A", "B", None]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 3, "output_tokens": 4}, {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}),
        (
            {
                "input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20, "output_tokens_details": {"thinking_tokens": 2},
            },
            {
                "prompt_tokens": 123, "completion_tokens": 4, "total_tokens": 127,
                "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 20},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
        ),
    ],
)  # fmt: skip
def test_counts_and_back(usage: Json, expected: Json) -> None:
    assert usage_to_openai(usage) == expected
    assert usage_to_anthropic(expected) == usage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, {"input_tokens": 0, "output_tokens": 0}),
        ({"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}},
         {"input_tokens": 3, "output_tokens": 0, "cache_read_input_tokens": 5}),
        ({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 17,
          "completion_tokens_details": {"reasoning_tokens": 5}},
         {"input_tokens": 10, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 5}}),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 4},
         {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 4}),
    ],
)  # fmt: skip
def test_counts_of_every_host_are_never_negative(usage: Json, expected: Json) -> None:
    assert usage_to_anthropic(usage) == expected


def test_basic_usage_has_three_counts() -> None:
    basic = Profile(habits=habits("basic_usage"))
    usage = {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3}
    answer = message(text_block("x"), usage=usage)
    made = convert_response("openai-chat", "anthropic", answer, basic).value
    assert made["usage"] == {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
    details = {"prompt_tokens": 4, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    back = convert_response("anthropic", "openai-chat", {**made, "usage": details}, basic).value
    assert back["usage"] == {"input_tokens": 4, "output_tokens": 2}


def test_arguments_cut_off_upstream_stay_unchanged() -> None:
    cut = {**CALL, "input": '{"value": "Spark'}
    converted_answer = anthropic_response_to_openai(message(cut, reason="tool_use"), profile=ANTHROPIC_PIVOT).value
    assert converted_answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"value": "Spark'
    assert openai_response_to_anthropic(converted_answer, profile=ANTHROPIC_PIVOT).value["content"] == [cut]
