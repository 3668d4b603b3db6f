"""Thinking that does not come first keeps its position among the blocks through a Chat client."""

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.anthropic.blocks import message_to_blocks
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai
from bridgecheck_reference.loss import Losses

FIRST = {"type": "thinking", "thinking": "One.", "signature": "U0lHMQ=="}
SECOND = {"type": "thinking", "thinking": "Two.", "signature": "U0lHMg=="}
HIDDEN = {"type": "redacted_thinking", "data": "aGlkZGVu"}
TEXT = {"type": "text", "text": "Both."}
MORE = {"type": "text", "text": " Done."}


def call(number):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "see", "input": {"at": number}}


def convert_to_message(blocks):
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": blocks}
    document = {**answer, "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1}}
    return anthropic_response_to_openai(document).value["choices"][0]["message"]


def convert_back(message):
    return message_to_blocks(message, NATIVE, Losses(), "messages[]", lambda name, default: default)


@pytest.mark.parametrize(
    "blocks",
    [
        [FIRST, TEXT, call(1), SECOND, call(2)],
        [FIRST, call(1), HIDDEN, call(2)],
        [FIRST, TEXT, SECOND, MORE],
        [FIRST, SECOND, TEXT, call(1)],
        [TEXT, FIRST],
        [call(1), call(2), FIRST],
        [HIDDEN, TEXT, FIRST, call(1), SECOND],
    ],
)
def test_every_block_comes_back_where_it_stood(blocks):
    assert convert_back(convert_to_message(blocks)) == blocks


def test_thinking_that_comes_first_has_no_position():
    assert convert_to_message([FIRST, SECOND, TEXT, call(1)])["reasoning_details"] == [
        {"type": "reasoning.text", "text": "One.", "signature": "U0lHMQ==", "index": 0},
        {"type": "reasoning.text", "text": "Two.", "signature": "U0lHMg==", "index": 1},
    ]


def test_text_between_calls_stands_before_them_and_thinking_behind_its_call():
    assert convert_back(convert_to_message([FIRST, call(1), TEXT, SECOND, call(2)])) == [
        FIRST,
        TEXT,
        call(1),
        SECOND,
        call(2),
    ]


@pytest.mark.parametrize("after", [{"text": 99, "calls": 9}, {"text": 99}, {"text": -4, "calls": -1}, "there", None])
def test_an_invalid_position_loses_nothing(after):
    message = convert_to_message([FIRST, TEXT, call(1)])
    message["reasoning_details"][0]["after"] = after
    assert sorted(map(str, convert_back(message))) == sorted(map(str, [FIRST, TEXT, call(1)]))
