"""Requests of later turns, which hold what the client received before, as clients send it back. Scripts contain this
module whole, so it needs the standard library alone; ``case`` is that of ``runtime``."""

import json
import re
from typing import Any


def fill_request(case: dict[str, Any], body: Any, received: list[Any]) -> Any:
    """Replace {"$received": 0} by the message of turn 0, and "$id:0.1" and "$name:0.1" by id and function of its call
    1. LookupError: there is no such message or call."""
    if isinstance(body, dict) and "$received" in body:
        message = model_message(case, received[body["$received"]])
        if not (message.get("parts") or message.get("content") or len(message) > 2):
            raise LookupError("the client received no message that it could send back")
        return known_fields_without_thoughts(message, case["known_fields"]) if "fields" in body else message
    if isinstance(body, dict):
        pairs = ((key, fill_request(case, value, received)) for key, value in body.items())
        return {key: value for key, value in pairs if value is not Ellipsis}
    if isinstance(body, list):
        return [fill_request(case, item, received) for item in body]
    reference = re.fullmatch(r"\$(id|name):(\d+)\.(\d+)", body) if isinstance(body, str) else None
    if reference is None:
        return body
    field, turn, index = reference.groups()
    call = tool_calls(model_message(case, received[int(turn)]))[int(index)]
    return (call.get("function") or call if field == "name" else call).get(field) or ...


def known_fields_without_thoughts(value: Any, fields: Any) -> Any:
    if isinstance(value, list):
        items = [known_fields_without_thoughts(item, fields) for item in value]
        return [item for item in items if not (isinstance(item, dict) and item.get("thought") is True)]
    if isinstance(value, dict) and fields is not None:
        return {key: known_fields_without_thoughts(item, fields[key]) for key, item in value.items() if key in fields}
    return value


def tool_calls(message: Any) -> list[Any]:
    if "tool_calls" in message:
        return list(message["tool_calls"])
    parts = message.get("parts") or message.get("content") or []
    calls = [part.get("functionCall", part.get("tool_call")) for part in parts]
    return [call for call in calls if call] or [part for part in parts if part.get("type") == "tool_use"]


def model_message(case: dict[str, Any], documents: list[Any]) -> Any:
    """Return the assistant message of a response."""
    first, client, is_stream = documents[0], case["client"], case["mode"] == "stream"
    if client == "gemini":
        contents = [event["candidates"][0].get("content", {}) for event in documents if event.get("candidates")]
        parts = [part for content in contents for part in content.get("parts", [])]
        return {"role": "model", "parts": join_texts(parts)} if is_stream else contents[0]
    if client == "anthropic":
        return {"role": "assistant", "content": fold_blocks(documents) if is_stream else first["content"]}
    return fold_chunks_to_message(documents) if is_stream else first["choices"][0]["message"]


def join_texts(parts: list[Any]) -> list[Any]:
    """Join the pieces of one text into one part."""
    found: list[Any] = []
    for part in parts:
        before = found[-1] if found else {}
        if set(part) == {"text"} == set(before) or (set(part) == {"text", "thought"} == set(before)):
            found[-1] = before | {"text": before["text"] + part["text"]}
        else:
            found.append(part)
    return found


def fold_chunks_to_message(events: list[Any]) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, Any] = {}
    for delta in [choice.get("delta", {}) for event in events for choice in event.get("choices", [])[:1]]:
        for call in delta.get("tool_calls") or []:
            concatenate_delta(calls.setdefault(call.get("index", len(calls)), {}), {**call, "index": None})
        concatenate_delta(message, {**delta, "tool_calls": None, "role": None})
    return message | ({"tool_calls": [calls[index] for index in sorted(calls)]} if calls else {})


def concatenate_delta(whole: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if isinstance(value, dict):
            concatenate_delta(whole.setdefault(key, {}), value)
        elif isinstance(value, list):
            whole[key] = whole.get(key) or []
            for entry in value:
                index = entry.get("index") if isinstance(entry, dict) else None
                same = [old for old in whole[key] if index is not None and old.get("index") == index]
                if same:
                    concatenate_delta(same[0], entry)
                else:
                    whole[key].append(dict(entry) if isinstance(entry, dict) else entry)
        elif isinstance(value, str) and key not in ("id", "type", "name", "role"):
            whole[key] = (whole.get(key) or "") + value
        elif value is not None:
            whole[key] = value


def fold_blocks(events: list[Any]) -> list[Any]:
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
