"""The end of a session: accepted failures that no longer fail.

Only all the cases of a suite together tell, and worker processes have a part each: their reports carry the results
here, to the process that gathers them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridgecheck.model.case_json import case_from_dict
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.deviations_file import load_gate
from bridgecheck.report.gate import Coverage, DeviationUse, find_deviation_uses
from bridgecheck.wire import JsonObject


@dataclass(slots=True)
class Tally:
    """``cases``: by what holds them; ``suites``: what the guard of each said."""

    cases: dict[str, list[CaseResult]] = field(default_factory=dict)
    suites: dict[str, JsonObject] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)

    def add(self, report: pytest.TestReport) -> None:
        holder = text(vars(report).get("bridgecheck_holder"))
        suite, case = (text(vars(report).get(f"bridgecheck_{name}")) for name in ("suite", "case"))
        if suite:
            self.suites[holder] = obj(json.loads(suite))
        elif holder and case:
            self.cases.setdefault(holder, []).append(case_from_dict(json.loads(case)))

    def finish(self, session: pytest.Session) -> None:
        """A stale deviation is one more failed test, or a line in the summary."""
        for holder, suite in self.suites.items():
            for use in self._stale(holder, suite):
                if suite["stale"] == "fail":
                    _fail(session, holder, suite, use)
                else:
                    self.warned.append(f"{holder}: {_words(suite, use)}")

    def _stale(self, holder: str, suite: JsonObject) -> Iterator[DeviationUse]:
        version, today = text(suite["version"]), datetime.now(UTC).date()
        entries = load_gate(Path(text(suite["deviations"])), "", version, today).deviations
        cases = self.cases.get(holder, [])
        played = sum(case.source != "traffic" for case in cases)
        partial = played < (integer(suite["planned"]) or 0)
        covered = Coverage.of_run(cases, [("--relations", text(suite["relations"]))], partial)
        return (use for use in find_deviation_uses(entries, cases, covered, version, today) if use.state == "stale")


def _words(suite: JsonObject, use: DeviationUse) -> str:
    return f"{use.entry.name} of {suite['deviations']} no longer fails ({use.entry.reason})"


def _fail(session: pytest.Session, holder: str, suite: JsonObject, use: DeviationUse) -> None:
    name = f"no_deviation_is_stale[{use.entry.name}]"
    report = pytest.TestReport(
        nodeid=f"{holder}::{name}",
        location=(holder.partition("::")[0], None, name),
        keywords={},
        outcome="failed",
        longrepr=f"{_words(suite, use)}\nTake the entry out.",
        when="call",
    )
    session.config.hook.pytest_runtest_logreport(report=report)
    if session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
