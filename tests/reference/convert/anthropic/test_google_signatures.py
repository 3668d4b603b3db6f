"""Signatures of Google's Chat endpoint through an Anthropic client: back on the call or the message they came from."""

import pytest

from bridgecheck_reference.convert.anthropic.history_to_openai import MessageWriter
from bridgecheck_reference.convert.signatures import wrap_gemini_signature
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import NATIVE

TEXT = {"type": "text", "text": "Lit."}


def signed(part, value):
    return {"type": "thinking", "thinking": "", "signature": wrap_gemini_signature(value, part)}


def call(number):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "lamp", "input": {}}


def said(blocks):
    written = MessageWriter(NATIVE, Losses(), None).write([{"role": "assistant", "content": blocks}])
    return written[0]


def google(value):
    return {"google": {"thought_signature": value}}


@pytest.mark.parametrize(
    ("blocks", "signatures"),
    [
        ([signed("call", "c2ln"), call(1), call(2)], ["c2ln", None]),
        ([call(1), signed("call", "c2ln"), call(2)], [None, "c2ln"]),
        ([signed("call", "c2lnMQ=="), call(1), signed("call", "c2lnMg=="), call(2)], ["c2lnMQ==", "c2lnMg=="]),
        ([signed("call", "c2ln"), TEXT, call(1)], ["c2ln"]),
    ],
)
def test_a_signature_goes_back_on_its_call(blocks, signatures):
    message = said(blocks)
    assert [item.get("extra_content") for item in message["tool_calls"]] == [
        item and google(item) for item in signatures
    ]
    assert "reasoning_details" not in message


@pytest.mark.parametrize("blocks", [[signed("text", "c2ln"), TEXT], [TEXT, signed("tail", "c2ln")]])
def test_a_signature_of_text_goes_back_on_the_message(blocks):
    message = said(blocks)
    assert message["extra_content"] == google("c2ln")
    assert "reasoning_details" not in message


def test_a_signature_whose_call_is_gone_goes_with_it():
    assert said([TEXT, signed("call", "c2ln")]) == {"role": "assistant", "content": "Lit."}


def test_what_another_provider_signed_stays_an_entry_of_reasoning_details():
    message = said([{"type": "thinking", "thinking": "Hm.", "signature": "U0lH"}, signed("call", "c2ln"), call(1)])
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": "Hm.", "signature": "U0lH"}]
    assert message["tool_calls"][0]["extra_content"] == google("c2ln")
