"""A case as a pytest item: PASS, WARN and NOTE pass; FAIL and ERROR fail with a text to read; what is excused fails as
expected; the rest is skipped with the reason. Nothing else skips a case or expects it to fail: marks and fixtures
around it may not."""

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from _pytest._code.code import TerminalRepr, TracebackStyle

from bridgecheck.deviations.write import format_entry
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.verdict import EXCUSES, CaseResult, Status, Verdict
from bridgecheck.report.deviation_changes import accept_failures
from bridgecheck.report.deviation_use import collect_failures
from bridgecheck.report.findings import repeat_command
from bridgecheck.report.fingerprint import fingerprints
from bridgecheck.report.sentences import name_excuse

SKIPPED: Final[frozenset[str]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE", "REJECTED", "DISPUTED"})
FAILED: Final[frozenset[Status]] = frozenset({"FAIL", "ERROR"})

MOST_DIFFERENCES: Final = 5
MOST_CRASH_LINES: Final = 12

NOT_FROM_OUTSIDE: Final = (
    "a standard case cannot be {action} from outside, only deviations.toml excuses a failure: {reason}"
)


class CaseFailed(Exception):
    """Carries the result to ``repr_failure``; has no traceback worth showing."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(str(result.key))
        self.result = result


class Case(pytest.Item):
    """What all cases have in common. ``address``: of the case, by which shards are made. ``result``: of the case, once
    it ran. ``is_excused``: the case itself reports that it is skipped or may fail. ``holder``: the node id of what
    holds it together with others, "" where nothing depends on all of them."""

    play: Callable[[], CaseResult]
    address: str
    holder: str = ""
    result: CaseResult | None = None
    is_excused: bool = False

    def runtest(self) -> None:
        result = self.play()
        self.result = result
        self.user_properties.extend(junit_properties(result))
        if result.counted_as in EXCUSES:
            self.is_excused = True
            reasons = dict.fromkeys(name_excuse(verdict.excuse) for verdict in result.verdicts if verdict.excuse)
            pytest.xfail(escape_lone_surrogates("; ".join(reasons)))
            self.is_excused = False  # only reached with --runxfail
        if result.counted_as in FAILED | set(EXCUSES):
            raise CaseFailed(result)
        if result.counted_as in SKIPPED:
            self.is_excused = True
            message = next(verdict.message for verdict in result.verdicts if verdict.status == result.status)
            pytest.skip(escape_lone_surrogates(f"{result.status}: {message}"))

    def repeat_command(self, result: CaseResult) -> str:
        raise NotImplementedError

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Return what failed, or an error of ours; a traceback adds nothing to either."""
        if isinstance(excinfo.value, CaseFailed):
            result = excinfo.value.result
            return escape_lone_surrogates(describe_failure(result, self.repeat_command(result)))
        return str(excinfo.value) if isinstance(excinfo.value, BridgecheckError) else super().repr_failure(excinfo)

    def complete_report(self, report: pytest.TestReport) -> None:
        """Make the report show what the case reports, and add the result to it, which leaves a worker process so,
        with the ``holder`` whose deviations it concerns."""
        fail_if_excused_from_outside(report, self.is_excused, has_run=self.result is not None)
        if report.when == "call" and self.result:
            result = json.dumps(case_to_dict(self.result))
            vars(report).update(bridgecheck_case=result, bridgecheck_holder=self.holder)


def reread_node_id(item: pytest.Item) -> None:
    """Give an item whose name ends in ``[...]`` the id that pytest reads from its text. From 9.2 on pytest compares ids
    by their parts: of what it has not parametrized itself, ``--lf`` and ``--sw`` would know nothing again."""
    try:
        from _pytest.nodeid import NodeId
    except ImportError:  # before 9.2 an id is its text
        return
    item._id = NodeId.parse(item.nodeid)


class CorpusCase(Case):
    """A case of the corpus or of recorded traffic, under its file. ``options``: of ``run``, that play the same; () for
    the reference. ``find_wait``: finds the seconds that it has to wait for what an earlier case may yet send."""

    options: tuple[str, ...] = ()
    find_wait: Callable[[], float] = staticmethod(lambda: 0.0)

    def repeat_command(self, result: CaseResult) -> str:
        return shlex.join(repeat_command(result, self.options))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def fail_if_excused_from_outside(report: pytest.TestReport, is_excused: bool, has_run: bool) -> None:
    """Turn an item that a mark or a fixture skipped or expected to fail into a failure. ``is_excused``: the item did
    so itself. ``has_run``: the report has the item's own text."""
    if is_excused:
        return
    mark = vars(report).pop("wasxfail", None)
    if report.skipped:
        report.outcome = "failed"
        if not has_run:
            text = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            action, reason = ("skipped", text) if mark is None else ("expected to fail", mark)
            report.longrepr = NOT_FROM_OUTSIDE.format(action=action, reason=reason)


def escape_lone_surrogates(text: str) -> str:
    r"""Replace a lone surrogate by its escape ``\ud800``: no worker process can send it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe_failure(result: CaseResult, repeat: str) -> str:
    """Return what failed, as text: each bad verdict with its first differences, the end of a crash, and the command
    that repeats the case. Excused verdicts are shown only where all are excused."""
    bad = [verdict for verdict in result.verdicts if verdict.status in FAILED]
    lines = [f"{result.status} {result.key}  {result.title}"]
    for verdict in [verdict for verdict in bad if verdict.excuse is None] or bad:
        lines += _verdict_lines(verdict)
    if result.crash:
        lines += ["", *result.crash.splitlines()[-MOST_CRASH_LINES:]]
    return "\n".join([*lines, "", f"repeat: {repeat}", *_accepting_entry_lines(result)])


def _accepting_entry_lines(result: CaseResult) -> Iterator[str]:
    """Yield what accepts the failures of a case, but for the reason."""
    failures = collect_failures([result], FAILED)
    added = accept_failures([], failures, failures, "").added
    if added:
        yield "to accept it, in deviations.toml, with a reason:"
    for entry in added:
        yield from (f"  {line}" for line in format_entry(entry, "").split("\n"))


def junit_properties(result: CaseResult) -> Iterator[tuple[str, object]]:
    """Yield the properties for JUnit: the address and what the case counts as; of each failure its check and
    fingerprint, as reports and deviations.toml have them; what excuses it."""
    yield "bridgecheck.case", escape_lone_surrogates(str(result.key))
    yield "bridgecheck.status", result.counted_as
    bad = [verdict for verdict in result.verdicts if verdict.status in FAILED]
    for check in dict.fromkeys(verdict.check for verdict in bad):
        yield "bridgecheck.check", check
    for mark in dict.fromkeys(mark for verdict in bad for mark in fingerprints(result, verdict)):
        yield "bridgecheck.fingerprint", mark
    for excuse in dict.fromkeys(verdict.excuse for verdict in bad if verdict.excuse):
        yield f"bridgecheck.{excuse.kind}", excuse.by


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    yield ""
    yield f"{verdict.check}: {verdict.message}"
    for difference in verdict.differences[:MOST_DIFFERENCES]:
        yield f"  {difference.path}\n    expected {difference.expected}\n    actual   {difference.actual}"
    more = len(verdict.differences) - MOST_DIFFERENCES
    if more > 0:
        yield f"  ... and {more} more"
