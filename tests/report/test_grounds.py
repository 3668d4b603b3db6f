"""A report carries why each scenario matters in which something was found, and reads it back as it stood."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.verdict import Verdict
from bridgecheck.report import Report
from bridgecheck.report.jsonfile import from_json, to_json, to_text
from bridgecheck.report.rationales import scenario_rationale

FOUND = "tools/single-call"


@pytest.fixture
def found(report: Report, passing) -> Report:
    lost = Verdict("response.text", "FAIL", "lost")
    return Report.from_results(
        report.info, [passing(FOUND, lost), passing("usage/cached-input"), passing("vendor/7", lost)]
    )


def test_a_scenario_in_which_something_was_found_is_said_with_its_sources(found: Report) -> None:
    (ground,) = found.with_rationales().rationales
    scenario = load_scenario(scenarios_root() / f"{FOUND}.json")
    assert ground == scenario_rationale(scenario)
    assert (ground.why, ground.basis, ground.sources) == (scenario.why, scenario.basis, scenario.sources)


def test_a_clean_report_says_none(clean_report: Report) -> None:
    assert clean_report.with_rationales().rationales == ()


def test_grounds_are_read_back(found: Report) -> None:
    said = found.with_rationales()
    assert from_json(json.loads(to_text(said))) == said


def test_what_the_report_says_stands_before_what_the_corpus_says(found: Report) -> None:
    (ground,) = found.with_rationales().rationales
    older = replace(ground, why="what it was then")
    assert replace(found, rationales=(older,)).with_rationales().rationales == (older,)


def test_a_scenario_that_was_broken_since_is_left_out(
    found: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenarios" / "tools").mkdir(parents=True)
    (tmp_path / "scenarios" / "tools" / "single-call.json").write_text("{", encoding="utf-8")
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(tmp_path))
    assert found.with_rationales().rationales == ()


@pytest.mark.parametrize("part", [{"level": "HIGH"}, {"basis": {"kind": "rumour", "ref": "", "date": ""}}])
def test_grounds_of_no_scenario_are_refused(found: Report, part: dict[str, object]) -> None:
    document = to_json(found.with_rationales())
    rationales = {FOUND: {**document["scenarios"][FOUND], **part}}  # type: ignore[index]
    with pytest.raises(ValueError, match=r"(level|kind): expected one of"):
        from_json({**document, "scenarios": rationales})
