"""Calls of free text (``type: custom``): left out with what answers them, and the conversation goes on."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.openai_request import openai_request_to_gemini
from bridgecheck_reference.errors import ConversionError

CONVERTERS = [openai_request_to_gemini, openai_request_to_anthropic]


def history(answered: str) -> dict[str, Any]:
    custom = {"id": "call_c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
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
def test_the_result_of_a_call_that_was_left_out_is_left_out_too(convert: Callable[[Any], Any]) -> None:
    result = convert(history("call_c"))
    told = str(result.value)
    assert "mild" in told and "and now?" in told and "files" not in told
    assert ("messages[].tool_call_id", "the result of a call that was left out") in [
        (loss.path, loss.reason) for loss in result.losses
    ]


@pytest.mark.parametrize("convert", CONVERTERS)
def test_a_result_that_answers_nothing_is_still_refused(convert: Callable[[Any], Any]) -> None:
    with pytest.raises(ConversionError, match="'call_x' answers no call"):
        convert(history("call_x"))
