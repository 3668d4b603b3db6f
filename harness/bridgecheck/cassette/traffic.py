"""Recorded traffic of others: JSON lines and vcrpy cassettes, one interaction at a time.

What is broken is yielded as BadTraffic with file and line, and the rest is read on. ``PATH::GLOB`` names some
interactions of a file or folder by id: the ``id`` of a JSON line, or ``<file without suffix>/<number>`` in a
cassette.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final, Literal
from urllib.parse import urlsplit

from bridgecheck.cassette import store
from bridgecheck.cassette.interactions import RecordedInteraction, decode_recorded_request
from bridgecheck.errors import BadCassette, BadTraffic, BridgecheckError, MissingPath
from bridgecheck.model.exchange import Headers, Interaction, Request, Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS, Endpoint, endpoint


@dataclass(frozen=True, slots=True)
class TrafficItem:
    """One recorded interaction. ``where``: file and line. ``operation``: generate, count_tokens, embed, models or
    other. ``title``: short text for a report; ``group``: recordings of one conversation share it, "" if unknown.
    ``notes``: what to know of it: sdk_level (objects of an SDK, not of the wire), url_assumed, synthetic_suspect,
    json_array_stream, unmodelled_endpoint."""

    id: str
    where: str
    interaction: Interaction
    operation: str = "generate"
    source: Literal["traffic"] = "traffic"
    title: str = ""
    group: str = ""
    notes: tuple[str, ...] = ()


MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one interaction in JSON lines, as of any document that is judged."""

MAX_YAML_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a cassette, which is read as a whole."""

SUFFIXES: Final[tuple[str, ...]] = (".jsonl", ".yaml", ".yml")
EVERY: Final = "*"
_HELP: Final = "bridgecheck run --help"


def split_address(address: str) -> tuple[Path, str]:
    """Split ``PATH``, ``PATH::ID-GLOB`` or ``PATH::ID-GLOB::VARIANT`` into path and glob of ids or cases (``*`` if none
    was given)."""
    path, _, glob = address.partition("::")
    return Path(path), glob or EVERY


def traffic_files(path: Path) -> list[Path]:
    """Return the traffic files of a folder, sorted, or the file itself. Raises MissingPath."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        for file in files:
            _refuse_link_without_suffix(file)
        return files
    if not path.is_file():
        what = "there is no such traffic file or folder"
        raise MissingPath(what, str(path), f"a folder or {', '.join(SUFFIXES)}", _HELP)
    if path.suffix not in SUFFIXES:
        raise MissingPath("this is no traffic file", str(path), f"one of {', '.join(SUFFIXES)}", _HELP)
    _refuse_link_without_suffix(path)
    return [path]


def _refuse_link_without_suffix(file: Path) -> None:
    """A case is found again by the file itself, whose name says what it holds. Raises MissingPath."""
    target = file.resolve()
    if target.suffix not in SUFFIXES:
        what = f"this is a link to {target.name}, whose name does not say what it holds"
        raise MissingPath(what, str(file), f"a link to a file that ends in {', '.join(SUFFIXES)}", _HELP)


def read_traffic(path: Path, glob: str = EVERY) -> Iterator[TrafficItem | BadTraffic]:
    """Return every interaction of a file or folder whose id matches a glob of ids or cases. What is broken has no id:
    it is omitted when a glob was given. Raises MissingPath before the first item."""
    paths = traffic_files(path)
    ids = glob.partition("::")[0]
    base = path if path.is_dir() else path.parent
    items = (item for file in paths for item in _read_yaml_or_json_lines_file(file, base))
    return (item for item in items if ids == EVERY or (isinstance(item, TrafficItem) and fnmatchcase(item.id, ids)))


def _read_yaml_or_json_lines_file(file: Path, base: Path) -> Iterator[TrafficItem | BadTraffic]:
    try:
        with file.open("rb") as stream:
            if file.suffix == ".jsonl":
                yield from read_json_lines(stream, str(file))
                return
            data = stream.read(MAX_YAML_BYTES + 1)
    except OSError as error:
        yield BadTraffic(f"the file cannot be read: {error.strerror}", str(file))
        return
    if len(data) > MAX_YAML_BYTES:
        yield BadTraffic(f"the file has more than {MAX_YAML_BYTES} bytes", str(file), "several smaller files")
        return
    yield from read_yaml_items(data, str(file), file.relative_to(base).with_suffix("").as_posix())


_PROVIDER_DIALECTS: Final = {label: record.name for record in RECORDS.values() for label in record.recording_labels}
_FLAGS: Final = ("sdk_level", "url_assumed", "synthetic_suspect", "json_array_stream")
_LINE_SHAPE: Final = "one JSON object a line with id, url_path, status, and response_body or sse_chunks"


def read_json_lines(lines: IO[bytes], file: str) -> Iterator[TrafficItem | BadTraffic]:
    """Yield the items of JSON lines, one object an interaction. Lines end with LF alone: U+2028 and U+0085 may stand
    inside a JSON string.

    Keys read: id, provider, host, url_path, method, model, stream, status, request_body (parsed, or null),
    response_headers, response_body (parsed, text, or null) or sse_chunks (the ``data:`` events, parsed, without the
    closing ``[DONE]``), sse_meta.done_sentinel, source_path, and the flags of ``_FLAGS``. A list as response_body of a
    stream is Gemini's JSON array.
    """
    for number, line in enumerate(_read_bounded_lines(lines), 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")
            yield _json_line_item(parse_json_object(line), where)
        except ValueError as error:
            yield BadTraffic(str(error), where, _LINE_SHAPE)


def _read_bounded_lines(lines: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines; of one that is too long only the beginning, with more bytes than a line may have."""
    while line := lines.readline(MAX_LINE_BYTES + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = lines.readline(MAX_LINE_BYTES)
        yield line


def parse_json_object(line: bytes) -> JsonObject:
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


_CASSETTE_SHAPE: Final = "a vcrpy v1 cassette"
_LIST_HEAD: Final = re.compile(r"^interactions:[ \t]*(?:#.*)?$", re.MULTILINE)
_ITEM: Final = re.compile(r"^( *)- ", re.MULTILINE)


def read_yaml_items(data: bytes, file: str, stem: str) -> Iterator[TrafficItem | BadTraffic]:
    """Yield the items of a vcrpy cassette, each interaction by itself, so that a broken one does not hide the others.
    ``stem``: the beginning of their ids."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        yield BadTraffic(f"not UTF-8 at byte {error.start}", f"{file}:{line}", _CASSETTE_SHAPE)
        return
    try:
        raw = store.raw_interactions(text, file)
    except BadCassette as error:
        yield from _salvage_items(text, file, stem, error)
        return
    lines = [text.count("\n", 0, start) + 1 for start, _ in _interaction_blocks_by_offset(text)]
    for number, item in enumerate(raw):
        # Flow style or anchors may hide where an interaction begins; then its number must do.
        where = f"{file}:{lines[number]}" if len(lines) == len(raw) else f"{file}: interactions[{number}]"
        yield _yaml_item(item, where, f"{stem}/{number:04d}")


def _salvage_items(text: str, file: str, stem: str, broken: BadCassette) -> Iterator[TrafficItem | BadTraffic]:
    """Yield the items of a file that as a whole is no YAML, read block by block."""
    blocks = list(_interaction_blocks_by_offset(text))
    if not blocks:
        yield BadTraffic(broken.what, broken.where, broken.expected)
    for number, (start, block) in enumerate(blocks):
        where = f"{file}:{text.count(chr(10), 0, start) + 1}"
        try:
            raw = store.raw_interactions("interactions:\n" + block, where)
        except BadCassette as error:
            yield BadTraffic(f"interactions[{number}]: {error.what}", where, _CASSETTE_SHAPE)
        else:
            yield _yaml_item(raw[0] if raw else None, where, f"{stem}/{number:04d}")


def _interaction_blocks_by_offset(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, text) of each interaction in block style; the last ends at the next top-level key."""
    head = _LIST_HEAD.search(text)
    first = _ITEM.search(text, head.end()) if head else None
    if head is None or first is None or text[head.end() : first.start()].strip():
        return
    dash = re.compile(rf"^{first.group(1)}- |^[A-Za-z_]+:", re.MULTILINE)
    starts = [match.start() for match in dash.finditer(text, first.start())]
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        if text.startswith(first.group(), start):
            yield start, text[start:stop]


def _yaml_item(raw: object, where: str, item_id: str) -> TrafficItem | BadTraffic:
    try:
        recorded = store.parse_interaction(raw)
        matched = endpoint(recorded.request.path, urlsplit(recorded.origin).netloc)
        interaction = _decode_item(recorded, matched)
    except store.MalformedInteraction as error:
        return BadTraffic(str(error), where, _CASSETTE_SHAPE)
    except BridgecheckError as error:
        return BadTraffic(error.what, where, error.expected)
    return TrafficItem(
        id=item_id, where=where, interaction=interaction, operation=matched.operation if matched else "other",
        title=f"{recorded.request.method} {urlsplit(recorded.request.path).path}", group=item_id.rpartition("/")[0],
        notes=() if matched else ("unmodelled_endpoint",),
    )  # fmt: skip


def _decode_item(recorded: RecordedInteraction, matched: Endpoint | None) -> Interaction:
    if matched is None:
        # No dialect is known, and nobody will judge it: it is kept to be counted.
        return Interaction(None, Response(MOST_SPOKEN, "unary", (), recorded.status, recorded.headers))
    request = _decode_request_or_raise_for_generation(recorded, matched)
    mode: Mode = request.mode if request else matched.mode or "unary"
    return Interaction(request, recorded.response(matched.dialect, mode))


def _decode_request_or_raise_for_generation(recorded: RecordedInteraction, matched: Endpoint) -> Request | None:
    """Return the request, None for one without a body. Only a generation must have one that is understood."""
    if not recorded.request.body:
        return None
    try:
        return decode_recorded_request(recorded.request)
    except BridgecheckError:
        if matched.operation == "generate":
            raise
        return None
