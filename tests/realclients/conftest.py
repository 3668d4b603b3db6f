"""A scripted provider on loopback, the gateway in a process of its own in front of it, and Node for the JS clients.

Nothing leaves the machine: the gateway knows one upstream, on 127.0.0.1.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream.listener import ScriptServer
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import DIALECTS, Dialect, JsonObject

KEY: Final = "stub-key-123"
NODE_FOLDER: Final = Path(__file__).parent / "node"
_BASE_PATH: Final[dict[Dialect, str]] = {"gemini": "", "openai-chat": "/v1", "anthropic": ""}
_START_S: Final = 60
_NODE_S: Final = 90


class ScriptedServer(ScriptServer):
    """An edge server that takes a new script for each test."""

    def play(self, answers: tuple[WireResponse, ...]) -> None:
        self._responses = answers
        self.log.clear()
        self.misses = 0


class Upstream:
    """The provider. ``plays``: what the next requests get, in order; ``log``: the requests since then."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._server = ScriptedServer((), _BASE_PATH[dialect])
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "Upstream":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result()
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(None, None, None), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def base_url(self) -> str:
        return self._server.base_url

    @property
    def log(self) -> list[HttpRequest]:
        return list(self._server.log)

    @property
    def bodies(self) -> list[JsonObject]:
        return [json.loads(request.body) for request in self._server.log]

    @property
    def misses(self) -> int:
        """Requests that came after the last answer."""
        return self._server.misses

    def plays(self, *answers: WireResponse) -> None:
        self._server.play(answers)


class Gateway:
    """The gateway's own process, in front of one upstream. ``origin``: http://127.0.0.1:PORT."""

    def __init__(self, upstream: Upstream) -> None:
        command = [sys.executable, "-m", "bridgecheck_reference.gateway.main", "serve", "--listen", "127.0.0.1:0"]
        command += ["--upstream", f"{upstream.dialect}={upstream.base_url}"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        timer = threading.Timer(_START_S, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if not line.startswith("listening on "):
            self._process.kill()
            raise RuntimeError(f"the gateway did not start; it printed {line!r}")
        self.origin = line.removeprefix("listening on ").strip()

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        assert self._process.wait(20) == 0, "the gateway did not stop cleanly on SIGTERM"


class Stage:
    """One upstream and the gateway before it."""

    def __init__(self, upstream: Upstream, gateway: Gateway) -> None:
        self.upstream = upstream
        self.origin = gateway.origin


@pytest.fixture(scope="session")
def stages() -> Iterator[dict[Dialect, Stage]]:
    with ExitStack() as stack:
        upstreams = [stack.enter_context(Upstream(dialect)) for dialect in DIALECTS]
        yield {each.dialect: Stage(each, stack.enter_context(Gateway(each))) for each in upstreams}


@pytest.fixture(params=DIALECTS)
def stage(request: pytest.FixtureRequest, stages: dict[Dialect, Stage]) -> Stage:
    """Each upstream in turn."""
    return stages[request.param]


def require(found: object, what: str, how: str) -> None:
    """A missing tool fails in CI, and skips elsewhere."""
    if found:
        return
    reason = f"{what} is missing; {how}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def node() -> str:
    """Node, with the packages of ``node/package-lock.json`` installed."""
    found = shutil.which("node")
    require(found, "Node", "install Node 20 or newer")
    require((NODE_FOLDER / "node_modules").is_dir(), "node_modules", "run `make node_modules`")
    return str(found)


@pytest.fixture(scope="session")
def run_js(node: str) -> Callable[..., Any]:
    """``run_js("openai.mjs", "stream", origin)``: the JSON document that the script printed; a list of them where
    several behaviours are named, with commas between."""

    def run(script: str, behaviours: str, origin: str) -> Any:
        done = subprocess.run(
            [node, script, behaviours, origin, KEY], cwd=NODE_FOLDER, capture_output=True, text=True, timeout=_NODE_S,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        documents = [json.loads(line) for line in done.stdout.split("\n") if line]  # a text may hold U+2028
        return documents if "," in behaviours else documents[0]

    return run
