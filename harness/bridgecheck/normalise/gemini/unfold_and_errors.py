"""Gemini documents that the judge writes itself: a unary one as a stream (the inverse of fold), errors, messages."""

from typing import Final

from bridgecheck.codec.rechunk import Cut
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.model.prompt import Role
from bridgecheck.wire import JsonObject


def unfold(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """Return the events: a part or a piece of text each, the last one with how it ended. A signed part comes whole."""
    shared = {key: value for key, value in document.items() if key not in ("candidates", "usageMetadata")}
    candidates = list(objs(document.get("candidates")))
    events: list[JsonObject] = []
    for candidate in candidates:
        for part in objs(obj(candidate.get("content")).get("parts")):
            for piece in _cut_unsigned_text_part(part, cut):
                content = {"role": "model", "parts": [piece]}
                events.append({"candidates": [{"content": content, "index": candidate.get("index", 0)}], **shared})
    for candidate in candidates:
        ended = {key: value for key, value in candidate.items() if key != "content"}
        events.append({"candidates": [ended], **shared})
    if not events or len(candidates) > 1:
        events.append(dict(shared))
    if "usageMetadata" in document:
        events[-1]["usageMetadata"] = document["usageMetadata"]
    return events


def _cut_unsigned_text_part(part: JsonObject, cut: Cut) -> list[JsonObject]:
    content = part.get("text")
    if not isinstance(content, str) or not content or "thoughtSignature" in part:
        return [part]
    return [{**part, "text": piece} for piece in cut(content)]


_STATUS_WORDS: Final[dict[int, str]] = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
    503: "UNAVAILABLE",
}  # fmt: skip


def error_document(status: int, message: str, wait: int | None, _kind: str) -> JsonObject:
    """Return an error as Google writes it. Source: https://ai.google.dev/gemini-api/docs/troubleshooting."""
    error: JsonObject = {"code": status, "message": message, "status": _STATUS_WORDS[status]}
    if wait is not None:
        error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait}s"}]
    return {"error": error}


def text_message(role: Role, text: str) -> JsonObject:
    return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
