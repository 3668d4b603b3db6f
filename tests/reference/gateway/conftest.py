"""A gateway in this process on a real socket, and scripted upstreams behind it."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass

import httpx
import pytest

from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey
from bridgecheck_reference.gateway.server import GatewayServer, listening_socket

from ..scripted_upstream import Answer, Upstream, json_answer, stream_answer, upstream

_TLS = httpx.create_ssl_context()


class _QuickServer(GatewayServer):
    """Leaves the signals to pytest, and stops without the pauses of uvicorn: it looks for a stop every 0.1 s, and gives
    connections as long to close."""

    def __init__(self, config, ready):
        super().__init__(config, ready)
        self.stop_requested = asyncio.Event()

    def capture_signals(self):
        return nullcontext()

    async def main_loop(self):
        await self.stop_requested.wait()

    async def shutdown(self, sockets=None):
        self._app.state.stop()
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        async with asyncio.timeout(5):
            while self.server_state.connections or self.server_state.tasks:
                await asyncio.sleep(0.001)
        await self.lifespan.shutdown()


@asynccontextmanager
async def gateway(config: GatewayConfig) -> AsyncIterator[httpx.AsyncClient]:
    """Run a gateway, and yield a client whose base URL is the gateway's."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = _QuickServer(config, ready.set_result)
    with listening_socket("127.0.0.1", 0) as listener:
        running = asyncio.create_task(server.serve([listener]))
        async with httpx.AsyncClient(base_url=await ready, trust_env=False, timeout=20, verify=_TLS) as client:
            try:
                yield client
            finally:
                server.stop_requested.set()
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
    """The helpers of this file that tests use (a conftest is not importable under import-mode importlib)."""

    Answer = Answer
    upstream = staticmethod(upstream)
    gateway = staticmethod(gateway)
    json = staticmethod(json_answer)
    sse = staticmethod(stream_answer)

    @staticmethod
    def base(dialect: str, url: str) -> str:
        """The base URL as the SDK of that dialect takes it."""
        return f"{url}/v1" if dialect == "openai-chat" else url

    @staticmethod
    def config(dialect: str, scripted: Upstream, *, key: str = "", **settings: object) -> GatewayConfig:
        """Of a gateway over that one upstream."""
        return GatewayConfig((UpstreamUrlAndKey(dialect, Lab.base(dialect, scripted.url), key),), **settings)

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
    def events(body: bytes) -> list[object]:
        """Return the documents of an event stream with any line ends; ``[DONE]`` as that string."""
        blocks = body.replace(b"\r\n", b"\n").split(b"\n\n")
        data = [line[6:] for block in blocks for line in block.split(b"\n") if line.startswith(b"data: ")]
        return [item.decode() if item == b"[DONE]" else json.loads(item) for item in data]

    @staticmethod
    async def soon(event: asyncio.Event) -> bool:
        """Return whether the event is set within 10 seconds."""
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
