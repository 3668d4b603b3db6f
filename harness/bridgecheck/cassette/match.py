"""Which recorded interaction answers which request: by dialect, operation and mode, then by order. Never by the body.

A player that matched on the body would turn a conversion bug into a miss; the body is judged elsewhere. A request
that is repeated byte for byte after a retryable error, when nothing else is left, gets that error again, at most
REPEATS times.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.codec.body import plain
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import endpoint

REPEATS: Final = 20
_VERTEX: Final = re.compile(r"/projects/[^/]+/locations/[^/]+/")
_RETRYABLE: Final[frozenset[int]] = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Key(NamedTuple):
    """What a request asks for. ``operation`` as in wire/facts; at Vertex AI, whose requests differ in more than their
    path, with ``vertex`` before it."""

    dialect: Dialect
    operation: str
    mode: Mode

    def __str__(self) -> str:
        return f"{self.dialect} {self.operation} {self.mode}"


class Found(NamedTuple):
    """``number``: of the interaction in the cassette; ``repeated``: it had been played before."""

    number: int
    repeated: bool


@dataclass(slots=True)
class _Line:
    """The interactions of one key, in order, and how far they were played."""

    numbers: list[int] = field(default_factory=list)
    played: int = 0
    repeats: int = 0
    last_body: bytes = b""


def key_of(request: HttpRequest, host: str = "") -> Key | None:
    """None for a path of no dialect we know."""
    place = endpoint(request.path, host)
    if place is None:
        return None
    operation = f"vertex {place.operation}" if _VERTEX.search(request.path) else place.operation
    return Key(place.dialect, operation, place.mode or _mode_of(plain(request.body, request.headers)))


class Index:
    """Finds the answer to a request in constant time."""

    def __init__(self, interactions: Iterable[Recorded]) -> None:
        self._recorded = tuple(interactions)
        self._lines: dict[Key, _Line] = {}
        for number, recorded in enumerate(self._recorded):
            key = key_of(recorded.request, recorded.origin.rpartition("/")[2])
            if key is not None:
                self._lines.setdefault(key, _Line()).numbers.append(number)

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(self._lines)

    def peek(self, key: Key, body: bytes) -> Found | None:
        """What ``take`` would find, without playing it."""
        line = self._lines.get(key)
        if line is None:
            return None
        if line.played < len(line.numbers):
            return Found(line.numbers[line.played], repeated=False)
        last = line.numbers[-1]
        again = self._recorded[last].status in _RETRYABLE and line.last_body == body and line.repeats < REPEATS
        return Found(last, repeated=True) if again else None

    def take(self, key: Key, body: bytes) -> Found | None:
        """Plays the next interaction of this key; None if there is none."""
        found = self.peek(key, body)
        if found is not None:
            line = self._lines[key]
            line.last_body = body
            if found.repeated:
                line.repeats += 1
            else:
                line.played += 1
        return found


def _mode_of(body: bytes) -> Mode:
    try:
        document = json.loads(body)
    except ValueError:
        return "unary"
    return "stream" if isinstance(document, dict) and document.get("stream") is True else "unary"
