"""Anthropic documents that the judge writes itself: a message as a stream (the inverse of fold), errors, messages."""

import json
from typing import Final

from bridgecheck.codec.rechunk import Cut
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.prompt import Role
from bridgecheck.wire import JsonObject

_END_FIELDS: Final = ("stop_reason", "stop_sequence")
_LATE_FIELDS: Final = (*_END_FIELDS, "stop_details", "container")
"""Fields of a message that a stream sends with its end."""


def unfold(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """Return the events, with a ping."""
    usage = obj(document.get("usage"))
    start_usage: JsonObject = {"usage": {**usage, "output_tokens": 1}} if usage else {}
    early = {key: value for key, value in document.items() if key not in _LATE_FIELDS}
    start = {**early, "content": [], **dict.fromkeys(_END_FIELDS), **start_usage}
    events: list[JsonObject] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(objs(document.get("content"))):
        first_piece, deltas = _block_pieces(block, cut)
        events.append({"type": "content_block_start", "index": index, "content_block": first_piece})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    end_fields = {key: document.get(key) for key in _LATE_FIELDS if key in document or key in _END_FIELDS}
    total = {"output_tokens": usage.get("output_tokens", 0)}
    return [*events, {"type": "message_delta", "delta": end_fields, "usage": total}, {"type": "message_stop"}]


def _block_pieces(block: JsonObject, cut: Cut) -> tuple[JsonObject, list[JsonObject]]:
    """Return a block as it starts, and what is then added to it."""
    kind = block.get("type")
    if kind == "text":
        return _text_block_pieces(block, cut)
    if kind == "thinking":
        thinking_deltas: list[JsonObject] = [
            {"type": "thinking_delta", "thinking": piece} for piece in cut(text(block.get("thinking")))
        ]
        signature_deltas: list[JsonObject] = (
            [{"type": "signature_delta", "signature": block["signature"]}] if "signature" in block else []
        )
        return {**block, "thinking": "", "signature": ""}, thinking_deltas + signature_deltas
    if "input" in block:
        written = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in cut(written)]
    return block, []


def _text_block_pieces(block: JsonObject, cut: Cut) -> tuple[JsonObject, list[JsonObject]]:
    deltas: list[JsonObject] = [{"type": "text_delta", "text": piece} for piece in cut(text(block.get("text")))]
    citation_deltas: list[JsonObject] = [
        {"type": "citations_delta", "citation": citation} for citation in objs(block.get("citations"))
    ]
    return {**block, "text": "", **({"citations": []} if citation_deltas else {})}, deltas + citation_deltas


_ERROR_TYPES: Final[dict[int, str]] = {
    400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error",
    500: "api_error", 503: "overloaded_error",
}  # fmt: skip


def error_document(status: int, message: str, _wait: int | None, kind: str) -> JsonObject:
    """Return an error as Anthropic writes it; how long to wait stands in the header alone.

    Source: https://docs.anthropic.com/en/api/errors."""
    return {"type": "error", "error": {"type": kind or _ERROR_TYPES[status], "message": message}}


def text_message(role: Role, text: str) -> JsonObject:
    return {"role": role, "content": text}
