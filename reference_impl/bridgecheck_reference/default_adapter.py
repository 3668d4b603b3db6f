"""The reference as an adapter under test: ``python:bridgecheck_reference:adapter``, the default target.

The shape is that of bridgecheck's adapter protocol, which is structural: nothing of it is imported. Wire level:
``to_upstream``, ``from_upstream``, ``stream``. SDK level: ``connect``. Chat level: ``converse``. A same-dialect route
goes through another dialect and back, converting twice, with everything carried along that the dialect in the middle
cannot say.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck_reference import __version__
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.chat_members import ChatMemberStream, restore_members
from bridgecheck_reference.errors import refuse_conversion_errors
from bridgecheck_reference.loss import Loss, Losses
from bridgecheck_reference.routes import PIVOTS, ROUTES, convert_request, is_chat_pivot, response_steps
from bridgecheck_reference.types.conversion import Machine

if TYPE_CHECKING:
    from bridgecheck_reference.chat.conversation import Conversation
    from bridgecheck_reference.session import Session

_REFUSED: Final = 400
"""Statuses from here on are errors."""


class ReferenceAdapter:
    """Stateless but for the losses of the last conversion, which each thread and task has for itself.

    ``profile``: how to convert between two dialects.
    """

    name: Final = "bridgecheck-reference"
    version: Final = __version__
    routes: Final = ROUTES
    sessions: Final[tuple[tuple[Dialect, Dialect], ...]] = tuple(
        route for route in ROUTES if route != ("openai-chat", "openai-chat")
    )
    pivots: Final = PIVOTS
    capabilities: Final = (
        "tools",
        "parallel_tools",
        "thinking",
        "signatures",
        "media_input",
        "media_output",
        "json_schema",
        "multiple_choices",
        "relay",
    )

    def __init__(self, profile: Profile = NATIVE) -> None:
        self._profile = profile
        self._losses: ContextVar[tuple[Loss, ...]] = ContextVar("losses", default=())

    def to_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, mode: Mode, model: str
    ) -> JsonObject:
        """The request as the upstream gets it; ``Refusal``, naming the field, if it cannot be expressed."""
        with refuse_conversion_errors():
            result = convert_request(client, upstream, body, model, stream=mode == "stream", profile=self._profile)
        self._losses.set(result.losses)
        return result.value

    def from_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, status: int, model: str, request: JsonObject
    ) -> tuple[int, JsonObject]:
        """Status and document as the client gets them, from an answer or an error document."""
        losses: list[Loss] = []
        original = body
        for step in response_steps(client, upstream, request, model, stream=False, profile=self._profile):
            if status >= _REFUSED or body.get("error"):
                status, body = step.converter.error(body, status)
                continue
            result = step.converter.response(body, step.context)
            losses += result.losses
            steps = result.meta.get("status")
            status, body = steps if isinstance(steps, int) else status, result.value
        if is_chat_pivot(client, upstream) and status < _REFUSED:
            dropped = Losses()
            body = restore_members(original, body, dropped)
            losses += dropped
        self._losses.set(tuple(losses))
        return status, body

    def stream(self, *, client: Dialect, upstream: Dialect, model: str, request: JsonObject) -> "PipedStream":
        """A new stream, upstream events in, client events out."""
        steps = response_steps(client, upstream, request, model, stream=True, profile=self._profile)
        machines = [step.converter.stream(step.context) for step in steps]
        return PipedStream(machines, ChatMemberStream() if is_chat_pivot(client, upstream) else None)

    def take_losses(self) -> list[Loss]:
        """What the last conversion of this thread or task could not express; empty when called again."""
        losses = list(self._losses.get())
        self._losses.set(())
        return losses

    def connect(self, *, client: Dialect, upstream: Dialect, base_url: str, api_key: str) -> "Session":
        """A session with real SDK clients. ``NotSupportedError`` (a NotImplementedError) for a pair not connected."""
        from bridgecheck_reference.session import open_session

        return open_session(client=client, upstream=upstream, base_url=base_url, api_key=api_key)

    def converse(
        self,
        *,
        upstream: Dialect,
        base_url: str,
        api_key: str,
        model: str,
        request: JsonObject,
        history: Sequence[JsonObject],
        bridged: bool,
        sleep: Callable[[float], Awaitable[None]],
    ) -> "Conversation":
        """A conversation of a chat that keeps its own history; see ``open_conversation``."""
        from bridgecheck_reference.chat.conversation import open_conversation

        return open_conversation(
            upstream=upstream, base_url=base_url, api_key=api_key, model=model, request=request, history=history,
            bridged=bridged, sleep=sleep,
        )  # fmt: skip


class PipedStream:
    """Stream machines one after another, the upstream's first. ``members``: what goes along beside them, if
    anything."""

    def __init__(self, machines: Sequence[Machine], members: ChatMemberStream | None = None) -> None:
        self._machines = machines
        self._members = members

    @property
    def losses(self) -> list[Loss]:
        of_members = self._members.losses if self._members else ()
        return [*(loss for machine in self._machines for loss in machine.losses), *of_members]

    def feed(self, event: JsonObject) -> list[JsonObject]:
        if self._members is None:
            return self._through([event], closing=False)
        self._members.read(event)
        return self._members.restore(self._through([event], closing=False))

    def close(self) -> list[JsonObject]:
        events = self._through([], closing=True)
        return events if self._members is None else self._members.restore(events, closing=True)

    def _through(self, events: list[JsonObject], *, closing: bool) -> list[JsonObject]:
        for machine in self._machines:
            events = [made for event in events for made in machine.feed(event)]
            events += machine.close() if closing else []
        return events


adapter: Final = ReferenceAdapter()
