"""cassetter (Kludex/cassetter): YAML, under whatever name, and TOML.

A body has a type (json, text, binary, none) and a content: a value in YAML, JSON as text in TOML. Interactions are
sorted by address when they are saved, so their order is found again by ``recorded_at``. Calls by gRPC and WebSocket
stand in lists of their own, which are not read. Source: files that cassetter 0.16.1 wrote, and its _core.pyi.
"""

import base64
import binascii
import json
import tomllib
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridgecheck.cassette import store
from bridgecheck.cassette.formats.interaction_list import RawInteraction, decode_or_bad, list_interactions
from bridgecheck.cassette.formats.item import Found, item_of_bytes
from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.errors import BadTraffic
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.wire import JsonObject

SHAPE: Final = "a cassetter cassette"


class _Body(NamedTuple):
    kind: object
    content: object


def read_cassetter(data: bytes, file: str, stem: str) -> Iterator[Found]:
    """Yield the items of a cassette, in the order in which they were recorded where the file tells it."""
    is_toml = data.lstrip().startswith((b"version =", b"[[", b"#")) or b"\n[[interactions]]" in data
    raws = list(_list_toml(data, file) if is_toml else list_interactions(data, file, SHAPE))
    raws.sort(key=lambda raw: str(obj(raw.value).get("recorded_at") or ""))
    for number, raw in enumerate(raws):
        yield raw.bad or _item(raw, f"{stem}/{number:04d}")


def _item(raw: RawInteraction, item_id: str) -> Found:
    at = obj(raw.value).get("recorded_at")
    return item_of_bytes(lambda: _parse(raw.value), raw.where, item_id, SHAPE, str(at) if at else "")


def _list_toml(data: bytes, file: str) -> Iterator[RawInteraction]:
    text = decode_or_bad(data, file, SHAPE)
    if isinstance(text, BadTraffic):
        yield RawInteraction(-1, text.where, bad=text)
        return
    try:
        interactions = arr(tomllib.loads(text).get("interactions"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        yield RawInteraction(-1, file, bad=BadTraffic(f"broken TOML: {error}", file, SHAPE))
        return
    for number, item in enumerate(interactions):
        yield RawInteraction(number, f"{file}: interactions[{number}]", item)


def _parse(raw: object) -> RecordedInteraction:
    """Return the interaction. Raises MalformedInteraction."""
    request, response = obj(obj(raw).get("request")), obj(obj(raw).get("response"))
    status = integer(response.get("status"))
    if not request or status is None:
        raise store.MalformedInteraction("an interaction needs a request and a response with a status")
    as_vcr = {
        "request": {**request, "body": _body_bytes(request, "request")},
        "response": {
            "status": {"code": status}, "headers": response.get("headers"),
            "body": {"string": _body_bytes(response, "response")},
        },
    }  # fmt: skip
    return store.parse_interaction(as_vcr)


def _body_bytes(message: JsonObject, name: str) -> bytes:
    """Return the bytes of a body: JSON compact, since its own spacing is not kept."""
    body = _find_body(message)
    if body.kind in (None, "none"):
        return b""
    if body.kind == "json":
        is_text = isinstance(body.content, str) and "body_type" in message
        return str(body.content).encode() if is_text else _dump(body.content)
    if body.kind == "text" and isinstance(body.content, str):
        return body.content.encode("utf-8")
    if body.kind == "binary":
        return _decode_binary(body.content, name)
    raise store.MalformedInteraction(f"{name}.body has type {body.kind!r}, expected json, text, binary or none")


def _find_body(message: JsonObject) -> _Body:
    if "body_type" in message:
        return _Body(message["body_type"], message.get("body_content"))
    body = obj(message.get("body"))
    return _Body(body.get("type"), body.get("content"))


def _dump(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _decode_binary(content: object, name: str) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return base64.b64decode(str(content), validate=True)
    except (binascii.Error, ValueError) as error:
        raise store.MalformedInteraction(f"{name}.body is no base64") from error
