"""The provider that a script plays, and the documents in the bytes of a response. Scripts contain this module whole, so
it needs the standard library alone."""

import json
import re
import socket
import struct
import threading
import time
from contextlib import suppress
from itertools import takewhile
from typing import Any, BinaryIO

from bridgecheck.repro.runtime_adapters import NotReachable

GENERATES = re.compile(r":(streamG|g)enerateContent$|/chat/completions$|/messages$")
MODEL = re.compile(r"/models/([^/:?]+)$")


class Provider(threading.Thread):
    """The provider on 127.0.0.1: sends recorded responses in order over a real socket, and keeps the requests.
    ``responses``: status, headers, the chunks of the body as they arrived, and how it ended. ``port`` 0: any."""

    def __init__(self, responses: list[Any], port: int = 0) -> None:
        super().__init__(daemon=True)
        self.responses, self.requests = responses, list[Any]()
        try:
            self.listener = socket.create_server(("127.0.0.1", port))
        except OSError as error:
            raise NotReachable(f"port {port}, where it looks for its provider, is taken: {error.strerror}") from error
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        # An adapter may close the connection before it has read everything.
        with suppress(ConnectionError), connection, connection.makefile("rb") as incoming:
            method, path = [*incoming.readline().decode("latin-1").split(), "", ""][:2]
            headers = dict[str, str]()
            while (line := incoming.readline().decode("latin-1")).strip():
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            body = read_body(incoming, headers)
            print(f"the provider received: {method} {path}\n  {body.decode('utf-8', 'replace')}")
            model = MODEL.search(path.partition("?")[0])
            if method == "GET" and model:
                self.describe_model(connection, model[1])
                return
            if method != "POST" or not GENERATES.search(path.partition("?")[0]):
                connection.sendall(b"HTTP/1.1 404 Not recorded\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                return
            self.requests.append(json.loads(body or b"{}"))
            self.respond(connection, **self.responses[min(len(self.requests), len(self.responses)) - 1])

    def describe_model(self, connection: socket.socket, model: str) -> None:
        """Answer who asks for a model before it asks the model: Google's members, and those of OpenAI and Anthropic."""
        described = {"name": f"models/{model}", "displayName": model, "id": model, "object": "model", "type": "model"}
        methods = {"supportedGenerationMethods": ["generateContent", "streamGenerateContent", "countTokens"]}
        limits = {"inputTokenLimit": 1048576, "outputTokenLimit": 65536}
        body = json.dumps({**described, **methods, **limits}).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        connection.sendall(f"{head}connection: close\r\n\r\n".encode() + body)

    def respond(
        self, connection: socket.socket, status: int, headers: list[Any], chunks: list[bytes], end: str
    ) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"{name}: {value}" for name, value in [*headers, ("transfer-encoding", "chunked")]]
        head = "\r\n".join([f"HTTP/1.1 {status} Recorded", *lines, "connection: close", "", ""])
        connection.sendall(head.encode("latin-1"))
        for chunk in filter(None, chunks):
            connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            time.sleep(0.002)
        if end == "complete":
            connection.sendall(b"0\r\n\r\n")
        elif end == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif end == "timeout":
            time.sleep(60)


def read_body(incoming: BinaryIO, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "") != "chunked":
        return incoming.read(int(headers.get("content-length", "0")))
    body = b""
    while size := int(incoming.readline().partition(b";")[0] or b"0", 16):
        body += incoming.read(size + 2)[:-2]
    incoming.readline()
    return body


def read_documents(body: bytes) -> list[Any]:
    """Return the events of a stream (server-sent ones, or a JSON array), or the one document of a body."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    if re.match(r"\s*(data|event|id|retry)?:", text):
        events: list[list[str]] = [[]]
        for line in re.split(r"\r\n|\n|\r", text):
            if not line:
                events.append([])
            elif data := re.match(r"data: ?(.*)", line):
                events[-1].append(data[1])
        payloads = [payload for payload in map("\n".join, events) if payload.strip()]
        return [json.loads(payload) for payload in takewhile(lambda payload: payload.strip() != "[DONE]", payloads)]
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return [text] if text else []
    return found if isinstance(found, list) else [found]


def _refuse_constant(name: str) -> Any:
    """Raise ValueError for NaN and Infinity, which Python reads and JSON does not have: clients raise too."""
    raise ValueError(f"{name} is no JSON")
