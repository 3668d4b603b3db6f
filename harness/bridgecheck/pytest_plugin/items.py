"""A case as a pytest item: PASS, WARN and NOTE pass; FAIL and ERROR fail with a text to read; what is excused fails as
expected; the rest is skipped, saying why. Nothing else skips a case or expects it to fail: marks and fixtures around it
may not."""

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from _pytest._code.code import TerminalRepr, TracebackStyle

from bridgecheck.errors import BridgecheckError
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.verdict import EXCUSES, CaseResult, Difference, Verdict
from bridgecheck.report.findings import repeat_command
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.sentences import describe_excuse

SKIPPED: Final[frozenset[str]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE", "REJECTED", "DISPUTED"})
FAILED: Final[frozenset[str]] = frozenset({"FAIL", "ERROR"})

DIFFERENCES_SHOWN: Final = 5
CRASH_LINES_SHOWN: Final = 12

ONLY_DEVIATIONS: Final = "a standard case cannot be {done} from outside, only deviations.toml excuses: {why}"


class CaseFailed(Exception):
    """Carries the result to ``repr_failure``; has no traceback worth showing."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(str(result.key))
        self.result = result


class Case(pytest.Item):
    """What all cases have in common. ``address``: of the case, by which shards are dealt. ``judged``: what came of it,
    once it ran. ``excused``: the case itself says that it is skipped or may fail. ``holder``: the node id of what holds
    it among others, "" where nothing depends on all of them."""

    play: Callable[[], CaseResult]
    address: str
    holder: str = ""
    judged: CaseResult | None = None
    excused: bool = False

    def runtest(self) -> None:
        result = self.play()
        self.judged = result
        self.user_properties.extend(properties(result))
        if result.counted_as in EXCUSES:
            self.excused = True
            pytest.xfail(encodable(_excuses(result)))
            self.excused = False  # only reached with --runxfail
        if result.counted_as in FAILED | set(EXCUSES):
            raise CaseFailed(result)
        if result.counted_as in SKIPPED:
            self.excused = True
            pytest.skip(encodable(f"{result.status}: {_first(result).message}"))

    def again(self, result: CaseResult) -> str:
        """The command that repeats the case."""
        raise NotImplementedError

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """What it did wrong, or where and what next; a traceback adds nothing to either."""
        if isinstance(excinfo.value, CaseFailed):
            return encodable(describe(excinfo.value.result, self.again(excinfo.value.result)))
        return str(excinfo.value) if isinstance(excinfo.value, BridgecheckError) else super().repr_failure(excinfo)

    def finish(self, report: pytest.TestReport) -> None:
        """Makes a report say what the case says, and gives it the result to carry out of a worker process, beside the
        ``holder`` whose deviations it tells of."""
        unexcused(report, self.excused, told=self.judged is not None)
        if report.when == "call" and self.judged:
            result = json.dumps(case_to_dict(self.judged))
            vars(report).update(bridgecheck_case=result, bridgecheck_holder=self.holder)


class CaseItem(Case):
    """A case of the corpus or of recorded traffic, under the file it is from. ``target``: the adapter as ``--adapter``
    takes it, "" for the reference."""

    target: str = ""

    @classmethod
    def of(cls, parent: pytest.Collector, name: str, address: str, play: Callable[[], CaseResult]) -> "CaseItem":
        item = cls.from_parent(parent, name=name)
        item.play, item.address = play, address
        return item

    def again(self, result: CaseResult) -> str:
        return shlex.join(repeat_command(result, self.target))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def unexcused(report: pytest.TestReport, excused: bool, told: bool) -> None:
    """Makes a failure of what a mark or a fixture skipped or expected to fail. ``excused``: the item did so itself.
    ``told``: it ran, and the report has its words."""
    if excused:
        return
    marked = vars(report).pop("wasxfail", None)
    if report.skipped:
        report.outcome = "failed"
        if not told:
            done, why = ("skipped", _reason(report)) if marked is None else ("expected to fail", marked)
            report.longrepr = ONLY_DEVIATIONS.format(done=done, why=why)


def encodable(text: str) -> str:
    r"""A lone surrogate becomes its escape ``\ud800``: no worker process can send it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe(result: CaseResult, again: str) -> str:
    """What failed, as text: each bad verdict with its first differences, the end of a crash, the command to repeat
    it."""
    lines = [f"{result.status} {result.key}  {result.title}"]
    for verdict in _failures(result):
        lines += _verdict(verdict)
    if result.crash:
        lines += ["", *result.crash.splitlines()[-CRASH_LINES_SHOWN:]]
    return "\n".join([*lines, "", f"again: {again}"])


def properties(result: CaseResult) -> Iterator[tuple[str, object]]:
    """For JUnit: the address and what the case counts as; of each failure its check and fingerprint, as reports and
    deviations.toml have them; what excuses it."""
    yield "bridgecheck.case", encodable(str(result.key))
    yield "bridgecheck.status", result.counted_as
    bad = [verdict for verdict in result.verdicts if verdict.status in FAILED]
    for check in dict.fromkeys(verdict.check for verdict in bad):
        yield "bridgecheck.check", check
    for mark in dict.fromkeys(fingerprint(result, verdict) for verdict in bad):
        yield "bridgecheck.fingerprint", mark
    for excuse in dict.fromkeys(verdict.excuse for verdict in bad if verdict.excuse):
        yield f"bridgecheck.{excuse.kind}", excuse.by


def _failures(result: CaseResult) -> list[Verdict]:
    """Those without an excuse; where all are excused, all: they are shown all the same then."""
    bad = [verdict for verdict in result.verdicts if verdict.status in FAILED]
    return [verdict for verdict in bad if verdict.excuse is None] or bad


def _excuses(result: CaseResult) -> str:
    return "; ".join(dict.fromkeys(describe_excuse(verdict.excuse) for verdict in result.verdicts if verdict.excuse))


def _first(result: CaseResult) -> Verdict:
    return next(verdict for verdict in result.verdicts if verdict.status == result.status)


def _reason(report: pytest.TestReport) -> str:
    said = report.longrepr
    return str(said[2] if isinstance(said, tuple) else said)


def _verdict(verdict: Verdict) -> list[str]:
    shown = [_difference(difference) for difference in verdict.differences[:DIFFERENCES_SHOWN]]
    more = len(verdict.differences) - len(shown)
    return [
        "",
        f"{verdict.check}: {verdict.message}",
        *shown,
        *([f"  ... and {more} more"] if more > 0 else []),
    ]


def _difference(row: Difference) -> str:
    return f"  {row.path}\n    expected {row.expected}\n    got      {row.actual}"
