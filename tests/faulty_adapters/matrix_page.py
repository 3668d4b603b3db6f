"""docs/kill-matrix.md: which check notices which planted fault."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from all_mutants import ALL_MUTANTS
from matrix_results import Result
from mutants import Mutant
from planting import SAMPLE

from bridgecheck.checks import CHECKS

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "kill-matrix.md"
FAST_COUNT: Final = 6
"""Mutants named in a row of the checks; the grid shows the others."""

_HEAD: Final = """# Kill matrix

Written by `make matrix` from tests/faulty_adapters; do not edit.

{mutants} faults, each modelled on a public report, are planted one at a time: {adapters} in the reference, {judges} in
the judge's own normalisers and comparisons (some of these beside a fault of the reference, which is then seen by the
scenario's words alone). {killed} are noticed through the checks named for them, and every one of the {checks} checks
notices at least one. [liberties.md](liberties.md) shows the other side: adapters that are right in another way, all of which pass.

What was run for each: the scenarios named in its entry, with SDK clients, and with relations or as recorded traffic
where its checks need them; and {sample} scenarios, one of a topic, through the converter. A check that is not listed for
a fault may still notice it elsewhere. `--strict`: a WARN counts. Without a fault the same run has no FAIL, ERROR or WARN.
"""


def page(results: Mapping[str, Result]) -> str:
    """Return the page from the mutants' entries and their results. KeyError for a mutant that never ran."""
    mutants = [mutant for mutant in ALL_MUTANTS if results[mutant.name]]
    sections = (_head(mutants, results), _checks(mutants, results), _mutants(mutants, results), _grid(mutants, results))
    return "\n".join(sections)


def idle_checks(results: Mapping[str, Result]) -> list[str]:
    """Return the ids of checks that notice no fault."""
    return [check.id for check in CHECKS if not any(check.id in result.tripped for result in results.values())]


def in_judge(mutant: Mutant) -> bool:
    """Return whether the mutant changes the judge."""
    return any(file.startswith("bridgecheck/") for file, _, _ in mutant.edits)


def _head(mutants: Sequence[Mutant], results: Mapping[str, Result]) -> str:
    judges = sum(map(in_judge, mutants))
    return _HEAD.format(
        mutants=len(mutants),
        adapters=len(mutants) - judges,
        judges=judges,
        killed=sum(results[mutant.name].killed for mutant in mutants),
        checks=len(CHECKS),
        sample=len(SAMPLE),
    )


def _checks(mutants: Sequence[Mutant], results: Mapping[str, Result]) -> str:
    rows = ["## By check", "", "| check | faults | among them, those named for it first |", "|---|---|---|"]
    for check in CHECKS:
        found = [mutant for mutant in mutants if check.id in results[mutant.name].tripped]
        found.sort(key=lambda mutant: check.id not in mutant.expected)
        more = f" and {len(found) - FAST_COUNT} more" if len(found) > FAST_COUNT else ""
        rows.append(
            f"| `{check.id}` | {len(found)} | {', '.join(noticed.name for noticed in found[:FAST_COUNT])}{more} |"
        )
    return "\n".join([*rows, ""])


def _mutants(mutants: Sequence[Mutant], results: Mapping[str, Result]) -> str:
    rows = ["## By fault", "", "In bold what has to notice it; then in how many scenarios anything did.", ""]
    rows += ["| fault | modelled on | noticed by | scenarios |", "|---|---|---|---|"]
    for mutant in mutants:
        found = results[mutant.name]
        checks = sorted(found.tripped, key=lambda check: (check not in mutant.expected, check))
        noticed = ", ".join(f"**{check}**" if check in mutant.expected else check for check in checks)
        rows.append(f"| {mutant.name} | {_link_issue(mutant.source)} | {noticed} | {found.scenarios} |")
    return "\n".join([*rows, ""])


def _link_issue(source: str) -> str:
    """Return ``owner/name#1`` as a Markdown link."""
    owner, name, _, number = source.removeprefix("https://github.com/").split("/")
    return f"[{owner}/{name}#{number}]({source})"


def _grid(mutants: Sequence[Mutant], results: Mapping[str, Result]) -> str:
    """Return a grid with one column for each fault, in the order of the table above."""
    wide = max(len(check.id) for check in CHECKS)
    rows = [
        "## Grid",
        "",
        "`#` a check named for the fault, `+` another that notices it too. Every tenth is numbered.",
        "",
    ]
    rows += ["```text", f"{'':{wide}}  {_numbers(len(mutants))}"]
    rows += [f"{check.id:{wide}}  {_cells(check.id, mutants, results)}" for check in CHECKS]
    return "\n".join([*rows, "```", ""])


def _numbers(columns: int) -> str:
    return "".join(f"{number:>10}" for number in range(10, columns + 1, 10)).rstrip()


def _cells(check: str, mutants: Sequence[Mutant], results: Mapping[str, Result]) -> str:
    cells = [
        "." if check not in results[mutant.name].tripped else "#" if check in mutant.expected else "+"
        for mutant in mutants
    ]
    return "".join(cells)
