"""The top of a page: what was judged, when, against which control, and what came out, in words and numbers."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

from bridgecheck.model.verdict import EXCUSES, STATUSES
from bridgecheck.report import sentences
from bridgecheck.report.html.matrix import STATUS_MEANS, status_glyph
from bridgecheck.report.model import JUDGED_STATUSES, Report, RunInfo
from bridgecheck.report.table import CONTROL_COLUMNS, Cell

STATUS_WORD: Final = {"deviation": "accepted"}
"""What is counted, where the page has another word for it."""

Tone: TypeAlias = Literal["good", "warned", "bad"]


@dataclass(frozen=True, slots=True)
class StatusCount:
    """``means``: what the word stands for."""

    number: int
    word: str
    glyph: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What the identity adapter and the provider's own SDK came to in the same run. ``ran``: there was one."""

    ran: bool
    failed: int
    description: str


@dataclass(frozen=True, slots=True)
class PageHeader:
    """``judgement``: CONFORMANT and the like; ``verdict``: the rest of that sentence."""

    subject: str
    when: str
    target: str
    judgement: str
    verdict: str
    tone: Tone
    exit_code: int
    partial: str
    expires: str
    expired: bool
    findings: tuple[StatusCount, ...]
    cases: tuple[StatusCount, ...]
    judged: int
    control: ControlResult
    sources: str
    facts: tuple[tuple[str, str], ...]


def make_page_header(report: Report, today: date) -> PageHeader:
    info = report.info
    judgement, _, verdict = sentences.verdict_line(report).partition(": ")
    until = info.valid_until
    return PageHeader(
        subject=" ".join(filter(None, (info.adapter, info.version))) or "an adapter without a name",
        when=_run_date_line(info, until),
        target=info.target,
        judgement=judgement,
        verdict=verdict,
        tone=report_tone(report),
        exit_code=report.exit_code,
        partial=partial_notice(report),
        expires=until.isoformat() if until else "",
        expired=until is not None and today > until,
        findings=count_findings(report),
        cases=count_cases(report),
        judged=sum(case.status in JUDGED_STATUSES for case in report.cases),
        control=control_result(report),
        sources=sentences.sources_line(report).removeprefix("Cassettes: "),
        facts=tuple(_run_facts(report)),
    )


def _run_date_line(info: RunInfo, until: date | None) -> str:
    """``Run on 2026-11-22, valid until 2027-02-20``."""
    if until is None:
        return "Run on an unknown day"
    return f"Run on {info.start_date}, valid until {until}"


def report_tone(report: Report) -> Tone:
    if report.exit_code:
        return "bad"
    return "warned" if report.totals["WARN"] or report.totals["deviation"] else "good"


def partial_notice(report: Report) -> str:
    """What is missing of a run that was cut off; "" for a whole one."""
    if not report.info.partial:
        return ""
    finished, planned = len(report.cases), report.info.planned
    if finished >= planned:
        return "A part of the run is missing. What is missing was not judged."
    return (
        f"The run was cut off: {finished} of {sentences.plural(planned, 'case')} done. What is missing was not judged."
    )


def count_findings(report: Report) -> tuple[StatusCount, ...]:
    """By status, the worst first, then those that do not gate; none at all is nothing."""
    counts = Counter(finding.status for finding in report.findings)
    found = [StatusCount(counts[status], status, status_glyph(status)) for status in STATUSES if counts[status]]
    return (*found, *([StatusCount(len(report.newer_findings), "newer", "·")] if report.newer_findings else []))


def count_cases(report: Report) -> tuple[StatusCount, ...]:
    """By status, what is wrong first, then what passed, then the rest; what nobody got is left out."""
    means: dict[str, str] = dict(STATUS_MEANS.items())
    means |= {"deviation": "fails and is accepted", "newer": f"newer than {report.info.requirements}"}
    ordered = dict.fromkeys(("ERROR", "FAIL", "WARN", *EXCUSES, "PASS", *STATUSES))
    names = [name for name in ordered if report.totals[name]]
    return tuple(
        StatusCount(report.totals[name], STATUS_WORD.get(name, name), status_glyph(name), means[name]) for name in names
    )


def control_result(report: Report) -> ControlResult:
    table = report.topics
    cells = [cell for name, cell in zip(table.columns, table.totals, strict=True) if name in CONTROL_COLUMNS]
    cell = sum(cells, Cell())
    if not cell.judged:
        return ControlResult(False, 0, "There was no control in this run.")
    sentence = f"{sentences.plural(cell.judged, 'case')} without an adapter, in the same run: "
    return ControlResult(True, cell.failed, sentence + (f"{cell.failed} failed" if cell.failed else "none failed"))


def _run_facts(report: Report) -> list[tuple[str, str]]:
    info = report.info
    until = info.valid_until
    rows = [
        ("Adapter", info.adapter),
        ("Version", info.version or "unknown"),
        ("Reached as", info.target or "the default adapter"),
        ("Run", info.started or "without a date"),
        ("Valid until", until.isoformat() if until else "not known"),
        ("Exit code", f"{report.exit_code}"),
        ("Cassettes", sentences.sources_line(report).removeprefix("Cassettes: ")),
        ("Requirements", info.requirements or "everything there is"),
        ("Chosen", " ".join(f"{option} {value}" for option, value in info.selection) or "everything"),
        ("Relations", sentences.relations_line(report).removeprefix("Relations: ")),
        ("With", ", ".join(f"{name} {version}" for name, version in info.versions)),
    ]
    return [(name, value) for name, value in rows if value]
