"""SDK level: a command that owns its HTTP client, in the shape of a session (model/adapter, Session)."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import cast

from bridgecheck.drivers.command.protocol import Op
from bridgecheck.drivers.command.running import Command, answer_of, no_answer
from bridgecheck.drivers.command.shim import Heard, Said, Shim
from bridgecheck.drivers.driver import TIMEOUT_S
from bridgecheck.drivers.supervise import Crashed, Hung, remaining
from bridgecheck.model.adapter import Session
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, JsonObject


class CallFailed(Exception):
    """The call came to an error answer (``drivers/session`` reads these): ``status`` None if the connection broke,
    ``body`` in the client's dialect, ``retry_after`` in seconds."""

    def __init__(self, failure: JsonObject) -> None:
        super().__init__("the call failed")
        self.status = failure.get("status")
        self.body = failure.get("body")
        self.retry_after = failure.get("retry_after")


class CommandConnects:
    """``headers``: the adapter has a use for the client's. ``cancels``: it can be told that the client went away."""

    def __init__(self, command: Command, *, headers: bool, cancels: bool) -> None:
        self._command = command
        self._kind = HeadedSession if headers else PlainSession
        self._cancels = cancels

    def connect(self, *, client: Dialect, upstream: Dialect, base_url: str, api_key: str) -> Session:
        call: JsonObject = {"client": client, "upstream": upstream, "base_url": base_url, "api_key": api_key}
        return self._kind(self._command.shim(), call, cancels=self._cancels)


class _Calls:
    """``cancels``: whether the client may go away before the end."""

    def __init__(self, shim: Shim, call: JsonObject, *, cancels: bool) -> None:
        self.cancels = cancels
        self._shim = shim
        self._call = call

    async def close(self) -> None:
        """The process stays for the next session."""

    async def _generate(self, body: JsonObject, model: str, headers: Mapping[str, str] | None) -> JsonObject:
        line = _Line(self._shim)
        line.ask("call", {**self._call, "mode": "unary", "model": model, "headers": dict(headers or {}), "body": body})
        said = await line.hear()
        if said.sort != "body":
            raise Crashed(f"it answered a unary call with {said.sort!r}, expected 'body' or 'failed'")
        return obj(said.members["body"])

    async def _stream(
        self, body: JsonObject, model: str, headers: Mapping[str, str] | None
    ) -> AsyncIterator[JsonObject]:
        line = _Line(self._shim)
        asked: JsonObject = {
            **self._call,
            "mode": "stream",
            "model": model,
            "headers": dict(headers or {}),
            "body": body,
        }
        number = line.ask("call", asked)
        try:
            while (said := await line.hear()).sort == "event":
                yield obj(said.members["event"])
        except GeneratorExit:
            await self._cancel(number)
            raise
        if said.sort != "end":
            raise Crashed(f"it answered a streamed call with {said.sort!r}, expected 'event', 'end' or 'failed'")

    async def _cancel(self, number: int) -> None:
        self._shim.forget(number)
        if not self.cancels:
            return
        line = _Line(self._shim)
        line.ask("cancel", {"call": number})
        await line.hear()


class PlainSession(_Calls):
    """Without the client's headers."""

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject:
        return await self._generate(body, model, None)

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        return self._stream(body, model, None)


class HeadedSession(_Calls):
    """With them."""

    async def generate(self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None) -> JsonObject:
        return await self._generate(body, model, headers)

    async def stream(
        self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[JsonObject]:
        return self._stream(body, model, headers)


class _Line:
    """One request of a task: what the reader's thread hears of it comes to this loop."""

    def __init__(self, shim: Shim) -> None:
        self._shim = shim
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[Heard] = asyncio.Queue()
        self._op: Op = "call"
        self._seconds = 0.0

    def ask(self, op: Op, members: JsonObject) -> int:
        self._op, self._seconds = op, remaining(TIMEOUT_S)
        return self._shim.ask(op, members, self._sink, time.monotonic() + self._seconds)

    async def hear(self) -> Said:
        """The next line. Raises Crashed, Refused and CallFailed."""
        try:
            async with asyncio.timeout(remaining(TIMEOUT_S)):
                heard = await self._heard.get()
        except TimeoutError:
            self._shim.too_slow(no_answer(self._op, self._seconds))
            raise Hung(self._shim.broken) from None
        said = answer_of(heard)
        if said.sort == "failed":
            raise CallFailed(cast(JsonObject, said.members["failed"]))
        return said

    def _sink(self, heard: Heard) -> None:
        with suppress(RuntimeError):  # the loop is gone, and who waited in it
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)
