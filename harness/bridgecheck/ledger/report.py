"""The ledger as a document: JSON for programs, Markdown for readers.

{"format": "bridgecheck-ledger", "version": 1, "adapter": "...", "adapter_version": "...", "totals": {"kept": 9, ...},
 "directions": [{"client": ..., "upstream": ..., "side": ..., "kept": 9, ...}], "importance": {"content": {...}},
 "stale": [...], "unrun": [...], "entries": [{"client": ..., "leaf": "contents[].role", "fate": "kept", ...}]}
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from bridgecheck.ledger.fate import FATES, Fate
from bridgecheck.ledger.matrix import (
    IMPORTANCE,
    Counts,
    Entry,
    UnrunLeaf,
    count_all,
    count_by_direction,
    count_by_importance,
    find_stale_losses,
)
from bridgecheck.ledger.shapes import SIDES, Side
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
    unrun: tuple[UnrunLeaf, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 something bad, 3 a leaf that could not be run, 4 nothing was run, 0."""
        if any(entry.bad for entry in self.entries):
            return 1
        return 3 if self.unrun else 0 if self.entries else 4


def ledger_to_json(ledger: Ledger) -> JsonObject:
    """Return the whole document as JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "adapter": ledger.adapter,
        "adapter_version": ledger.version,
        "totals": _counts_by_fate(count_all(ledger.entries)),
        "directions": [
            {"client": client, "upstream": upstream, "side": side, **_counts_by_fate(counts)}
            for (client, upstream, side), counts in count_by_direction(ledger.entries).items()
        ],
        "importance": {name: _counts_by_fate(counts) for name, counts in count_by_importance(ledger.entries).items()},
        "stale": [asdict(row) for row in find_stale_losses(ledger.entries)],
        "unrun": [{"leaf": unrun.leaf.path, "side": unrun.leaf.side, "why": unrun.why} for unrun in ledger.unrun],
        "entries": [_entry_to_json(entry) for entry in ledger.entries],
    }


def ledger_to_markdown(ledger: Ledger) -> str:
    """Return the matrix as a Markdown page."""
    return "\n".join([*_page_head(ledger), *_count_tables(ledger), *_stale_section(ledger), *_leaf_tables(ledger), ""])


def direction_rows(ledger: Ledger) -> list[list[str]]:
    """Rows of counts: a direction and side, then one figure a fate; the first row is the head, the last the sum."""
    rows = [
        [f"{direction_name(client, upstream)} {side}", *_count_cells(counts)]
        for (client, upstream, side), counts in count_by_direction(ledger.entries).items()
    ]
    return [["", *FATES], *rows, ["all", *_count_cells(count_all(ledger.entries))]]


def importance_rows(ledger: Ledger) -> list[list[str]]:
    """Return the same rows by importance."""
    rows = [[name, *_count_cells(counts)] for name, counts in count_by_importance(ledger.entries).items()]
    return [["", *FATES], *rows]


def describe_entry(entry: Entry) -> str:
    """Return one entry as one line."""
    ruling = entry.ruling
    because = ", ".join((*ruling.by, *ruling.losses))
    name = entry.path or "(base)"
    outcome = f"{direction_name(entry.client, entry.upstream)} {entry.side} {name} [{entry.base_name}]: {ruling.fate}"
    return f"{outcome}{f' ({because})' if because else ''}{f': {ruling.note}' if ruling.note else ''}"


def describe_stale_losses(ledger: Ledger) -> list[str]:
    """Return a line for each row of the table of losses that no longer happens."""
    return [
        f"{stale.row}, {stale.origin} to {stale.target}: {', '.join(stale.leaves)} arrives"
        for stale in find_stale_losses(ledger.entries)
    ]


def _entry_to_json(entry: Entry) -> JsonObject:
    ruling = entry.ruling
    return {
        "client": entry.client,
        "upstream": entry.upstream,
        "side": entry.side,
        "leaf": entry.path,
        "base": entry.base_name,
        "fate": ruling.fate,
        "by": list(ruling.by),
        "losses": list(ruling.losses),
        "paths": list(ruling.paths),
        "note": ruling.note,
        "adapter_declared": [{"path": loss.path, "reason": loss.reason} for loss in entry.declared_losses],
    }


def _counts_by_fate(counts: Counts) -> dict[str, int]:
    return dict(zip(FATES, counts, strict=True))


def _count_cells(counts: Counts) -> list[str]:
    return [str(count) if count else "" for count in counts]


def _page_head(ledger: Ledger) -> Iterator[str]:
    yield f"# Where every field ends: {ledger.adapter}"
    yield ""
    yield "Each documented field of a dialect by itself, in a minimal valid document, with two values, in each"
    yield "direction. `G>O`: a Gemini client, an OpenAI Chat upstream; A is Anthropic. A request goes from left to"
    yield "right, an answer (response, stream) from right to left."
    yield ""
    yield from (f"* **{fate}**: {MEANING[fate]}." for fate in FATES)
    yield ""


def _count_tables(ledger: Ledger) -> Iterator[str]:
    yield "## Counts"
    yield ""
    yield from _markdown_table(direction_rows(ledger))
    yield ""
    yield "By importance:"
    yield ""
    yield from _markdown_table(importance_rows(ledger))
    yield ""
    yield from (f"* {name}: {what}." for name, what in IMPORTANCE.items())
    yield ""


def _stale_section(ledger: Ledger) -> Iterator[str]:
    found = describe_stale_losses(ledger)
    if found:
        yield "## Declared losses that do not happen"
        yield ""
        yield from (f"* {row}" for row in found)
        yield ""


def _leaf_tables(ledger: Ledger) -> Iterator[str]:
    """One table for each dialect and side: leaves down, far ends across."""
    for side in SIDES:
        for origin in DIALECTS:
            found = [entry for entry in ledger.entries if entry.side == side and entry.ends[0] == origin]
            if found:
                yield from _leaf_table(side, origin, found)


def _leaf_table(side: Side, origin: Dialect, entries: Sequence[Entry]) -> Iterator[str]:
    far = [target for target in DIALECTS if any(entry.ends[1] == target for entry in entries)]
    cells = {
        (entry.path, entry.base_name, entry.ends[1]): _fate_cell(entry) for entry in entries if entry.path or entry.bad
    }
    rows = dict.fromkeys((path, place) for path, place, _ in cells)
    several = {path for path, _ in rows if sum(path == name for name, _ in rows) > 1}
    yield f"## {_SIDE[side]} of {origin}"
    yield ""
    yield from _markdown_table(
        [
            ["field", *(_column_title(side, origin, target) for target in far)],
            *(
                [_row_name(path, place, path in several), *(cells.get((path, place, target), "") for target in far)]
                for path, place in rows
            ),
        ]
    )
    yield ""


_SIDE: Final[dict[Side, str]] = {"request": "Requests", "response": "Answers", "stream": "Streams"}


def _column_title(side: Side, origin: Dialect, target: Dialect) -> str:
    return direction_name(origin, target) if side == "request" else direction_name(target, origin)


def _row_name(path: str, place: str, several: bool) -> str:
    return f"`{path}`{f' ({place})' if several else ''}" if path else f"(base: {place})"


def _fate_cell(entry: Entry) -> str:
    ruling = entry.ruling
    because = ", ".join(ruling.by) if ruling.by else ", ".join(ruling.losses)
    return f"{ruling.fate}: {because}" if because else ruling.fate


def _markdown_table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    yield from (f"| {' | '.join(row)} |" for row in rest)
