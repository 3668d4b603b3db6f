"""What a recorder prints at its end, and its exit code."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bridgecheck.record.traffic_edge import EdgeCounts, RecordMode

MISSED: Final = 1
BROKEN: Final = 3
_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class RecorderResult:
    """What came of a session. ``saved``: how many cassettes were written; ``not_saved``: why others were not;
    ``unplayed``: recordings that nothing asked for; ``errors``: tracebacks of the edge."""

    mode: RecordMode
    out: str
    counts: EdgeCounts
    saved: int = 0
    not_saved: Sequence[str] = ()
    unplayed: Sequence[str] = ()
    unplayed_fails: bool = False
    errors: Sequence[str] = ()

    @property
    def exit_code(self) -> int:
        """1 for a miss, 3 where something could not be recorded, 0 else; 1 comes first, as in ``bridgecheck run``."""
        if self.counts.misses or (self.unplayed and self.unplayed_fails):
            return MISSED
        lost = self.counts.problems or self.counts.failed or self.counts.refused
        return BROKEN if lost or self.not_saved or self.errors else 0


def summary_lines(result: RecorderResult) -> Iterator[str]:
    """Yield the lines to print: what was done, then each thing that went wrong, with what to do about it."""
    counts = result.counts
    if result.mode == "live":
        yield f"passed on {_count(counts.passed, 'request')}; nothing was written"
    if result.mode in ("record", "new"):
        yield f"recorded {_count(counts.recorded, 'exchange')} in {_count(result.saved, 'cassette')}: {result.out}"
    if result.mode in ("replay", "new"):
        yield f"replayed {_count(counts.replayed, 'exchange')} of {result.out}"
    yield from _list("[miss]", counts.misses)
    yield from _list("[refused]", counts.refused)
    yield from _list("[not-recorded]", [f"{what}\n  next: {step}" for what, step in counts.problems.items()])
    yield from _list("[provider-failed]", [f"{key.name} ({key.dialect}): {why}" for key, why in counts.failed.items()])
    yield from _list("[broke-off]", [f"{key.name} ({key.dialect}): {why}" for key, why in counts.broken.items()])
    yield from _list("", result.not_saved)
    yield from _list("[unplayed]", result.unplayed)
    yield from _list("[harness]", result.errors)


def _list(label: str, messages: Sequence[str]) -> Iterator[str]:
    yield from (f"{label} {message}".strip() for message in messages[:_LISTED])
    if len(messages) > _LISTED:
        yield f"{label} and {len(messages) - _LISTED} more".strip()


def _count(number: int, noun: Literal["request", "exchange", "cassette"]) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
