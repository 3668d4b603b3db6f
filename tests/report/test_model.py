"""What a report counts, and its exit code."""

from dataclasses import replace

import pytest

from bridgecheck.model.verdict import STATUSES, Verdict
from bridgecheck.report import Report
from bridgecheck.report.gate import Gate
from bridgecheck.report.jsonfile import to_json
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.model import LossCount, RecordingAndCaseCount, trace_rules

from ..deviation_entries import accept


def _of(report: Report, *cases, **info) -> Report:
    return Report.from_results(replace(report.info, **info), cases)


def test_totals_count_each_case_once_and_name_every_status(report: Report) -> None:
    assert list(report.totals) == [*STATUSES, "deviation", "newer", "loss"]
    assert sum(report.totals[status] for status in STATUSES) == len(report.cases) == 12
    assert {name: count for name, count in report.totals.items() if count} == {
        "ERROR": 1,
        "FAIL": 4,
        "WARN": 1,
        "REJECTED": 1,
        "NOTE": 1,
        "PASS": 3,
        "NOT_APPLICABLE": 1,
        "loss": 2,
    }


def test_checks_are_counted_by_verdict(report: Report) -> None:
    assert report.checks["response.text"] == {"NOTE": 1, "PASS": 3, "NOT_APPLICABLE": 1}
    assert report.checks["adapter.completes"] == {"FAIL": 1, "REJECTED": 1}


def test_each_rule_is_traced_to_its_check_and_its_source(report: Report) -> None:
    found = {trace.rule.id: trace for trace in trace_rules(report.checks)}
    assert found["text.bytes"].counts == report.checks["response.text"]
    assert found["ids.back"].counts == {}
    document = to_json(report)["traceability"]
    assert isinstance(document, dict)
    assert document["adapter.answers"]["verdicts"] == {"FAIL": 1, "REJECTED": 1}
    assert document["adapter.answers"]["check"] == "adapter.completes"
    assert "| `adapter.answers` | `adapter.completes` | MUST | 1 FAIL, 1 REJECTED |" in to_markdown(report)


def test_losses_and_rules_are_totalled(report: Report) -> None:
    reason = "OpenAI Chat has no place for safety ratings"
    assert report.losses == (LossCount("gemini.safetyRatings", reason, count=3, cases=2),)
    assert report.rule_use_counts == {"text.segments": 3}


def test_sources_are_counted_separately_and_each_cassette_once(passing, report: Report) -> None:
    cases = [
        passing("a/b"),
        passing("a/b", client="openai-chat"),
        passing("a/b", layer="sdk"),
        passing("a/b", mode="stream", source="live"),
        passing("v/1", source="traffic", where="x.jsonl:1"),
        passing("v/1", source="traffic", where="x.jsonl:1", client="openai-chat"),
    ]
    assert _of(report, *cases).sources == (
        RecordingAndCaseCount("scripted", 1, 3),
        RecordingAndCaseCount("live", 1, 1),
        RecordingAndCaseCount("imported", 0, 0),
        RecordingAndCaseCount("edited", 0, 0),
        RecordingAndCaseCount("traffic", 1, 2),
    )


def test_cases_are_sorted(report: Report) -> None:
    again = Report.from_results(report.info, reversed(report.cases))
    assert again == report
    assert [str(case.key) for case in again.cases] == sorted(str(case.key) for case in report.cases)


def test_documents_are_stored_for_cases_with_findings(report: Report) -> None:
    views = {case.status: case.views for case in report.cases if case.key.scenario in ("tools/parallel", "unicode/nul")}
    assert views == {"FAIL": {"client_request": "{}"}, "NOTE": {}}


@pytest.mark.parametrize(
    ("statuses", "info", "code"),
    [
        (["PASS"], {}, 0),
        (["PASS", "FAIL"], {}, 1),
        (["FAIL", "ERROR"], {}, 1),
        (["ERROR", "PASS"], {}, 3),
        (["WARN", "PASS"], {}, 0),
        (["WARN", "PASS"], {"strict": True}, 1),
        (["NOTE"], {"strict": True}, 0),
        (["REJECTED"], {}, 0),
        (["NOT_APPLICABLE", "INCONCLUSIVE"], {}, 4),
        ([], {}, 4),
        (["PASS"], {"partial": True}, 3),
        (["FAIL"], {"partial": True}, 1),
    ],
)
def test_exit_code(passing, report: Report, statuses: list[str], info: dict[str, bool], code: int) -> None:
    cases = [passing(f"a/{i}", Verdict("x", status)) for i, status in enumerate(statuses)]
    assert _of(report, *cases, **info).exit_code == code


def test_a_fail_beside_an_error_in_one_case_still_fails(passing, report: Report) -> None:
    case = passing("a/b", Verdict("x", "FAIL"), Verdict("harness.error", "ERROR"))
    assert case.status == "ERROR"
    assert _of(report, case).exit_code == 1


def test_an_accepted_deviation_is_counted_separately_and_does_not_gate(passing, report: Report) -> None:
    known, good = passing("a/known", Verdict("x", "FAIL", "as ever")), passing("a/good")
    entries = accept([known])
    listed = Report.from_results(report.info, map(Gate(entries).excuse_failures, [known, good]), entries)
    assert (listed.totals["FAIL"], listed.totals["deviation"], listed.exit_code) == (0, 1, 0)
    assert listed.findings == ()
    assert Report.from_results(report.info, [known, good]).exit_code == 1
