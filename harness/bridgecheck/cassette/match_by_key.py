"""Which recorded interaction answers which request: by dialect, operation and mode, then by order. Never by the body.

A player that matched on the body would turn a conversion bug into a miss; the body is judged elsewhere. A request
that is repeated byte for byte after a retryable error, when nothing else is left, gets that error again, at most
REPEATS times.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from vcr.cassette import Cassette as VcrCassette
from vcr.errors import UnhandledHTTPRequestError
from vcr.record_mode import RecordMode
from vcr.request import Request as VcrRequest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.store import interaction_mapping
from bridgecheck.codec.body import decompress_body_if_possible
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import endpoint

REPEATS: Final = 20
_VERTEX: Final = re.compile(r"/projects/[^/]+/locations/[^/]+/")
_RETRYABLE: Final[frozenset[int]] = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class OperationKey(NamedTuple):
    """What a request requests. ``operation`` as in wire/facts; at Vertex AI, whose requests differ in more than their
    path, with ``vertex`` before it."""

    dialect: Dialect
    operation: str
    mode: Mode

    def __str__(self) -> str:
        return f"{self.dialect} {self.operation} {self.mode}"


class MatchedNumber(NamedTuple):
    """``number``: of the interaction in the cassette that answers; ``repeated``: it had been played before."""

    number: int
    repeated: bool


@dataclass(slots=True)
class _PlayQueue:
    """The interactions of one key, in order, and how far they were played."""

    numbers: list[int] = field(default_factory=list)
    played: int = 0
    repeats: int = 0
    last_body: bytes = b""


def operation_key(request: HttpRequest, host: str = "") -> OperationKey | None:
    """Return the key of a request; None for a path of no dialect we know."""
    matched = endpoint(request.path, host)
    if matched is None:
        return None
    operation = f"vertex {matched.operation}" if _VERTEX.search(request.path) else matched.operation
    mode = matched.mode or _mode_in_body(decompress_body_if_possible(request.body, request.headers))
    return OperationKey(matched.dialect, operation, mode)


class InteractionIndex:
    """Finds the response to a request in constant time."""

    def __init__(self, interactions: Iterable[RecordedInteraction]) -> None:
        self._recorded = tuple(interactions)
        self._queues: dict[OperationKey, _PlayQueue] = {}
        for number, recorded in enumerate(self._recorded):
            key = operation_key(recorded.request, recorded.origin.rpartition("/")[2])
            if key is not None:
                self._queues.setdefault(key, _PlayQueue()).numbers.append(number)

    @property
    def keys(self) -> tuple[OperationKey, ...]:
        return tuple(self._queues)

    def peek(self, key: OperationKey, body_to_detect_retry: bytes) -> MatchedNumber | None:
        """Return what ``take`` would return, without playing it."""
        queue = self._queues.get(key)
        if queue is None:
            return None
        if queue.played < len(queue.numbers):
            return MatchedNumber(queue.numbers[queue.played], repeated=False)
        last = queue.numbers[-1]
        is_retry = self._recorded[last].status in _RETRYABLE and queue.last_body == body_to_detect_retry
        return MatchedNumber(last, repeated=True) if is_retry and queue.repeats < REPEATS else None

    def take(self, key: OperationKey, body_to_detect_retry: bytes) -> MatchedNumber | None:
        """Play the next interaction of this key, or a retryable error again; None if there is none."""
        match = self.peek(key, body_to_detect_retry)
        if match is not None:
            queue = self._queues[key]
            queue.last_body = body_to_detect_retry
            if match.repeated:
                queue.repeats += 1
            else:
                queue.played += 1
        return match


def _mode_in_body(body: bytes) -> Mode:
    if b"stream" not in body and b"\\" not in body:
        return "unary"  # without reading a long document
    try:
        document = json.loads(body)
    except ValueError:
        return "unary"
    return "stream" if isinstance(document, dict) and document.get("stream") is True else "unary"


class _SentRequest(Protocol):
    """The attributes of vcrpy's Request that are used."""

    method: str
    uri: str
    body_bytes: bytes | None


class IndexedCassette(VcrCassette):
    """vcrpy's Cassette with an index in place of its linear search, and our matching in place of its matchers.

    vcrpy looks through every interaction for every request, and describes each that does not match: 1,000 interactions
    of one address take more than a minute. Here every response costs the same, however many interactions there are. It
    stays an ordinary, read-only ``vcr.cassette.Cassette`` to its users.
    """

    def __init__(self, cassette: Cassette) -> None:
        super().__init__(path=cassette.where, record_mode=RecordMode.NONE)
        self.recorded: tuple[RecordedInteraction, ...] = cassette.interactions
        self.index = InteractionIndex(cassette.interactions)
        self.rewound = True
        self.data = [(_vcr_request(recorded), _vcr_response(recorded)) for recorded in cassette.interactions]

    def take(self, key: OperationKey, body_to_detect_retry: bytes) -> MatchedNumber | None:
        """Play the next response to a request."""
        match = self.index.take(key, body_to_detect_retry)
        if match is not None:
            self.play_counts[match.number] += 1
        return match

    def can_play_response_for(self, request: _SentRequest) -> bool:
        return request in self

    def play_response(self, request: _SentRequest) -> JsonObject:
        key = _key_of_vcr_request(request)
        match = self.take(key, request.body_bytes or b"") if key else None
        if match is None:
            raise UnhandledHTTPRequestError(f"the cassette {self._path} holds no answer to {request!r}")
        return obj(self.data[match.number][1])

    def __contains__(self, request: _SentRequest) -> bool:
        return any(self._responses(request))

    def _responses(self, request: _SentRequest) -> Iterator[tuple[int, JsonObject]]:
        key = _key_of_vcr_request(request)
        match = self.index.peek(key, request.body_bytes or b"") if key else None
        if match is not None:
            yield match.number, obj(self.data[match.number][1])


def _key_of_vcr_request(request: _SentRequest) -> OperationKey | None:
    address = urlsplit(request.uri)
    path = address.path + (f"?{address.query}" if address.query else "")
    return operation_key(HttpRequest(request.method, path, body=request.body_bytes or b""), address.netloc)


def _vcr_request(recorded: RecordedInteraction) -> VcrRequest:
    request = recorded.request
    return VcrRequest(request.method, recorded.origin + request.path, request.body, dict(request.headers))


def _vcr_response(recorded: RecordedInteraction) -> JsonObject:
    response = obj(interaction_mapping(recorded)["response"])
    return {**response, "body": {"string": recorded.body}}
