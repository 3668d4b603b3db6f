"""A request's body: read up to a limit, unpacked up to the same limit, decoded, and checked before a conversion.

Only the fields without which a request has no meaning are checked; an upstream checks all the others. Requests that are
not converted are not checked: their upstream knows its own dialect best.
"""

import json
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.json_values import camel, integer
from bridgecheck_reference.gateway.errors import GatewayError

_WINDOWS: Final[dict[str, tuple[int, ...]]] = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
"""content-encoding -> the zlib window sizes to try. ``deflate`` comes with and without zlib's header."""

_LINGER: Final = 4
"""How many times the limit is read and thrown away, so that a client that is still sending gets the refusal."""


@dataclass(frozen=True, slots=True)
class Body:
    """``raw``: as it came, perhaps packed. ``document``: its content."""

    raw: bytes
    document: JsonObject


async def read_body(pieces: AsyncIterator[bytes], limit: int, *, client_awaits_continue: bool = False) -> bytes:
    """The bytes as they came. ``GatewayError`` 413 for more than ``limit`` of them.

    ``client_awaits_continue``: the client sends only when told to continue, so the rest of its body need not be read.
    """
    received: list[bytes] = []
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size <= limit:
            received.append(piece)
        elif client_awaits_continue or size > limit * _LINGER:
            break
    if size > limit:
        raise request_too_large_error(limit)
    return b"".join(received)


def request_too_large_error(limit: int) -> GatewayError:
    return GatewayError(413, f"the request's body is larger than {limit} bytes, the limit of this gateway")


def decode_body(raw: bytes, encoding: str, limit: int) -> Body:
    """``encoding``: the header, "" for none. ``GatewayError`` 400, 413 or 415."""
    try:
        document: object = json.loads(unpack_body(raw, encoding, limit))
    except RecursionError:
        raise GatewayError(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise GatewayError(400, f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise GatewayError(400, f"the body has to be a JSON object, not {json_type_name(type(document))}")
    return Body(raw, document)


def unpack_body(raw: bytes, encoding: str, limit: int) -> bytes:
    """The body without its packing, never more than ``limit`` bytes of it."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return raw
    if name not in _WINDOWS:
        raise GatewayError(415, f"content-encoding {name[:40]!r} is not understood; known: gzip, deflate, identity")
    for window in _WINDOWS[name]:
        try:
            return _inflate(raw, window, limit)
        except zlib.error:
            continue
    raise GatewayError(400, f"the body is not {name}, as its content-encoding says")


def _inflate(raw: bytes, window: int, limit: int) -> bytes:
    machine = zlib.decompressobj(window)
    plain = machine.decompress(raw, limit + 1)
    if len(plain) > limit:
        raise request_too_large_error(limit)
    if not machine.eof:
        raise GatewayError(400, "the packed body ends too early")
    return plain


_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "a boolean", list: "a list", dict: "an object", str: "a string", int: "a number", float: "a number",
    type(None): "null",
}  # fmt: skip


def json_type_name(kind: type) -> str:
    """What a JSON value of that Python type is called in an error."""
    return _TYPE_NAMES[kind]


def check_request(dialect: Dialect, request: JsonObject) -> None:
    """``GatewayError`` 400 that names the field."""
    _CHECKS[dialect](request)


def require_nonempty_text_field(request: JsonObject, name: str) -> str:
    """A string that has to be there and not empty."""
    value = request.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _type_error(name, "a non-empty string", value)
    return value


def _check_openai(request: JsonObject) -> None:
    require_nonempty_text_field(request, "model")
    _check_objects("messages", request.get("messages"))
    _check_optional(request, "stream", bool)
    _check_optional(request, "tools", list)


def _check_anthropic(request: JsonObject) -> None:
    require_nonempty_text_field(request, "model")
    _check_objects("messages", request.get("messages"))
    limit = integer(request.get("max_tokens"))
    if limit is None or limit < 1:
        raise _type_error("max_tokens", "an integer above 0", request.get("max_tokens"))
    _check_optional(request, "stream", bool)
    _check_optional(request, "tools", list)


def _check_gemini(request: JsonObject) -> None:
    body = camel(request)
    if not body.get("contents"):
        raise _type_error("contents", "a non-empty list", body.get("contents"))
    _check_optional(body, "generationConfig", dict)
    if isinstance(body.get("tools"), str | int | float):
        raise _type_error("tools", "a list", body["tools"])


_CHECKS: Final[dict[Dialect, Callable[[JsonObject], None]]] = {
    "gemini": _check_gemini,
    "openai-chat": _check_openai,
    "anthropic": _check_anthropic,
}


def _check_objects(name: str, value: object) -> None:
    if not isinstance(value, list) or not value:
        raise _type_error(name, "a non-empty list", value)
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise _type_error(f"{name}[{index}]", "an object", item)


def _check_optional(request: JsonObject, name: str, kind: type) -> None:
    value = request.get(name)
    if value is not None and not isinstance(value, kind):
        raise _type_error(name, json_type_name(kind), value)


def _type_error(field: str, expected: str, actual: object) -> GatewayError:
    empty = "an empty one" if isinstance(actual, str | list | dict) and not actual else json_type_name(type(actual))
    shown = "nothing" if actual is None else empty
    return GatewayError(400, f"{field}: expected {expected}, got {shown}", field=field)
