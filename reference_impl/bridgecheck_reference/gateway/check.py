"""The fields without which a request means nothing, checked before a conversion; an upstream checks all the others.

Same-dialect requests are not checked: their upstream knows its own dialect best.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.json_values import camel, integer
from bridgecheck_reference.gateway.body import kind_word
from bridgecheck_reference.gateway.errors import GatewayError


def check_request(dialect: Dialect, request: JsonObject) -> None:
    """``GatewayError`` 400 that names the field."""
    _CHECKS[dialect](request)


def text_field(request: JsonObject, name: str) -> str:
    """A string that has to be there and not empty."""
    value = request.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(name, "a non-empty string", value)
    return value


def _openai(request: JsonObject) -> None:
    text_field(request, "model")
    _objects("messages", request.get("messages"))
    _optional(request, "stream", bool)
    _optional(request, "tools", list)


def _anthropic(request: JsonObject) -> None:
    text_field(request, "model")
    _objects("messages", request.get("messages"))
    limit = integer(request.get("max_tokens"))
    if limit is None or limit < 1:
        raise _wrong("max_tokens", "an integer above 0", request.get("max_tokens"))
    _optional(request, "stream", bool)
    _optional(request, "tools", list)


def _gemini(request: JsonObject) -> None:
    body = camel(request)
    if not body.get("contents"):
        raise _wrong("contents", "a non-empty list", body.get("contents"))
    _optional(body, "generationConfig", dict)
    if isinstance(body.get("tools"), str | int | float):
        raise _wrong("tools", "a list", body["tools"])


_CHECKS: Final[dict[Dialect, Callable[[JsonObject], None]]] = {
    "gemini": _gemini,
    "openai-chat": _openai,
    "anthropic": _anthropic,
}


def _objects(name: str, value: object) -> None:
    if not isinstance(value, list) or not value:
        raise _wrong(name, "a non-empty list", value)
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise _wrong(f"{name}[{index}]", "an object", item)


def _optional(request: JsonObject, name: str, kind: type) -> None:
    value = request.get(name)
    if value is not None and not isinstance(value, kind):
        raise _wrong(name, kind_word(kind), value)


def _wrong(field: str, expected: str, got: object) -> GatewayError:
    empty = "an empty one" if isinstance(got, str | list | dict) and not got else kind_word(type(got))
    shown = "nothing" if got is None else empty
    return GatewayError(400, f"{field}: expected {expected}, got {shown}", field=field)
