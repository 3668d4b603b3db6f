"""Requests in google-genai's form, with a member ``config``, as the wire has them.

Source: google-genai 3.4.0, ``types.GenerateContentConfig``.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.casing import camel

_BESIDE: Final = frozenset({
    "systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier",
})  # fmt: skip
"""Members of ``config`` that stand at the top of the wire document; the others belong to generationConfig."""

_OF_THE_CALL: Final = frozenset({
    "httpOptions", "abortSignal", "shouldReturnHttpResponse", "automaticFunctionCalling",
})  # fmt: skip
"""Members of ``config`` that are for the SDK and never reach the wire."""


def without_config(request: JsonObject) -> JsonObject:
    """The wire document; the request itself where it has no ``config``. Not changed."""
    if "config" not in request:
        return request
    body = {key: value for key, value in camel(request).items() if key != "config"}
    generation = dict(camel(body.get("generationConfig")))
    for key, value in camel(request["config"]).items():
        if key in _BESIDE:
            body[key] = _content(value) if key == "systemInstruction" else value
        elif key not in _OF_THE_CALL:
            generation[key] = value
    return {**body, "generationConfig": generation} if generation else body


def _content(value: object) -> object:
    """``config.systemInstruction`` may be a string; the wire wants a Content."""
    return {"parts": [{"text": value}]} if isinstance(value, str) else value
