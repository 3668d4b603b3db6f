"""A request's body: read up to a limit, unpacked up to the same limit, decoded."""

import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.gateway.errors import GatewayError

_WINDOWS: Final[dict[str, tuple[int, ...]]] = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
"""content-encoding -> the zlib window sizes to try. ``deflate`` comes with and without zlib's header."""

_LINGER: Final = 4
"""How many times the limit is read and thrown away, so that a client that is still sending hears the refusal."""


@dataclass(frozen=True, slots=True)
class Body:
    """``raw``: as it came, perhaps packed. ``document``: what it says."""

    raw: bytes
    document: JsonObject


async def read_body(pieces: AsyncIterator[bytes], limit: int, *, waits: bool = False) -> bytes:
    """The bytes as they came. ``GatewayError`` 413 for more than ``limit`` of them.

    ``waits``: the client sends only when told to continue, so it has not to be read dry to be heard.
    """
    kept: list[bytes] = []
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size <= limit:
            kept.append(piece)
        elif waits or size > limit * _LINGER:
            break
    if size > limit:
        raise too_large(limit)
    return b"".join(kept)


def too_large(limit: int) -> GatewayError:
    return GatewayError(413, f"the request's body is larger than {limit} bytes, the limit of this gateway")


def decode(raw: bytes, encoding: str, limit: int) -> Body:
    """``encoding``: the header, "" for none. ``GatewayError`` 400, 413 or 415."""
    try:
        document: object = json.loads(unpack(raw, encoding, limit))
    except RecursionError:
        raise GatewayError(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise GatewayError(400, f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise GatewayError(400, f"the body has to be a JSON object, not {kind_word(type(document))}")
    return Body(raw, document)


def unpack(raw: bytes, encoding: str, limit: int) -> bytes:
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
        raise too_large(limit)
    if not machine.eof:
        raise GatewayError(400, "the packed body ends too early")
    return plain


_KINDS: Final[dict[type, str]] = {
    bool: "a boolean", list: "a list", dict: "an object", str: "a string", int: "a number", float: "a number",
    type(None): "null",
}  # fmt: skip


def kind_word(kind: type) -> str:
    """What a JSON value of that Python type is called in an error."""
    return _KINDS[kind]
