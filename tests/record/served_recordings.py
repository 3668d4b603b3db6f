"""Recordings as the stand-in serves them: written as their provider writes them, in chunks whose borders are drawn by a
seed, some of them inside a character and inside a ``data:``.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from bridgecheck.cassette.formats.documents import recorded_or_encoded
from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.cassette.traffic import read_traffic
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import Dialect, Mode

from .stand_in import Answer

NAME: Final = re.compile(r"sample-[0-9]{4}")

MAX_FRAME: Final = 16_384
"""Bytes of a DATA frame that every client of HTTP/2 takes (RFC 9113, section 4.2)."""


@dataclass(frozen=True)
class ServedRecording:
    """``name``: of its conversation. ``request``: as it was recorded, or the smallest one that its answer fits."""

    item: TrafficItem
    name: str
    request: HttpRequest
    answer: Answer

    @property
    def dialect(self) -> Dialect:
        return self.item.interaction.response.dialect

    @property
    def mode(self) -> Mode:
        return self.item.interaction.response.mode

    @property
    def has_request(self) -> bool:
        return self.item.interaction.request is not None

    @property
    def body(self) -> bytes:
        return b"".join(self.answer.chunks)


def read_served(folder: Path, seed: int, as_events: bool = True) -> Iterator[ServedRecording]:
    """Yield every recording of a folder. ``as_events``: write every stream as events, also one that came as an array."""
    for number, item in enumerate(read_traffic(folder)):
        assert isinstance(item, TrafficItem), item
        recorded = recorded_or_encoded(replace(item, notes=()) if as_events else item)
        drawn, count = random.Random(f"{seed} {item.id}"), len(item.interaction.response.documents)
        chunks = draw_chunks(recorded.body, count, drawn)
        answer = Answer(chunks, recorded.status, recorded.headers)
        yield ServedRecording(item, f"sample-{number:04d}", recorded.request, answer)


def draw_chunks(body: bytes, count: int, drawn: random.Random) -> tuple[bytes, ...]:
    """Return the body in chunks: ``count`` borders anywhere, and up to two inside a character and a ``data:`` each."""
    inside_characters = [at for at, byte in enumerate(body) if 0x80 <= byte < 0xC0]
    inside_data = [at + 3 for at in range(len(body)) if body.startswith(b"data:", at)]
    kinds = ((range(1, len(body)), count), (inside_characters, 2), (inside_data, 2))
    borders = {at for places, most in kinds for at in drawn.sample(places, min(most, len(places)))}
    borders |= {*range(MAX_FRAME, len(body), MAX_FRAME)}
    return tuple(body[start:stop] for start, stop in pairwise([0, *sorted(borders), len(body)]) if stop > start)
