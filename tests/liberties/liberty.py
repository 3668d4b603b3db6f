"""Liberties: adapters that are right in another way than the reference. A judge that fails one of them cries wolf.

Each is the reference with one habit changed, as one frozen record that names the document or the recording that allows
the habit. ``LibertyAdapter`` has the shape of any adapter in Python, so a liberty runs through the same judge as every
other; ``tests/faulty_adapters`` holds their opposite, adapters with one fault.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.default_adapter import PipedStream, ReferenceAdapter
from bridgecheck_reference.loss import Loss
from bridgecheck_reference.types.conversion import Machine

Route: TypeAlias = tuple[Dialect, Dialect]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a hook may look at. ``request``: the client's body, as the client sent it. ``mode``: of the request."""

    client: Dialect
    upstream: Dialect
    mode: Mode
    model: str
    request: JsonObject


class PassingOn:
    """A machine in a stream that passes every event on; machines of liberties change what they need."""

    losses: Sequence[Loss] = ()

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion

    def feed(self, event: JsonObject) -> list[JsonObject]:
        return [event]

    def close(self) -> list[JsonObject]:
        return []


RequestHook: TypeAlias = Callable[[JsonObject, Conversion], JsonObject]
ResponseHook: TypeAlias = Callable[[int, JsonObject, Conversion], tuple[int, JsonObject]]
MachineFactory: TypeAlias = Callable[[Conversion], PassingOn]


@dataclass(frozen=True, slots=True)
class Liberty:
    """``source``: URL or recording that allows the habit, and the date it was read. ``allows``: why it is right, in one
    sentence. ``clients``, ``upstreams``: whose documents it changes; empty means all. ``profile``: mapping choices of
    the reference.

    ``upstream_request``: changes what the reference made for the provider; may raise NotImplementedError, a refusal
    that names the field. ``client_response``: changes status and document for the client, errors included.
    ``client_events``: one more machine behind the reference's. ``client_request``: changes the client's request before
    the reference converts it, for what an earlier answer had renamed. ``upstream_response``, ``upstream_events``: the
    same for what the provider sent.
    """

    name: str
    source: str
    allows: str
    clients: tuple[Dialect, ...] = ()
    upstreams: tuple[Dialect, ...] = ()
    profile: Profile = NATIVE
    client_request: RequestHook | None = None
    upstream_request: RequestHook | None = None
    upstream_response: ResponseHook | None = None
    client_response: ResponseHook | None = None
    upstream_events: MachineFactory | None = None
    client_events: MachineFactory | None = None

    @property
    def is_about_requests_alone(self) -> bool:
        """Return whether it changes nothing but what the reference made for the provider."""
        hooks = (
            self.client_request,
            self.upstream_response,
            self.client_response,
            self.upstream_events,
            self.client_events,
        )
        return self.profile is NATIVE and not any(hooks)

    def changes(self, client: Dialect, upstream: Dialect) -> bool:
        """Return whether it differs from the reference on this route."""
        return (not self.clients or client in self.clients) and (not self.upstreams or upstream in self.upstreams)


class LibertyAdapter(ReferenceAdapter):
    """The reference with liberties, at wire level. Several compose: requests pass them in order, answers backwards.

    ``made``: every request as the reference made it, before liberties changed it.
    """

    def __init__(self, *liberties: Liberty) -> None:
        profiles = [liberty.profile for liberty in liberties if liberty.profile is not NATIVE]
        assert len(profiles) <= 1, "two liberties choose a profile"
        self.liberties: Final = liberties
        self.made: list[tuple[JsonObject, Conversion]] = []
        super().__init__(*profiles)

    def to_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, mode: Mode, model: str
    ) -> JsonObject:
        conversion = Conversion(client, upstream, mode, model, body)
        active = self._active(client, upstream)
        changed = body
        for liberty in active:
            changed = liberty.client_request(changed, conversion) if liberty.client_request else changed
        result = super().to_upstream(changed, client=client, upstream=upstream, mode=mode, model=model)
        self.made.append((copy.deepcopy(result), conversion))
        for liberty in active:
            result = liberty.upstream_request(result, conversion) if liberty.upstream_request else result
        return result

    def from_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, status: int, model: str, request: JsonObject
    ) -> tuple[int, JsonObject]:
        conversion = Conversion(client, upstream, "unary", model, request)
        active = self._active(client, upstream)[::-1]
        for liberty in active:
            status, body = (liberty.upstream_response or _pass_on)(status, body, conversion)
        status, body = super().from_upstream(
            body, client=client, upstream=upstream, status=status, model=model, request=request
        )
        for liberty in active:
            status, body = (liberty.client_response or _pass_on)(status, body, conversion)
        return status, body

    def stream(self, *, client: Dialect, upstream: Dialect, model: str, request: JsonObject) -> PipedStream:
        conversion = Conversion(client, upstream, "stream", model, request)
        active = self._active(client, upstream)[::-1]
        before: list[Machine] = [liberty.upstream_events(conversion) for liberty in active if liberty.upstream_events]
        after: list[Machine] = [liberty.client_events(conversion) for liberty in active if liberty.client_events]
        middle = super().stream(client=client, upstream=upstream, model=model, request=request)
        return PipedStream([*before, middle, *after])

    def _active(self, client: Dialect, upstream: Dialect) -> list[Liberty]:
        return [liberty for liberty in self.liberties if liberty.changes(client, upstream)]


def _pass_on(status: int, document: JsonObject, _: Conversion) -> tuple[int, JsonObject]:
    return status, document
