"""Anthropic Messages. Source: https://docs.anthropic.com/en/api/messages"""

import json
from typing import Final

from bridgecheck.fuzz.meaning import MODEL, PIXEL, SCHEMA, SIGNATURE, Cut, Round, Says, Talk, given
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.wire import JsonObject


def request(talk: Talk) -> JsonObject:
    messages: list[JsonObject] = []
    pending: list[JsonObject] = []
    for each in talk.rounds:
        messages.append({"role": "user", "content": [*pending, *_user(each)]})
        messages.append({"role": "assistant", "content": _model(each.model)})
        pending = _results(each)
    messages.append({"role": "user", "content": [*pending, {"type": "text", "text": talk.last}]})
    tools = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in talk.tools]
    choice = {"type": talk.choice} if talk.choice else None
    return {
        "messages": messages, "max_tokens": 4000,
        **given(
            system=talk.system, temperature=talk.temperature, top_p=talk.top_p, stop_sequences=list(talk.stop),
            tools=tools, tool_choice=choice,
        ),
    }  # fmt: skip


def _user(each: Round) -> list[JsonObject]:
    source: JsonObject = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    blocks: list[JsonObject] = [{"type": "text", "text": each.user}]
    return [*blocks, {"type": "image", "source": source}] if each.image else blocks


def _model(said: Says) -> list[JsonObject]:
    blocks: list[JsonObject] = [{"type": "text", "text": said.text}] if said.text else []
    return blocks + [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in said.calls]


def _results(each: Round) -> list[JsonObject]:
    return [
        {"type": "tool_result", "tool_use_id": call.id, "content": result}
        for call, result in zip(each.model.calls, each.results, strict=True)
    ]


_STOP: Final = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


def answer(said: Says) -> JsonObject:
    """The whole answer; ``streamed`` makes a stream of it."""
    blocks: list[JsonObject] = []
    if said.thinks:
        blocks.append({"type": "thinking", "thinking": said.thinks, "signature": SIGNATURE})
    usage: JsonObject = {"input_tokens": said.prompt - said.cached, "output_tokens": said.completion}
    if said.cached:
        usage["cache_read_input_tokens"] = said.cached
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks + _model(said),
        "stop_reason": _STOP[said.finish], "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def streamed(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """The events of a stream that says what the document says, with a ping."""
    usage = obj(document.get("usage"))
    start = {
        **document,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    events: list[JsonObject] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(objs(document.get("content"))):
        opened, deltas = _opened(block, cut)
        events.append({"type": "content_block_start", "index": index, "content_block": opened})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    ended = {key: document.get(key) for key in ("stop_reason", "stop_sequence")}
    counted = {"output_tokens": usage.get("output_tokens", 0)}
    return [*events, {"type": "message_delta", "delta": ended, "usage": counted}, {"type": "message_stop"}]


def _opened(block: JsonObject, cut: Cut) -> tuple[JsonObject, list[JsonObject]]:
    """A block as it starts, and what is then added to it."""
    kind = block["type"]
    if kind == "text":
        told: list[JsonObject] = [{"type": "text_delta", "text": piece} for piece in cut(text(block["text"]))]
        cited: list[JsonObject] = [
            {"type": "citations_delta", "citation": citation} for citation in objs(block.get("citations"))
        ]
        empty: JsonObject = {"type": "text", "text": ""}
        return (empty | {"citations": []} if cited else empty), told + cited
    if kind == "thinking":
        thought: list[JsonObject] = [
            {"type": "thinking_delta", "thinking": piece} for piece in cut(text(block["thinking"]))
        ]
        signed: JsonObject = {"type": "signature_delta", "signature": block["signature"]}
        return {**block, "thinking": "", "signature": ""}, [*thought, signed]
    if kind in ("tool_use", "server_tool_use"):
        written = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in cut(written)]
    return block, []
