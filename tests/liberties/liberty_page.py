"""docs/liberties.md: the adapters that are right in another way, and what the judge holds against them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from all_liberties import ALL_LIBERTIES, COMPOSITIONS
from liberty_results import LibertyResult

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "liberties.md"

_HEAD: Final = """# Liberties

Written by `make matrix` from tests/liberties; do not edit.

{count} adapters that are right in another way than the reference: each changes one habit, which the document or the recording
named beside it allows. The judge passes every one over the whole corpus at wire level and over 300 recordings, without FAIL and
without WARN; {before} of them were accused by the judge before it was held to them. [kill-matrix.md](kill-matrix.md) shows the other
side: adapters with one fault each, all of which fail.
"""


def liberties_page(results: Mapping[str, LibertyResult]) -> str:
    """Return the page. KeyError for a liberty that was never played."""
    before = sum(bool(results[liberty.name].accused_before) for liberty in ALL_LIBERTIES)
    head = _HEAD.format(count=len(ALL_LIBERTIES), before=before)
    return "\n".join((head, *_liberty_rows(results), "", *_composition_rows(results), ""))


def _liberty_rows(results: Mapping[str, LibertyResult]) -> Iterator[str]:
    yield "| liberty | why it is right | source | cases | changed | accused | before |"
    yield "|---|---|---|---|---|---|---|"
    for liberty in ALL_LIBERTIES:
        result = results[liberty.name]
        before = "not known" if result.accused_before is None else _checks(result.accused_before)
        counts = f"{result.cases} | {result.changed} | {_checks(result.accused)} | {before}"
        yield f"| {liberty.name} | {liberty.allows} | {liberty.source} | {counts} |"


def _composition_rows(results: Mapping[str, LibertyResult]) -> Iterator[str]:
    yield "Several at once, over all recordings:"
    yield ""
    yield "| composition | liberties | cases | accused |"
    yield "|---|---|---|---|"
    for name, parts in COMPOSITIONS.items():
        yield f"| {name} | {', '.join(parts)} | {results[name].recorded} | {_checks(results[name].accused)} |"


def _checks(accused: Mapping[str, int]) -> str:
    return ", ".join(f"`{check}`" for check in accused) or "-"
