"""A proxy in front of a gateway that plants a fault in what goes through it, chosen anew for each request.

Each answer goes through ``old_fault``, and then each request and answer through ``fault``; neither does anything until
it is set. Answers are read whole: nothing here is about time.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, Self

from bridgecheck.wire import JsonObject

HOP_BY_HOP: Final = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive", "date", "server"})
Change = Callable[[JsonObject], None]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def change_documents(self, change: Change) -> "Answer":
        """Return the answer after a change to its document, or to that of each event."""
        if not self.body.lstrip().startswith(b"{"):
            lines = (_change_event(line, change) for line in self.body.split(b"\n"))
            return replace(self, body=b"\n".join(lines))
        return replace(self, body=change_document(self.body, change))


@dataclass(frozen=True)
class Fault:
    """``change_answer`` None: the connection is closed without one."""

    change_answer: Callable[[Answer], Answer] | None = field(default=lambda answer: answer)
    change_request: Change = field(default=lambda document: None)


NO_FAULT: Final = Fault()


class FaultyFront:
    """The proxy in front of 127.0.0.1:``port``."""

    def __init__(self, port: int, old_fault: Callable[[Answer], Answer] = lambda answer: answer) -> None:
        self.fault = NO_FAULT
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                fault = front.fault
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                answer = _ask(port, self.path, dict(self.headers.items()), change_document(body, fault.change_request))
                if fault.change_answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                answer = fault.change_answer(old_fault(answer))
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def change_document(body: bytes, change: Change) -> bytes:
    if not body:
        return body
    document: JsonObject = json.loads(body)
    change(document)
    return json.dumps(document).encode()


def _change_event(line: bytes, change: Change) -> bytes:
    head, _, data = line.partition(b": ")
    return b": ".join((head, change_document(data, change))) if head == b"data" and data.startswith(b"{") else line


def _ask(port: int, path: str, headers: dict[str, str], body: bytes) -> Answer:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        sent = {name: value for name, value in headers.items() if name.lower() not in {*HOP_BY_HOP, "accept-encoding"}}
        connection.request("POST", path, body, {**sent, "content-length": str(len(body))})
        response = connection.getresponse()
        preserved = {name: value for name, value in response.getheaders() if name.lower() not in HOP_BY_HOP}
        return Answer(response.status, preserved, response.read())
    finally:
        connection.close()
