"""Gemini contents as the older mapping reads them (mapping rows R-10 and R-18)."""

from collections.abc import Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.read import arr
from bridgecheck_reference.loss import Losses

_PATH = "contents[].parts[]"


def thoughts_inline(request: JsonObject, losses: Losses) -> JsonObject:
    """Thoughts become text like any other (``thoughts="inline"``)."""

    def inline(content: JsonObject) -> JsonObject:
        return {**content, "parts": [spoken(part) for part in arr(content["parts"])]}

    return _each_content(request, inline)


def spoken(part: object) -> object:
    """A part without its mark of a thought."""
    if isinstance(part, dict) and part.get("thought"):
        return {key: value for key, value in part.items() if key != "thought"}
    return part


def without_siblings(request: JsonObject, losses: Losses) -> JsonObject:
    """Of a content with tool results only these (``drop_siblings``)."""

    def results_only(content: JsonObject) -> JsonObject:
        parts = arr(content["parts"])
        kept = [part for part in parts if "functionResponse" in camel(part)]
        if not kept or len(kept) == len(parts) or content.get("role") == "model":
            return content
        losses.add(_PATH, "what stood beside a tool result was dropped")
        return {**content, "parts": kept}

    return _each_content(request, results_only)


def _each_content(request: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """The request with every content that has parts changed."""
    contents = request.get("contents")
    if not isinstance(contents, list):
        return request
    return {
        **request,
        "contents": [
            change(content) if isinstance(content, dict) and isinstance(content.get("parts"), list) else content
            for content in contents
        ],
    }
