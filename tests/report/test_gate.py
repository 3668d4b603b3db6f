"""What gates and what is excused: accepted, stale and expired deviations, and failures newer than the set."""

from dataclasses import replace
from datetime import date

import pytest

from bridgecheck.deviations import Deviation
from bridgecheck.model.selection import RequirementSet, Withdrawn
from bridgecheck.model.verdict import Difference, Excuse, Verdict
from bridgecheck.report import Report
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.gate import Coverage, Gate, find_deviation_uses, propose_deviations
from bridgecheck.report.sentences import cases_by_status_line, deviation_lines, newer_finding_lines

USAGE = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
EXPECTED = Verdict("expect.outcome", "FAIL", "usage.total: expected 7, got (absent)")
TEXT = Verdict("response.text", "FAIL", "text is lost")
SET = RequirementSet("2026.1", "2026-11-30", {"response.usage": 1}, {"a/b": "0" * 64})


def _excuses(gate: Gate, case) -> list[Excuse | None]:
    return [verdict.excuse for verdict in gate.excuse_failures(case).verdicts]


def test_an_entry_accepts_only_what_it_names(passing) -> None:
    case = passing("a/b", USAGE, TEXT)
    for entry in (
        Deviation("x", check="response.usage"),
        Deviation("x", check="response.usage", scenario="a/*"),
        Deviation("x", fingerprint=fingerprint(case, USAGE)),
    ):
        assert _excuses(Gate((entry,)), case) == [Excuse("deviation", entry.name), None]
    for entry in (Deviation("x", check="response.usage", scenario="b/*"), Deviation("x", fingerprint="0" * 10)):
        assert _excuses(Gate((entry,)), case) == [None, None]


def test_a_fingerprint_accepts_one_direction_only(passing) -> None:
    here, there = passing("a/b", USAGE), passing("a/b", USAGE, upstream="anthropic")
    gate = Gate((Deviation("x", fingerprint=fingerprint(here, USAGE)),))
    assert gate.excuse_failures(here).counted_as == "deviation"
    assert gate.excuse_failures(there).counted_as == "FAIL"


def test_failures_explained_by_an_accepted_one_are_accepted(passing) -> None:
    gate = Gate((Deviation("x", check="response.usage"),))
    assert _excuses(gate, passing("a/b", USAGE, EXPECTED)) == [Excuse("deviation", "response.usage")] * 2
    assert _excuses(gate, passing("a/b", USAGE, EXPECTED, TEXT))[1:] == [None, None]
    assert _excuses(gate, passing("a/b", EXPECTED)) == [None]


def test_the_native_path_and_errors_cannot_be_excused(passing) -> None:
    gate = Gate((Deviation("x", check="response.usage"), Deviation("y", check="harness.error")))
    assert gate.excuse_failures(passing("a/b", USAGE, path="native", client="openai-chat")).counted_as == "FAIL"
    assert gate.excuse_failures(passing("a/b", Verdict("harness.error", "ERROR"))).counted_as == "ERROR"


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (Deviation("x", check="response.usage"), "accepted"),
        (Deviation("x", check="response.usage", expires=date(2026, 11, 19)), "expired"),
        (Deviation("x", check="response.usage", version=">=2"), "other version"),
        (Deviation("x", check="response.finish"), "stale"),
        (Deviation("x", check="response.usage", scenario="a/passes"), "stale"),
        (Deviation("x", check="response.usage", scenario="not/run"), "not run"),
        (Deviation("x", fingerprint="0" * 10), "stale"),
        (Deviation("x", fingerprint="0" * 10, example="vendor/7::bridged"), "not run"),
    ],
)
def test_the_state_of_an_entry_after_a_run(passing, report: Report, entry: Deviation, state: str) -> None:
    info = replace(report.info, version="1.4", selection=())
    gate = Gate((entry,), version="1.4", today=info.start_date)
    cases = [passing("a/b", USAGE), passing("a/passes"), passing("a/other", path="native", client="openai-chat")]
    made = Report.from_results(info, map(gate.excuse_failures, cases), (entry,))
    assert [use.state for use in made.deviation_uses] == [state]
    assert made.exit_code == (0 if state == "accepted" else 1)
    assert made.totals["deviation"] == (1 if state == "accepted" else 0)


@pytest.mark.parametrize(
    ("selection", "partial", "tells"),
    [
        ((), False, ["everywhere", "glob", "one"]),
        ((("--traffic", "x"),), False, ["everywhere", "glob", "one"]),
        ((("--scenario", "a/b"),), False, ["one"]),
        ((("--tag", "usage"),), False, ["one"]),
        ((("--scenario", "a/b::*-unary-*"),), False, []),
        ((("--mode", "unary"),), False, []),
        ((("--path", "native"),), False, []),
        ((("--path", "bridged"),), False, ["everywhere", "glob", "one"]),
        ((("--shard", "1/2"),), False, []),
        ((), True, []),
    ],
)
def test_only_a_covering_run_makes_an_entry_stale(passing, selection, partial, tells) -> None:
    named = {"everywhere": "", "glob": "a/*", "one": "a/b"}
    entries = [Deviation(name, check="response.usage", scenario=scenario) for name, scenario in named.items()]
    cases = [passing("a/b")]
    covered = Coverage.of_run(cases, selection, partial)
    found = find_deviation_uses(entries, cases, covered, "", date.min)
    assert [use.entry.reason for use in found if use.state == "stale"] == tells


@pytest.mark.parametrize(
    ("selection", "covered_globs"),
    [
        ((("--scenario", "a/*"),), {"a/*", "a/b*"}),
        ((("--scenario", "a"),), {"a/*", "a/b*"}),
        ((("--scenario", "b/*"), ("--scenario", "a/*")), {"a/*", "a/b*"}),
        ((("--scenario", "*"),), {"a/*", "a/b*", "*/b"}),
        ((("--scenario", "a/b"),), set()),
        ((("--scenario", "a/?"),), set()),
        ((("--scenario", "a/*"), ("--tag", "usage")), set()),
        ((("--scenario", "a/*"), ("--mode", "unary")), set()),
    ],
)
def test_a_run_covers_the_globs_whose_scenarios_it_plays(passing, selection, covered_globs) -> None:
    covered = Coverage.of_run([passing("a/b")], selection, False)
    globs = ("a/*", "a/b*", "*/b", "z/*")
    assert {
        glob for glob in globs if covered.covers(Deviation("x", check="response.usage", scenario=glob))
    } == covered_globs


def test_a_run_of_every_listed_scenario_covers_an_entry(passing) -> None:
    cases = [passing("a/b"), passing("a/c")]
    covered = Coverage.of_run(cases, (("--scenario", "a/*"),), False)
    mark = "0" * 10
    assert covered.covers(Deviation("x", fingerprint=mark, seen_in=("a/b", "a/c")))
    assert not covered.covers(Deviation("x", fingerprint=mark, seen_in=("a/b", "z/z")))
    assert not covered.covers(Deviation("x", fingerprint=mark, example="a/b::bridged"))
    assert not Coverage.of_run(cases, (("--mode", "unary"),), False).covers(
        Deviation("x", fingerprint=mark, seen_in=("a/b",))
    )


def test_an_entry_lists_scenarios_only_if_the_list_is_complete(passing) -> None:
    cases = [passing("a/c", USAGE), passing("a/b", USAGE), passing("a/b", USAGE, mode="stream")]
    assert [entry.seen_in for entry in propose_deviations(cases, "why", ["FAIL"], is_complete_run=True)] == [
        ("a/b", "a/c")
    ]
    assert [entry.seen_in for entry in propose_deviations(cases, "why", ["FAIL"])] == [()]
    many = [passing(f"a/{number}", USAGE) for number in range(20)]
    assert [entry.seen_in for entry in propose_deviations(many, "why", ["FAIL"], is_complete_run=True)] == [()]
    traffic = [*cases, passing("vendor/7", USAGE, source="traffic")]
    assert [entry.seen_in for entry in propose_deviations(traffic, "why", ["FAIL"], is_complete_run=True)] == [()]


def test_a_case_that_is_not_judged_makes_nothing_stale(passing) -> None:
    idle = passing("a/b", Verdict("case.applies", "NOT_APPLICABLE", "not claimed"))
    assert not Coverage.of_run([idle], (), False).covers(Deviation("x", check="response.usage"))


def test_a_relation_that_was_not_tried_is_not_stale(passing) -> None:
    entry, cases = Deviation("x", check="relation.crlf"), [passing("a/a")]
    assert not Coverage.of_run(cases, (), False).covers(entry)
    assert not Coverage.of_run(cases, (("--relations", "fast"),), False).covers(entry)
    assert Coverage.of_run(cases, (("--relations", "all"),), False).covers(entry)


def test_stale_entries_fail_a_run_only_when_asked(passing, report: Report) -> None:
    entries = (Deviation("mended long ago", check="response.usage"),)
    info = replace(report.info, selection=())
    assert Report.from_results(info, [passing("a/b")], entries).exit_code == 0
    failed = Report.from_results(replace(info, stale="fail"), [passing("a/b")], entries)
    assert failed.exit_code == 1
    lines = list(deviation_lines(failed))
    assert lines[:2] == ["Deviations: 1 stale", "  stale: response.usage (mended long ago)"]


def test_the_proposed_entries_accept_every_failure(passing) -> None:
    cases = [
        passing("a/b", USAGE, EXPECTED),
        passing("a/b", USAGE, mode="stream"),
        passing("a/c", USAGE, client="anthropic"),
        passing("a/d", Verdict("response.reasoning", "WARN", "lost")),
        passing("a/e", TEXT, path="native", client="openai-chat"),
    ]
    new = propose_deviations(cases, "say why", ["FAIL"])
    assert [entry.example for entry in new] == [str(cases[0].key), str(cases[2].key)]
    assert set(new.values()) == {"response.usage: usage.total is lost"}
    gate = Gate(tuple(new))
    assert [gate.excuse_failures(case).counted_as for case in cases] == [
        "deviation",
        "deviation",
        "deviation",
        "WARN",
        "FAIL",
    ]
    assert list(propose_deviations(map(gate.excuse_failures, cases), "say why", ["FAIL", "WARN"]).values()) == [
        "response.reasoning: lost"
    ]


def test_a_case_fails_while_one_of_its_kinds_is_not_accepted(passing) -> None:
    rows = tuple(Difference(f"settings.{name}", "2", "(absent)") for name in ("n", "seed"))
    case = passing("a/b", Verdict("request.settings", "FAIL", "settings.n: expected 2, got (absent)", rows))
    first, second = propose_deviations([case], "why", ["FAIL"])
    half = Gate((first,)).excuse_failures(case)
    assert half.counted_as == "FAIL"
    assert [(verdict.differences, bool(verdict.excuse)) for verdict in half.verdicts] == [
        ((rows[0],), True),
        ((rows[1],), False),
    ]
    assert Gate((first, second)).excuse_failures(half).counted_as == "deviation"
    assert Gate((first, second)).excuse_failures(case).counted_as == "deviation"


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
