"""A command as an adapter: at wire level a Converter, at SDK level a Session (model/adapter), and its Driver."""

import asyncio
import shlex
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, cast

from bridgecheck.drivers.child_process import mask_and_clean
from bridgecheck.drivers.command.protocol import Op
from bridgecheck.drivers.command.running import (
    START_S,
    Command,
    CommandStartFailed,
    Launch,
    require_successful_answer,
    timeout_message,
)
from bridgecheck.drivers.command.shim import Shim, ShimAnswerWithKind, ShimResult
from bridgecheck.drivers.driver import TIMEOUT_S, Driver
from bridgecheck.drivers.foreign_code import Crashed, Hung, Refused, remaining_seconds
from bridgecheck.drivers.recipe_keys import fill_placeholders
from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import AdapterInfo, Connects, Converter, Route, Session
from bridgecheck.model.evidence import MAX_REPORTED_LOSSES, ReportedLoss, read_reported_losses
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.wire import Dialect, JsonObject, Mode


class CommandConverter:
    """A command's conversions, as a Converter. ``does``: which of its methods it has; the others are None."""

    def __init__(self, command: Command, does: Collection[str]) -> None:
        self._command = command
        self._numbers = count(1)
        self._losses: list[ReportedLoss] = []
        self.to_upstream = _method_if("to_upstream" in does, self._to_upstream)
        self.from_upstream = _method_if("from_upstream" in does, self._from_upstream)
        self.stream = _method_if("stream" in does, self._stream)

    def take_losses(self) -> list[ReportedLoss]:
        """Return the losses of the last conversion; empty when called again."""
        declared_losses, self._losses = self._losses, []
        return declared_losses

    def _to_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, mode: Mode, model: str
    ) -> JsonObject:
        members: JsonObject = {"client": client, "upstream": upstream, "mode": mode, "model": model, "body": body}
        answer = self._command.request("to_upstream", members)
        self._losses = declared_losses(answer)
        return cast(JsonObject, answer["body"])

    def _from_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, status: int, model: str, request: JsonObject
    ) -> tuple[int, JsonObject]:
        members: JsonObject = {"client": client, "upstream": upstream, "status": status, "model": model}
        answer = self._command.request("from_upstream", {**members, "request": request, "body": body})
        self._losses = declared_losses(answer)
        return cast(int, answer["status"]), cast(JsonObject, answer["body"])

    def _stream(self, *, client: Dialect, upstream: Dialect, model: str, request: JsonObject) -> "CommandStream":
        shim, number = self._command.running_shim(), next(self._numbers)
        members: JsonObject = {"stream": number, "client": client, "upstream": upstream, "model": model}
        self._command.request("stream.open", {**members, "request": request}, shim)
        return CommandStream(self._command, shim, number)


class CommandStream:
    """One stream, in the process that opened it. ``losses``: what it declared so far."""

    def __init__(self, command: Command, shim: Shim, number: int) -> None:
        self.losses: list[ReportedLoss] = []
        self._command = command
        self._shim = shim
        self._number = number

    def feed(self, event: JsonObject) -> list[JsonObject]:
        return self._events(self._command.request("stream.feed", {"stream": self._number, "event": event}, self._shim))

    def close(self) -> list[JsonObject]:
        return self._events(self._command.request("stream.close", {"stream": self._number}, self._shim))

    def _events(self, answer: JsonObject) -> list[JsonObject]:
        self.losses += declared_losses(answer)[: MAX_REPORTED_LOSSES - len(self.losses)]
        return list(objs(answer["events"]))


def declared_losses(answer: JsonObject) -> list[ReportedLoss]:
    return read_reported_losses(
        [text(loss.get(member)) for member in ("path", "reason", "severity")]
        for loss in objs(arr(answer.get("losses")))
    )


def _method_if(is_supported: bool, method: Callable[..., Any]) -> Callable[..., Any] | None:
    return method if is_supported else None


class ErrorResponseToClient(Exception):
    """The call ended in an error response (``drivers/session`` reads these): ``status`` None if the connection broke,
    ``body`` in the client's dialect, ``retry_after`` in seconds."""

    def __init__(self, failure: JsonObject) -> None:
        super().__init__("the call failed")
        self.status = failure.get("status")
        self.body = failure.get("body")
        self.retry_after = failure.get("retry_after")


class CommandConnector:
    """Opens sessions. ``headers``: the client's are accepted. ``cancels``: it can be told that the client left."""

    def __init__(self, command: Command, *, headers: bool, cancels: bool) -> None:
        self._command = command
        self._kind = HeaderSession if headers else PlainSession
        self._cancels = cancels

    def connect(self, *, client: Dialect, upstream: Dialect, base_url: str, api_key: str) -> Session:
        call: JsonObject = {"client": client, "upstream": upstream, "base_url": base_url, "api_key": api_key}
        return self._kind(self._command.running_shim(), call, cancels=self._cancels)


class _CommandSession:
    """The calls of a session. ``cancels``: whether the client may leave before the end."""

    def __init__(self, shim: Shim, call: JsonObject, *, cancels: bool) -> None:
        self.cancels = cancels
        self._shim = shim
        self._call = call

    async def close(self) -> None:
        """Do nothing: the process stays for the next session."""

    async def _await_unary_body(self, body: JsonObject, model: str, headers: Mapping[str, str] | None) -> JsonObject:
        request = _AsyncRequest(self._shim)
        members: JsonObject = {"mode": "unary", "model": model, "headers": dict(headers or {}), "body": body}
        request.send_request("call", {**self._call, **members})
        answer = await request.next_answer()
        if answer.kind != "body":
            raise Crashed(f"it answered a unary call with {answer.kind!r}, expected 'body' or 'failed'")
        return obj(answer.members["body"])

    async def _stream(
        self, body: JsonObject, model: str, headers: Mapping[str, str] | None
    ) -> AsyncIterator[JsonObject]:
        request = _AsyncRequest(self._shim)
        members: JsonObject = {"mode": "stream", "model": model, "headers": dict(headers or {}), "body": body}
        number = request.send_request("call", {**self._call, **members})
        try:
            while (answer := await request.next_answer()).kind == "event":
                yield obj(answer.members["event"])
        except GeneratorExit:
            await self._cancel(number)
            raise
        if answer.kind != "end":
            raise Crashed(f"it answered a streamed call with {answer.kind!r}, expected 'event', 'end' or 'failed'")

    async def _cancel(self, number: int) -> None:
        self._shim.ignore_answers(number)
        if not self.cancels:
            return
        request = _AsyncRequest(self._shim)
        request.send_request("cancel", {"call": number})
        await request.next_answer()


class PlainSession(_CommandSession):
    """A session that accepts no headers of the client."""

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject:
        return await self._await_unary_body(body, model, None)

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        return self._stream(body, model, None)


class HeaderSession(_CommandSession):
    """A session that accepts the client's headers."""

    async def generate(self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None) -> JsonObject:
        return await self._await_unary_body(body, model, headers)

    async def stream(
        self, body: JsonObject, *, model: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[JsonObject]:
        return self._stream(body, model, headers)


class _AsyncRequest:
    """One request of a task: answers from the reader's thread are delivered to this loop."""

    def __init__(self, shim: Shim) -> None:
        self._shim = shim
        self._loop = asyncio.get_running_loop()
        self._results: asyncio.Queue[ShimResult] = asyncio.Queue()
        self._op: Op = "call"
        self._seconds = 0.0

    def send_request(self, op: Op, members: JsonObject) -> int:
        self._op, self._seconds = op, remaining_seconds(TIMEOUT_S)
        return self._shim.send_request(op, members, self._deliver, time.monotonic() + self._seconds)

    async def next_answer(self) -> ShimAnswerWithKind:
        """Return the next answer. Raises Crashed, Refused and ErrorResponseToClient."""
        try:
            async with asyncio.timeout(remaining_seconds(TIMEOUT_S)):
                result = await self._results.get()
        except TimeoutError:
            self._shim.kill_in_background(timeout_message(self._op, self._seconds))
            raise Hung(str(self._shim.failure)) from None
        answer = require_successful_answer(result)
        if answer.kind == "failed":
            raise ErrorResponseToClient(cast(JsonObject, answer.members["failed"]))
        return answer

    def _deliver(self, result: ShimResult) -> None:
        with suppress(RuntimeError):  # the loop is gone, and who waited in it
            self._loop.call_soon_threadsafe(self._results.put_nowait, result)


def driver_of_command(target: str, rest: str) -> Driver:
    """Return the driver of ``command:PROGRAM ARGUMENTS``. Raises BadTarget."""
    return driver_of_launch(target, Launch(_split_command_line(rest, target), Path.cwd()))


def driver_of_command_recipe(recipe: JsonObject, recipe_path: str) -> Driver:
    """Return the driver of a valid recipe: with its environment and files, in its folder. Raises BadTarget."""
    folder = Path(recipe_path).resolve().parent
    values = {"here": str(folder), "python": sys.executable}
    arguments = _split_command_line(text(recipe["target"]).partition(":")[2], recipe_path)
    launch = Launch(
        command=[fill_placeholders(argument, values) for argument in arguments],
        cwd=Path(fill_placeholders(text(recipe.get("cwd")) or "{here}", values)),
        env=_fill_table(recipe.get("env"), values),
        files=_fill_table(recipe.get("files"), values),
        start_s=_seconds_or(obj(recipe.get("ready")).get("seconds"), START_S),
    )
    return driver_of_launch(recipe_path, launch)


def _fill_table(table: object, values: Mapping[str, str]) -> Mapping[str, str]:
    return {name: fill_placeholders(text(value), values) for name, value in obj(table).items()}


def _seconds_or(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default


def driver_of_launch(target: str, launch: Launch) -> Driver:
    """Ask the program once for its capabilities; return its driver. Raises BadTarget: no answer, or a contradiction."""
    command = Command(launch)
    try:
        capabilities = command.request("capabilities", {})
    except CommandStartFailed as error:
        raise BadTarget(error.what, target, error.expected, error.next_step, error.log) from error
    except (Crashed, Refused) as error:
        problem = f"it does not say what it does: {mask_and_clean(str(error))}"
        raise BadTarget(problem, target, "an answer to capabilities", command.manual_check_command) from error
    finally:
        command.close()
    return _build_driver(target, command, capabilities)


def _split_command_line(line: str, target: str) -> list[str]:
    try:
        arguments = shlex.split(line)
    except ValueError as error:
        raise BadTarget(f"{line!r} is no command line: {error}", target, "command:PROGRAM ARGUMENTS") from error
    if not arguments:
        raise BadTarget(f"{target!r} names no program", "--adapter", "command:PROGRAM ARGUMENTS")
    return arguments


def _build_driver(target: str, command: Command, capabilities: JsonObject) -> Driver:
    does = frozenset(map(text, arr(capabilities["does"])))
    routes = _cast_to_routes(capabilities["routes"])
    converts = bool(does - {"call", "cancel"})
    if not routes or does == {"cancel"}:
        problem = "it does nothing but cancel" if routes else "it has no routes"
        raise BadTarget(problem, target, "routes, and what it does with them", "docs/protocol.md shows an answer")
    pivots = map(arr, arr(capabilities.get("pivots")))
    claims = frozenset(map(text, arr(capabilities["claims"]))) if "claims" in capabilities else None

    def ensure_running() -> None:
        command.running_shim()

    connects = CommandConnector(command, headers=capabilities.get("headers") is True, cancels="cancel" in does)
    return Driver(
        target=target,
        info=AdapterInfo(
            name=text(command.start["name"]),
            version=text(command.start["version"]),
            routes=routes,
            pivots=tuple((cast(Route, tuple(entry[:2])), cast(Dialect, entry[2])) for entry in pivots),
            claims=claims or frozenset(),
            cannot_say=frozenset(map(text, arr(capabilities.get("cannot_say")))),
        ),
        converter=cast(Converter, CommandConverter(command, does)) if converts else None,
        connects=cast(Connects, connects) if "call" in does else None,
        sessions=_cast_to_routes(capabilities["sessions"]) if "sessions" in capabilities else routes,
        judged_on_all=claims is None, over_socket=True, ready=ensure_running,
        process_number=lambda: command.start_count, retire=command.close, close=command.close,
    )  # fmt: skip


def _cast_to_routes(pairs: object) -> frozenset[Route]:
    return frozenset(cast(Route, tuple(arr(entry))) for entry in arr(pairs))
