"""A scripted upstream on 127.0.0.1: answers with exact writes, and a log of the requests.

In-process ASGI transports collect a whole body before they show it, so streams are tested over TCP only.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Answer:
    """One scripted answer. ``writes``: the body, each a write of its own. ``gates``: by index of a write, an event
    that is waited for before it; ``before``: one that is waited for before the status line. ``end``: complete, cut
    (closed before the last chunk), reset, stall (nothing more until the client leaves)."""

    writes: Sequence[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    end: str = "complete"
    gates: Mapping[int, asyncio.Event] = field(default_factory=dict)
    before: asyncio.Event | None = None


@dataclass
class ReceivedRequest:
    """A request as it came. ``path``: with its query. ``headers``: by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> object:
        """The JSON document, None for a request without one."""
        return json.loads(self.raw) if self.raw else None


class Upstream:
    """Answers in the order of the script, the last one again and again. ``hung_up``: a client went away in the middle
    of an answer; ``finished``: an answer was sent to its end."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self._writers: set[asyncio.StreamWriter] = set()
        self.requests: list[ReceivedRequest] = []
        self.request_arrived = asyncio.Event()
        self.hung_up = asyncio.Event()
        self.finished = asyncio.Event()
        self.connections = 0
        self.url = ""

    def close(self) -> None:
        """Close the connections that clients keep open."""
        for writer in self._writers:
            writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        try:
            while (request_ := await _read(reader)) is not None:
                self.requests.append(request_)
                self.request_arrived.set()
                answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
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
            await _wait_for_gate(answer.before, reader)
        writer.write(_head(answer))
        for index, data in enumerate(answer.writes):
            if index in answer.gates:
                await _wait_for_gate(answer.gates[index], reader)
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        if answer.end == "complete":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            self.finished.set()
        elif answer.end == "stall":
            await _wait_for_gate(asyncio.Event(), reader)
        elif answer.end == "reset":
            await asyncio.sleep(0.02)  # a reset overtakes what the other side has not read yet
            writer.transport.abort()


_PATIENCE_S = 60
"""Nothing that works takes so long: a client that waits for what never comes fails its test in place of holding it up."""


@asynccontextmanager
async def upstream(*answers: Answer) -> AsyncIterator[Upstream]:
    """A scripted upstream on a free port."""
    scripted = Upstream(answers)
    server = await asyncio.start_server(scripted.handle, "127.0.0.1", 0)
    scripted.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        async with asyncio.timeout(_PATIENCE_S):
            yield scripted
    finally:
        server.close()
        scripted.close()
        await asyncio.sleep(0)


def json_answer(document: object, **more: object) -> Answer:
    """A unary answer."""
    return Answer([json.dumps(document).encode()], **more)


def stream_answer(
    *documents: object, terminator: bool = False, named: bool = False, ends: str = "\n\n", **more: object
) -> Answer:
    """A stream, one write an event. ``done``: OpenAI's terminator. ``named``: Anthropic's event lines. ``ends``: what
    ends an event."""
    writes = [_event(document, named=named, ends=ends) for document in documents]
    more.setdefault("content_type", "text/event-stream")
    return Answer([*writes, b"data: [DONE]\n\n"] if terminator else writes, **more)


def _event(document: object, *, named: bool, ends: str) -> bytes:
    lead = f"event: {document['type']}\n" if named else ""
    return f"{lead}data: {json.dumps(document, ensure_ascii=False)}{ends}".encode()


def _head(answer: Answer) -> bytes:
    head = [f"HTTP/1.1 {answer.status} X", "transfer-encoding: chunked"]
    head += [f"content-type: {answer.content_type}"] if answer.content_type else []
    head += [f"{name}: {value}" for name, value in answer.headers]
    return "\r\n".join([*head, "", ""]).encode()


async def _wait_for_gate(gate: asyncio.Event, reader: asyncio.StreamReader) -> None:
    gate_opened, client_left = asyncio.create_task(gate.wait()), asyncio.create_task(reader.read(1))
    await asyncio.wait([gate_opened, client_left], return_when=asyncio.FIRST_COMPLETED)
    if client_left.done() and not client_left.result():
        gate_opened.cancel()
        raise ConnectionResetError("the client hung up")
    client_left.cancel()
    await asyncio.gather(client_left, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> ReceivedRequest | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (raw := (await reader.readline()).strip()) != b"":
        name, _, value = raw.decode().partition(":")
        headers[name.lower()] = value.strip()
    return ReceivedRequest(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))
