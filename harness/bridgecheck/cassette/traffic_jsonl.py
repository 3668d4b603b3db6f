"""Traffic as JSON lines: one object an interaction.

Keys read: id, provider, host, url_path, method, model, stream, status, request_body (parsed, or null),
response_headers, response_body (parsed, text, or null) or sse_chunks (the ``data:`` events, parsed, without the
closing ``[DONE]``), sse_meta.done_sentinel, source_path, and the flags of ``_FLAGS``. A list as response_body of a
stream is Gemini's JSON array.
"""

import json
from collections.abc import Iterator
from typing import Final

from bridgecheck.cassette.traffic_item import TrafficItem
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Headers, Interaction, Request, Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS, Endpoint, endpoint

_DIALECT: Final = {label: record.name for record in RECORDS.values() for label in record.recording_labels}
_FLAGS: Final = ("sdk_level", "url_assumed", "synthetic_suspect", "json_array_stream")
_SHAPE: Final = "one JSON object a line with id, url_path, status, and response_body or sse_chunks"


def items(data: bytes, file: str) -> Iterator[TrafficItem | BadTraffic]:
    """Lines end with LF alone: U+2028 and U+0085 may stand inside a JSON string."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            yield _item(obj_or_bad(line), where)
        except ValueError as error:
            yield BadTraffic(str(error), where, _SHAPE)


def obj_or_bad(line: bytes) -> JsonObject:
    """Raises ValueError, saying where in the line it breaks."""
    try:
        row = json.loads(line)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON at column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    if not isinstance(row, dict):
        raise ValueError(f"a JSON {type(row).__name__} where an object is expected")
    return row


def _item(row: JsonObject, where: str) -> TrafficItem:
    identity = text(row.get("id")).encode("utf-8", "backslashreplace").decode("utf-8")
    if not identity:
        raise ValueError("`id` is missing")
    path = text(row.get("url_path"))
    place = endpoint(path, text(row.get("host")))
    dialect = _dialect(row, place)
    mode = _mode(row, place)
    return TrafficItem(
        id=identity,
        where=where,
        interaction=Interaction(_request(row, dialect, mode, place), _response(row, dialect, mode)),
        operation=place.operation if place else "generate",
        title=" ".join(word for word in (text(row.get("provider")), text(row.get("model")), mode) if word),
        group=text(row.get("source_path")),
        notes=tuple(flag for flag in _FLAGS if row.get(flag)),
    )


def _dialect(row: JsonObject, place: Endpoint | None) -> Dialect:
    provider = text(row.get("provider"))
    if provider in _DIALECT:
        return _DIALECT[provider]
    if place is None:
        raise ValueError(f"neither provider {provider!r} nor the url_path tells the dialect")
    return place.dialect


def _mode(row: JsonObject, place: Endpoint | None) -> Mode:
    """A failed stream request answers with one document: the request decides, where there is one."""
    asked = obj(row.get("request_body")).get("stream") is True or (place is not None and place.mode == "stream")
    streamed = row.get("stream") is True or isinstance(row.get("sse_chunks"), list)
    return "stream" if asked or streamed else "unary"


def _request(row: JsonObject, dialect: Dialect, mode: Mode, place: Endpoint | None) -> Request | None:
    """The model stands in the body, in the line, or, for Gemini, in the path."""
    body = row.get("request_body")
    if body is None:
        return None
    if not isinstance(body, dict):
        raise ValueError("`request_body` is neither an object nor null")
    model = text(body.get("model")) or text(row.get("model")) or (place.model if place else "")
    return Request(dialect, mode, body, model=model, path=text(row.get("url_path")))


def _response(row: JsonObject, dialect: Dialect, mode: Mode) -> Response:
    status = integer(row.get("status"))
    if status is None:
        raise ValueError("`status` is no number")
    if "response_body" not in row and "sse_chunks" not in row:
        raise ValueError("neither `response_body` nor `sse_chunks`")
    events = row.get("sse_chunks")
    if events is not None and not isinstance(events, list):
        raise ValueError("`sse_chunks` is no list")
    headers: Headers = tuple(
        (name.lower(), str(value)) for name, value in obj(row.get("response_headers")).items() if value is not None
    )
    body = row.get("response_body")
    if events is not None:
        return Response(dialect, mode, tuple(events), status, headers, terminated=_terminated(dialect, events, row))
    if isinstance(body, str):
        return Response(dialect, mode, (), status, headers, text=body)
    return Response(dialect, mode, _documents(body, mode), status, headers)


def _documents(body: object, mode: Mode) -> tuple[object, ...]:
    if body is None:
        return ()
    return tuple(body) if mode == "stream" and isinstance(body, list) else (body,)


def _terminated(dialect: Dialect, events: list[object], row: JsonObject) -> bool | None:
    """Whether the closing marker was recorded; None where the dialect has none or the framing was made up."""
    framing = RECORDS[dialect].framing
    if framing.last_type:
        return any(obj(event).get("type") == framing.last_type for event in events)
    done = obj(row.get("sse_meta")).get("done_sentinel")
    return done if framing.done and isinstance(done, bool) else None
