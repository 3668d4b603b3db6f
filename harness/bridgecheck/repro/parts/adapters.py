"""Adapters of every kind as objects with the methods of an adapter in Python: a program, a gateway, an ASGI-like object
that handles HTTP, and the adapter's own quick start."""

import asyncio
import atexit
import contextlib
import faulthandler
import http.client
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

from bridgecheck.repro.parts.data import MODE, UPSTREAM


def fill_placeholders(text: str, folder: str, **values: str) -> str:
    """Fill in {here}: the folder of the recipe; {python}: this Python; and the values."""
    known = {"here": os.path.abspath(folder), "python": sys.executable, **values}  # noqa: PTH100
    return re.sub(r"\{([a-z][a-z_]*)\}", lambda match: known.get(match[1], match[0]), text)


class ReportedProviderError(Exception):
    """The provider responded with an error, and this is what the client gets of it."""

    def __init__(self, status: int | None = None, body: Any = None, retry_after: float | None = None) -> None:
        super().__init__(json.dumps(body))
        self.status, self.body, self.retry_after = status, body, retry_after


class ProgramAdapter:
    """A program that reads and writes JSON lines, as an object with the methods of an adapter."""

    def __init__(self, command: list[str], here: str = ".", cwd: str = ".", env: Any = None) -> None:
        arguments = [fill_placeholders(argument, here) for argument in command]
        variables = {name: fill_placeholders(value, here) for name, value in (env or {}).items()}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            arguments, cwd=fill_placeholders(cwd, here), env={**os.environ, **variables}, stdin=pipe, stdout=pipe
        )
        atexit.register(self.process.kill)
        self.number = 0
        self.call("start", bridgecheck=1, harness="a reproduction", dialects=["gemini", "openai-chat", "anthropic"])

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
                raise RuntimeError(reply.get("traceback") or reply["errored"])
            if "failed" in reply:
                raise ReportedProviderError(**reply["failed"])
            yield reply
            if "event" not in reply:
                return
        raise RuntimeError(f"the program ended without a reply to {op}")

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
    """A gateway, started as its recipe says. ``recipe``: url, command, env, files, cwd, ready (a path that responds
    when it is up) and seconds to wait for it; without a command it runs already."""

    def __init__(self, here: str, recipe: dict[str, Any]) -> None:
        self.here, self.recipe = here, recipe

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

        session = GatewayHttpSession(fill(self.recipe["url"]), fill)
        if self.recipe["command"]:
            for name, content in self.recipe["files"].items():
                path = Path(home, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(fill(content), encoding="utf-8")
            env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
            env |= {"HOME": home, "TMPDIR": home}
            env |= {name: fill(value) for name, value in self.recipe["env"].items()}
            command = [fill(argument) for argument in self.recipe["command"]]
            process = subprocess.Popen(command, cwd=fill(self.recipe["cwd"]), env=env, start_new_session=True)
            atexit.register(kill_group, process)
            seconds = self.recipe["seconds"]
            faulthandler.dump_traceback_later(seconds + 60, exit=True)  # the time to start is no hang
            session.wait_until_ready(self.recipe["ready"], seconds, process)
        return session


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End the process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def close_nothing(session: Any) -> None:
    """Do nothing: what was started ends with the script."""


class GatewayHttpSession:
    close = close_nothing

    def __init__(self, url: str, fill: Callable[[str], str]) -> None:
        self.fill = fill
        parts = urlsplit(url)
        self.host, self.port, self.path = parts.hostname or "", parts.port or 80, parts.path.rstrip("/")

    def wait_until_ready(self, ready: str, seconds: float, process: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(self.host, self.port, timeout=2)
                connection.connect()
                if ready:
                    connection.request("GET", f"{self.path}{ready}")
                if not ready or connection.getresponse().status < 500:
                    return
            time.sleep(0.1)
        raise SystemExit(f"the adapter is not ready: exit code {process.poll()}, after {seconds} s at most")

    def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        """Send one request of the client; what it receives until the response ends, or breaks."""
        sent = {**body, "model": turn["requested_model"]} if "model" in body else body
        headers = {name: self.fill(value) for name, value in turn["headers"].items()}
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
        request = HttpRequest("POST", turn["path"], tuple(turn["headers"].items()), json.dumps(body).encode())
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


class QuickStartCode:
    """The adapter as its own documentation says to use it. ``text``: Python that requests what BODY says and leaves the
    response in ``answer``: one document, or a list of events. {upstream_url}, {upstream}, {model}, {stream} and {body}
    are filled in."""

    close = close_nothing

    def __init__(self, text: str) -> None:
        self.text = text
        self.url = ""

    def connect(self, *, base_url: str, **rest: str) -> "QuickStartCode":
        self.url = base_url
        return self

    async def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, list[Any]]:
        values = {"upstream_url": self.url, "upstream": UPSTREAM, "model": turn["model"], "body": "BODY"}
        values["stream"] = str(MODE == "stream")
        text = self.text
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        variables: dict[str, Any] = {"BODY": body}
        # In a thread of its own: libraries refuse to be called where a loop runs, or start one themselves.
        await asyncio.to_thread(exec, compile(text, "the quick start", "exec"), variables)
        answer = variables["answer"]
        return 200, answer if isinstance(answer, list) else [answer]
