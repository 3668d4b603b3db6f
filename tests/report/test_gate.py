"""What gates and what is excused: accepted failures, and those newer than the set."""

from dataclasses import replace

import pytest

from bridgecheck.deviations import AcceptedCases, Deviation
from bridgecheck.model.selection import RequirementSet, Withdrawn
from bridgecheck.model.verdict import CaseResult, Difference, Excuse, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.deviation_changes import accept_failures
from bridgecheck.report.deviation_use import collect_failures
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import Gate
from bridgecheck.report.sentences import cases_by_status_line, newer_finding_lines

USAGE = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
EXPECTED = Verdict("expect.outcome", "FAIL", "usage.total: expected 7, got (absent)")
TEXT = Verdict("response.text", "FAIL", "text is lost")
SET = RequirementSet("2026.1", "2026-11-30", {"response.usage": 1}, {"a/b": "0" * 64})


def _excuses(gate: Gate, case) -> list[Excuse | None]:
    return [verdict.excuse for verdict in gate.excuse_failures(case).verdicts]


def accepting(*cases: CaseResult) -> Gate:
    """Return the gate after all failures of these cases were accepted."""
    failures = collect_failures(cases, ["FAIL"])
    return Gate(tuple(accept_failures([], failures, failures, "why").added))


def test_an_entry_that_lists_no_cases_accepts_nothing(passing) -> None:
    case = passing("a/b", USAGE, TEXT)
    by_check = (Deviation("x", check="response.usage"), Deviation("x", check="response.usage", scenario="a/*"))
    for entry in (*by_check, Deviation("x", fingerprint=fingerprint(case, USAGE))):
        assert _excuses(Gate((entry,)), case) == [None, None]


def test_an_accepted_failure_excuses_only_itself(passing) -> None:
    case = passing("a/b", USAGE, TEXT)
    gate = accepting(passing("a/b", USAGE))
    assert _excuses(gate, case) == [Excuse("deviation", fingerprint(case, USAGE)), None]
    for elsewhere in (
        passing("a/c", USAGE),
        passing("a/b", USAGE, mode="stream"),
        passing("a/b", USAGE, layer="sdk"),
        passing("a/b", USAGE, upstream="anthropic"),
        passing("a/b", USAGE, client="anthropic"),
    ):
        assert _excuses(gate, elsewhere) == [None]


def test_an_entry_without_cases_accepts_nothing_and_one_with_a_star_any_difference(passing) -> None:
    case = passing("a/b", USAGE)
    entry = Deviation("x", fingerprint=fingerprint(case, USAGE), direction="gemini-to-openai-chat")
    assert _excuses(Gate((entry,)), case) == [None]
    anything = replace(entry, cases=(AcceptedCases(("a/b",), ("unary",), ("wire",), None),))
    assert _excuses(Gate((anything,)), case) == [Excuse("deviation", entry.name)]
    lower = replace(USAGE, differences=(Difference("usage.total", "9", "(absent)"),))
    assert _excuses(Gate((anything,)), passing("a/b", lower)) == [Excuse("deviation", entry.name)]
    assert _excuses(accepting(case), passing("a/b", lower)) == [None]


ROW = Difference("text", '"The whole answer."', '"The whole"')
CHANGES = {
    "another value": (replace(ROW, actual='"The"'),),
    "another location": (replace(ROW, path="text[1]"),),
    "lost": (replace(ROW, actual="(absent)"),),
    "one more of the kind": (ROW, replace(ROW, path="text[1]")),
    "one more of another kind": (ROW, Difference("refusal", "(absent)", '"No."')),
}


@pytest.mark.parametrize("rows", CHANGES.values(), ids=CHANGES)
def test_a_new_fault_in_the_same_check_of_the_same_case_gates(passing, rows: tuple[Difference, ...]) -> None:
    gate = accepting(passing("a/b", _failing(ROW)))
    assert gate.excuse_failures(passing("a/b", _failing(ROW))).counted_as == "deviation"
    assert gate.excuse_failures(passing("a/b", _failing(*rows))).counted_as == "FAIL"


def _failing(*rows: Difference) -> Verdict:
    first = rows[0]
    return Verdict("response.text", "FAIL", f"{first.path}: expected {first.expected}, got {first.actual}", rows)


@pytest.mark.parametrize(
    ("status", "text", "counted"),
    [(500, "no route", "deviation"), (503, "no route", "FAIL"), (500, "no model", "FAIL"), (500, "", "FAIL")],
)
def test_another_outage_gates(passing, status: int, text: str, counted: str) -> None:
    def make(status: int, text: str) -> CaseResult:
        return passing("a/b", Verdict("adapter.completes", "FAIL", f"POST /v1/chat answered {status}: {text}"))

    assert accepting(make(500, "no route")).excuse_failures(make(status, text)).counted_as == counted


CRASH = 'Traceback (most recent call last):\n  File "{}", line {}, in {}\nKeyError: {}\n'


@pytest.mark.parametrize(
    ("place", "counted"),
    [
        (("/b/parts.py", 9, "convert", "'text'"), "deviation"),
        (("/a/parts.py", 4, "convert", "'name'"), "FAIL"),
        (("/a/parts.py", 4, "fold", "'text'"), "FAIL"),
    ],
)
def test_another_crash_gates(passing, place: tuple[object, ...], counted: str) -> None:
    verdict = Verdict("adapter.completes", "FAIL", "the adapter failed")
    gate = accepting(passing("a/b", verdict, crash=CRASH.format("/a/parts.py", 4, "convert", "'text'")))
    assert gate.excuse_failures(passing("a/b", verdict, crash=CRASH.format(*place))).counted_as == counted


def test_less_of_an_accepted_failure_is_accepted(passing) -> None:
    both = _failing(ROW, replace(ROW, path="text[1]"))
    assert accepting(passing("a/b", both)).excuse_failures(passing("a/b", _failing(ROW))).counted_as == "deviation"


def test_what_an_accepted_failure_explains_is_accepted_as_it_was(passing) -> None:
    gate = accepting(passing("a/b", USAGE, EXPECTED))
    assert gate.excuse_failures(passing("a/b", USAGE, EXPECTED)).counted_as == "deviation"
    assert gate.excuse_failures(passing("a/b", USAGE)).counted_as == "deviation"
    changed = replace(EXPECTED, message="usage.total: expected 7, got 700")
    worse = gate.excuse_failures(passing("a/b", USAGE, changed))
    assert [verdict.excuse is None for verdict in worse.verdicts] == [False, True]
    report = Report.from_results(RunInfo("mine"), [worse], gate.deviations)
    assert [finding.check for finding in report.findings] == ["expect.outcome"]
    assert report.exit_code == 1
    new = accepting(passing("a/b", USAGE)).excuse_failures(passing("a/b", USAGE, EXPECTED))
    assert new.counted_as == "FAIL"


def test_failures_explained_by_an_accepted_one_are_accepted(passing) -> None:
    case = passing("a/b", USAGE, EXPECTED)
    gate = accepting(case)
    assert _excuses(gate, case) == [Excuse("deviation", fingerprint(case, USAGE))] * 2
    assert _excuses(gate, passing("a/b", USAGE, EXPECTED, TEXT))[1:] == [None, None]
    assert _excuses(gate, passing("a/b", EXPECTED)) == [None]


def test_the_native_path_and_errors_cannot_be_excused(passing) -> None:
    gate = accepting(passing("a/b", USAGE))
    assert gate.excuse_failures(passing("a/b", USAGE, path="native", client="openai-chat")).counted_as == "FAIL"
    assert gate.excuse_failures(passing("a/b", Verdict("harness.error", "ERROR"))).counted_as == "ERROR"


def test_failures_newer_than_the_set_are_shown_and_do_not_gate(passing, report: Report) -> None:
    gate = Gate(requirements=SET)
    cases = [gate.excuse_failures(passing(name, verdict)) for name, verdict in (("a/b", TEXT), ("a/new", USAGE))]
    made = Report.from_results(replace(report.info, requirements="2026.1"), cases)
    assert (made.exit_code, made.totals["newer"], made.totals["FAIL"], made.findings) == (0, 2, 0, ())
    assert "2 newer than 2026.1" in cases_by_status_line(made)
    assert sorted(newer_finding_lines(made))[:2] == [
        "  FAIL response.text: text is lost (in 1 case: G>O 1 unary)",
        "  FAIL response.usage: usage.total is lost (in 1 case: G>O 1 unary)",
    ]
    assert gate.excuse_failures(passing("a/b", USAGE)).counted_as == "FAIL"


def test_an_erratum_withdraws_a_scenario_and_check(passing) -> None:
    erratum = Withdrawn("a/*", "response.usage", "wrong", "https://example.org", "2026-12-01")
    assert (
        Gate(requirements=replace(SET, withdrawn=(erratum,))).excuse_failures(passing("a/b", USAGE)).counted_as
        == "newer"
    )


def test_traffic_belongs_to_no_requirement_set(passing) -> None:
    assert Gate(requirements=SET).excuse_failures(passing("vendor/7", USAGE, source="traffic")).counted_as == "FAIL"


def test_a_failure_newer_than_the_set_explains_no_older_one(passing) -> None:
    frozen = replace(SET, checks={"expect.outcome": 1})
    assert _excuses(Gate(requirements=frozen), passing("a/b", USAGE, EXPECTED)) == [Excuse("newer", "2026.1"), None]
