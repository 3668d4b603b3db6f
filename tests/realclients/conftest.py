"""A strict provider on loopback, the gateway in a process of its own in front of it, and Node for the JS clients.

Nothing leaves the machine: the gateway knows one upstream, on 127.0.0.1.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from bridgecheck.wire import DIALECTS, Dialect

from .strict_provider import StrictProvider

KEY: Final = "stub-key-123"
NODE_FOLDER: Final = Path(__file__).parent / "node"
GEMINI_CLI: Final = NODE_FOLDER / "node_modules" / "@google" / "gemini-cli" / "bundle" / "gemini.js"
_START_S: Final = 60
NODE_S: Final = 90


class Gateway:
    """A gateway in a process of its own, in front of one upstream. ``origin``: http://127.0.0.1:PORT. ``options``: of
    its command line; None names the upstream. ``env``: its environment, None is this process's."""

    def __init__(
        self, upstream: StrictProvider, options: Sequence[str] | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self.upstream = upstream
        command = [sys.executable, "-m", "bridgecheck_reference.gateway.main", "serve", "--listen", "127.0.0.1:0"]
        command += ["--upstream", f"{upstream.dialect}={upstream.base_url}"] if options is None else options
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
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


@pytest.fixture(scope="session")
def gateways() -> Iterator[dict[Dialect, Gateway]]:
    """A gateway for each dialect of upstream."""
    with ExitStack() as stack:
        upstreams = [stack.enter_context(StrictProvider(dialect)) for dialect in DIALECTS]
        yield {upstream.dialect: stack.enter_context(Gateway(upstream)) for upstream in upstreams}


@pytest.fixture(params=DIALECTS)
def gateway(request: pytest.FixtureRequest, gateways: dict[Dialect, Gateway]) -> Gateway:
    """A gateway in front of each upstream in turn."""
    return gateways[request.param]


def require(found: object, name: str, hint: str) -> None:
    """Fail in CI where a tool is missing, and skip elsewhere."""
    if found:
        return
    reason = f"{name} is missing; {hint}"
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
    """Return a function: ``run_js("openai.mjs", "stream", origin)`` returns the JSON document that the script printed,
    or a list of them where several behaviours are named, separated by commas."""

    def run(script: str, behaviours: str, origin: str) -> Any:
        process = subprocess.run(
            [node, script, behaviours, origin, KEY], cwd=NODE_FOLDER, capture_output=True, text=True, timeout=NODE_S,
            check=False,
        )  # fmt: skip
        assert process.returncode == 0, process.stderr[-2000:]
        documents = [json.loads(line) for line in process.stdout.split("\n") if line]  # a text may hold U+2028
        return documents if "," in behaviours else documents[0]

    return run
