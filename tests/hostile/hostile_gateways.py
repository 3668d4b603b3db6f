"""A gateway that does on its sockets what none should: one function each, under its name in ``IN_ANSWER``.

python hostile_gateways.py NAME PORT UPSTREAM_URL. Each answers wrongly, so that a run of it must fail, whatever it does
besides. It reads a request and writes what it likes; the connection is closed behind it.
"""

import json
import os
import socket
import struct
import sys
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import repeat
from typing import Final, TypeAlias

Behaviour: TypeAlias = Callable[[socket.socket, bytes], object]

UPSTREAM: Final = sys.argv[3] if len(sys.argv) > 3 else ""
WRONG: Final = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [], "wrong": True}
CHUNK: Final = {**WRONG, "object": "chat.completion.chunk"}
MIB: Final = b"x" * 1_048_576


def head(*headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", f"content-type: {kind}", *headers, "", "")).encode()


def whole(body: bytes, *headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    return head(*headers, f"content-length: {len(body)}", status=status, kind=kind) + body


def is_stream(request: bytes) -> bool:
    return b'"stream": true' in request or b'"stream":true' in request


def encode_answer(request: bytes, document: str, *headers: str) -> bytes:
    """Return an answer with this document alone, as an event where the client wants a stream."""
    if is_stream(request):
        return whole(f"data: {document}\n\ndata: [DONE]\n\n".encode(), *headers, kind="text/event-stream")
    return whole(document.encode(), *headers)


def send_all(connection: socket.socket, parts: Iterable[bytes], pause: float = 0) -> None:
    for part in parts:
        connection.sendall(part)
        if pause:
            time.sleep(pause)


def send(*parts: bytes) -> Behaviour:
    return lambda connection, request: send_all(connection, parts)


def send_for_ever(part: bytes, *first: bytes, pause: float = 0) -> Behaviour:
    def behave(connection: socket.socket, request: bytes) -> None:
        send_all(connection, first)
        send_all(connection, repeat(part), pause)

    return behave


def answer_with(document: str, *headers: str) -> Behaviour:
    return lambda connection, request: connection.sendall(encode_answer(request, document, *headers))


def compress_long_text(gibibytes: int, start: bytes) -> bytes:
    """Return a gzip body of so many gigabytes; its checksum, which comes last, is wrong."""
    compressor = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS)
    head = compressor.compress(start) + compressor.flush(zlib.Z_FULL_FLUSH)
    block = b"".join(compressor.compress(MIB) for _ in range(64)) + compressor.flush(zlib.Z_FULL_FLUSH)
    return head + block * (gibibytes * 16) + compressor.flush()


def send_compressed_bomb(connection: socket.socket, request: bytes) -> None:
    start = b"data: " if is_stream(request) else b'{"choices": "'
    kind = "text/event-stream" if is_stream(request) else "application/json"
    connection.sendall(whole(BOMB[start], "content-encoding: gzip", kind=kind))


def send_small_events_within_limit(connection: socket.socket, request: bytes) -> None:
    """Send fifteen megabytes of the smallest documents, and end well."""
    events = b"data: {}\n\n" if is_stream(request) else b"[" + b"{}," * 3 + b"{}],"
    body = events * (15_000_000 // len(events))
    connection.sendall(whole(body if is_stream(request) else b'{"choices": [' + body + b"0]}"))


def send_bad_chunks(connection: socket.socket, request: bytes) -> None:
    text = json.dumps(WRONG).encode()
    connection.sendall(head("transfer-encoding: chunked") + b"%x\r\n" % len(text) + text + b"\r\n-5\r\nhello\r\nzz\r\n")


def send_huge_chunk(connection: socket.socket, request: bytes) -> None:
    connection.sendall(head("transfer-encoding: chunked") + b"f" * 16 + b"\r\n")
    send_all(connection, repeat(MIB))


def keep_open(connection: socket.socket, request: bytes) -> None:
    connection.sendall(encode_answer(request, json.dumps(CHUNK if is_stream(request) else WRONG)))
    time.sleep(300)


def keep_open_without_length(connection: socket.socket, request: bytes) -> None:
    connection.sendall(head() + json.dumps(WRONG).encode())
    time.sleep(300)


def reset(connection: socket.socket, request: bytes) -> None:
    connection.sendall(head("content-length: 5000") + b'{"choices": [')
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def redirect(location: str) -> Behaviour:
    def behave(connection: socket.socket, request: bytes) -> None:
        target = location.format(port=connection.getsockname()[1])
        connection.sendall(whole(b"{}", f"location: {target}", status="307 Temporary Redirect"))

    return behave


def retry_after(seconds: float) -> Behaviour:
    """Refuse at once, saying when to come again, and send the request to the provider that much later."""

    def behave(connection: socket.socket, request: bytes) -> None:
        body = request.partition(b"\r\n\r\n")[2]
        error = {"error": {"message": "busy", "type": "rate_limit_error", "param": None, "code": None}}
        connection.sendall(
            whole(json.dumps(error).encode(), f"retry-after: {seconds:g}", status="429 Too Many Requests")
        )
        connection.close()
        time.sleep(seconds)
        with suppress(OSError):
            path = "/v1beta/models/gemini-2.5-flash:generateContent"
            urllib.request.urlopen(urllib.request.Request(UPSTREAM + path, body, {"content-type": "application/json"}))

    return behave


def send_many_headers_to_provider(connection: socket.socket, request: bytes) -> None:
    host, port = UPSTREAM.removeprefix("http://").split(":")
    line = b"POST /v1beta/models/m:generateContent HTTP/1.1\r\nhost: x\r\n"
    for headers in (b"x-a: b\r\n" * 100_000, b"x-a: " + b"b" * 10_000_000, b"content-length: 2000000000\r\n\r\n"):
        with suppress(OSError), socket.create_connection((host, int(port)), 1) as provider:
            provider.sendall(line + headers + b"\r\n\r\n" + b"x" * 10_000_000)
            provider.recv(65536)
    keep = answer_with(json.dumps(WRONG))
    keep(connection, request)


NESTED: Final = '{"choices": ' + "[" * 100_000 + "]" * 100_000 + "}"
ESCAPES: Final = "\x1b[2J\x1b]0;owned\x07\r\x9b1m\u202e</script><img src=x onerror=alert(1)>\ud800"
SAYS: Final = json.dumps({**WRONG, "choices": [{"index": 0, "message": {"role": ESCAPES, "content": ESCAPES}}]})
EVENT: Final = f"data: {json.dumps(CHUNK)}\n\n".encode()
SMALL_EVENT: Final = b"data: {}\n\n"
SSE: Final = head(kind="text/event-stream")
TEXT: Final = json.dumps(WRONG).encode()

IN_ANSWER: Final[dict[str, Behaviour]] = {
    "continues": send_for_ever(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "continues-slowly": send_for_ever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.05),
    "bad-chunks": send_bad_chunks, "huge-chunk": send_huge_chunk, "gzip-bomb": send_compressed_bomb,
    "bad-gzip": answer_with(json.dumps(WRONG), "content-encoding: gzip"),
    "deep-100000": answer_with(NESTED), "drips": lambda connection, request: send_all(
        connection, (bytes([byte]) for byte in encode_answer(request, json.dumps(WRONG))), 0.05),
    "drips-body": send_for_ever(b" ", head("content-length: 1000000"), pause=0.05),
    "endless-body": send_for_ever(MIB, head()), "endless-list": send_for_ever(b"[" * 65536, head()),
    "endless-headers": send_for_ever(b"x-a: b\r\n" * 1000, b"HTTP/1.1 200 OK\r\n"),
    "endless-header": send_for_ever(MIB, b"HTTP/1.1 200 OK\r\nx-a: "), "endless-line": send_for_ever(MIB),
    "endless-events": send_for_ever(EVENT, SSE, pause=0.001), "endless-flood": send_for_ever(EVENT * 500, SSE),
    "endless-small": send_for_ever(SMALL_EVENT * 5000, SSE), "endless-event": send_for_ever(MIB, SSE, b"data: "),
    "endless-comments": send_for_ever(b":\n\n" * 5000, SSE), "endless-trailers": send_for_ever(
        b"x-a: b\r\n" * 1000, head("transfer-encoding: chunked"), b"0\r\n"),
    "small-events": send_small_events_within_limit,
    "many-headers": answer_with(json.dumps(WRONG), *(f"x-{number}: b" for number in range(100_000))),
    "long-header": answer_with(json.dumps(WRONG), "x-a: " + "b" * 10_000_000),
    "page": send(whole(b"<!doctype html><script>alert(1)</script>", kind="text/html")),
    "huge-length": send(head("content-length: 99999999999999999999"), TEXT),
    "too-long": send(head("content-length: 5000"), TEXT), "negative": send(head("content-length: -5"), TEXT),
    "too-short": send(head("content-length: 5"), TEXT), "two-lengths": send(
        head("content-length: 5", "content-length: 7"), TEXT),
    "no-http": send(b"SSH-2.0-OpenSSH_9.9\r\n" + bytes(range(256)) * 100), "nothing": send(),
    "redirects": redirect("http://127.0.0.2:{port}/v1/chat/completions"),
    "redirects-home": redirect("file:///etc/passwd"),
    "redirect-loop": redirect("http://127.0.0.1:{port}/v1/chat/completions"),
    "stays-open": keep_open, "open-without-length": keep_open_without_length, "resets": reset,
    "retry-4": retry_after(4), "retry-34": retry_after(34), "many-headers-to-provider": send_many_headers_to_provider,
    "says": answer_with(SAYS), "infinite": answer_with('{"choices": [1e400], "usage": {"total_tokens": -1e400}}'),
    "nan": answer_with('{"choices": [NaN, Infinity]}'), "huge-integer": answer_with(f'{{"choices": [{"9" * 5_000}]}}'),
    "many-keys": answer_with(json.dumps({**WRONG, **{f"key{number}": number for number in range(100_000)}})),
    "exits": lambda connection, request: os._exit(0),
}  # fmt: skip
BOMB: Final[dict[bytes, bytes]] = {}


def handle(connection: socket.socket, behave: Behaviour) -> None:
    with connection, suppress(OSError):
        data = b""
        while b"\r\n\r\n" not in data:
            data += (part := connection.recv(65536))
            if not part:
                return
        start, _, body = data.partition(b"\r\n\r\n")
        sizes = [
            int(line.partition(b":")[2]) for line in start.lower().split(b"\r\n") if line.startswith(b"content-length:")
        ]
        while len(body) < sum(sizes):
            body += connection.recv(65536)
        behave(connection, start + b"\r\n\r\n" + body)


def main(name: str, port: int) -> None:
    if name == "gzip-bomb":
        BOMB.update({start: compress_long_text(3, start) for start in (b"data: ", b'{"choices": "')})
    with socket.create_server(("0.0.0.0", port)) as server:
        while True:
            connection, _ = server.accept()
            threading.Thread(target=handle, args=(connection, IN_ANSWER[name]), daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
