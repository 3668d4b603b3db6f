"""Wire level: a command's conversions, in the shape of an adapter in this process (model/adapter, Converter)."""

from collections.abc import Callable, Collection
from itertools import count
from typing import Any, cast

from bridgecheck.drivers.command.running import Command
from bridgecheck.drivers.command.shim import Shim
from bridgecheck.model.evidence import DeclaredLoss
from bridgecheck.model.jsonvalue import arr, objs, text
from bridgecheck.wire import Dialect, JsonObject, Mode


class CommandConverter:
    """``does``: which of its methods the adapter has; the others are None."""

    def __init__(self, command: Command, does: Collection[str]) -> None:
        self._command = command
        self._numbers = count(1)
        self._losses: list[DeclaredLoss] = []
        self.to_upstream = _if("to_upstream" in does, self._to_upstream)
        self.from_upstream = _if("from_upstream" in does, self._from_upstream)
        self.stream = _if("stream" in does, self._stream)

    def take_losses(self) -> list[DeclaredLoss]:
        """Of the last conversion; empty when asked again."""
        losses, self._losses = self._losses, []
        return losses

    def _to_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, mode: Mode, model: str
    ) -> JsonObject:
        asked: JsonObject = {"client": client, "upstream": upstream, "mode": mode, "model": model, "body": body}
        said = self._command.ask("to_upstream", asked)
        self._losses = losses(said)
        return cast(JsonObject, said["body"])

    def _from_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, status: int, model: str, request: JsonObject
    ) -> tuple[int, JsonObject]:
        asked: JsonObject = {"client": client, "upstream": upstream, "status": status, "model": model}
        said = self._command.ask("from_upstream", {**asked, "request": request, "body": body})
        self._losses = losses(said)
        return cast(int, said["status"]), cast(JsonObject, said["body"])

    def _stream(self, *, client: Dialect, upstream: Dialect, model: str, request: JsonObject) -> "CommandStream":
        shim, number = self._command.shim(), next(self._numbers)
        asked: JsonObject = {"stream": number, "client": client, "upstream": upstream, "model": model}
        self._command.ask("stream.open", {**asked, "request": request}, shim)
        return CommandStream(self._command, shim, number)


class CommandStream:
    """One stream, in the very process that opened it. ``losses``: what it declared so far."""

    def __init__(self, command: Command, shim: Shim, number: int) -> None:
        self.losses: list[DeclaredLoss] = []
        self._command = command
        self._shim = shim
        self._number = number

    def feed(self, event: JsonObject) -> list[JsonObject]:
        return self._events(self._command.ask("stream.feed", {"stream": self._number, "event": event}, self._shim))

    def close(self) -> list[JsonObject]:
        return self._events(self._command.ask("stream.close", {"stream": self._number}, self._shim))

    def _events(self, said: JsonObject) -> list[JsonObject]:
        self.losses += losses(said)
        return list(objs(said["events"]))


def losses(said: JsonObject) -> list[DeclaredLoss]:
    """Those that came with an answer."""
    return [
        DeclaredLoss(text(one.get("path")), text(one.get("reason")), text(one.get("severity")))
        for one in objs(arr(said.get("losses")))
    ]


def _if(has: bool, method: Callable[..., Any]) -> Callable[..., Any] | None:
    return method if has else None
