"""Checking published findings against the report beside them: a finding that the report does not show, or that the
control shares, is refused.

A warning may be published like a failure: the judge sees the same, and only cannot say that a rule was broken. A
finding that ``deviations.toml`` accepts counts like any other: the file only says that it is known.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.errors import BadFindings, BridgecheckError
from bridgecheck.files.findings_toml import FILE, read_published
from bridgecheck.model.counts import plural
from bridgecheck.model.published_finding import Published
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.report.fingerprint import fingerprints
from bridgecheck.report.model import JUDGED_STATUSES, Report
from bridgecheck.report.read import read_report

REPORTS_FOLDER: Final = Path("reports")
"""Where reports are published, seen from the project's folder."""

RECIPE_FILE: Final = "adapter.toml"
RUN_COMMAND: Final = "bridgecheck run --adapter {folder}/adapter.toml --report {folder}"


class FindingsAndRecipe(NamedTuple):
    """The files beside a report. ``findings`` None: there is no findings.toml. ``recipe``: the text of adapter.toml,
    which says every switch that is not the default, "" where there is none. ``warnings``: the ids of the findings that
    the report only warns of. ``scripts``: the ids of those whose script lies in the folder; ``scriptless``: why there
    is none of another, by id."""

    findings: tuple[Published, ...] | None = None
    recipe: str = ""
    warnings: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    scriptless: Mapping[str, str] = {}


NO_FINDINGS_AND_RECIPE: Final = FindingsAndRecipe()
MistakeAndExpected: TypeAlias = tuple[str, str]


class FailuresAndWarnings(NamedTuple):
    """What a report shows that can be published. ``fingerprints``: of the failures and warnings of its bridged cases,
    by case address. ``cases``: all."""

    fingerprints: dict[str, frozenset[str]]
    cases: dict[str, CaseResult]


def read_findings_and_recipe(folder: Path, report: Report) -> FindingsAndRecipe:
    """Read the files beside a report in its folder. Raises BadFindings."""
    findings, recipe = folder / FILE, folder / RECIPE_FILE
    found = read_published(findings) if findings.is_file() else None
    return FindingsAndRecipe(
        found,
        recipe.read_text(encoding="utf-8") if recipe.is_file() else "",
        frozenset(_find_warnings(found, report)) if found else frozenset(),
    )


def _find_warnings(found: tuple[Published, ...], report: Report) -> Iterator[str]:
    """Yield the id of each finding that the report warns of and has no failure of."""
    failing, warned = (
        frozenset[str]().union(*_fingerprints_by_case(report, frozenset({status})).values())
        for status in ("FAIL", "WARN")
    )
    for finding in found:
        if failing.isdisjoint(finding.fingerprints) and not warned.isdisjoint(finding.fingerprints):
            yield finding.id


def published_facts(finding: Published, warnings: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of each fact that pages show of a finding, in the order of reading."""
    yield "Why it is the adapter's", finding.why
    yield f"Provoked by what is {finding.provoked_by}", finding.provoked_source
    yield "Also seen by", finding.witness
    yield "What its documentation says", finding.documentation
    yield "Tracker", finding.tracker or "no thread is known"
    marks = ", ".join(finding.fingerprints)
    yield "In the report", f"{marks} (a warning)" if finding.id in warnings else marks


def lint_published(root: Path = REPORTS_FOLDER) -> tuple[str, list[str]]:
    """Over every ``findings.toml`` in a folder of ``root``: what was checked, in words ("" if there is none), and every
    problem, with its place."""
    paths = sorted(root.glob(f"*/{FILE}"))
    problems: list[str] = []
    count = 0
    for path in paths:
        try:
            found = read_published(path)
            count += len(found)
            problems += map(str, _find_problems_as_errors(path, found) if found else ())
        except BridgecheckError as wrong:
            problems.append(str(wrong))
    return (f"{plural(count, 'published finding')} of {plural(len(paths), 'adapter')}" if paths else ""), problems


def _find_problems_as_errors(path: Path, found: tuple[Published, ...]) -> Iterator[BadFindings]:
    report = read_report(path.parent).report
    shown = collect_failures_and_warnings(report)
    again = RUN_COMMAND.format(folder=path.parent)
    for finding in found:
        for what, expected in find_mistakes(finding, shown):
            yield BadFindings(f"{finding.id}: {what}", f"{path}:{finding.line}", expected, again)


def collect_failures_and_warnings(report: Report) -> FailuresAndWarnings:
    """Return what a report shows that can be published: failures and warnings, not notes."""
    cases = {str(case.key): case for case in report.cases}
    return FailuresAndWarnings(_fingerprints_by_case(report, frozenset({"FAIL", "WARN"})), cases)


def _fingerprints_by_case(report: Report, statuses: frozenset[str]) -> dict[str, frozenset[str]]:
    return {
        str(case.key): frozenset(
            mark for verdict in case.verdicts if verdict.status in statuses for mark in fingerprints(case, verdict)
        )
        for case in report.cases
        if case.key.path == "bridged"
    }


def find_mistakes(finding: Published, shown: FailuresAndWarnings) -> Iterator[MistakeAndExpected]:
    """Yield what contradicts the report in a finding, and what was expected."""
    known = frozenset[str]().union(*shown.fingerprints.values())
    for mark in finding.fingerprints:
        if mark not in known:
            yield f"the report has no failure or warning with the fingerprint {mark}", "one that report.json shows"
    if finding.case not in shown.cases:
        yield f"the report has no case {finding.case}", "the address of a case in report.json beside it"
        return
    marks = shown.fingerprints.get(finding.case, frozenset())
    if not marks:
        yield f"{finding.case} does not come to FAIL or WARN in the report", "a case that does"
    elif not marks & frozenset(finding.fingerprints):
        what = f"{finding.case} shows no failure or warning with {', '.join(finding.fingerprints)}"
        yield what, f"among {', '.join(sorted(marks))}"
    yield from _find_control_mistakes(shown.cases[finding.case].key, shown)


def _find_control_mistakes(key: CaseKey, shown: FailuresAndWarnings) -> Iterator[MistakeAndExpected]:
    """The identity adapter has to pass the same case in the same run: where it fails, the judge is wrong. It is played
    with the provider's dialect on both ends; of a scenario that has no client of that, with the client's."""
    address, client_address = (
        str(replace(key, path="native", client=dialect, upstream=dialect, layer="wire"))
        for dialect in (key.upstream, key.client)
    )
    control = shown.cases.get(address) or shown.cases.get(client_address)
    expected = "a case that the identity adapter passes in the same run"
    if control is None or control.status not in JUDGED_STATUSES:
        yield f"the control did not judge {address}", expected
    elif control.status in ("FAIL", "WARN"):
        yield f"the control comes to {control.status} in {address}", expected
