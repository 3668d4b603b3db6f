"""A gateway in this process on a real socket, and scripted upstreams behind it: exact writes, a log of what was asked.

In-process ASGI transports collect a whole body before they show it, so streams are tested over TCP only.
"""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field

import httpx
import pytest

from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamConfig
from bridgecheck_reference.gateway.server import GatewayServer, listening_socket


@dataclass
class Answer:
    """One scripted answer. ``writes``: the body, each a write of its own. ``gates``: by index of a write, an event
    that is waited for before it. ``end``: complete, cut (closed before the last chunk), reset, stall (nothing more
    until the client leaves)."""

    writes: Sequence[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: Sequence[tuple[str, str]] = ()
    end: str = "complete"
    gates: Mapping[int, asyncio.Event] = field(default_factory=dict)


@dataclass
class Asked:
    """A request as it came. ``path``: with its query. ``headers``: by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> object:
        return json.loads(self.raw)


class Upstream:
    """Answers in the order of the script, the last one again and again. ``left``: a client went away in the middle of
    an answer."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self._writers: set[asyncio.StreamWriter] = set()
        self.asked: list[Asked] = []
        self.connections = 0
        self.left = asyncio.Event()
        self.url = ""

    def close(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.connections += 1
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
                await self._reply(answer, reader, writer)
                if answer.end != "complete":
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _reply(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = [f"HTTP/1.1 {answer.status} X", "transfer-encoding: chunked"]
        head += [f"content-type: {answer.content_type}"] if answer.content_type else []
        head += [f"{name}: {value}" for name, value in answer.headers]
        writer.write("\r\n".join([*head, "", ""]).encode())
        for index, data in enumerate(answer.writes):
            if index in answer.gates:
                await _opened(answer.gates[index], reader)
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        if answer.end == "complete":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        elif answer.end == "stall":
            await _opened(asyncio.Event(), reader)
        elif answer.end == "reset":
            await asyncio.sleep(0.02)  # a reset overtakes what the other side has not read yet
            writer.transport.abort()


async def _opened(gate: asyncio.Event, reader: asyncio.StreamReader) -> None:
    opened, gone = asyncio.create_task(gate.wait()), asyncio.create_task(reader.read(1))
    await asyncio.wait([opened, gone], return_when=asyncio.FIRST_COMPLETED)
    if gone.done() and not gone.result():
        opened.cancel()
        raise ConnectionResetError("the client hung up")
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (raw := (await reader.readline()).strip()) != b"":
        name, _, value = raw.decode().partition(":")
        headers[name.lower()] = value.strip()
    return Asked(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


@asynccontextmanager
async def upstream(*answers: Answer) -> AsyncIterator[Upstream]:
    """A scripted upstream on a free port of 127.0.0.1."""
    scripted = Upstream(answers)
    server = await asyncio.start_server(scripted.handle, "127.0.0.1", 0)
    scripted.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield scripted
    finally:
        server.close()
        scripted.close()
        await asyncio.sleep(0)


class _Quiet(GatewayServer):
    """Leaves the signals to pytest."""

    def capture_signals(self):
        return nullcontext()


@asynccontextmanager
async def gateway(config: GatewayConfig) -> AsyncIterator[httpx.AsyncClient]:
    """A running gateway, as a client whose base URL is the gateway's."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = _Quiet(config, ready.set_result)
    with listening_socket("127.0.0.1", 0) as listener:
        running = asyncio.create_task(server.serve([listener]))
        async with httpx.AsyncClient(base_url=await ready, trust_env=False, timeout=20) as client:
            try:
                yield client
            finally:
                server.should_exit = True
        await running


@dataclass
class Pair:
    """A gateway over one upstream."""

    client: httpx.AsyncClient
    upstream: Upstream

    async def post(self, path: str, document: object, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(path, json=document, headers=named)


class Lab:
    """What the tests use of this file (a conftest is not importable under import-mode importlib)."""

    Answer = Answer
    upstream = staticmethod(upstream)
    gateway = staticmethod(gateway)

    @staticmethod
    def base(dialect: str, url: str) -> str:
        """The base URL as the SDK of that dialect takes it."""
        return f"{url}/v1" if dialect == "openai-chat" else url

    @staticmethod
    def config(dialect: str, scripted: Upstream, *, key: str = "", **settings: object) -> GatewayConfig:
        """Of a gateway over that one upstream."""
        return GatewayConfig((UpstreamConfig(dialect, Lab.base(dialect, scripted.url), key),), **settings)

    @staticmethod
    @asynccontextmanager
    async def pair(dialect: str, *answers: Answer, key: str = "", **settings: object) -> AsyncIterator[Pair]:
        """``dialect``: the upstream's. ``settings``: fields of ``GatewayConfig``."""
        async with (
            upstream(*answers) as scripted,
            gateway(Lab.config(dialect, scripted, key=key, **settings)) as client,
        ):
            yield Pair(client, scripted)

    @staticmethod
    def json(document: object, **more: object) -> Answer:
        """A unary answer."""
        return Answer([json.dumps(document).encode()], **more)

    @staticmethod
    def sse(*documents: object, done: bool = False, named: bool = False, **more: object) -> Answer:
        """A stream, one write an event. ``done``: OpenAI's terminator. ``named``: Anthropic's event lines."""
        writes = [
            (f"event: {item['type']}\n".encode() if named else b"")
            + b"data: "
            + json.dumps(item, ensure_ascii=False).encode()
            + b"\n\n"
            for item in documents
        ]
        more.setdefault("content_type", "text/event-stream")
        return Answer([*writes, b"data: [DONE]\n\n"] if done else writes, **more)

    @staticmethod
    def events(body: bytes) -> list[object]:
        """The documents of an event stream, whatever its line ends; ``[DONE]`` as that string."""
        blocks = body.replace(b"\r\n", b"\n").split(b"\n\n")
        data = [line[6:] for block in blocks for line in block.split(b"\n") if line.startswith(b"data: ")]
        return [item.decode() if item == b"[DONE]" else json.loads(item) for item in data]

    @staticmethod
    async def soon(event: asyncio.Event) -> bool:
        """Whether it happens, within a time nothing takes that works."""
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), 10)
        return event.is_set()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Coroutine tests of this folder run in a loop of their own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture
def lab() -> Lab:
    return Lab()
