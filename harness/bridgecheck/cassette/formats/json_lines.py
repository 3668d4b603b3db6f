"""JSON lines, one interaction a line: the format in which bridgecheck keeps recorded traffic of many sources."""

import json
from collections.abc import Callable, Iterator
from typing import IO, Final

from bridgecheck.cassette.formats.item import Found, TrafficItem
from bridgecheck.errors import BadTraffic
from bridgecheck.model.exchange import Headers, Interaction, Request, Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS, Endpoint, endpoint

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one interaction in JSON lines, as of any document that is judged."""

MEMBERS: Final = frozenset({"url_path", "request_body", "response_body", "sse_chunks"})
"""A file with a line that has one of them is in this format."""

_PROVIDER_DIALECTS: Final = {label: record.name for record in RECORDS.values() for label in record.recording_labels}
_FLAGS: Final = ("sdk_level", "url_assumed", "synthetic_suspect", "json_array_stream")
SHAPE: Final = "one JSON object a line with id, url_path, status, and response_body or sse_chunks"


def read_json_lines(lines: IO[bytes], file: str, _: str = "") -> Iterator[Found]:
    """Return the items of JSON lines, one object an interaction. Lines end with LF alone: U+2028 and U+0085 may stand
    inside a JSON string.

    Keys read: id, provider, host, url_path, method, model, stream, status, request_body (parsed, or null),
    response_headers, response_body (parsed, text, or null) or sse_chunks (the ``data:`` events, parsed, without the
    closing ``[DONE]``), sse_meta.done_sentinel, source_path, and the flags of ``_FLAGS``. A list as response_body of a
    stream is Gemini's JSON array.
    """
    return items_of_lines(lines, file, SHAPE, lambda row, where, _: _json_line_item(row, where))


def items_of_lines(
    lines: IO[bytes], file: str, expected: str, item_of: Callable[[JsonObject, str, int], TrafficItem]
) -> Iterator[Found]:
    """Yield an item a line that is not blank. ``item_of``: makes it of the object, its place and the number of its line
    from 1; raises ValueError for an object that is none. ``expected``: the format, in words."""
    for number, line in enumerate(_read_bounded_lines(lines), 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")
            yield item_of(_parse_json_object(line), where, number)
        except ValueError as error:
            yield BadTraffic(str(error), where, expected)


def _read_bounded_lines(lines: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines; of one that is too long only the beginning, with more bytes than a line may have."""
    while line := lines.readline(MAX_LINE_BYTES + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = lines.readline(MAX_LINE_BYTES)
        yield line


def _parse_json_object(line: bytes) -> JsonObject:
    """Return the object in a line. Raises ValueError with the position of the mistake."""
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


def _json_line_item(row: JsonObject, where: str) -> TrafficItem:
    item_id = text(row.get("id")).encode("utf-8", "backslashreplace").decode("utf-8")
    if not item_id:
        raise ValueError("`id` is missing")
    path = text(row.get("url_path"))
    matched = endpoint(path, text(row.get("host")))
    dialect = _row_dialect(row, matched)
    mode = _row_mode(row, matched)
    return TrafficItem(
        id=item_id, where=where,
        interaction=Interaction(_row_request(row, dialect, mode, matched), _row_response(row, dialect, mode)),
        operation=matched.operation if matched else "generate",
        title=" ".join(word for word in (text(row.get("provider")), text(row.get("model")), mode) if word),
        group=text(row.get("source_path")), notes=tuple(flag for flag in _FLAGS if row.get(flag)),
        host=text(row.get("host")),
    )  # fmt: skip


def _row_dialect(row: JsonObject, matched: Endpoint | None) -> Dialect:
    provider = text(row.get("provider"))
    if provider in _PROVIDER_DIALECTS:
        return _PROVIDER_DIALECTS[provider]
    if matched is None:
        raise ValueError(f"neither provider {provider!r} nor the url_path tells the dialect")
    return matched.dialect


def _row_mode(row: JsonObject, matched: Endpoint | None) -> Mode:
    """Return the mode. The request decides, where there is one: a failed stream has one document as response."""
    in_body, in_path = obj(row.get("request_body")).get("stream") is True, matched and matched.mode == "stream"
    is_streamed = row.get("stream") is True or isinstance(row.get("sse_chunks"), list)
    return "stream" if in_body or in_path or is_streamed else "unary"


def _row_request(row: JsonObject, dialect: Dialect, mode: Mode, matched: Endpoint | None) -> Request | None:
    """Return the request. The model stands in the body, in the line, or, for Gemini, in the path."""
    body = row.get("request_body")
    if body is None:
        return None
    if not isinstance(body, dict):
        raise ValueError("`request_body` is neither an object nor null")
    model = text(body.get("model")) or text(row.get("model")) or (matched.model if matched else "")
    return Request(dialect, mode, body, model=model, path=text(row.get("url_path")))


def _row_response(row: JsonObject, dialect: Dialect, mode: Mode) -> Response:
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
        return Response(dialect, mode, tuple(events), status, headers, terminated=_has_terminator(dialect, events, row))
    if body is None or isinstance(body, str):
        return Response(dialect, mode, (), status, headers, text=body or "")
    documents = tuple(body) if mode == "stream" and isinstance(body, list) else (body,)
    return Response(dialect, mode, documents, status, headers)


def _has_terminator(dialect: Dialect, events: list[object], row: JsonObject) -> bool | None:
    """Return whether the closing marker was recorded; None where the dialect has none or the framing was made up."""
    framing = RECORDS[dialect].framing
    if framing.last_type:
        return any(obj(event).get("type") == framing.last_type for event in events)
    sentinel = obj(row.get("sse_meta")).get("done_sentinel")
    return sentinel if framing.done_marker and isinstance(sentinel, bool) else None
