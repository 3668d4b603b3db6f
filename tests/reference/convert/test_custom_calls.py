"""Calls other than function calls: free text (``type: custom``) becomes an argument, unknown kinds are dropped with
their results, and the conversation goes on."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.responses import openai_response_to_gemini
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.errors import ConversionError

CONVERTERS = [openai_request_to_gemini, openai_request_to_anthropic]


def history(answered: str, kind: str = "custom") -> dict[str, Any]:
    custom = {"id": "call_c", "type": kind, "custom": {"name": "shell", "input": "ls"}}
    weather = {"id": "call_f", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [custom, weather]},
            {"role": "tool", "tool_call_id": answered, "content": "files"},
            {"role": "tool", "tool_call_id": "call_f", "content": "mild"},
            {"role": "user", "content": "and now?"},
        ],
    }


@pytest.mark.parametrize("convert", CONVERTERS)
def test_free_text_is_sent_as_an_argument(convert: Callable[[Any], Any]) -> None:
    result = convert(history("call_c"))
    converted = str(result.value)
    assert "{'input': 'ls'}" in converted and "files" in converted and "mild" in converted
    assert "messages[].tool_calls[].type" in [loss.path for loss in result.losses]


def test_free_text_that_is_streamed_is_one_argument() -> None:
    """The pieces are plain text, even where they look like JSON."""
    pieces = [
        {"id": "call_c", "type": "custom", "custom": {"name": "shell", "input": "{l"}},
        {"custom": {"input": "s}"}},
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **piece}]}}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    for stream in (OpenAIToGeminiStream(model="m"), OpenAIToAnthropicStream(model="m")):
        made = str([event for chunk in chunks for event in stream.feed(chunk)] + stream.close())
        assert "{'input': '{ls}'}" in made or '{"input":"{ls}"}' in made.replace(" ", "")


def test_an_empty_custom_member_of_a_function_call_is_ignored() -> None:
    """Recorded: a gateway writes every member of the type, empty where it does not apply."""
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": '{"a":1}'},
        "custom": {"input": "", "name": ""},
    }
    answer = {"choices": [{"index": 0, "message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    parts = openai_response_to_gemini(answer).value["candidates"][0]["content"]["parts"]
    assert parts == [{"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}]


@pytest.mark.parametrize("convert", CONVERTERS)
def test_the_result_of_a_dropped_call_is_dropped_too(convert: Callable[[Any], Any]) -> None:
    result = convert(history("call_c", "telepathy"))
    converted = str(result.value)
    assert "mild" in converted and "and now?" in converted and "files" not in converted
    assert ("messages[].tool_call_id", "the result of a call that was left out") in [
        (loss.path, loss.reason) for loss in result.losses
    ]


@pytest.mark.parametrize("convert", CONVERTERS)
def test_a_result_that_answers_nothing_is_still_refused(convert: Callable[[Any], Any]) -> None:
    with pytest.raises(ConversionError, match="'call_x' answers no call"):
        convert(history("call_x"))
