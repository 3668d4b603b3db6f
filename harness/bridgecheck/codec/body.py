"""Bodies -> requests and responses in a dialect. What cannot be decoded is kept as text, never raised, for a response:
providers and gateways do answer with HTML, with half a document, or with nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bridgecheck.codec.limits import MAX_BODY_BYTES, MAX_EVENTS
from bridgecheck.codec.sse import DONE_MARKER, SseDecoder, SseEvent, dump_json_escaping_surrogates
from bridgecheck.codec.unpack import ENCODINGS, unpack_at_most
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import End, Headers, Request, Response
from bridgecheck.model.jsonvalue import obj, parse_json, reason_if_not_plain, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.dialect import Framing
from bridgecheck.wire.facts import RECORDS, endpoint

BodyKind: TypeAlias = Literal["sse", "array", "json"]
Undecoded: TypeAlias = str  # the text of what is no JSON, "" for none

_MAX_TEXT: Final = 64 * 1024
_PIECE_BYTES: Final = 64 * 1024


def decode_response(
    dialect: Dialect, mode: Mode, status: int, headers: Headers, chunks: Sequence[bytes], end: End
) -> Response:
    """The response these bytes are. ``text`` holds what was no JSON: the whole body of an undecodable unary answer, or
    the data of broken events, one a line. The content encoding (gzip, deflate) is undone if the header names one."""
    raw = decompress_body_if_possible(b"".join(chunks), headers)
    kind = _find_body_kind(mode, status, raw)
    documents: list[object] = []
    terminated = None
    if len(raw) > MAX_BODY_BYTES:
        start = raw[:_MAX_TEXT].decode("utf-8", errors="replace")
        undecoded = f"(not read: it is longer than {MAX_BODY_BYTES} bytes) {start}"
    elif kind == "sse":
        documents, undecoded, terminated = _parse_sse_stream(dialect, raw)
    elif kind == "array":
        documents, undecoded = _parse_array_stream(raw)
    else:
        documents, undecoded = _parse_document(raw)
    return Response(
        dialect=dialect, mode=mode, documents=tuple(documents), status=status, headers=headers, end=end,
        terminated=terminated, text=undecoded[:_MAX_TEXT], chunks=tuple(chunks),
    )  # fmt: skip


def decode_request(method: str, path: str, headers: Headers, body: bytes) -> Request:
    """The request these bytes are. ``HarnessError`` if the path is of no dialect, or the body is no JSON object."""
    found = endpoint(path, header_value(headers, "host"))
    if found is None:
        raise HarnessError(f"{method} {path} belongs to no dialect", expected="a Gemini, OpenAI Chat or Anthropic path")
    document = _parse_object_or_empty_body(method, path, decompress_body_if_possible(body, headers))
    return Request(
        dialect=found.dialect, mode=found.mode or ("stream" if document.get("stream") is True else "unary"),
        body=document, model=found.model or text(document.get("model")), headers=headers, path=path,
    )  # fmt: skip


def _parse_object_or_empty_body(method: str, path: str, body: bytes) -> JsonObject:
    if not body.strip():
        return {}
    try:
        document = parse_json(body)
    except ValueError as error:
        raise HarnessError(f"the body of {method} {path} is no JSON", str(error)) from error
    if not isinstance(document, dict):
        raise HarnessError(f"the body of {method} {path} is no JSON object", expected="a JSON object")
    return obj(document)


def _find_body_kind(mode: Mode, status: int, raw: bytes) -> BodyKind:
    """By what the body is, not by its content type: recordings have lost that header, and gateways get it wrong."""
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if mode == "unary":
        return "json"
    if start == b"[" and status < 400:
        return "array"
    return "json" if start in (b"{", b"[", b"<", b'"') else "sse"


def _parse_document(raw: bytes) -> tuple[list[object], Undecoded]:
    if not raw.strip():
        return [], ""
    try:
        return [parse_json(raw)], ""
    except ValueError as error:
        return [], _name_reason(error) + raw.decode("utf-8", errors="replace")


def _name_reason(error: ValueError) -> str:
    """Return what has to stand before a text that looks like JSON, for who wonders why it is not taken for JSON."""
    reason = reason_if_not_plain(error)
    return f"(not read: {reason}) " if reason else ""


_TOO_MANY: Final = f"(not read: more than {MAX_EVENTS} events)"


def _split_into_pieces(raw: bytes) -> Iterator[bytes]:
    return (raw[start : start + _PIECE_BYTES] for start in range(0, len(raw), _PIECE_BYTES))


def _sse_events(decoder: SseDecoder, raw: bytes) -> Iterator[SseEvent]:
    for piece in _split_into_pieces(raw):
        yield from decoder.feed(piece)
    yield from decoder.deliver_unterminated_event()


def _parse_array_stream(raw: bytes) -> tuple[list[object], Undecoded]:
    decoder = JsonArrayDecoder()
    documents: list[object] = []
    for piece in _split_into_pieces(raw):
        documents += decoder.feed(piece)
        if len(documents) + len(decoder.bad) > MAX_EVENTS:
            return documents[:MAX_EVENTS], "\n".join((*decoder.bad[:MAX_EVENTS], _TOO_MANY))
    return [*documents, *decoder.parse_rest()], "\n".join(decoder.bad)


def _parse_sse_stream(dialect: Dialect, raw: bytes) -> tuple[list[object], Undecoded, bool | None]:
    """Return also whether the stream has its terminator. What follows [DONE] is ignored, as openai 3.52.0 does."""
    decoder = SseDecoder()
    documents: list[object] = []
    bad: list[str] = []
    done_marker_found = False
    framing = RECORDS[dialect].framing
    for event in _sse_events(decoder, raw):
        if len(documents) + len(bad) == MAX_EVENTS:
            bad.append(_TOO_MANY)
            break
        if event.data.strip() == DONE_MARKER:
            done_marker_found = True
            if framing.done_marker:
                break
            continue
        try:
            documents.append(parse_json(event.data))
        except ValueError as error:
            bad.append(_name_reason(error) + event.data)
    return documents, "\n".join(bad), _is_terminated(framing, documents, done_marker_found)


def _is_terminated(framing: Framing, documents: Sequence[object], done_marker_found: bool) -> bool | None:
    if framing.done_marker:
        return done_marker_found
    return any(obj(document).get("type") == framing.last_type for document in documents) if framing.last_type else None


def decompress_body_if_possible(body: bytes, headers: Headers) -> bytes:
    """Undo the content encoding; a body that is not what its header says is taken as it is (already decoded). Of what
    is longer than ``MAX_BODY_BYTES`` there comes one byte more than these."""
    encoding = header_value(headers, "content-encoding").lower()
    if encoding not in ENCODINGS:
        return body
    try:
        return unpack_at_most(body, encoding, MAX_BODY_BYTES)
    except ValueError:
        return body


def header_value(headers: Headers, name: str) -> str:
    """Return the first value of a header in lower case, "" if it is absent."""
    return next((value for key, value in headers if key.lower() == name), "")


def encode_document(dialect: Dialect, document: object) -> bytes:
    """Return a document by itself (a whole answer, an error) as the provider of this dialect writes it."""
    indent = RECORDS[dialect].framing.indent
    encoded = dump_json_escaping_surrogates(document, indent, ":" if indent is None else ": ").encode()
    return encoded if indent is None else encoded + b"\n"


def encode_array_stream(dialect: Dialect, documents: Sequence[object], *, is_whole: bool) -> tuple[bytes, ...]:
    """Return a stream that is one JSON array, a write each member and one for the end of a whole one."""
    members = [encode_document(dialect, document) for document in documents]
    leads = [b"[", *(b",\r\n" for _ in members[1:])]
    return (*map(bytes.__add__, leads, members), *([b"]"] if is_whole else []))


_BETWEEN = frozenset(b" \t\r\n,[]")


@dataclass
class JsonArrayDecoder:
    """Feed bytes in any cut. Members are found by their brackets, so that each is parsed once and whole.

    A single document that stands in no array comes out as the only one. ``bad``: texts of members that are no JSON.
    """

    bad: list[str] = field(default_factory=list)
    _member: bytearray = field(default_factory=bytearray)
    _depth: int = 0
    _in_string: bool = False
    _escaped: bool = False

    def feed(self, data: bytes) -> list[object]:
        found: list[object] = []
        for byte in data:
            if not self._member and byte in _BETWEEN:
                continue
            in_scalar = self._member and self._depth == 0 and not self._in_string
            if in_scalar and byte in b",]":
                found += self._parse_member_or_keep_text()
                continue
            self._member.append(byte)
            self._track_nesting(byte)
            if self._depth == 0 and byte in b"}]" and not self._in_string:
                found += self._parse_member_or_keep_text()
        return found

    def parse_rest(self) -> list[object]:
        """What is left: a last scalar, or an unfinished member, which goes to ``bad``."""
        return self._parse_member_or_keep_text() if self._member.strip() else []

    def _track_nesting(self, byte: int) -> None:
        if self._in_string:
            self._in_string = self._escaped or byte != 0x22
            self._escaped = byte == 0x5C and not self._escaped
        elif byte == 0x22:
            self._in_string = True
        elif byte in b"{[":
            self._depth += 1
        elif byte in b"}]":
            self._depth -= 1

    def _parse_member_or_keep_text(self) -> list[object]:
        member = self._member.decode("utf-8", errors="replace")
        self._member.clear()
        self._depth, self._in_string, self._escaped = 0, False, False
        try:
            return [parse_json(member)]
        except ValueError as error:
            self.bad.append(_name_reason(error) + member)
            return []
