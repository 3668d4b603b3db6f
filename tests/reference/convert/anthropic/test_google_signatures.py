"""Signatures of Google's Chat endpoint through an Anthropic client: back on the call or the message they came from."""

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.anthropic.history_to_openai import MessageWriter
from bridgecheck_reference.convert.signatures import embed_signature_in_id, prefix_gemini_signature
from bridgecheck_reference.loss import Losses

TEXT = {"type": "text", "text": "Lit."}


def signature_block(part, value):
    return {"type": "thinking", "thinking": "", "signature": prefix_gemini_signature(value, part)}


def call(number):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "lamp", "input": {}}


def convert_blocks(blocks):
    written = MessageWriter(NATIVE, Losses(), None).write([{"role": "assistant", "content": blocks}])
    return written[0]


def google(value):
    return {"google": {"thought_signature": value}}


@pytest.mark.parametrize(
    ("blocks", "signatures"),
    [
        ([signature_block("call", "c2ln"), call(1), call(2)], ["c2ln", None]),
        ([call(1), signature_block("call", "c2ln"), call(2)], [None, "c2ln"]),
        (
            [signature_block("call", "c2lnMQ=="), call(1), signature_block("call", "c2lnMg=="), call(2)],
            ["c2lnMQ==", "c2lnMg=="],
        ),
        ([signature_block("call", "c2ln"), TEXT, call(1)], ["c2ln"]),
    ],
)
def test_a_signature_goes_back_on_its_call(blocks, signatures):
    message = convert_blocks(blocks)
    assert [item.get("extra_content") for item in message["tool_calls"]] == [
        item and google(item) for item in signatures
    ]
    assert "reasoning_details" not in message


def test_a_signature_inside_an_id_goes_back_on_its_call():
    signed = {**call(1), "id": embed_signature_in_id("toolu_1", "c2ln")}
    result = {"type": "tool_result", "tool_use_id": signed["id"], "content": "on"}
    messages = [{"role": "assistant", "content": [signed, call(2)]}, {"role": "user", "content": [result]}]
    assistant, first = MessageWriter(NATIVE, Losses(), None).write(messages)
    assert [item["id"] for item in assistant["tool_calls"]] == ["toolu_1", "toolu_2"]
    assert [item.get("extra_content") for item in assistant["tool_calls"]] == [google("c2ln"), None]
    assert (first["tool_call_id"], first["content"]) == ("toolu_1", "on")


@pytest.mark.parametrize("blocks", [[signature_block("text", "c2ln"), TEXT], [TEXT, signature_block("tail", "c2ln")]])
def test_a_signature_of_text_goes_back_on_the_message(blocks):
    message = convert_blocks(blocks)
    assert message["extra_content"] == google("c2ln")
    assert "reasoning_details" not in message


def test_the_signature_of_a_missing_call_is_dropped():
    assert convert_blocks([TEXT, signature_block("call", "c2ln")]) == {"role": "assistant", "content": "Lit."}


def test_a_signature_of_another_provider_stays_in_reasoning_details():
    message = convert_blocks(
        [{"type": "thinking", "thinking": "Hm.", "signature": "U0lH"}, signature_block("call", "c2ln"), call(1)]
    )
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": "Hm.", "signature": "U0lH"}]
    assert message["tool_calls"][0]["extra_content"] == google("c2ln")
