"""Reading a generator's request: its model, its body, its texts."""

from collections.abc import Iterator

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken, token_of
from bridgecheck_reference.errors import ConversionError

_BESIDE_GENERATION_CONFIG = frozenset(
    {"systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier"}
)
"""Members of the SDK's ``config`` that stand at the top of the wire document; the rest belongs to generationConfig."""

_OF_THE_CALL = frozenset({"httpOptions", "abortSignal", "shouldReturnHttpResponse", "automaticFunctionCalling"})
"""Members of ``config`` that are for the SDK and never reach the wire."""


def wire_request(request: JsonObject, default_model: str = "") -> tuple[str, JsonObject]:
    """The model ("models/x" or "x", as given) and the body as it goes over the wire. The request is not changed.

    ``ConversionError`` if no model is named.
    """
    model = request.get("model") or default_model
    if not isinstance(model, str) or not model:
        raise ConversionError("the request names no model", "model")
    body = {key: value for key, value in request.items() if key not in ("model", "config")}
    config = request.get("config")
    return model, _with_config(body, config) if isinstance(config, dict) else body


def cancel_token(request: JsonObject) -> CancelToken | None:
    """``config.abortSignal``, where google-genai and gemini-cli have it; None without one."""
    config = request.get("config")
    found = (value for key, value in config.items() if _camel(key) == "abortSignal") if isinstance(config, dict) else ()
    return token_of(next(iter(found), None), "config.abortSignal")


def _with_config(body: JsonObject, config: JsonObject) -> JsonObject:
    given = body.get("generationConfig")
    generation: JsonObject = dict(given) if isinstance(given, dict) else {}
    for key, value in config.items():
        name = _camel(key)
        if name in _BESIDE_GENERATION_CONFIG:
            body[name] = _content(value) if name == "systemInstruction" else value
        elif name not in _OF_THE_CALL:
            generation[name] = value
    return {**body, "generationConfig": generation} if generation else body


def _camel(key: str) -> str:
    head, *tail = key.split("_")
    return head + "".join(word.title() for word in tail)


def _content(value: object) -> object:
    """``config.systemInstruction`` may be a string; the wire wants a Content."""
    return {"parts": [{"text": value}]} if isinstance(value, str) else value


def texts(request: JsonObject) -> list[str]:
    """The text of each content to embed: strings, parts or contents; parts of one content join with nothing."""
    contents = request.get("contents", request.get("content", []))
    return [_text(item) for item in (contents if isinstance(contents, list) else [contents])]


def _text(content: object) -> str:
    return "".join(value for key, value in strings(content) if key in ("", "text"))


def strings(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with the key it stands under ("" for none), in document order."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings(item, str(name))
