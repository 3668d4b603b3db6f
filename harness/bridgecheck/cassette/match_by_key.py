"""Which recorded interaction answers which request: by dialect, operation and mode, then by order. Never by the body.

A player that matched on the body would turn a conversion bug into a miss; the body is judged elsewhere. A request
that is repeated byte for byte after a retryable error, when nothing else is left, gets that error again, at most
REPEATS times.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec.body import decompress_body_if_possible
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import parse_json
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import endpoint

REPEATS: Final = 20
_VERTEX: Final = re.compile(r"/projects/[^/]+/locations/[^/]+/")
RETRYABLE: Final[frozenset[int]] = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which clients send the same request again."""


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
        is_retry = self._recorded[last].status in RETRYABLE and queue.last_body == body_to_detect_retry
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
        document = parse_json(body)
    except ValueError:
        return "unary"
    return "stream" if isinstance(document, dict) and document.get("stream") is True else "unary"
