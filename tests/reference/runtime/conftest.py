"""A provider on 127.0.0.1 for real SDK clients: scripted answers, exact writes, and a log of what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest


@dataclass
class Answer:
    """One scripted answer. ``writes`` are the body, sent one after another; ``gates`` holds, by index of a write, an
    event that is waited for before it, ``before`` one that is waited for before the status line. ``end``: complete, cut
    (closed without the last chunk) or reset."""

    writes: Sequence[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    end: str = "complete"
    gates: dict[int, asyncio.Event] = field(default_factory=dict)
    before: asyncio.Event | None = None


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: object


class Provider:
    """Answers in the order of the script, the last one again and again."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self.asked: list[Asked] = []
        self.was_asked = asyncio.Event()
        self.hung_up = asyncio.Event()
        """Set when a client closes its connection while an answer is not complete."""
        self.finished = asyncio.Event()
        self.url = ""
        self._writers: set[asyncio.StreamWriter] = set()

    def close(self) -> None:
        """Drop the connections that clients keep open."""
        for writer in self._writers:
            writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while (asked := await _read_request(reader)) is not None:
                self.asked.append(asked)
                self.was_asked.set()
                answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
                await self._reply(answer, reader, writer)
                if answer.end != "complete":
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _reply(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answer.before is not None:
            await self._wait(answer.before, reader)
        head = [f"HTTP/1.1 {answer.status} X", f"content-type: {answer.content_type}", "transfer-encoding: chunked"]
        head += [f"{name}: {value}" for name, value in answer.headers]
        writer.write("\r\n".join([*head, "", ""]).encode())
        for index, data in enumerate(answer.writes):
            if index in answer.gates:
                await self._wait(answer.gates[index], reader)
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
        if answer.end == "complete":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            self.finished.set()
        elif answer.end == "reset":
            writer.transport.abort()

    async def _wait(self, gate: asyncio.Event, reader: asyncio.StreamReader) -> None:
        opened = asyncio.create_task(gate.wait())
        gone = asyncio.create_task(reader.read(1))
        await asyncio.wait([opened, gone], return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not gone.result():
            opened.cancel()
            raise ConnectionResetError("the client hung up")
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Asked | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (raw := (await reader.readline()).strip()) != b"":
        name, _, value = raw.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, json.loads(body) if body else None)


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[Provider]:
    provider = Provider(answers)
    server = await asyncio.start_server(provider.handle, "127.0.0.1", 0)
    provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield provider
    finally:
        server.close()
        provider.close()
        await asyncio.sleep(0)


class Lab:
    """What the tests use of this file (a conftest is not importable under import-mode importlib)."""

    Answer = Answer
    serving = staticmethod(serving)

    @staticmethod
    def json(document: object, **more: object) -> Answer:
        """A unary answer."""
        return Answer([json.dumps(document).encode()], **more)

    @staticmethod
    def gemini(*documents: object, **more: object) -> Answer:
        """A Gemini stream, one write an event."""
        writes = [b"data: " + json.dumps(item, ensure_ascii=False).encode() + b"\r\n\r\n" for item in documents]
        return Answer(writes, content_type="text/event-stream", **more)

    @staticmethod
    def openai(*documents: object, done: bool = True, **more: object) -> Answer:
        """A Chat stream, one write an event; ``done``: with the closing ``[DONE]``."""
        writes = [b"data: " + json.dumps(item, ensure_ascii=False).encode() + b"\n\n" for item in documents]
        return Answer([*writes, b"data: [DONE]\n\n"] if done else writes, content_type="text/event-stream", **more)

    @staticmethod
    def anthropic(*documents: dict[str, object], **more: object) -> Answer:
        """An Anthropic stream, one write an event; an event is named by its type."""
        writes = [
            f"event: {item['type']}\ndata: {json.dumps(item, ensure_ascii=False)}\n\n".encode() for item in documents
        ]
        return Answer(writes, content_type="text/event-stream", **more)

    @staticmethod
    async def collect(stream: AsyncIterator[object]) -> list[object]:
        return [item async for item in stream]


@pytest.fixture
def lab() -> Lab:
    return Lab()
