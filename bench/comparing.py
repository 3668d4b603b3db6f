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

    one = transcript(EVENTS)
    other = deepcopy(one)
    times = best({"differences": lambda: differences(one, other), "plain": lambda: plain_equal(one, other)})
    deep = best({"deepdiff": lambda: DeepDiff(one, other)}, rounds=2)["deepdiff"]
    ours = times["differences"]
    detail = f"{ours * 1e3:.2f} ms, plain {times['plain'] * 1e3:.2f} ms, DeepDiff {deep * 1e3:.0f} ms"
    yield Figure("comparing 1,000 equal events", ours / times["plain"], 2.5, "x plain", detail=detail)
    yield Figure("the same, against raw DeepDiff", deep / ours, 30, "x faster", "at least")
    shorter = [*one[:400], *one[401:]]
    rows = differences(one, shorter)
    lost = best({"differences": lambda: differences(one, shorter)}, rounds=5)["differences"]
    yield Figure("a deleted event, in changes", len(rows), 1, "", slack=1, detail=f"{lost * 1e3:.1f} ms")


def plain_equal(one: Any, other: Any) -> bool:
    """What anyone would write."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(plain_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(plain_equal(a, b) for a, b in zip(one, other, strict=True))
    return type(one) is type(other) and one == other
