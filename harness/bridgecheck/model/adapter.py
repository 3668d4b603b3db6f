"""What an adapter declares of itself, and the in-process protocol it is driven by.

``python:package.module:object`` names an object with this shape. It needs nothing of bridgecheck: bodies are plain
dicts in the named dialect. Any method may be missing; cases that need it are NOT_APPLICABLE."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from bridgecheck.model.exchange import HttpRequest, HttpResponse, Upstream
from bridgecheck.wire import Dialect, JsonObject, Mode

Route: TypeAlias = tuple[Dialect, Dialect]
"""(client dialect, upstream dialect)"""


@dataclass(frozen=True, slots=True)
class AdapterInfo:
    """``routes``: what it converts. ``pivots``: for a same-dialect route, the dialect it goes through ("" when it
    passes documents through untouched). ``claims``: capabilities (``CAPABILITIES``). ``cannot_say``: of an ``outcome``
    client, features that its types have no place for (``OPTIONAL_FEATURES`` of model/express)."""

    name: str
    version: str
    routes: frozenset[Route]
    pivots: tuple[tuple[Route, Dialect], ...] = ()
    claims: frozenset[str] = frozenset()
    cannot_say: frozenset[str] = frozenset()

    def pivot(self, route: Route) -> Dialect | None:
        return dict(self.pivots).get(route)


class Stream(Protocol):
    """One stream, upstream events in, client events out. State lives here and nowhere else."""

    def feed(self, event: JsonObject) -> list[JsonObject]: ...

    def close(self) -> list[JsonObject]: ...


class Converter(Protocol):
    """Wire level: documents in, documents out. ``NotImplementedError`` from any method = a refusal (its text must
    name the field); any other exception = a crash.

    ``model``: the model the client named. ``request``: the client's body, for what an answer depends on
    (include_usage, n, named tool choice). ``from_upstream`` also gets error documents, with their status, and returns
    the client's status and document. ``losses`` of the last result may be exposed as ``take_losses() -> list`` of
    objects with path, reason and severity.

    A library with types of its own names routes from ``"outcome"``: what it is given and gives back as that client are
    the documents of docs/outcome.md. It may have ``cannot_say``: those of
    ``OPTIONAL_FEATURES`` (model/express) that its types cannot express."""

    name: str
    version: str
    routes: Collection[tuple[str, str]]
    capabilities: Collection[str]
    pivots: Mapping[tuple[str, str], str]

    def to_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, mode: Mode, model: str
    ) -> JsonObject: ...

    def from_upstream(
        self, body: JsonObject, *, client: Dialect, upstream: Dialect, status: int, model: str, request: JsonObject
    ) -> tuple[int, JsonObject]: ...

    def stream(self, *, client: Dialect, upstream: Dialect, model: str, request: JsonObject) -> Stream: ...


class Session(Protocol):
    """SDK level: a live adapter with real SDK clients inside, speaking the client dialect in dicts.

    A failed call raises; the exception's ``status`` (int or None), ``body`` (the error document in the client's
    dialect, or None) and ``retry_after`` attributes are read if present. ``stream`` gives events; one that frames them
    itself, as a gateway does, gives the bytes of the body instead, and its framing is judged too. An adapter that has
    a use for the client's headers takes them as ``headers`` (names in lower case) in both methods. None of the methods
    need be async, and iterators neither."""

    async def generate(self, body: JsonObject, *, model: str) -> JsonObject: ...

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject | bytes]: ...

    async def close(self) -> None: ...


class Connects(Protocol):
    """An adapter that owns its HTTP client: given where the provider is, it makes a session. With an attribute
    ``transport = "socket"`` that is a real address, for any HTTP client; without it the address is the provider's own,
    and what httpx clients of this process send there is caught."""

    def connect(self, *, client: Dialect, upstream: Dialect, base_url: str, api_key: str) -> Session: ...


class Conversation(Protocol):
    """Chat level: one conversation of a client that keeps its own history and speaks Gemini. ``send``: one message, as
    parts; results of tools bear the ``callId`` of their calls. It gives the events of gemini-cli's core
    (``ServerGeminiStreamEvent``), of which content, thought, tool_call_request, finished, error, invalid_stream and
    retry are read: {"type": "content", "value": "Hi."}. Neither method need be async, nor the iterator."""

    def send(self, message: list[JsonObject]) -> AsyncIterator[JsonObject]: ...

    async def close(self) -> None: ...


class Converses(Protocol):
    """An adapter with a chat client of its own. ``bridged``: the provider is called over the bridge, as with the flag
    on; off, it is Gemini, called without conversion. ``request``: members that every request has beside its contents.
    ``history``: contents before the first message. ``sleep``: awaited in place of every wait between attempts."""

    def converse(
        self, *, upstream: Dialect, base_url: str, api_key: str, model: str, request: JsonObject,
        history: Sequence[JsonObject], bridged: bool, sleep: Callable[[float], Awaitable[None]],
    ) -> Conversation: ...  # fmt: skip


class Handles(Protocol):
    """A gateway in this process: it answers its client's HTTP requests, and sends its own with ``upstream.send``, or to
    ``upstream.base_url``. May be sync. The answer may be any object with ``status``, ``headers`` and ``body``, or these
    three; headers are pairs or a mapping, a body bytes or an iterator of bytes, async or not. ``ConnectionError`` from
    a body breaks the client's connection; ``NotImplementedError`` is a refusal, any other exception a crash."""

    async def handle(self, request: HttpRequest, upstream: Upstream) -> HttpResponse: ...


CAPABILITIES: Final[dict[str, str]] = {
    "tools": "tools/single-call", "parallel_tools": "tools/parallel-separate-chunks-indices",
    "thinking": "thinking/thought-text-kept", "signatures": "signatures/call-roundtrip",
    "media_input": "multimodal/image-input", "media_output": "multimodal/image-output",
    "json_schema": "schema/response-json-schema", "multiple_choices": "messages/several-candidates",
    "relay": "signatures/call-roundtrip",
}  # fmt: skip
"""capability -> id of the scenario that detects it."""

_DOES_NOT_CLAIM: Final = " does not claim "


def describe_unclaimed(adapter: str, missing: Collection[str]) -> str:
    """Return why a case does not count that needs these capabilities: ``mine does not claim thinking, tools``."""
    return f"{adapter}{_DOES_NOT_CLAIM}{', '.join(sorted(missing))}"


def read_unclaimed(text: str) -> tuple[str, ...]:
    """Return the capabilities that a text of ``describe_unclaimed`` names; () for any other text."""
    _, marker, names = text.rpartition(_DOES_NOT_CLAIM)
    return tuple(name for name in names.split(", ") if name in CAPABILITIES) if marker else ()
