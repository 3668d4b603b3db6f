"""The end of a Gemini stream that does not wait for usage (mapping row R-25, ``hold_final=False``)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import arr, obj


def joined(said: list[JsonObject], ends: list[JsonObject]) -> list[JsonObject]:
    """Candidates of one event: what they say now, and for those that end now also their end."""
    result = {candidate["index"]: candidate for candidate in said}
    for end in ends:
        before = result.get(end["index"])
        result[end["index"]] = end if before is None else {**end, "content": _content(before, end)}
    return list(result.values())


def _content(before: JsonObject, end: JsonObject) -> JsonObject:
    parts = [*arr(obj(before["content"])["parts"]), *arr(obj(end.get("content")).get("parts"))]
    return {"parts": parts, "role": "model"}
