"""What a process with a Python adapter and the harness send each other: frames, each its length and then its bytes.

To the process go pickles: they are ours. From it comes JSON, because whoever wrote the adapter may have written it: it
is read with limits, and nothing in it is ever executed.

    ("convert_request", Request(...), "gemini", 10.0)           an operation and its arguments
    {"started": true}                                           what could take long for the first time is over
    {"turn": 1, "headers": false, ...}                          the request of a turn is needed (run/python_worker)
    {"alive": true}                                             the adapter imports something, and has its time again
    {"result": {...}}                                           the last frame of an operation
    {"failed": {"kind": "crashed", "text": "Traceback ..."}}    the same, where there is no result
"""

import base64
import struct
from collections.abc import Iterable
from json import JSONEncoder
from typing import IO, Final, cast, get_args

from bridgecheck.drivers.foreign_code import Crashed, Hung, NoMethod, Refused
from bridgecheck.errors import BridgecheckError, HarnessError
from bridgecheck.model.evidence import ReportedLoss, read_reported_losses
from bridgecheck.model.exchange import End, Headers, HttpRequest, Response
from bridgecheck.model.jsonvalue import arr, integer, obj, parse_json, text
from bridgecheck.wire import Dialect, JsonObject, Mode

MAX_FRAME_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one frame from the process. The longest document of the corpus has a hundredth of it."""

HEAD: Final = struct.Struct(">Q")
"""The length of a frame, before it."""

# An adapter may patch the module json of its process.
_encode: Final = JSONEncoder().encode


class BadFrame(Exception):
    """The process sent what the harness never sends; ``str()`` says what."""


def encode_message(message: JsonObject) -> bytes:
    """Return a message of the process as a frame. Raises BadFrame for one that is too long or nests too deeply."""
    try:
        data = _encode(message).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadFrame(f"its answer is no JSON: {error}") from error
    if len(data) > MAX_FRAME_BYTES:
        raise BadFrame(f"its answer is longer than {MAX_FRAME_BYTES} bytes")
    return HEAD.pack(len(data)) + data


def decode_message(data: bytes) -> JsonObject:
    """Return the message of a frame. Raises BadFrame."""
    try:
        message = parse_json(data)
    except ValueError as error:
        raise BadFrame(f"its answer is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrame("its answer is no JSON object")
    return cast(JsonObject, message)


def read_exactly(pipe: IO[bytes], count: int) -> bytes:
    """Return the next bytes of a pipe, fewer at its end."""
    parts: list[bytes] = []
    while count and (data := pipe.read(count)):
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


class FailedInProcess(HarnessError):
    """An error of the harness's part of the process. ``kind``: its code there."""

    kind: str = ""


def failure_to_json(error: Crashed | Refused | BridgecheckError) -> JsonObject:
    if isinstance(error, BridgecheckError):
        return {"kind": error.code, "text": error.what, "where": error.where, "expected": error.expected,
                "next": error.next_step, "log": error.log}  # fmt: skip
    return {"kind": next(kind for kind, cls in _FAILURES.items() if isinstance(error, cls)), "text": str(error)}


def failure_from_json(value: object) -> Crashed | Refused | FailedInProcess:
    failure = obj(value)
    kind, message = text(failure.get("kind")), text(failure.get("text"))
    if kind in _FAILURES:
        return _FAILURES[kind](message)
    error = FailedInProcess(message, *(text(failure.get(name)) for name in ("where", "expected", "next", "log")))
    error.kind = kind
    return error


_FAILURES: Final[dict[str, type[Crashed] | type[Refused]]] = {
    "hung": Hung, "crashed": Crashed, "no-method": NoMethod, "refused": Refused,
}  # fmt: skip
"""What an adapter does wrong, the special kinds before the general ones."""


def losses_to_json(losses: Iterable[ReportedLoss]) -> list[list[str]]:
    return [[loss.path, loss.reason, loss.severity] for loss in losses]


def losses_from_json(value: object) -> tuple[ReportedLoss, ...]:
    rows = (list(map(text, arr(loss)[:3])) for loss in arr(value))
    return tuple(read_reported_losses(row for row in rows if len(row) >= 2))


def response_to_json(response: Response) -> JsonObject:
    """Return what the adapter made; dialect and mode are known to who asked."""
    chunks = response.chunks
    return {
        "documents": list(response.documents), "status": response.status, "headers": list(response.headers),
        "end": response.end, "terminated": response.terminated, "text": response.text,
        "chunks": None if chunks is None else [base64.b64encode(chunk).decode("ascii") for chunk in chunks],
    }  # fmt: skip


def response_from_json(value: object, dialect: Dialect, mode: Mode) -> Response:
    """Raises BadFrame."""
    answer = obj(value)
    end, terminated, chunks = text(answer.get("end")), answer.get("terminated"), answer.get("chunks")
    if end not in get_args(End):
        raise BadFrame(f"its answer ends in a manner of its own: {end!r}")
    return Response(
        dialect, mode, tuple(arr(answer.get("documents"))), integer(answer.get("status")) or 0,
        _headers_from_json(answer.get("headers")), cast(End, end),
        terminated if isinstance(terminated, bool) else None, text(answer.get("text")),
        None if chunks is None else tuple(map(_bytes_from_json, arr(chunks))),
    )  # fmt: skip


def http_request_to_json(request: HttpRequest) -> JsonObject:
    body = base64.b64encode(request.body).decode("ascii")
    return {"method": request.method, "path": request.path, "headers": list(request.headers), "body": body}


def http_request_from_json(value: object) -> HttpRequest:
    """Raises BadFrame."""
    request = obj(value)
    method, path = text(request.get("method")), text(request.get("path"))
    return HttpRequest(method, path, _headers_from_json(request.get("headers")), _bytes_from_json(request.get("body")))


def _headers_from_json(value: object) -> Headers:
    pairs = [arr(pair) for pair in arr(value)]
    return tuple((text(pair[0]), text(pair[1])) for pair in pairs if len(pair) == 2)


def _bytes_from_json(value: object) -> bytes:
    try:
        return base64.b64decode(text(value), validate=True)
    except ValueError as error:
        raise BadFrame(f"its bytes are no base64: {error}") from error
