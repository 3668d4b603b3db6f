"""A report stores the rationale of each scenario with a finding, and reads it back unchanged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.verdict import Verdict
from bridgecheck.report import Report
from bridgecheck.report.jsonfile import from_json, to_json, to_text
from bridgecheck.report.scenario_rationales import scenario_rationale

FOUND = "tools/single-call"


@pytest.fixture
def report_with_findings(report: Report, passing) -> Report:
    lost = Verdict("response.text", "FAIL", "lost")
    return Report.from_results(
        report.info, [passing(FOUND, lost), passing("usage/cached-input"), passing("vendor/7", lost)]
    )


def test_a_scenario_with_a_finding_is_listed_with_its_sources(report_with_findings: Report) -> None:
    (ground,) = report_with_findings.with_failing_scenario_rationales().rationales
    scenario = load_scenario(scenarios_root() / f"{FOUND}.json")
    assert ground == scenario_rationale(scenario)
    assert (ground.why, ground.basis, ground.sources) == (scenario.why, scenario.basis, scenario.sources)


def test_a_clean_report_lists_no_rationale(clean_report: Report) -> None:
    assert clean_report.with_failing_scenario_rationales().rationales == ()


def test_rationales_round_trip(report_with_findings: Report) -> None:
    rationales = report_with_findings.with_failing_scenario_rationales()
    assert from_json(json.loads(to_text(rationales))) == rationales


def test_rationales_of_the_report_take_precedence_over_the_corpus(report_with_findings: Report) -> None:
    (ground,) = report_with_findings.with_failing_scenario_rationales().rationales
    older = replace(ground, why="what it was then")
    assert replace(report_with_findings, rationales=(older,)).with_failing_scenario_rationales().rationales == (older,)


def test_a_scenario_that_no_longer_loads_is_omitted(
    report_with_findings: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenarios" / "tools").mkdir(parents=True)
    (tmp_path / "scenarios" / "tools" / "single-call.json").write_text("{", encoding="utf-8")
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(tmp_path))
    assert report_with_findings.with_failing_scenario_rationales().rationales == ()


@pytest.mark.parametrize("part", [{"level": "HIGH"}, {"basis": {"kind": "rumour", "ref": "", "date": ""}}])
def test_rationales_without_a_scenario_are_refused(report_with_findings: Report, part: dict[str, object]) -> None:
    document = to_json(report_with_findings.with_failing_scenario_rationales())
    rationales = {FOUND: {**document["scenarios"][FOUND], **part}}  # type: ignore[index]
    with pytest.raises(ValueError, match=r"(level|kind): expected one of"):
        from_json({**document, "scenarios": rationales})
