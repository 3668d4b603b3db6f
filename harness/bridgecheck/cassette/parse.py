"""One YAML interaction of a vcrpy v1 cassette <-> Recorded.

vcrpy's shapes: header values are lists (a single string in old files); a request body is text, ``!!binary`` or null;
a response body stands in ``body.string``. Ours adds ``response.stream``; without it the body is one chunk that ended
well.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final, cast, get_args
from urllib.parse import urlsplit

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.cassette.yaml_text import body as yaml_body
from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.wire import JsonObject

_ENDS: Final[frozenset[str]] = frozenset(get_args(End))


class Malformed(ValueError):
    """An interaction lacks something it must have; the text says what."""


def interaction(raw: object) -> Recorded:
    """Raises Malformed."""
    request, response = obj(obj(raw).get("request")), obj(obj(raw).get("response"))
    if not request or not response:
        raise Malformed("an interaction needs a request and a response mapping")
    address = urlsplit(_string(request, "uri"))
    path = address.path + (f"?{address.query}" if address.query else "")
    status = integer(obj(response.get("status")).get("code"))
    if status is None:
        raise Malformed("response.status.code is no number")
    chunks, t_ms, end = _stream(_bytes(obj(response.get("body")).get("string"), "response.body.string"), response)
    return Recorded(
        HttpRequest(_string(request, "method"), path, _headers(request), _bytes(request.get("body"), "request.body")),
        status,
        _headers(response),
        chunks,
        end,
        t_ms,
        f"{address.scheme}://{address.netloc}",
    )


def to_yaml(recorded: Recorded) -> JsonObject:
    """The mapping that ``interaction`` reads back."""
    request = recorded.request
    response: JsonObject = {
        "headers": _header_lists(recorded.headers),
        "body": {"string": yaml_body(recorded.body)},
        "stream": {"ends": list(_ends(recorded.chunks)), "t_ms": list(recorded.t_ms), "end": recorded.end},
        # Last, as vcrpy has it, and required: a truncated file lacks it.
        "status": {"code": recorded.status, "message": _phrase(recorded.status)},
    }
    return {
        "request": {
            "method": request.method,
            "uri": recorded.origin + request.path,
            "headers": _header_lists(request.headers),
            "body": yaml_body(request.body) if request.body else None,
        },
        "response": response,
    }


def _stream(body: bytes, response: JsonObject) -> tuple[tuple[bytes, ...], tuple[int, ...], End]:
    stream = response.get("stream")
    if stream is None:
        return ((body,) if body else ()), (), "complete"
    end = obj(stream).get("end", "complete")
    if end not in _ENDS:
        raise Malformed(f"response.stream.end is {end!r}, expected one of {', '.join(sorted(_ENDS))}")
    ends = _numbers(obj(stream).get("ends"), "ends")
    if list(ends) != sorted(ends) or (ends[-1] if ends else 0) != len(body):
        raise Malformed(f"response.stream.ends must rise and end at the body's {len(body)} bytes")
    t_ms = _numbers(obj(stream).get("t_ms"), "t_ms")
    starts = (0, *ends[:-1])
    return tuple(body[start:stop] for start, stop in zip(starts, ends, strict=False)), t_ms, cast(End, end)


def _ends(chunks: tuple[bytes, ...]) -> Iterator[int]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        yield total


def _numbers(value: object, name: str) -> tuple[int, ...]:
    numbers = tuple(integer(item) for item in arr(value))
    found = tuple(number for number in numbers if number is not None)
    if len(found) != len(numbers):
        raise Malformed(f"response.stream.{name} is no list of integers")
    return found


def _string(mapping: JsonObject, key: str) -> str:
    value = mapping.get(key)
    if not isinstance(value, str) or not value:
        raise Malformed(f"request.{key} is missing")
    return value


def _bytes(value: object, name: str) -> bytes:
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode("utf-8")
    if not isinstance(value, bytes):
        raise Malformed(f"{name} is neither text nor bytes")
    return value


def _headers(mapping: JsonObject) -> Headers:
    return tuple(
        (name.lower(), str(value))
        for name, values in obj(mapping.get("headers")).items()
        for value in (values if isinstance(values, list) else [values])
    )


def _header_lists(headers: Headers) -> JsonObject:
    lists: dict[str, list[str]] = {}
    for name, value in headers:
        lists.setdefault(name, []).append(value)
    return dict(lists)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
