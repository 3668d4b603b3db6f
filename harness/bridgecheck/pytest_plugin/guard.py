"""What is judged over all cases of a suite: that none was taken out, and which accepted failures are stale.

The guard is an item that fails where a standard case was taken out, or something else put in its place. If somebody
selects a part of the cases on the command line (``-k``, a node id, ``--bridgecheck-scenario``), the guard is skipped,
with the reason. What stands in a configuration or a conftest.py is a mistake.

Which accepted failures no longer fail is known only from all cases together, of which each worker process has a part:
their reports carry the results to the process that collects them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from _pytest._code.code import TerminalRepr, TracebackStyle

from bridgecheck.errors import BridgecheckError
from bridgecheck.files import scenario_ids
from bridgecheck.model.case_json import case_from_dict
from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.verdict import CaseResult
from bridgecheck.pytest_plugin.items import fail_if_excused_from_outside
from bridgecheck.pytest_plugin.suite import Suite
from bridgecheck.report.deviation_use import Coverage, DeviationUse, find_deviation_uses
from bridgecheck.report.deviations_file import load_gate
from bridgecheck.testing import Conformance
from bridgecheck.wire import JsonObject

NAME: Final = "every_standard_case_is_here"
MOST_MISSING: Final = 5

_SELECTING: Final = re.compile(
    r"-[qvxsl]*[km]|--deselect|--lf|--last-failed|--sw|--stepwise|--bridgecheck-(?:scenario|tag|mode|path|layer|shard)"
)
_NO_WORD: Final = re.compile(r"\W+")


class GuardFailed(Exception):
    """``str()`` is the text to show."""


class Guard(pytest.Item):
    """What both guards have in common. ``planned``: addresses of the cases that should be in the session; ``present``:
    of those that are, after every plugin. ``selecting``: the argument of this command line that selects a part, "" if
    none does. ``holder``: node id of what holds the cases. ``judged_suite``: the suite, once the guard ran."""

    planned: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    selecting: str = ""
    holder: str = ""
    judged_suite: Suite | None = None
    is_excused: bool = False

    def guards(self, item: pytest.Item) -> bool:
        """Whether this item is a case of the suite."""
        raise NotImplementedError

    def find_suite(self) -> Suite:
        raise NotImplementedError

    def find_further_problems(self) -> Iterable[str]:
        return ()

    def note_present(self, items: Sequence[pytest.Item], selecting: str) -> None:
        self.present = frozenset(getattr(item, "address", "") for item in items if self.guards(item))
        self.selecting = selecting

    def runtest(self) -> None:
        self.judged_suite = self.find_suite()
        problems = list(self.find_further_problems())
        missing = sorted(self.planned - self.present)
        if missing and not self.selecting:
            problems.insert(0, _describe_missing(missing, len(self.planned)))
        if problems:
            raise GuardFailed("\n".join(problems))
        if missing:
            self.is_excused = True
            pytest.skip(f"{self.selecting}: {len(self.present)} of {plural(len(self.planned), 'case')} selected")

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        has_text = isinstance(excinfo.value, GuardFailed | BridgecheckError)
        return str(excinfo.value) if has_text else super().repr_failure(excinfo)

    def complete_report(self, report: pytest.TestReport) -> None:
        """Add the suite to the report, so that ``StaleTally`` can find what is stale."""
        suite = self.judged_suite
        fail_if_excused_from_outside(report, self.is_excused, has_run=suite is not None)
        if report.when != "call" or self.selecting or suite is None or suite.deviations is None:
            return
        if suite.options.is_partial:
            return
        data = {
            "planned": len(self.planned), "deviations": str(suite.deviations), "version": suite.driver.info.version,
            "stale": suite.options.stale, "relations": suite.options.relation_choice.how_many,
        }  # fmt: skip
        vars(report).update(bridgecheck_holder=self.holder, bridgecheck_suite=json.dumps(data))


def find_selecting_argument(config: pytest.Config) -> str:
    """Return the argument that selects a part of the tests, given by hand and not by a configuration; "" if none
    does."""
    arguments = map(str, config.invocation_params.args)
    return next((argument for argument in arguments if "::" in argument or _SELECTING.match(argument)), "")


def find_standard_case_name_problems(cls: type[Conformance]) -> Iterator[str]:
    """Yield a message for each attribute of a test class that has the name of a standard case."""
    standard = {_NO_WORD.sub("_", name): name for name in (*scenario_ids(), NAME)}
    for base in cls.__mro__[: cls.__mro__.index(Conformance)]:
        for name in vars(base):
            plain = _NO_WORD.sub("_", name.partition("[")[0].partition("::")[0])
            case = standard.get(plain.removeprefix("test_"))
            if case:
                yield f"{base.__name__}.{name} has the name of the standard case {case}, which it cannot replace"


def _describe_missing(missing: Sequence[str], planned: int) -> str:
    lines = "".join(f"\n  {address}" for address in missing[:MOST_MISSING])
    more = f"\n  ... and {len(missing) - MOST_MISSING} more" if len(missing) > MOST_MISSING else ""
    return (
        f"{len(missing)} of {plural(planned, 'standard case')} taken out of the session:{lines}{more}\n"
        "Accept what fails in deviations.toml; select a part on the command line (-k, -m, a node id), not in a "
        "configuration or conftest.py."
    )


@dataclass(slots=True)
class StaleTally:
    """Collects results until the end of the session, to find stale deviations. ``cases``: by their holder; ``suites``:
    the data of each guard; ``warnings``: for the summary."""

    cases: dict[str, list[CaseResult]] = field(default_factory=dict)
    suites: dict[str, JsonObject] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add_case_result_or_suite_data(self, report: pytest.TestReport) -> None:
        holder = text(vars(report).get("bridgecheck_holder"))
        suite, case = (text(vars(report).get(f"bridgecheck_{name}")) for name in ("suite", "case"))
        if suite:
            self.suites[holder] = obj(json.loads(suite))
        elif holder and case:
            self.cases.setdefault(holder, []).append(case_from_dict(json.loads(case)))

    def fail_or_warn_of_stale_deviations(self, session: pytest.Session) -> None:
        """Report each stale deviation as a failed test, or as a warning."""
        for holder, suite in self.suites.items():
            for use in self._find_stale(holder, suite):
                shown = f" in {', '.join(use.stale_cases[:MOST_MISSING])}" if use.state != "stale" else ""
                line = f"{use.entry.name} of {suite['deviations']} no longer fails{shown} ({use.entry.reason})"
                remedy = f"Remove the {'entry' if use.state == 'stale' else 'cases'}."
                if suite["stale"] == "fail":
                    _report_failure(
                        session,
                        holder,
                        use.entry.name,
                        f"{line}\n{remedy}",
                    )
                else:
                    self.warnings.append(f"{holder}: {line}")

    def _find_stale(self, holder: str, suite: JsonObject) -> Iterator[DeviationUse]:
        version, today = text(suite["version"]), datetime.now(UTC).date()
        entries = load_gate(Path(text(suite["deviations"])), "", version, today).deviations
        cases = self.cases.get(holder, [])
        played = sum(case.source != "traffic" for case in cases)
        is_partial = played < (integer(suite["planned"]) or 0)
        covered = Coverage.of_run(cases, [("--relations", text(suite["relations"]))], is_partial)
        uses = find_deviation_uses(entries, cases, covered, version, today)
        return (use for use in uses if use.state == "stale" or use.stale_cases)


def _report_failure(session: pytest.Session, holder: str, entry: str, message: str) -> None:
    name = f"no_deviation_is_stale[{entry}]"
    report = pytest.TestReport(
        nodeid=f"{holder}::{name}", location=(holder.partition("::")[0], None, name), keywords={}, outcome="failed",
        longrepr=message, when="call",
    )  # fmt: skip
    session.config.hook.pytest_runtest_logreport(report=report)
    if session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
