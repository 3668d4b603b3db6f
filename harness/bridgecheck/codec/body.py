"""Bodies -> requests and responses in a dialect. What cannot be decoded is kept as text, never raised, for a response:
providers and gateways do answer with HTML, with half a document, or with nothing.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from bridgecheck.codec.json_array import JsonArrayDecoder
from bridgecheck.codec.sse import DONE, SseDecoder
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import End, Headers, Request, Response
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.dialect import Framing
from bridgecheck.wire.facts import RECORDS, Endpoint, endpoint

BodyKind: TypeAlias = Literal["sse", "array", "json"]

_MAX_KEPT_TEXT: Final = 64 * 1024


def decode_response(
    dialect: Dialect,
    mode: Mode,
    status: int,
    headers: Headers,
    chunks: Sequence[bytes],
    end: End,
) -> Response:
    """The response these bytes are. ``text`` holds what was no JSON: the whole body of an undecodable unary answer, or
    the data of broken events, one a line. The content encoding (gzip, deflate) is undone if the header names one."""
    raw = plain(b"".join(chunks), headers)
    framing = _framing(mode, status, raw)
    if framing == "json":
        documents, rest = _one_document(raw)
        terminated = None
    else:
        documents, rest, terminated = _events(dialect, raw) if framing == "sse" else _members(raw)
    return Response(
        dialect=dialect,
        mode=mode,
        documents=tuple(documents),
        status=status,
        headers=headers,
        end=end,
        terminated=terminated,
        text=rest[:_MAX_KEPT_TEXT],
        chunks=tuple(chunks),
    )


def decode_request(method: str, path: str, headers: Headers, body: bytes) -> Request:
    """The request these bytes are. ``HarnessError`` if the path is of no dialect, or the body is no JSON object."""
    found = endpoint(path, _header(headers, "host"))
    if found is None:
        raise HarnessError(f"{method} {path} belongs to no dialect", expected="a Gemini, OpenAI Chat or Anthropic path")
    document = _object(method, path, plain(body, headers))
    return Request(
        dialect=found.dialect,
        mode=_mode(found, document),
        body=document,
        model=found.model or text(document.get("model")),
        headers=headers,
        path=path,
    )


def _mode(found: Endpoint, document: JsonObject) -> Mode:
    return found.mode or ("stream" if document.get("stream") is True else "unary")


def _object(method: str, path: str, body: bytes) -> JsonObject:
    if not body.strip():
        return {}
    try:
        document = json.loads(body)
    except ValueError as error:
        raise HarnessError(f"the body of {method} {path} is no JSON", str(error)) from error
    if not isinstance(document, dict):
        raise HarnessError(f"the body of {method} {path} is no JSON object", expected="a JSON object")
    return obj(document)


def _framing(mode: Mode, status: int, raw: bytes) -> BodyKind:
    """By what the body is, not by its content type: recordings have lost that header, and gateways get it wrong."""
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if mode == "unary":
        return "json"
    if start == b"[" and status < 400:
        return "array"
    return "json" if start in (b"{", b"[", b"<") else "sse"


def _one_document(raw: bytes) -> tuple[list[object], str]:
    if not raw.strip():
        return [], ""
    try:
        return [json.loads(raw)], ""
    except ValueError:
        return [], raw.decode("utf-8", errors="replace")


def _members(raw: bytes) -> tuple[list[object], str, bool | None]:
    decoder = JsonArrayDecoder()
    return [*decoder.feed(raw), *decoder.close()], "\n".join(decoder.bad), None


def _events(dialect: Dialect, raw: bytes) -> tuple[list[object], str, bool | None]:
    """What follows [DONE] in a Chat stream no client reads (openai 3.52.0 stops there)."""
    decoder = SseDecoder()
    documents: list[object] = []
    bad: list[str] = []
    done = False
    framing = RECORDS[dialect].framing
    for event in [*decoder.feed(raw), *decoder.close()]:
        if event.data.strip() == DONE:
            done = True
            if framing.done:
                break
            continue
        try:
            documents.append(json.loads(event.data))
        except ValueError:
            bad.append(event.data)
    return documents, "\n".join(bad), _terminated(framing, documents, done)


def _terminated(framing: Framing, documents: Sequence[object], done: bool) -> bool | None:
    """Return whether the stream has its terminator; None where its dialect has none."""
    if framing.done:
        return done
    return any(obj(document).get("type") == framing.last_type for document in documents) if framing.last_type else None


def plain(body: bytes, headers: Headers) -> bytes:
    """Undo the content encoding; a body that is not what its header says is taken as it is (already decoded)."""
    encoding = _header(headers, "content-encoding").lower()
    try:
        if encoding == "gzip":
            return gzip.decompress(body)
        return zlib.decompress(body) if encoding == "deflate" else body
    except (OSError, EOFError, zlib.error):
        return body


def _header(headers: Headers, name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")
