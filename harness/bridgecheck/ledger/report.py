"""The ledger as a document: JSON for programs, Markdown for readers.

{"format": "bridgecheck-ledger", "version": 1, "adapter": "...", "adapter_version": "...", "totals": {"kept": 9, ...},
 "directions": [{"client": ..., "upstream": ..., "side": ..., "kept": 9, ...}], "importance": {"content": {...}},
 "stale": [...], "unrun": [...], "entries": [{"client": ..., "leaf": "contents[].role", "fate": "kept", ...}]}
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from bridgecheck.documented_leaves import SIDES, Side
from bridgecheck.ledger.fate import FATES, Fate
from bridgecheck.ledger.matrix import (
    IMPORTANCE,
    Counts,
    Entry,
    UnrunLeaf,
    count_by_client_upstream_and_side,
    count_by_importance,
    count_without_good_bases,
    find_unneeded_loss_rows,
)
from bridgecheck.report.table import direction_letters
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
    def exit_code_of_bad_or_unrun(self) -> int:
        """1 something bad, 3 a leaf that could not be run, 4 nothing was run, 0."""
        if any(entry.bad for entry in self.entries):
            return 1
        return 3 if self.unrun else 0 if self.entries else 4


def ledger_to_json(ledger: Ledger) -> JsonObject:
    return {
        "format": FORMAT, "version": VERSION, "adapter": ledger.adapter, "adapter_version": ledger.version,
        "totals": _counts_by_fate(count_without_good_bases(ledger.entries)),
        "directions": [{"client": client, "upstream": upstream, "side": side, **_counts_by_fate(counts)}
            for (client, upstream, side), counts in count_by_client_upstream_and_side(ledger.entries).items()],
        "importance": {name: _counts_by_fate(counts) for name, counts in count_by_importance(ledger.entries).items()},
        "stale": [asdict(row) for row in find_unneeded_loss_rows(ledger.entries)],
        "unrun": [{"leaf": unrun.leaf.path, "side": unrun.leaf.side, "why": unrun.why} for unrun in ledger.unrun],
        "entries": [_entry_to_json(entry) for entry in ledger.entries],
    }  # fmt: skip


def ledger_to_markdown(ledger: Ledger) -> str:
    sections = (_title_and_legend, _count_tables, _needless_losses_section, _leaf_tables)
    return "\n".join([*(line for section in sections for line in section(ledger)), ""])


def direction_rows(ledger: Ledger) -> list[list[str]]:
    """Return rows of counts: direction and side, then a figure a fate; the first row is the head, the last the sum."""
    rows = [
        [f"{direction_letters(client, upstream)} {side}", *_count_cells(counts)]
        for (client, upstream, side), counts in count_by_client_upstream_and_side(ledger.entries).items()
    ]
    return [["", *FATES], *rows, ["all", *_count_cells(count_without_good_bases(ledger.entries))]]


def importance_rows(ledger: Ledger) -> list[list[str]]:
    rows = [[name, *_count_cells(counts)] for name, counts in count_by_importance(ledger.entries).items()]
    return [["", *FATES], *rows]


def describe_entry(entry: Entry) -> str:
    ruling = entry.ruling
    because = ", ".join((*ruling.by, *ruling.losses))
    name, direction = entry.path or "(base)", direction_letters(entry.client, entry.upstream)
    outcome = f"{direction} {entry.side} {name} [{entry.base_name}]: {ruling.fate}"
    return f"{outcome}{f' ({because})' if because else ''}{f': {ruling.note}' if ruling.note else ''}"


def describe_stale_losses(ledger: Ledger) -> list[str]:
    """Return a line for each row of the table of losses that no longer happens."""
    return [
        f"{stale.row}, {stale.origin} to {stale.target}: {', '.join(stale.leaves)} arrives"
        for stale in find_unneeded_loss_rows(ledger.entries)
    ]


def _entry_to_json(entry: Entry) -> JsonObject:
    ruling = entry.ruling
    return {
        "client": entry.client, "upstream": entry.upstream, "side": entry.side, "leaf": entry.path,
        "base": entry.base_name, "fate": ruling.fate, "by": list(ruling.by), "losses": list(ruling.losses),
        "paths": list(ruling.paths), "note": ruling.note,
        "adapter_declared": [{"path": loss.path, "reason": loss.reason} for loss in entry.declared_losses],
    }  # fmt: skip


def _counts_by_fate(counts: Counts) -> dict[str, int]:
    return dict(zip(FATES, counts, strict=True))


def _count_cells(counts: Counts) -> list[str]:
    return [str(count) if count else "" for count in counts]


def _title_and_legend(ledger: Ledger) -> Iterator[str]:
    yield from (f"# Where every field ends: {ledger.adapter}", "")
    yield "Each documented field of a dialect by itself, in a minimal valid document, with two values, in each"
    yield "direction. `G>O`: a Gemini client, an OpenAI Chat upstream; A is Anthropic. A request goes from left to"
    yield from ("right, an answer (response, stream) from right to left.", "")
    yield from (*(f"* **{fate}**: {MEANING[fate]}." for fate in FATES), "")


def _count_tables(ledger: Ledger) -> Iterator[str]:
    yield from ("## Counts", "", *_markdown_table(direction_rows(ledger)), "")
    yield from ("By importance:", "", *_markdown_table(importance_rows(ledger)), "")
    yield from (*(f"* {name}: {meaning}." for name, meaning in IMPORTANCE.items()), "")


def _needless_losses_section(ledger: Ledger) -> Iterator[str]:
    found = describe_stale_losses(ledger)
    if found:
        yield from ("## Declared losses that do not happen", "", *(f"* {row}" for row in found), "")


def _leaf_tables(ledger: Ledger) -> Iterator[str]:
    """Yield one table for each dialect and side: leaves down, far ends across."""
    for side in SIDES:
        for origin in DIALECTS:
            found = [entry for entry in ledger.entries if entry.side == side and entry.ends[0] == origin]
            if found:
                yield from _leaf_table(side, origin, found)


def _leaf_table(side: Side, origin: Dialect, entries: Sequence[Entry]) -> Iterator[str]:
    far_ends = [target for target in DIALECTS if any(entry.ends[1] == target for entry in entries)]
    cells = {
        (entry.path, entry.base_name, entry.ends[1]): _fate_cell(entry) for entry in entries if entry.path or entry.bad
    }
    names = dict.fromkeys((path, base_name) for path, base_name, _ in cells)
    several = {path for path, count in Counter(path for path, _ in names).items() if count > 1}
    head = [direction_letters(*((origin, end) if side == "request" else (end, origin))) for end in far_ends]
    rows: list[list[str]] = []
    for path, base_name in names:
        title = f"`{path}`{f' ({base_name})' if path in several else ''}" if path else f"(base: {base_name})"
        rows.append([title, *(cells.get((path, base_name, end), "") for end in far_ends)])
    yield from (f"## {_SIDE[side]} of {origin}", "", *_markdown_table([["field", *head], *rows]), "")


_SIDE: Final[dict[Side, str]] = {"request": "Requests", "response": "Answers", "stream": "Streams"}


def _fate_cell(entry: Entry) -> str:
    reasons = ", ".join(entry.ruling.by or entry.ruling.losses)
    return f"{entry.ruling.fate}: {reasons}" if reasons else entry.ruling.fate


def _markdown_table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    for row in (head, ["---"] * len(head), *rest):
        yield f"| {' | '.join(row)} |"
