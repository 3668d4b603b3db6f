"""Adapters of every kind as objects with the methods of an adapter in Python: a module, a program, a gateway, an object
that handles HTTP. Scripts contain this module whole, so it needs the standard library alone.

``case["target"]`` says which: ``kind`` python (module, object, http), command (command, env, cwd) or gateway (url,
command, env, files, cwd, ready, seconds). Shims travel with a script: ``case["files"]`` are their texts by path, from
which the folder ``here`` is written anew at each start. An adapter that is not installed but lies in a folder is found
at ``folder``, seen from the script.
"""

import asyncio
import atexit
import contextlib
import http.client
import importlib
import inspect
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PROCESSES: list["subprocess.Popen[bytes]"] = []
"""All that was started, each the first of a process group."""


INSTALL = "install what the top of this script names"
NAME_FOLDER = "--folder DIR names the one of the recipe"


class NotReachable(Exception):
    """The adapter is not there, or does not start: nothing can be said of the finding. ``advice``: what to do next."""

    advice = INSTALL


class NoFolder(NotReachable):
    """Files of the adapter itself are needed, and they are not where the script looks for them."""

    advice = f"{NAME_FOLDER}, which holds the adapter's own files or lies beside them"


class AdapterRaised(Exception):
    """An adapter in another process raised; the text is its traceback, or its message."""


def load_adapter(case: dict[str, Any], node_modules: str = "", folder: str = "") -> Any:
    """Return the adapter. ``node_modules``: the folder with the packages of one in JavaScript, "" for that of the
    current folder. ``folder``: with an adapter that is not installed, "" for where it was. Raises NotReachable."""
    target = case["target"]
    here = _write_files(case, node_modules) if case["files"] else Path(folder or _folder_beside_script(target))
    missing = [path for path in (here, *map(here.joinpath, target.get("named", ()))) if not path.exists()]
    if missing and target["kind"] != "python":
        kind = "file" if missing[0].suffix else "folder"
        raise NoFolder(f"there is no {kind} {missing[0]}; {NAME_FOLDER}")
    if target["kind"] == "python":
        return _load_object(target, here)
    return Gateway(target, str(here)) if target["kind"] == "gateway" else ProgramAdapter(target, str(here))


def _folder_beside_script(target: dict[str, Any]) -> Path:
    return Path(sys.argv[0]).resolve().parent.joinpath(target["folder"])


def _write_files(case: dict[str, Any], node_modules: str) -> Path:
    """Write the shim and what it imports to a temporary folder; return the one that recipes call {here}."""
    root = Path(tempfile.mkdtemp(prefix="repro-")).resolve()
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for name, text in case["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if case["node_packages"]:
        packages = Path(node_modules or "node_modules").resolve()
        missing = [name for name in case["node_packages"] if not (packages / name).is_dir()]
        if missing:
            what = f"there is no {missing[0]} in {packages}"
            raise NotReachable(f"{what}; name the folder with --node-modules DIR or the variable NODE_MODULES")
        (root / case["here"] / "node_modules").symlink_to(packages)
    return root.joinpath(case["here"])


def _load_object(target: dict[str, Any], here: Path) -> Any:
    sys.path.insert(0, str(here))
    try:
        found: Any = importlib.import_module(target["module"])
        for name in target["object"].split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        what = f"{target['module']}:{target['object']} cannot be imported: {error}"
        raise NotReachable(f"{what}; looked for it in {here} too (--folder DIR)") from error
    return HttpHandler(found) if target["http"] else found


def fill_placeholders(text: str, folder: str, **values: str) -> str:
    """Fill in {here}: the folder of the recipe; {python}: this Python; and the values. A program of the environment
    that lies in that folder, alone or within a command line of a shell, is the one of this environment."""
    text = re.sub(r"\{here\}/\.venv/bin/([\w.-]+)", lambda match: find_program(match[1]), text)
    known = {"here": os.path.abspath(folder), "python": sys.executable, **values}  # noqa: PTH100
    return re.sub(r"\{([a-z][a-z_]*)\}", lambda match: known.get(match[1], match[0]), text)


def find_program(name: str) -> str:
    """Return this Python, or the program beside it, or one of the PATH. Raises NotReachable."""
    if re.fullmatch(r"python[\d.]*", name):
        return sys.executable
    neighbour = Path(sys.executable).parent / name
    found = str(neighbour) if neighbour.is_file() else shutil.which(name)
    if not found:
        raise NotReachable(f"{name} is neither beside {sys.executable} nor in the PATH")
    return found


def start_process(command: list[str], cwd: str, **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that ends with the script. Raises NotReachable."""
    if not Path(cwd).is_dir():
        raise NoFolder(f"there is no folder {cwd}; {NAME_FOLDER}")
    try:
        process = subprocess.Popen(command, cwd=cwd, start_new_session=True, **options)
    except OSError as error:
        raise NotReachable(f"{command[0]} cannot be started in {cwd}: {error.strerror}") from error
    PROCESSES.append(process)
    atexit.register(end_all_processes)
    return process


def end_all_processes() -> None:
    """End what was started, and all that it started."""
    while PROCESSES:
        process = PROCESSES.pop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class ReportedProviderError(Exception):
    """The provider responded with an error, and this is what the client gets of it."""

    def __init__(self, status: int | None = None, body: Any = None, retry_after: float | None = None) -> None:
        super().__init__(json.dumps(body))
        self.status, self.body, self.retry_after = status, body, retry_after


class ProgramAdapter:
    """A program that reads and writes JSON lines, as an object with the methods of an adapter. ``target``: command,
    env, cwd."""

    def __init__(self, target: dict[str, Any], here: str) -> None:
        arguments = [fill_placeholders(argument, here) for argument in target["command"]]
        variables = {name: fill_placeholders(value, here) for name, value in target["env"].items()}
        pipe = subprocess.PIPE
        environment = {**os.environ, **variables}
        cwd = fill_placeholders(target["cwd"], here)
        self.process = start_process(arguments, cwd, env=environment, stdin=pipe, stdout=pipe)
        self.number = 0
        try:
            start = {"bridgecheck": 1, "harness": "a reproduction"}
            self.call("start", **start, dialects=["gemini", "openai-chat", "anthropic"])
        except (OSError, AdapterRaised) as error:
            raise NotReachable(f"{arguments[0]} does not answer: {error}") from error

    def call(self, op: str, **members: Any) -> Any:
        return next(self.replies(op, **members))

    def replies(self, op: str, **members: Any) -> Iterator[Any]:
        """Yield the lines written in reply: one line, or for a streamed call one an event and then the end."""
        self.number += 1
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"id": self.number, "op": op, **members}).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.pop("id") != self.number:
                continue
            if "unsupported" in reply:
                raise NotImplementedError(reply["unsupported"])
            if "errored" in reply:
                raise AdapterRaised(reply.get("traceback") or reply["errored"])
            if "failed" in reply:
                raise ReportedProviderError(**reply["failed"])
            yield reply
            if "event" not in reply:
                return
        raise AdapterRaised(f"the program ended without a reply to {op}")

    def to_upstream(self, body: Any, **context: Any) -> Any:
        return self.call("to_upstream", body=body, **context)["body"]

    def from_upstream(self, body: Any, **context: Any) -> Any:
        reply = self.call("from_upstream", body=body, **context)
        return reply["status"], reply["body"]

    def stream(self, **context: Any) -> "ProgramStream":
        number = self.number + 1
        self.call("stream.open", stream=number, **context)
        return ProgramStream(self, number)

    def connect(self, **context: Any) -> "ProgramCallingProvider":
        return ProgramCallingProvider(self, context)


class ProgramStream:
    def __init__(self, program: ProgramAdapter, number: int) -> None:
        self.program, self.number = program, number

    def feed(self, event: Any) -> Any:
        return self.program.call("stream.feed", stream=self.number, event=event)["events"]

    def close(self) -> Any:
        return self.program.call("stream.close", stream=self.number)["events"]


class ProgramCallingProvider:
    def __init__(self, program: ProgramAdapter, context: dict[str, Any]) -> None:
        self.program, self.context = program, context

    def generate(self, body: Any, *, model: str, headers: Any = None) -> Any:
        call = {"mode": "unary", "model": model, "headers": headers or {}, "body": body}
        return self.program.call("call", **call, **self.context)["body"]

    def stream(self, body: Any, *, model: str, headers: Any = None) -> Iterator[Any]:
        call = {"mode": "stream", "model": model, "headers": headers or {}, "body": body}
        return (reply["event"] for reply in self.program.replies("call", **call, **self.context) if "event" in reply)

    def close(self) -> None:
        self.program.call("stop")


class Gateway:
    """A gateway, started as its recipe says. ``target``: url, command, env, files, cwd, ready (a path that responds
    when it is up) and seconds to wait for it; without a command it runs already."""

    def __init__(self, target: dict[str, Any], here: str) -> None:
        self.target, self.here = target, here

    def connect(self, *, upstream: str, base_url: str, api_key: str, **rest: str) -> "GatewayHttpSession":
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        home = tempfile.mkdtemp(prefix="repro-")
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        values = {"upstream": upstream, "upstream_url": base_url, "upstream_key": api_key}
        values["upstream_base_path"] = "/v1" if upstream == "openai-chat" else ""
        values |= {"port": str(port), "tmp": home}

        def fill(text: str) -> str:
            return fill_placeholders(text, self.here, **values)

        session = GatewayHttpSession(fill(self.target["url"]), fill)
        if not self.target["command"]:
            session.wait_until_ready("", 1, None)
            return session
        for name, content in self.target["files"].items():
            path = Path(home, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fill(content), encoding="utf-8")
        env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        env |= {"HOME": home, "TMPDIR": home}
        env |= {name: fill(value) for name, value in self.target["env"].items()}
        process = start_process(
            [fill(argument) for argument in self.target["command"]], fill(self.target["cwd"]), env=env
        )
        session.wait_until_ready(self.target["ready"], self.target["seconds"], process)
        return session


def close_nothing(session: Any) -> None:
    """Do nothing: what was started ends with the script."""


class GatewayHttpSession:
    close = close_nothing

    def __init__(self, url: str, fill: Callable[[str], str]) -> None:
        self.fill = fill
        parts = urlsplit(url)
        self.host, self.port, self.path = parts.hostname or "", parts.port or 80, parts.path.rstrip("/")

    def wait_until_ready(self, ready: str, seconds: float, process: "subprocess.Popen[bytes] | None") -> None:
        """Return when it responds. ``process``: None for one that runs already. Raises NotReachable."""
        until = time.monotonic() + seconds
        while (process is None or process.poll() is None) and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
                connection.connect()
                if ready:
                    connection.request("GET", f"{self.path}{ready}")
                if not ready or connection.getresponse().status < 500:
                    return
            time.sleep(0.1)
        state = "" if process is None else f": exit code {process.poll()}"
        raise NotReachable(f"nothing answers at {self.host}:{self.port} after {seconds} s at most{state}")

    def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        """Send one request of the client; what it receives until the response ends, or breaks."""
        sent = {**body, "model": turn["requested_model"]} if "model" in body else body
        headers = {name: self.fill(value) for name, value in turn["headers"]}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request("POST", turn["path"], json.dumps(sent), headers)
        response = connection.getresponse()
        received = b""
        with contextlib.suppress(ConnectionError, http.client.IncompleteRead):
            while chunk := response.read1(65536):
                received += chunk
        return response.status, received


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: AsyncIterator[bytes]


@dataclass(frozen=True)
class Upstream:
    """The provider as ``handle`` gets it."""

    base_url: str
    dialect: str
    api_key: str

    async def send(self, request: HttpRequest) -> HttpResponse:
        url = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=30)
        headers = {name: value for name, value in request.headers if name.lower() not in ("host", "content-length")}
        await asyncio.to_thread(connection.request, request.method, request.path, request.body, headers)
        response = await asyncio.to_thread(connection.getresponse)
        named = tuple((name.lower(), value) for name, value in response.getheaders())
        return HttpResponse(response.status, named, read_chunks(response))


async def read_chunks(response: http.client.HTTPResponse) -> AsyncIterator[bytes]:
    try:
        while chunk := await asyncio.to_thread(response.read1, 65536):
            yield chunk
    except http.client.HTTPException as broken:
        raise ConnectionError(str(broken)) from broken


class HttpHandler:
    """An object in this process that handles its client's HTTP, as a session."""

    close = close_nothing

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.upstream = Upstream("", "", "")

    def connect(self, *, upstream: str, base_url: str, api_key: str, **rest: str) -> "HttpHandler":
        self.upstream = Upstream(base_url, upstream, api_key)
        return self

    async def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        request = HttpRequest(
            "POST", turn["path"], tuple((name, value) for name, value in turn["headers"]), json.dumps(body).encode()
        )
        response = self.adapter.handle(request, self.upstream)
        response = await response if inspect.isawaitable(response) else response
        parts = response if isinstance(response, tuple) else (response.status, response.headers, response.body)
        received = b""
        try:
            if hasattr(parts[2], "__aiter__"):
                async for chunk in parts[2]:
                    received += chunk
            else:
                received = parts[2] if isinstance(parts[2], bytes) else b"".join(parts[2])
        except ConnectionError:
            pass
        return parts[0], received
