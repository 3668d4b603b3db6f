"""The provider, played: recorded answers in order over a real socket, and what was asked."""

import json
import re
import socket
import struct
import threading
import time
from typing import Any, BinaryIO

GENERATES = re.compile(r":(streamG|g)enerateContent$|/chat/completions$|/messages$")


class Provider(threading.Thread):
    """On 127.0.0.1. ``answers``: status, headers, the chunks of the body as they arrived, and how it ended."""

    def __init__(self, answers: list[Any], port: int = 0) -> None:
        super().__init__(daemon=True)
        self.answers, self.asked = answers, list[Any]()
        self.door = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def run(self) -> None:
        while True:
            line, _ = self.door.accept()
            threading.Thread(target=self.serve, args=(line,), daemon=True).start()

    def serve(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as incoming:
            method, path = [*incoming.readline().decode("latin-1").split(), "", ""][:2]
            headers = dict[str, str]()
            while (row := incoming.readline().decode("latin-1")).strip():
                name, _, value = row.partition(":")
                headers[name.lower()] = value.strip()
            body = read_body(incoming, headers)
            print(f"the provider was asked: {method} {path}\n  {body.decode('utf-8', 'replace')[:2000]}")
            if method != "POST" or not GENERATES.search(path.partition("?")[0]):
                line.sendall(b"HTTP/1.1 404 Not recorded\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                return
            self.asked.append(json.loads(body or b"{}"))
            self.answer(line, **self.answers[min(len(self.asked), len(self.answers)) - 1])

    def answer(self, line: socket.socket, status: int, headers: list[Any], chunks: list[bytes], end: str) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rows = [f"{name}: {value}" for name, value in [*headers, ("transfer-encoding", "chunked")]]
        line.sendall("\r\n".join([f"HTTP/1.1 {status} Recorded", *rows, "connection: close", "", ""]).encode("latin-1"))
        for chunk in filter(None, chunks):
            line.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            time.sleep(0.002)
        if end == "complete":
            line.sendall(b"0\r\n\r\n")
        elif end == "reset":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
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
