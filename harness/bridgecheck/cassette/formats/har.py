"""HTTP archives, version 1.2: what browsers, Playwright and mitmproxy export and play.

A body stands decoded in ``content.text``, in base64 where it is no text, although the headers may still name its
encoding. An answer of status 0 is one that never came. Source: http://www.softwareishard.com/blog/har-12-spec/ (read
2026-11-23); files that mitmproxy 11.0.2 wrote.
"""

import base64
import binascii
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from bridgecheck import __version__
from bridgecheck.cassette import store
from bridgecheck.cassette.formats.interaction_list import decode_or_bad, parse_json_or_bad
from bridgecheck.cassette.formats.item import Found, item_of_bytes
from bridgecheck.cassette.formats.output import Written
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec.body import decompress_body_if_possible, header_value
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Headers
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.wire import JsonObject

SHAPE: Final = "an HTTP archive (HAR 1.2) with log.entries"
_UNKNOWN_TIME: Final = "1970-01-01T00:00:00.000Z"
_BODY_HEADERS: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def read_har(data: bytes, file: str, stem: str) -> Iterator[Found]:
    """Yield the items of an archive. ``stem``: the beginning of their ids."""
    source = decode_or_bad(data, file, SHAPE)
    value = source if isinstance(source, BadTraffic) else parse_json_or_bad(source, file, SHAPE)
    if isinstance(value, BadTraffic):
        yield value
        return
    entries = obj(obj(value).get("log")).get("entries")
    if not isinstance(entries, list):
        yield BadTraffic("no list `log.entries`", file, SHAPE)
        return
    for number, entry in enumerate(arr(entries)):
        started = text(obj(entry).get("startedDateTime"))
        where = f"{file}: log.entries[{number}]"
        yield item_of_bytes(partial(_parse, obj(entry)), where, f"{stem}/{number:04d}", SHAPE, started)


def write_har(cassette: Cassette) -> Written:
    """Return every interaction, with bodies decoded."""
    entries = [_entry(recorded) for recorded in cassette.interactions]
    creator = {"name": "bridgecheck", "version": __version__}
    log = {"version": "1.2", "creator": creator, "pages": [], "entries": entries}
    return Written(json.dumps({"log": log}, indent=2, ensure_ascii=False) + "\n", len(entries), Counter())


def _parse(entry: JsonObject) -> RecordedInteraction:
    """Return the interaction. Raises MalformedInteraction."""
    request, response = obj(entry.get("request")), obj(entry.get("response"))
    status = integer(response.get("status"))
    if not request or status is None:
        raise store.MalformedInteraction("an entry needs a request, and a response with a status")
    if status <= 0:
        raise store.MalformedInteraction("the response has status 0: none was received")
    as_vcr = {
        "request": {
            "method": request.get("method"), "uri": request.get("url"), "headers": _header_lists(request),
            "body": _content_bytes(obj(request.get("postData")), "request.postData"),
        },
        "response": {
            "status": {"code": status}, "headers": _header_lists(response),
            "body": {"string": _content_bytes(obj(response.get("content")), "response.content")},
        },
    }  # fmt: skip
    return store.parse_interaction(as_vcr)


def _header_lists(message: JsonObject) -> JsonObject:
    """Return the headers; those of HTTP/2 that begin with a colon belong to the address."""
    found: dict[str, list[object]] = {}
    for header in objs(message.get("headers")):
        name = text(header.get("name")).lower()
        if name and not name.startswith(":"):
            found.setdefault(name, []).append(header.get("value"))
    return dict(found)


def _content_bytes(content: JsonObject, name: str) -> bytes:
    source = text(content.get("text"))
    if content.get("encoding") != "base64":
        return _encode_to_size(source, integer(content.get("size")))
    try:
        return base64.b64decode(source, validate=True)
    except (binascii.Error, ValueError) as error:
        raise store.MalformedInteraction(f"{name}.text is no base64") from error


def _encode_to_size(source: str, size: int | None) -> bytes:
    """Return the bytes of a text: UTF-8, unless Latin-1 gives the size in the archive. mitmproxy takes what names no
    charset, such as an event stream, for Latin-1."""
    data = source.encode("utf-8", "surrogatepass")
    if size is not None and len(data) != size == len(source):
        return source.encode("latin-1", "replace")
    return data


def _entry(recorded: RecordedInteraction) -> JsonObject:
    request = recorded.request
    url = recorded.origin + request.path
    sent = decompress_body_if_possible(request.body, request.headers)
    body = decompress_body_if_possible(recorded.body, recorded.headers)
    media_type = header_value(recorded.headers, "content-type") or "application/octet-stream"
    posted = {"postData": {"mimeType": header_value(request.headers, "content-type"), "params": [], **_text(sent)}}
    return {
        "startedDateTime": _UNKNOWN_TIME, "time": 0,
        "request": {
            "method": request.method, "url": url, "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": _pairs(request.headers, is_decoded=sent != request.body),
            "queryString": [{"name": k, "value": v} for k, v in parse_qsl(urlsplit(url).query, keep_blank_values=True)],
            "headersSize": -1, "bodySize": len(sent), **(posted if sent else {}),
        },
        "response": {
            "status": recorded.status, "statusText": store.reason_phrase(recorded.status), "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": _pairs(recorded.headers, is_decoded=body != recorded.body),
            "content": {"size": len(body), "mimeType": media_type, **_text(body)},
            "redirectURL": "", "headersSize": -1, "bodySize": len(body),
        },
        "cache": {}, "timings": {"send": 0, "wait": 0, "receive": 0},
    }  # fmt: skip


def _pairs(headers: Headers, *, is_decoded: bool) -> list[JsonObject]:
    """Return the headers, without those that speak of the encoding of a body that is now decoded."""
    dropped = _BODY_HEADERS if is_decoded else frozenset[str]()
    return [{"name": name, "value": value} for name, value in headers if name not in dropped]


def _text(body: bytes) -> JsonObject:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode("ascii"), "encoding": "base64"}
