"""Comparing transcripts of 1,000 events: against a plain recursive compare, and against DeepDiff by itself."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from documents import transcript
from figures import Figure
from rounds import best

EVENTS = 1000


def measure() -> Iterator[Figure]:
    from deepdiff import DeepDiff

    from bridgecheck.compare.diff import differences

    first = transcript(EVENTS)
    second = deepcopy(first)
    times = best({"differences": lambda: differences(first, second), "plain": lambda: plain_equal(first, second)})
    deep = best({"deepdiff": lambda: DeepDiff(first, second)}, rounds=2)["deepdiff"]
    own_seconds = times["differences"]
    detail = f"{own_seconds * 1e3:.2f} ms, plain {times['plain'] * 1e3:.2f} ms, DeepDiff {deep * 1e3:.0f} ms"
    yield Figure("comparing 1,000 equal events", own_seconds / times["plain"], 2.5, "x plain", detail=detail)
    yield Figure("the same, against raw DeepDiff", deep / own_seconds, 30, "x faster", "at least")
    shorter = [*first[:400], *first[401:]]
    rows = differences(first, shorter)
    lost = best({"differences": lambda: differences(first, shorter)}, rounds=5)["differences"]
    yield Figure("a deleted event, in changes", len(rows), 1, "", slack=1, detail=f"{lost * 1e3:.1f} ms")


def plain_equal(first: Any, second: Any) -> bool:
    """What anyone would write."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(plain_equal(first[key], second[key]) for key in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(plain_equal(a, b) for a, b in zip(first, second, strict=True))
    return type(first) is type(second) and first == second
