"""A case as a pytest item: PASS, WARN and NOTE pass; FAIL and ERROR fail with a text to read; what is excused fails as
expected; the rest is skipped, saying why."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from _pytest._code.code import TerminalRepr

from bridgecheck.model.case_json import case_to_dict
from bridgecheck.model.verdict import EXCUSES, CaseResult, Difference, Verdict
from bridgecheck.report.findings import repeat_command
from bridgecheck.report.words import excused

SKIPPED: Final[frozenset[str]] = frozenset({"NOT_APPLICABLE", "INCONCLUSIVE", "REJECTED", "DISPUTED"})
FAILED: Final[frozenset[str]] = frozenset({"FAIL", "ERROR"})

DIFFERENCES_SHOWN: Final = 5
CRASH_LINES_SHOWN: Final = 12


class CaseFailed(Exception):
    """Carries the result to ``repr_failure``; has no traceback worth showing."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(str(result.key))
        self.result = result


class CaseItem(pytest.Item):
    """``address``: of the case, by which shards are dealt. ``case_json``: the CaseResult as JSON text once it ran, ""
    before: it travels in the report from worker processes."""

    play: Callable[[], CaseResult]
    address: str
    case_json: str = ""

    @classmethod
    def of(cls, parent: pytest.Collector, name: str, address: str, play: Callable[[], CaseResult]) -> "CaseItem":
        item = cls.from_parent(parent, name=name)
        item.play, item.address = play, address
        return item

    def runtest(self) -> None:
        result = self.play()
        self.case_json = json.dumps(case_to_dict(result))
        if result.counted in FAILED:
            raise CaseFailed(result)
        if result.counted in EXCUSES:
            pytest.xfail(encodable(_excuses(result)))
        if result.counted in SKIPPED:
            pytest.skip(encodable(f"{result.status}: {_first(result).message}"))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> str | TerminalRepr:
        if isinstance(excinfo.value, CaseFailed):
            return encodable(describe(excinfo.value.result))
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def encodable(text: str) -> str:
    r"""A lone surrogate becomes its escape ``\ud800``: no worker process can send it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe(result: CaseResult) -> str:
    """What failed, as text: each bad verdict with its first differences, the end of a crash, the command to repeat
    it."""
    lines = [f"{result.status} {result.key}  {result.title}"]
    for verdict in result.verdicts:
        if verdict.status in FAILED and verdict.excuse is None:
            lines += _verdict(verdict)
    if result.crash:
        lines += ["", *result.crash.splitlines()[-CRASH_LINES_SHOWN:]]
    return "\n".join([*lines, "", f"again: {' '.join(repeat_command(result))}"])


def _excuses(result: CaseResult) -> str:
    return "; ".join(dict.fromkeys(excused(verdict.excuse) for verdict in result.verdicts if verdict.excuse))


def _first(result: CaseResult) -> Verdict:
    return next(verdict for verdict in result.verdicts if verdict.status == result.status)


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
    return f"  {row.path}\n    expected {row.expected}\n    got      {row.got}"
