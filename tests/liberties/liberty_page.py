"""docs/liberties.md: the adapters that are right in another way, and what the judge holds against them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from all_liberties import ALL_LIBERTIES, COMPOSITIONS
from liberty_results import LibertyResult
from strict_judges import STRICT_JUDGES
from strict_results import StrictResult, load_strict_results

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "liberties.md"

_HEAD: Final = """# Liberties

Written by `make matrix` from tests/liberties; do not edit.

{count} adapters that are right in another way than the reference: each changes one habit, which the document or the recording
named beside it allows ("recorded": by its name among the recordings that [traffic.md](traffic.md) describes). The judge passes every
one over the whole corpus at wire level and over 300 recordings, {recorded} cases, without FAIL and without WARN but what the
reference gets in the same recording; {before} of them were accused by the judge before it was held to them. They were played at
{commits}. [kill-matrix.md](kill-matrix.md) shows the other side: adapters with one fault each, all of which fail.
"""


def liberties_page(results: Mapping[str, LibertyResult]) -> str:
    """Return the page. KeyError for a liberty, or a judge that is too strict, that was never played."""
    before = sum(bool(results[liberty.name].accused_before) for liberty in ALL_LIBERTIES)
    commits = Counter(result.commit for result in results.values())
    head = _HEAD.format(
        count=len(ALL_LIBERTIES),
        before=before,
        recorded=sum(results[liberty.name].recorded for liberty in ALL_LIBERTIES),
        commits=", ".join(f"{commit} ({count})" for commit, count in sorted(commits.items())),
    )
    strict = _strict_rows(load_strict_results())
    return "\n".join((head, *_liberty_rows(results), "", *_composition_rows(results), "", *strict, ""))


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


def _strict_rows(results: Mapping[str, StrictResult]) -> Iterator[str]:
    checks = len({judge.check for judge in STRICT_JUDGES})
    witnessed_by_liberty_alone = sum(judge.check not in results[judge.name].reference for judge in STRICT_JUDGES)
    yield "## Judges that are too strict"
    yield ""
    yield f"The other way round: {len(STRICT_JUDGES)} judges, each with one edit by which one of {checks} checks asks for more"
    yield "than its rule, are each accused by a liberty, which the judge as it is passes in the same cases. The reference alone"
    yield f"would not have shown {witnessed_by_liberty_alone} of them. Beside each check: how many of its verdicts wrong the liberty, and the reference."
    yield ""
    yield "| judge | what the rule says | check | liberty | liberty wronged | reference wronged |"
    yield "|---|---|---|---|---|---|"
    for judge in STRICT_JUDGES:
        result = results[judge.name]
        counts = f"{result.accused.get(judge.check, 0)} | {result.reference.get(judge.check, 0)}"
        yield f"| {judge.name} | {judge.rule} | `{judge.check}` | {judge.liberty} | {counts} |"


def _checks(accused: Mapping[str, int]) -> str:
    return ", ".join(f"`{check}`" for check in accused) or "-"
