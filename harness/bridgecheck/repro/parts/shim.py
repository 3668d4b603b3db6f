"""An adapter that is a program: JSON lines on its standard input and output."""

import atexit
import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

from bridgecheck.repro.parts.filling import filled


class Failed(Exception):
    """The provider answered with an error, and this is what the client gets of it."""

    def __init__(self, status: int | None = None, body: Any = None, retry_after: float | None = None) -> None:
        super().__init__(json.dumps(body))
        self.status, self.body, self.retry_after = status, body, retry_after


class Shim:
    """The program, as an object with the methods of an adapter."""

    def __init__(self, command: list[str], here: str = ".", cwd: str = ".", env: Any = None) -> None:
        words = [filled(word, here) for word in command]
        named = {**os.environ, **{name: filled(value, here) for name, value in (env or {}).items()}}
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(words, cwd=filled(cwd, here), env=named, stdin=pipe, stdout=pipe)
        atexit.register(self.program.kill)
        self.number = 0
        self.ask("start", bridgecheck=1, harness="a reproduction", dialects=["gemini", "openai-chat", "anthropic"])

    def ask(self, op: str, **members: Any) -> Any:
        return next(self.lines(op, **members))

    def lines(self, op: str, **members: Any) -> Iterator[Any]:
        """What it answers to one request: one line, or of a streamed call one an event and then the end."""
        self.number += 1
        assert self.program.stdin and self.program.stdout
        self.program.stdin.write(json.dumps({"id": self.number, "op": op, **members}).encode() + b"\n")
        self.program.stdin.flush()
        for line in self.program.stdout:
            said = json.loads(line)
            if said.pop("id") != self.number:
                continue
            if "unsupported" in said:
                raise NotImplementedError(said["unsupported"])
            if "errored" in said:
                raise RuntimeError(said.get("traceback") or said["errored"])
            if "failed" in said:
                raise Failed(**said["failed"])
            yield said
            if "event" not in said:
                return
        raise RuntimeError(f"the program ended without an answer to {op}")

    def to_upstream(self, body: Any, **about: Any) -> Any:
        return self.ask("to_upstream", body=body, **about)["body"]

    def from_upstream(self, body: Any, **about: Any) -> Any:
        said = self.ask("from_upstream", body=body, **about)
        return said["status"], said["body"]

    def stream(self, **about: Any) -> Any:
        number = self.number + 1
        self.ask("stream.open", stream=number, **about)
        return ShimStream(self, number)

    def connect(self, **about: Any) -> Any:
        return ShimSession(self, about)


class ShimStream:
    def __init__(self, shim: Shim, number: int) -> None:
        self.shim, self.number = shim, number

    def feed(self, event: Any) -> Any:
        return self.shim.ask("stream.feed", stream=self.number, event=event)["events"]

    def close(self) -> Any:
        return self.shim.ask("stream.close", stream=self.number)["events"]


class ShimSession:
    def __init__(self, shim: Shim, about: dict[str, Any]) -> None:
        self.shim, self.about = shim, about

    def generate(self, body: Any, *, model: str, headers: Any = None) -> Any:
        said = self.shim.ask("call", mode="unary", model=model, headers=headers or {}, body=body, **self.about)
        return said["body"]

    def stream(self, body: Any, *, model: str, headers: Any = None) -> Iterator[Any]:
        given = self.shim.lines("call", mode="stream", model=model, headers=headers or {}, body=body, **self.about)
        return (said["event"] for said in given if "event" in said)

    def close(self) -> None:
        self.shim.ask("stop")
