"""findings.toml and the report next to it: findings that may not be published are refused with their location."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.errors import BadFindings
from bridgecheck.files.findings_toml import read_published
from bridgecheck.model.verdict import CaseResult, Difference, Excuse, Status, Verdict
from bridgecheck.report import Report, RunInfo
from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.jsonfile import to_text
from bridgecheck.report.publication import lint_published

INDEX = Difference("choices[0].tool_calls[1].index", "1", "0")
FAILED = Verdict("response.tool_calls", "FAIL", "call 1 has the index 0 of call 0", (INDEX,))
CASE = "tools/parallel::bridged-gemini-to-openai-chat-unary-wire"

ENTRY = """\
[[finding]]
id = "one-index"
title = "Every call has the index 0"
fingerprints = ["{mark}"]
case = "tools/parallel::bridged-gemini-to-openai-chat-unary-wire"
why = "The provider numbers them 0 and 1, and the control keeps that."
provoked_by = "recorded"
provoked_source = "scenarios/tools/parallel.json"
witness = "the openai SDK 3.54.0 gives one call"
documentation = "nothing was found"
status = "observed"
"""

Case = Callable[..., CaseResult]
Publish = Callable[..., list[str]]


@pytest.fixture
def cases(passing: Case) -> list[CaseResult]:
    return [
        passing("tools/parallel", FAILED),
        passing("tools/parallel", path="native", client="openai-chat"),
        passing("tools/single-call"),
        passing("tools/single-call", path="native", client="openai-chat"),
    ]


@pytest.fixture
def mark(cases: list[CaseResult]) -> str:
    return fingerprint(cases[0], FAILED)


@pytest.fixture
def publish(tmp_path: Path, cases: list[CaseResult], mark: str) -> Publish:
    """Write reports/mine/ with ``entry`` (its defaults: a valid finding) and return the problems that lint reports."""

    def publish_entry(entry: str = ENTRY, of: list[CaseResult] | None = None) -> list[str]:
        folder = tmp_path / "reports/mine"
        folder.mkdir(parents=True)
        recorded_cases = of or cases
        info = RunInfo(adapter="mine", started="2026-11-20T10:00:00Z", planned=len(recorded_cases))
        (folder / "report.json").write_text(to_text(Report.from_results(info, recorded_cases)), encoding="utf-8")
        (folder / "findings.toml").write_text(entry.replace("{mark}", mark), encoding="utf-8")
        return lint_published(tmp_path / "reports")[1]

    return publish_entry


def test_a_valid_finding_is_accepted(publish: Publish, tmp_path: Path) -> None:
    assert publish() == []
    assert lint_published(tmp_path / "reports")[0] == "1 published finding of 1 adapter"


def test_an_accepted_deviation_may_be_published(publish: Publish, cases: list[CaseResult], mark: str) -> None:
    """An accepted deviation is still a failure."""
    accepted = replace(FAILED, excuse=Excuse("deviation", mark))
    assert publish(of=[replace(cases[0], verdicts=(accepted,)), *cases[1:]]) == []


def test_no_published_findings_means_no_problem(publish: Publish, tmp_path: Path) -> None:
    assert publish("# nothing\n") == []
    assert lint_published(tmp_path / "none") == ("", [])


MISTAKES = {
    "an unknown key": ("witness =", "witnesses =", ":9", "unknown key 'witnesses'"),
    "a field left out": ("why =", "# why =", ":1", "a required key is missing: why"),
    "an empty field": ('witness = "the openai SDK 3.54.0 gives one call"', 'witness = " "', ":9", "witness"),
    "an id no file could have": ('"one-index"', '"One Index"', ":2", "a value is not what it should be: id"),
    "a status there is not": ('"observed"', '"certified"', ":11", "a value is not what it should be: status"),
    "no address": ("::bridged-gemini", "::native-gemini", ":5", "a value is not what it should be: case"),
    "documented nowhere": ('"recorded"', '"documented"', ":1", "no URL: 'scenarios/tools/parallel.json'"),
    "no URL": ("status =", 'tracker = "the tracker"\nstatus =', ":11", "no URL: 'the tracker'"),
    "disputed by nobody": ('"observed"', '"disputed"', ":1", "disputed without an answer\n"),
    "confirmed by nobody": ('"observed"', '"confirmed"', ":1", "confirmed without an answer\n"),
    "fixed by nobody": ('"observed"', '"fixed"', ":1", "fixed without an answer\n"),
    "an id twice": ("\n[[", "\n[[", ":12", "the id 'one-index' stands twice"),
    "a fingerprint twice": ("\n[[", "\n[[", ":12", "the fingerprint {mark} is in 'one-index' already"),
    "another fingerprint": (
        '"{mark}"',
        '"{mark}", "0123456789"',
        ":1",
        "no failure or warning with the fingerprint 0123456789",
    ),
    "a case there is not": ("tools/parallel::", "tools/none::", ":1", "the report has no case tools/none::"),
    "a case that passes": (
        "tools/parallel::",
        "tools/single-call::",
        ":1",
        "does not come to FAIL or WARN in the report",
    ),
    "no TOML": ("[[finding]]", "[[finding]", "", "no TOML"),
    "a table beside": ("[[finding]]", "[other]\n[[finding]]", ":1", "unknown key 'other'"),
}


@pytest.mark.parametrize(
    ("status", "keys"),
    [("disputed", """answer = "the maintainers' words\""""), ("fixed", """tracker = "https://...", the thread, or answer = "the maintainers' words\"""")],
)  # fmt: skip
def test_what_is_missing_beside_a_status_is_said(status: str, keys: str, publish: Publish) -> None:
    (problem,) = publish(ENTRY.replace('"observed"', f'"{status}"'))
    assert problem.endswith(f"\n  next: write {keys} into the entry, then bridgecheck lint")


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_refused_with_its_line(name: str, publish: Publish, mark: str) -> None:
    old, new, line, message = MISTAKES[name]
    entry = ENTRY.replace(old, new)
    if name == "an id twice":
        entry = ENTRY + ENTRY.replace("{mark}", "0123456789")
    if name == "a fingerprint twice":
        entry = ENTRY + ENTRY.replace("one-index", "another")
    (problem,) = publish(entry)
    assert problem.startswith("[bad-findings]")
    assert message.replace("{mark}", mark) in problem
    assert f"findings.toml{line}\n" in f"{problem}\n"


def test_a_different_fault_of_the_same_case_is_refused(publish: Publish, cases: list[CaseResult], mark: str) -> None:
    text = Difference("choices[0].text", '"a"', '"b"')
    changed = replace(cases[0], verdicts=(Verdict("response.text", "FAIL", "text differs", (text,)),))
    moved = replace(cases[0], key=replace(cases[0].key, scenario="tools/three-calls"))
    (problem,) = publish(of=[changed, moved, *cases[1:]])
    assert f"{CASE} shows no failure or warning with {mark}" in problem


def test_a_warning_may_be_published(publish: Publish, cases: list[CaseResult]) -> None:
    """What a user should know of counts, though the judge cannot say that the adapter broke a rule."""
    assert publish(of=[replace(cases[0], verdicts=(replace(FAILED, status="WARN"),)), *cases[1:]]) == []


def test_a_note_is_refused(publish: Publish, cases: list[CaseResult], mark: str) -> None:
    milder = replace(cases[0], verdicts=(replace(FAILED, status="NOTE"),))
    problems = publish(of=[milder, *cases[1:]])
    assert f"the report has no failure or warning with the fingerprint {mark}" in problems[0]


@pytest.mark.parametrize("status", ["FAIL", "WARN", "NOT_APPLICABLE", "ERROR", None])
def test_the_control_must_pass_the_same_case(status: str | None, publish: Publish, cases: list[CaseResult]) -> None:
    judged = [] if status is None else [replace(cases[1], verdicts=(Verdict("response.text", status, "said"),))]
    (problem,) = publish(of=[cases[0], *judged, *cases[2:]])
    assert "the control" in problem and "native-openai-chat-to-openai-chat-unary-wire" in problem


@pytest.mark.parametrize(("status", "problems"), [("PASS", 0), ("FAIL", 1)])
def test_the_control_of_a_single_client_scenario_is_that_client(
    status: Status, problems: int, publish: Publish, passing: Case, cases: list[CaseResult]
) -> None:
    verdict = Verdict("response.text", status, "said")
    control = passing("tools/parallel", verdict, path="native", client="gemini", upstream="gemini")
    assert len(publish(of=[cases[0], control, *cases[2:]])) == problems


def test_a_missing_report_is_refused(publish: Publish, tmp_path: Path) -> None:
    publish()
    (tmp_path / "reports/mine/report.json").unlink()
    (problem,) = lint_published(tmp_path / "reports")[1]
    assert "there is no report" in problem


def test_written_findings_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "findings.toml"
    answer = 'status = "disputed"\nanswer = "It is meant."\ntracker = "https://example.org/issues/7"\n'
    entry = ENTRY.replace("{mark}", "0123456789").replace('status = "observed"\n', answer)
    path.write_text("# of ours\n" + entry, encoding="utf-8")
    (finding,) = read_published(path)
    assert (finding.id, finding.status, finding.answer, finding.line) == ("one-index", "disputed", "It is meant.", 2)
    assert finding.fingerprints == ("0123456789",) and finding.repro_path_in_folder == "repro/one-index.py"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFindings, match="cannot be read"):
        read_published(tmp_path / "findings.toml")
