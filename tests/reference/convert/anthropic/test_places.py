"""Thinking that does not stand first keeps its place through a Chat client."""

import pytest

from bridgecheck_reference.convert.anthropic.blocks import message_to_blocks
from bridgecheck_reference.convert.anthropic.responses import anthropic_response_to_openai
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import NATIVE

FIRST = {"type": "thinking", "thinking": "One.", "signature": "U0lHMQ=="}
SECOND = {"type": "thinking", "thinking": "Two.", "signature": "U0lHMg=="}
HIDDEN = {"type": "redacted_thinking", "data": "aGlkZGVu"}
SAID = {"type": "text", "text": "Both."}
MORE = {"type": "text", "text": " Done."}


def call(number):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "see", "input": {"at": number}}


def message_of(blocks):
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": blocks}
    document = {**answer, "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1}}
    return anthropic_response_to_openai(document).value["choices"][0]["message"]


def sent_back(message):
    return message_to_blocks(message, NATIVE, Losses(), "messages[]", lambda name, given: given)


@pytest.mark.parametrize(
    "blocks",
    [
        [FIRST, SAID, call(1), SECOND, call(2)],
        [FIRST, call(1), HIDDEN, call(2)],
        [FIRST, SAID, SECOND, MORE],
        [FIRST, SECOND, SAID, call(1)],
        [SAID, FIRST],
        [call(1), call(2), FIRST],
        [HIDDEN, SAID, FIRST, call(1), SECOND],
    ],
)
def test_every_block_comes_back_where_it_stood(blocks):
    assert sent_back(message_of(blocks)) == blocks


def test_thinking_that_comes_first_says_no_place():
    assert message_of([FIRST, SECOND, SAID, call(1)])["reasoning_details"] == [
        {"type": "reasoning.text", "text": "One.", "signature": "U0lHMQ=="},
        {"type": "reasoning.text", "text": "Two.", "signature": "U0lHMg=="},
    ]


def test_text_between_calls_stands_before_them_and_thinking_behind_its_call():
    assert sent_back(message_of([FIRST, call(1), SAID, SECOND, call(2)])) == [FIRST, SAID, call(1), SECOND, call(2)]


@pytest.mark.parametrize("after", [{"text": 99, "calls": 9}, {"text": 99}, {"text": -4, "calls": -1}, "there", None])
def test_a_place_that_does_not_fit_loses_nothing(after):
    message = message_of([FIRST, SAID, call(1)])
    message["reasoning_details"][0]["after"] = after
    assert sorted(map(str, sent_back(message))) == sorted(map(str, [FIRST, SAID, call(1)]))
