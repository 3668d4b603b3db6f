"""A unary Gemini document as a stream that says the same: the other way round than fold."""

from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.normalise.cut import Cut
from bridgecheck.wire import JsonObject


def unfold(document: JsonObject, cut: Cut) -> list[JsonObject]:
    """The events: a part or a piece of text each, the last one with how it ended. A signed part comes whole."""
    shared = {key: value for key, value in document.items() if key not in ("candidates", "usageMetadata")}
    candidates = list(objs(document.get("candidates")))
    events: list[JsonObject] = []
    for candidate in candidates:
        for part in objs(obj(candidate.get("content")).get("parts")):
            for piece in _pieces(part, cut):
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


def _pieces(part: JsonObject, cut: Cut) -> list[JsonObject]:
    words = part.get("text")
    if not isinstance(words, str) or not words or "thoughtSignature" in part:
        return [part]
    return [{**part, "text": piece} for piece in cut(words)]
