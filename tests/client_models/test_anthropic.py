"""The models of Anthropic clients against the SDK's own accumulator: same answer in, same history out."""

from typing import Any

import pytest
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import ParsedMessage, RawMessageStreamEvent
from pydantic import TypeAdapter

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.model.exchange import Response
from bridgecheck.wire import JsonObject

Block = tuple[dict[str, Any], list[dict[str, Any]]]
"""A block as it starts, and its deltas."""

READ: TypeAdapter[RawMessageStreamEvent] = TypeAdapter(RawMessageStreamEvent)


def text(*pieces: str) -> Block:
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]


def thinking(text: str, *signatures: str) -> Block:
    start = {"type": "thinking", "thinking": "", "signature": ""}
    deltas = [{"type": "thinking_delta", "thinking": text}] if text else []
    return start, [*deltas, *({"type": "signature_delta", "signature": signature} for signature in signatures)]


def tool_use(*pieces: str) -> Block:
    start = {"type": "tool_use", "id": "toolu_1", "name": "gauge", "input": {}}
    return start, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


CITATION = {"type": "char_location", "cited_text": "Low.", "document_index": 0, "document_title": None, "file_id": None,
            "start_char_index": 0, "end_char_index": 4}  # fmt: skip
ANSWERS: dict[str, list[Block]] = {
    "text": [text("Low ", "water.")],
    "thinking and text": [thinking("Hm.", "c2ln"), text("Low.")],
    "empty thinking behind the text": [text("Low."), thinking("", "c2ln")],
    "empty thinking between texts": [text("Low "), thinking("", "c2ln"), text("water.")],
    "two signatures": [thinking("Hm.", "YQ==", "Yg==")],
    "text and call": [text("One moment."), tool_use("", '{"harbour":', '"Degerby"}')],
    "call without input": [tool_use("")],
    "cited text": [({"type": "text", "text": ""}, [{"type": "citations_delta", "citation": CITATION}])],
    "redacted thinking": [({"type": "redacted_thinking", "data": "b3A="}, []), text("Low.")],
}


def events_of(blocks: list[Block]) -> list[JsonObject]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": None,
            "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}  # fmt: skip
    events: list[JsonObject] = [{"type": "message_start", "message": head | {"content": []}}]
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    return events


@pytest.mark.parametrize("name", ANSWERS)
def test_the_model_remembers_what_the_sdk_puts_together(name: str) -> None:
    message: ParsedMessage[None] | None = None
    buffers: dict[int, bytes] = {}
    for event in events_of(ANSWERS[name]):
        message = accumulate_event(event=READ.validate_python(event), current_snapshot=message, json_bufs=buffers)
    assert message is not None
    expected = [block.model_dump(mode="json", exclude_unset=True, warnings=False) for block in message.content]
    response = Response("anthropic", "stream", tuple(events_of(ANSWERS[name])))
    (actual,) = CLIENT_MODELS["anthropic-python"].remember(response).messages
    assert actual == {"role": "assistant", "content": expected}


SHOWN = {
    "text": ("Low water.", "Low water.", "Low water."),
    "thinking and text": ("Low.", "", "Low."),
    "empty thinking behind the text": ("Low.", "Low.", ""),
    "empty thinking between texts": ("Low water.", "Low ", "water."),
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_person_sees(name: str) -> None:
    response = Response("anthropic", "stream", tuple(events_of(ANSWERS[name])))
    names = ("anthropic-python", "anthropic-quickstart", "claude-code")
    assert tuple(CLIENT_MODELS[name].shows(response) for name in names) == SHOWN[name]


def test_a_delta_of_no_block_raises_in_the_client() -> None:
    events = events_of(ANSWERS["text"])
    events[1]["index"], events[2]["index"] = 1, 1
    remembered = CLIENT_MODELS["anthropic-python"].remember(Response("anthropic", "stream", tuple(events)))
    assert (remembered.messages, remembered.reason) == ((), "the client raises: there is no block 1")
