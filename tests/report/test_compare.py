"""Comparing two reports: each state, what cannot be decided, and what gates."""

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.cells import cell_len
from rich.console import Console

from bridgecheck.errors import BadReport
from bridgecheck.model.verdict import CaseResult, Difference, Excuse, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.compare import (
    STATES,
    Comparison,
    compare_reports,
    comparison_schema,
    comparison_schema_text,
    comparison_to_json,
)
from bridgecheck.report.compare_terminal import comparison_verdict_line, print_comparison
from bridgecheck.report.read import StoredReport

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "reports" / "comparison.schema.json"
INFO = RunInfo("mine", "1", "python:mine:adapter", versions=(("bridgecheck", "0.1.0"),), started="2026-11-20T10:00:00Z")

LOST = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
WARNED = Verdict("response.usage", "WARN", "usage.total is late")
FOLLOWS = Verdict("expect.outcome", "FAIL", "usage.total: expected 7, got (absent)")
USAGE_PASS = Verdict("response.usage", "PASS")
TEXT = Verdict("response.text", "FAIL", "the text is lost")
TEXT_PASS = Verdict("response.text", "PASS")
IDLE = Verdict("case.applies", "NOT_APPLICABLE", "not claimed")
ERROR = Verdict("harness.error", "ERROR", "the harness stumbled")

Cases = Iterable[CaseResult]


def _read(name: str, cases: Cases, info: RunInfo = INFO) -> StoredReport:
    held = tuple(cases)
    return StoredReport(Path(name), Report.from_results(replace(info, planned=info.planned or len(held)), held))


def compare_cases(old: Cases, new: Cases, old_info: RunInfo = INFO, new_info: RunInfo = INFO) -> Comparison:
    return compare_reports(_read("old.json", old, old_info), _read("new.json", new, new_info))


def _states(found: Comparison) -> dict[str, list[str]]:
    """state -> scenario:check of each change."""
    states = {
        state: [f"{change.case.key.scenario}:{change.check}" for change in found.changes_in(state)] for state in STATES
    }
    return {state: changes for state, changes in states.items() if changes}


def render_comparison(found: Comparison, width: int = 80) -> str:
    out = io.StringIO()
    print_comparison(Console(file=out, width=width), found)
    return out.getvalue()


@pytest.fixture
def both(passing: Callable[..., CaseResult]) -> list[CaseResult]:
    """Cases that never change, so that there is something to compare."""
    return [passing("a/steady")]


@pytest.mark.parametrize(
    ("before", "after", "state", "code"),
    [
        (USAGE_PASS, LOST, "regressed", 1),
        (WARNED, LOST, "regressed", 1),
        (USAGE_PASS, WARNED, "regressed", 0),
        (TEXT_PASS, LOST, "regressed", 1),
        (LOST, USAGE_PASS, "fixed", 0),
        (LOST, TEXT_PASS, "fixed", 0),
        (LOST, LOST, "same", 0),
        (LOST, replace(LOST, message="other words", differences=()), "same", 0),
        (LOST, WARNED, "same", 0),
        (TEXT, LOST, "same", 0),
        (IDLE, LOST, "new", 0),
        (None, LOST, "new", 0),
        (LOST, IDLE, "gone", 0),
        (LOST, None, "gone", 0),
        (LOST, ERROR, "untold", 0),
        (ERROR, LOST, "untold", 0),
        (USAGE_PASS, ERROR, None, 0),
        (USAGE_PASS, None, None, 0),
    ],
)
def test_every_pair_has_one_state(passing, both, before, after, state, code) -> None:
    old, new = ([*both, *([passing("a/b", verdict)] if verdict else [])] for verdict in (before, after))
    found = compare_cases(old, new)
    checks = "response.usage" if LOST.check in {before and before.check, after and after.check} else ""
    assert _states(found) == ({state: [f"a/b:{checks}"]} if state else {})
    assert found.regression_exit_code == code


def test_a_new_warning_gates_where_warnings_gate_the_run(passing) -> None:
    strict = replace(INFO, strict=True)
    assert compare_cases([passing("a/b", USAGE_PASS)], [passing("a/b", WARNED)], INFO, strict).regression_exit_code == 1


def test_a_defect_and_its_consequences_are_one_finding(passing) -> None:
    names = ("a/b", "a/c", "a/d")
    found = compare_cases(
        [passing(name, USAGE_PASS) for name in names], [passing(name, LOST, FOLLOWS) for name in names]
    )
    (finding,) = found.findings["regressed"]
    assert (finding.check, len(finding.cases), finding.explained_checks) == (
        "response.usage",
        3,
        (("expect.outcome", 3),),
    )
    assert comparison_verdict_line(found) == "REGRESSED: 1 finding in 3 cases; none fixed, none new, none gone"


def test_a_regression_next_to_an_old_failure_is_listed_alone(passing) -> None:
    """The cause failed before, but its consequence did not, so the consequence is shown."""
    found = compare_cases([passing("a/b", LOST, replace(FOLLOWS, status="PASS"))], [passing("a/b", LOST, FOLLOWS)])
    assert [finding.check for finding in found.findings["regressed"]] == ["expect.outcome"]
    assert found.regression_exit_code == 1


def test_a_fingerprint_that_moved_is_no_regression(passing) -> None:
    moved = replace(LOST, message="said otherwise", differences=(Difference("usage.all", "7", "(absent)"),))
    found = compare_cases([passing("a/b", LOST)], [passing("a/b", moved)])
    assert _states(found) == {"same": ["a/b:response.usage"]}
    assert "Failing in both: 1 finding in 1 case" in render_comparison(found)


def test_a_hidden_failure_is_not_fixed(passing) -> None:
    crashed = Verdict("adapter.completes", "FAIL", "KeyError: 'text'")
    passed = replace(crashed, status="PASS", message="")
    found = compare_cases([passing("a/b", passed, LOST)], [passing("a/b", crashed)])
    assert _states(found) == {"regressed": ["a/b:adapter.completes"]}


def test_a_relation_that_was_not_tried_changes_no_state(passing) -> None:
    failing = Verdict("relation.crlf", "FAIL", "other text")
    assert _states(compare_cases([passing("a/b", failing)], [passing("a/b")])) == {"untold": ["a/b:relation.crlf"]}
    assert _states(compare_cases([passing("a/b")], [passing("a/b", failing)])) == {"untold": ["a/b:relation.crlf"]}
    tried = replace(failing, status="PASS")
    assert _states(compare_cases([passing("a/b", tried)], [passing("a/b", failing)])) == {
        "regressed": ["a/b:relation.crlf"]
    }


def test_a_check_added_by_a_newer_judge_is_new(passing) -> None:
    newer = replace(INFO, versions=(("bridgecheck", "0.2.0"),))
    found = compare_cases([passing("a/b")], [passing("a/b", Verdict("response.new", "FAIL", "?"))], INFO, newer)
    assert _states(found) == {"new": ["a/b:response.new"]}
    assert "Made by bridgecheck 0.1.0 and 0.2.0" in render_comparison(found)


def test_an_accepted_deviation_changes_no_state_and_does_not_gate(passing) -> None:
    accepted = replace(LOST, excuse=Excuse("deviation", "3ef68ad5f7"))
    found = compare_cases([passing("a/b", USAGE_PASS)], [passing("a/b", accepted)])
    assert (_states(found), found.regression_exit_code) == ({"regressed": ["a/b:response.usage"]}, 0)
    assert "NO REGRESSION in 1 case that both judged; 1 regressed without gating" in render_comparison(found)
    assert "accepted deviation 3ef68ad5f7 in 1 case" in render_comparison(found)
    assert _states(compare_cases([passing("a/b", accepted)], [passing("a/b", LOST)])) == {
        "same": ["a/b:response.usage"]
    }


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_partial_run_makes_nothing_fixed_new_or_missing(passing, both, side: str) -> None:
    cut = replace(INFO, planned=9, partial=True)
    whole, part = [*both, passing("a/b", LOST)], both
    found = compare_cases(part, whole, cut) if side == "old" else compare_cases(whole, part, INFO, cut)
    assert _states(found) == {"untold": ["a/b:response.usage"]}
    assert f"The {side} report is partial (1 of 9 cases)" in " ".join(render_comparison(found).split())
    assert "Failing in one report, and the other cannot tell: 1 case." in " ".join(render_comparison(found).split())


@pytest.mark.parametrize(
    ("newer", "message"),
    [
        (replace(INFO, adapter="yours"), "of other adapters: mine, yours"),
        (replace(INFO, requirements="2026.1"), "of other requirement sets: everything, 2026.1"),
        (replace(INFO, selection=(("--mode", "unary"),)), "of other selections: everything, --mode unary"),
    ],
)
def test_different_reports_are_compared_over_their_common_cases(passing, both, newer: RunInfo, message: str) -> None:
    old = [*both, passing("a/old", LOST), passing("a/b", USAGE_PASS)]
    new = [*both, passing("a/new", TEXT), passing("a/b", LOST)]
    found = compare_cases(old, new, INFO, newer)
    assert _states(found) == {
        "regressed": ["a/b:response.usage"],
        "untold": ["a/new:response.text", "a/old:response.usage"],
    }
    assert message in " ".join(render_comparison(found).split())
    assert found.judged_in_one == (1, 1)


def test_relations_and_their_seed_do_not_count_as_a_selection(passing, both) -> None:
    seeded = replace(INFO, selection=(("--relations", "fast"), ("--seed", "7")))
    assert _states(compare_cases([*both, passing("a/b", LOST)], both, INFO, seeded)) == {"gone": ["a/b:response.usage"]}


def test_traffic_is_the_same_wherever_its_folder_is(passing) -> None:
    def make_traffic_case(folder: str, line: int, verdict: Verdict) -> CaseResult:
        return passing("vendor/7", verdict, source="traffic", where=f"{folder}/vendor.jsonl:{line}")

    found = compare_cases(
        [make_traffic_case("/a", 1, USAGE_PASS), make_traffic_case("/a", 2, LOST)],
        [make_traffic_case("/b", 1, LOST), make_traffic_case("/b", 2, LOST)],
    )
    assert [(change.state, change.case.where) for change in found.changes] == [
        ("regressed", "/b/vendor.jsonl:1"),
        ("same", "/b/vendor.jsonl:2"),
    ]


def test_reports_that_share_no_case_are_refused(passing) -> None:
    with pytest.raises(BadReport, match="not one case was judged both there and in old"):
        compare_cases([passing("a/b")], [passing("c/d")])
    with pytest.raises(BadReport, match="not one case"):
        compare_cases([passing("a/b")], [passing("a/b", IDLE)])


def test_equal_reports_do_not_differ(report: Report) -> None:
    found = compare_reports(StoredReport(Path("a"), report), StoredReport(Path("b"), report))
    assert set(_states(found)) == {"same"}
    assert found.regression_exit_code == 0


@pytest.fixture
def every_state(passing: Callable[..., CaseResult]) -> Comparison:
    text = Difference("choices[0].text[0]", '"' + "The weather in the north is " * 6 + 'fine."', '"…"')
    long_message = replace(TEXT, message="[red]the text[/red] \x1b[31m is lost, and " * 5, differences=(text,))
    long = "long-topic/" + "a-scenario-with-a-long-name-" * 4
    old = [passing("a/b", USAGE_PASS), passing("a/c", LOST), passing("a/d", TEXT), passing("a/e", TEXT), passing(long)]
    new = [
        passing("a/b", LOST),
        passing("a/c"),
        passing("a/f", long_message),
        passing("a/e", TEXT),
        passing(long, long_message),
    ]
    return compare_cases(old, new)


def test_the_output_fits_eighty_columns(every_state: Comparison) -> None:
    text = render_comparison(every_state)
    wide = [line for line in text.splitlines() if cell_len(line) > 80 and "long-topic/" not in line]
    assert wide == []
    heads = [line.partition(":")[0] for line in text.splitlines() if line.startswith(("Regr", "New", "Fixed", "Gone"))]
    assert heads == ["Regressed", "New", "Fixed", "Gone"]
    assert "\x1b" not in text
    assert "[red]the text[/red]" in text
    assert text.rstrip().splitlines()[-1].startswith("REGRESSED: 2 findings in 2 cases; 1 fixed, 1 new, 1 gone")


def test_a_regression_shows_its_difference_and_its_command(every_state: Comparison) -> None:
    text = render_comparison(every_state, 120)
    assert "usage.total" in text
    assert "$ bridgecheck run --adapter python:mine:adapter \\" in text or "--scenario a/b::" in text


def test_the_document_fits_its_schema(every_state: Comparison, report: Report) -> None:
    jsonschema.Draft202012Validator.check_schema(comparison_schema())
    for found in (every_state, compare_reports(StoredReport(Path("a"), report), StoredReport(Path("b"), report))):
        document = json.loads(json.dumps(comparison_to_json(found)))
        jsonschema.validate(document, comparison_schema())
        assert {change["state"] for change in document["changes"]} == set(_states(found))
    broken = {**document, "changes": [{**document["changes"][0], "state": "better"}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, comparison_schema())


def test_the_exported_schema_matches_the_code() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == comparison_schema_text(), "write it anew with: make schema"
