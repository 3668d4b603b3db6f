"""The top of a page: what was judged, when, against which control, and what came out, in words and numbers."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from bridgecheck.model.counts import plural
from bridgecheck.model.verdict import EXCUSES, STATUSES
from bridgecheck.report import sentences
from bridgecheck.report.html.matrix import STATUS_MEANS
from bridgecheck.report.model import JUDGED_STATUSES, Report
from bridgecheck.report.table import CONTROL_COLUMNS, Cell

Tone: TypeAlias = Literal["good", "warned", "accepted", "bad"]


@dataclass(frozen=True, slots=True)
class StatusCount:
    """``means``: what the word stands for."""

    number: int
    word: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """What pages show of a report as a whole, as of ``today``."""

    report: Report
    today: date

    @property
    def adapter_name_and_version(self) -> str:
        """Adapter and version; "" if the report has neither."""
        return " ".join(filter(None, (self.report.info.adapter, self.report.info.version)))

    @property
    def verdict(self) -> tuple[str, str]:
        """CONFORMANT and the like, and the rest of that sentence."""
        judgement, _, rest = sentences.verdict_line(self.report).partition(": ")
        return judgement, rest

    @property
    def sentence(self) -> str:
        """The verdict in plain English."""
        return sentences.plain_verdict_sentence(self.report)

    @property
    def until(self) -> str:
        """The last day on which the report is valid; "" if not known."""
        return str(self.report.info.valid_until_if_dated or "")

    @property
    def is_expired(self) -> bool:
        return bool(self.until) and self.report.info.is_expired_or_undated(self.today)

    @property
    def tone(self) -> Tone:
        if self.report.exit_code:
            return "bad"
        if self.report.accepted_findings:
            return "accepted"
        return "warned" if self.report.totals["WARN"] else "good"

    @property
    def is_unjudged(self) -> bool:
        """Whether no case came to a verdict."""
        return not any(case.status in JUDGED_STATUSES for case in self.report.cases)

    @property
    def partial_notice(self) -> str:
        """What is missing of a run that was cut off; "" for a whole one."""
        finished, planned = len(self.report.cases), self.report.info.planned
        if not self.report.info.partial:
            return ""
        what = f"The run was cut off: {finished} of {plural(planned, 'case')} done."
        return f"{what if finished < planned else 'A part of the run is missing.'} What is missing was not judged."

    @property
    def finding_counts(self) -> tuple[StatusCount, ...]:
        """By status, the worst first, then those that do not gate; none at all is nothing."""
        counts = Counter(finding.status for finding in self.report.findings)
        found = [StatusCount(counts[status], status) for status in STATUSES if counts[status]]
        more = {"newer": self.report.newer_findings, "accepted": self.report.accepted_findings}
        return (*found, *(StatusCount(len(excused), word) for word, excused in more.items() if excused))

    @property
    def case_counts(self) -> tuple[StatusCount, ...]:
        """By status, what is wrong first, then what passed, then the rest; what nobody got is left out."""
        totals, newer = self.report.totals, f"newer than {self.report.info.requirements}"
        means = {**dict[str, str](STATUS_MEANS.items()), "deviation": "fails and is accepted", "newer": newer}
        ordered = dict.fromkeys(("ERROR", "FAIL", "WARN", *EXCUSES, "PASS", *STATUSES))
        return tuple(
            StatusCount(totals[name], sentences.COUNT_NAMES.get(name, name), means[name])
            for name in ordered
            if totals[name]
        )

    @property
    def identity_and_sdk_control_cell(self) -> Cell:
        table = self.report.topics
        return sum(
            (cell for name, cell in zip(table.columns, table.totals, strict=True) if name in CONTROL_COLUMNS), Cell()
        )

    @property
    def facts(self) -> list[tuple[str, str]]:
        """(name, text) of what is known about the run."""
        info = self.report.info
        rows = [
            ("Adapter", info.adapter), ("Version", info.version or "unknown"),
            ("Reached as", info.target or "the default adapter"), ("Run", info.started or "without a date"),
            ("Valid until", self.until or "not known"), ("Exit code", f"{self.report.exit_code}"),
            ("Cassettes", sentences.recordings_line(self.report).removeprefix("Cassettes: ")),
            ("Requirements", info.requirements or "everything there is"),
            ("Chosen", " ".join(f"{option} {value}" for option, value in info.selection) or "everything"),
            (
                sentences.NOT_CLAIMED.removesuffix(": "),
                sentences.unclaimed_line(self.report).removeprefix(sentences.NOT_CLAIMED),
            ),
            ("Relations", sentences.chosen_relations_line(self.report).removeprefix("Relations: ")),
            ("With", ", ".join(f"{name} {version}" for name, version in info.versions)),
        ]  # fmt: skip
        return [(name, value) for name, value in rows if value]
