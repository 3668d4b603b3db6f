"""The ledger as a document: JSON for programs, Markdown for readers.

{"format": "bridgecheck-ledger", "version": 1, "adapter": "...", "adapter_version": "...", "totals": {"kept": 9, ...},
 "directions": [{"client": ..., "upstream": ..., "side": ..., "kept": 9, ...}], "importance": {"content": {...}},
 "stale": [...], "unrun": [...], "entries": [{"client": ..., "leaf": "contents[].role", "fate": "kept", ...}]}
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from bridgecheck.ledger.entry import Entry, Unrun
from bridgecheck.ledger.fate import FATES, Fate
from bridgecheck.ledger.importance import IMPORTANCE
from bridgecheck.ledger.kinds import SIDES, Side
from bridgecheck.ledger.matrix import Counts, by_direction, by_importance, stale, total
from bridgecheck.report.table import direction_name
from bridgecheck.wire import DIALECTS, Dialect, JsonObject

FORMAT: Final = "bridgecheck-ledger"
VERSION: Final = 1

MEANING: Final[dict[Fate, str]] = {
    "kept": "the far side says the same",
    "transformed": "the far side says the same in another form, by a rule that has a name",
    "declared": "lost, with a row in the table of losses",
    "rejected": "refused, naming the field or the value",
    "silent": "lost or changed without a word: a failure",
    "invented": "something arrived beside it that nobody said: a failure",
    "failed": "the adapter crashed, or refused without naming it: a failure",
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """One run of the ledger."""

    adapter: str
    version: str
    entries: tuple[Entry, ...]
    unrun: tuple[Unrun, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 something bad, 3 a leaf that could not be run, 4 nothing was run, 0."""
        if any(entry.bad for entry in self.entries):
            return 1
        return 3 if self.unrun else 0 if self.entries else 4


def to_json(ledger: Ledger) -> JsonObject:
    """The whole document."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "adapter": ledger.adapter,
        "adapter_version": ledger.version,
        "totals": _fates(total(ledger.entries)),
        "directions": [
            {"client": client, "upstream": upstream, "side": side, **_fates(counts)}
            for (client, upstream, side), counts in by_direction(ledger.entries).items()
        ],
        "importance": {name: _fates(counts) for name, counts in by_importance(ledger.entries).items()},
        "stale": [asdict(one) for one in stale(ledger.entries)],
        "unrun": [{"leaf": one.leaf.path, "side": one.leaf.side, "why": one.why} for one in ledger.unrun],
        "entries": [_entry(entry) for entry in ledger.entries],
    }


def to_markdown(ledger: Ledger) -> str:
    """The matrix as a page."""
    return "\n".join([*_head(ledger), *_counts(ledger), *_stale(ledger), *_leaves(ledger), ""])


def counted(ledger: Ledger) -> list[list[str]]:
    """Rows of counts: a direction and side, then one figure a fate; the first row is the head, the last the sum."""
    rows = [
        [f"{direction_name(client, upstream)} {side}", *_figures(counts)]
        for (client, upstream, side), counts in by_direction(ledger.entries).items()
    ]
    return [["", *FATES], *rows, ["all", *_figures(total(ledger.entries))]]


def weighed(ledger: Ledger) -> list[list[str]]:
    """The same by importance."""
    rows = [[name, *_figures(counts)] for name, counts in by_importance(ledger.entries).items()]
    return [["", *FATES], *rows]


def line(entry: Entry) -> str:
    """One entry as one line."""
    ruling = entry.ruling
    because = ", ".join((*ruling.by, *ruling.losses))
    name = entry.path or "(base)"
    told = f"{direction_name(entry.client, entry.upstream)} {entry.side} {name} [{entry.place}]: {ruling.fate}"
    return f"{told}{f' ({because})' if because else ''}{f': {ruling.note}' if ruling.note else ''}"


def stale_lines(ledger: Ledger) -> list[str]:
    """Rows of the table of losses that no longer happen."""
    return [
        f"{one.row}, {one.origin} to {one.target}: {', '.join(one.leaves)} arrives" for one in stale(ledger.entries)
    ]


def _entry(entry: Entry) -> JsonObject:
    ruling = entry.ruling
    return {
        "client": entry.client,
        "upstream": entry.upstream,
        "side": entry.side,
        "leaf": entry.path,
        "base": entry.place,
        "fate": ruling.fate,
        "by": list(ruling.by),
        "losses": list(ruling.losses),
        "paths": list(ruling.paths),
        "note": ruling.note,
        "adapter_declared": [{"path": one.path, "reason": one.reason} for one in entry.said_lost],
    }


def _fates(counts: Counts) -> dict[str, int]:
    return dict(zip(FATES, counts, strict=True))


def _figures(counts: Counts) -> list[str]:
    return [str(count) if count else "" for count in counts]


def _head(ledger: Ledger) -> Iterator[str]:
    yield f"# Where every field ends: {ledger.adapter}"
    yield ""
    yield "Each documented field of a dialect by itself, in a minimal valid document, with two values, in each"
    yield "direction. `G>O`: a Gemini client, an OpenAI Chat upstream; A is Anthropic. A request goes from left to"
    yield "right, an answer (response, stream) from right to left."
    yield ""
    yield from (f"* **{fate}**: {MEANING[fate]}." for fate in FATES)
    yield ""


def _counts(ledger: Ledger) -> Iterator[str]:
    yield "## Counts"
    yield ""
    yield from _table(counted(ledger))
    yield ""
    yield "By importance:"
    yield ""
    yield from _table(weighed(ledger))
    yield ""
    yield from (f"* {name}: {what}." for name, what in IMPORTANCE.items())
    yield ""


def _stale(ledger: Ledger) -> Iterator[str]:
    found = stale_lines(ledger)
    if found:
        yield "## Declared losses that do not happen"
        yield ""
        yield from (f"* {one}" for one in found)
        yield ""


def _leaves(ledger: Ledger) -> Iterator[str]:
    """One table for each dialect and side: leaves down, far ends across."""
    for side in SIDES:
        for origin in DIALECTS:
            found = [one for one in ledger.entries if one.side == side and one.ends[0] == origin]
            if found:
                yield from _matrix(side, origin, found)


def _matrix(side: Side, origin: Dialect, entries: Sequence[Entry]) -> Iterator[str]:
    far = [target for target in DIALECTS if any(one.ends[1] == target for one in entries)]
    cells = {(one.path, one.place, one.ends[1]): _cell(one) for one in entries if one.path or one.bad}
    rows = dict.fromkeys((path, place) for path, place, _ in cells)
    several = {path for path, _ in rows if sum(path == other for other, _ in rows) > 1}
    yield f"## {_SIDE[side]} of {origin}"
    yield ""
    yield from _table(
        [
            ["field", *(_column(side, origin, target) for target in far)],
            *(
                [_name(path, place, path in several), *(cells.get((path, place, target), "") for target in far)]
                for path, place in rows
            ),
        ]
    )
    yield ""


_SIDE: Final[dict[Side, str]] = {"request": "Requests", "response": "Answers", "stream": "Streams"}


def _column(side: Side, origin: Dialect, target: Dialect) -> str:
    return direction_name(origin, target) if side == "request" else direction_name(target, origin)


def _name(path: str, place: str, several: bool) -> str:
    return f"`{path}`{f' ({place})' if several else ''}" if path else f"(base: {place})"


def _cell(entry: Entry) -> str:
    ruling = entry.ruling
    because = ", ".join(ruling.by) if ruling.by else ", ".join(ruling.losses)
    return f"{ruling.fate}: {because}" if because else ruling.fate


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    yield from (f"| {' | '.join(row)} |" for row in rest)
