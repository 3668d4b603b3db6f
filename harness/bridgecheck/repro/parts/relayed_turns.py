"""Turns whose requests hold what the client received before, as clients send it back."""

import json
import re
from typing import Any

from bridgecheck.repro.parts.data import CLIENT, KEPT, MODE


def said_by_client(body: Any, received: list[Any]) -> Any:
    """{"$received": 0}: the message of turn 0. "$id:0.1" and "$name:0.1": id and function of its call 1. LookupError:
    there is no such message or call."""
    if isinstance(body, dict) and "$received" in body:
        message = said_by_model(received[body["$received"]])
        if not (message.get("parts") or message.get("content") or len(message) > 2):
            raise LookupError("there is nothing to say again")
        return documented(message, KEPT) if "fields" in body else message
    if isinstance(body, dict):
        pairs = ((key, said_by_client(value, received)) for key, value in body.items())
        return {key: value for key, value in pairs if value is not Ellipsis}
    if isinstance(body, list):
        return [said_by_client(item, received) for item in body]
    named = re.fullmatch(r"\$(id|name):(\d+)\.(\d+)", body) if isinstance(body, str) else None
    if named is None:
        return body
    call = calls_in(said_by_model(received[int(named[2])]))[int(named[3])]
    return (call.get("function") or call if named[1] == "name" else call).get(named[1]) or ...


def documented(value: Any, fields: Any) -> Any:
    if isinstance(value, list):
        kept = [documented(item, fields) for item in value]
        return [item for item in kept if not (isinstance(item, dict) and item.get("thought") is True)]
    if isinstance(value, dict) and fields is not None:
        return {key: documented(item, fields[key]) for key, item in value.items() if key in fields}
    return value


def calls_in(message: Any) -> list[Any]:
    if "tool_calls" in message:
        return list(message["tool_calls"])
    parts = message.get("parts") or message.get("content") or []
    calls = [part.get("functionCall", part.get("tool_call")) for part in parts]
    return [call for call in calls if call] or [part for part in parts if part.get("type") == "tool_use"]


def said_by_model(documents: list[Any]) -> Any:
    """The assistant message of an answer."""
    first = documents[0]
    if CLIENT == "gemini":
        contents = [event["candidates"][0].get("content", {}) for event in documents if event.get("candidates")]
        parts = [part for one in contents for part in one.get("parts", [])]
        return {"role": "model", "parts": joined(parts)} if MODE == "stream" else contents[0]
    if CLIENT == "anthropic":
        return {"role": "assistant", "content": blocks(documents) if MODE == "stream" else first["content"]}
    return chat_message(documents) if MODE == "stream" else first["choices"][0]["message"]


def joined(parts: list[Any]) -> list[Any]:
    """Pieces of one text as one part."""
    found: list[Any] = []
    for part in parts:
        before = found[-1] if found else {}
        if set(part) == {"text"} == set(before) or (set(part) == {"text", "thought"} == set(before)):
            found[-1] = before | {"text": before["text"] + part["text"]}
        else:
            found.append(part)
    return found


def chat_message(events: list[Any]) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, Any] = {}
    for delta in [choice.get("delta", {}) for event in events for choice in event.get("choices", [])[:1]]:
        for call in delta.get("tool_calls") or []:
            grow(calls.setdefault(call.get("index", len(calls)), {}), {**call, "index": None})
        grow(message, {**delta, "tool_calls": None, "role": None})
    return message | ({"tool_calls": [calls[index] for index in sorted(calls)]} if calls else {})


def grow(whole: dict[str, Any], piece: dict[str, Any]) -> None:
    for key, value in piece.items():
        if isinstance(value, dict):
            grow(whole.setdefault(key, {}), value)
        elif isinstance(value, list):
            whole[key] = [*whole.get(key, []), *value]
        elif isinstance(value, str) and key not in ("id", "type", "name", "role"):
            whole[key] = (whole.get(key) or "") + value
        elif value is not None:
            whole[key] = value


def blocks(events: list[Any]) -> list[Any]:
    found: dict[int, Any] = {}
    for event in events:
        if event.get("type") == "content_block_start":
            found[event["index"]] = dict(event["content_block"])
        delta, block = event.get("delta", {}), found.get(event.get("index"), {})
        for key in ("text", "thinking", "signature", "partial_json"):
            if key in delta:
                block[key] = block.get(key, "") + delta[key]
    for block in found.values():
        if "partial_json" in block:
            block["input"] = json.loads(block.pop("partial_json") or "{}")
    return [found[index] for index in sorted(found)]
