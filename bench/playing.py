"""Playing cassettes: the cost of one call must not depend on how many interactions there are, played or unplayed.

Timed in blocks of a hundred calls: short enough that a busy machine leaves some of them alone.
"""

from collections.abc import Iterator
from time import perf_counter

import orjson
from documents import history, text_chunk
from figures import Figure

SMALL, LARGE = 100, 10_000
BLOCK = 100
ROUNDS = 30
PATH = "/v1beta/models/gemini-2.5-flash:generateContent"
HOST = "https://generativelanguage.googleapis.com"
JSON = (("content-type", "application/json"),)


def measure() -> Iterator[Figure]:
    small = min(min(_blocks(SMALL)) for _ in range(ROUNDS))
    large = [_blocks(LARGE) for _ in range(ROUNDS // 10)]
    slowest = max(min(tenth) for tenth in zip(*_tenths(large), strict=True))
    detail = f"{small * 1e6:.1f} us a call of {SMALL}, {slowest * 1e6:.1f} us in the slowest tenth of {LARGE:,}"
    yield Figure(f"cassette of {LARGE:,} against {SMALL}", slowest / small, 1.25, "x a call", detail=detail)


def _tenths(plays: list[list[float]]) -> list[list[float]]:
    """Of each play the best block of every tenth of the cassette."""
    size = LARGE // BLOCK // 10
    return [[min(blocks[start : start + size]) for start in range(0, len(blocks), size)] for blocks in plays]


def _blocks(count: int) -> list[float]:
    """Seconds a call, block by block, while a cassette of so many interactions is played from start to end."""
    from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
    from bridgecheck.cassette.playback import Playback
    from bridgecheck.model.exchange import HttpRequest

    request = HttpRequest("POST", PATH, JSON, orjson.dumps(history(3)))
    answer = orjson.dumps(text_chunk(1))
    playback = Playback(
        Cassette({}, tuple(RecordedInteraction(request, 200, JSON, (answer,), origin=HOST) for _ in range(count)))
    )
    times = []
    for _ in range(count // BLOCK):
        start = perf_counter()
        for _ in range(BLOCK):
            playback.answer(request, HOST + PATH)
        times.append((perf_counter() - start) / BLOCK)
    if playback.misses or playback.unused:
        raise AssertionError("the cassette was not played as recorded: the figure would mean nothing")
    return times
