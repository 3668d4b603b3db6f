"""Lets a chunk of a stream leave when its client has received every event that is whole in the chunks before."""

import json
import threading
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final

from bridgecheck.codec.sse import DONE_MARKER, SseDecoder, SseEvent

WAIT_S: Final = 60


class Gate:
    """``confirmed``: how many events a later chunk waited for. ``open``: from then on everything leaves, as for a
    client that is gone, or that shows no events."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        decoder = SseDecoder()
        self.confirmed = 0
        edges = [0, *accumulate(map(len, chunks))]
        body = b"".join(chunks)
        # A CR may have its LF in the next chunk: clients wait for it.
        edges = [at - (body[at - 1 : at + 1] == b"\r\n") for at in edges]
        self._whole = [sum(map(is_shown, decoder.feed(body[start:end]))) for start, end in pairwise(edges)]
        self._received = 0
        self._is_open = False
        self._changed = threading.Condition()

    def receive(self) -> None:
        with self._changed:
            self._received += 1
            self._changed.notify_all()

    def open(self) -> None:
        with self._changed:
            self._is_open = True
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Wait until chunk ``number`` may leave."""
        due = sum(self._whole[:number])
        with self._changed:
            came = self._changed.wait_for(lambda: self._is_open or self._received >= due, WAIT_S)
        assert came, f"chunk {number} waits for event {due}, the client has {self._received}"
        self.confirmed = self.confirmed if self._is_open else due


def is_shown(event: SseEvent) -> bool:
    """Whether SDKs give this event to their caller."""
    return event.data.strip() != DONE_MARKER and json.loads(event.data).get("type") != "ping"
