"""report.json, its schema, junit.xml and the folder."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from bridgecheck.deviations import AcceptedCases, Deviation
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report import Report, write_report
from bridgecheck.report.folder import FILE_NAMES
from bridgecheck.report.gate import Gate
from bridgecheck.report.jsonfile import from_json, to_json, to_text
from bridgecheck.report.junit import to_xml
from bridgecheck.report.schema import report_schema, report_schema_text

from ..deviation_entries import accept

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "reports" / "schema.json"
STRANGE_TEXT = "nul \x00 escape \x1b[31m lone \ud800 line \u2028 `tick` | <b>"


def _violations(document: object) -> list[str]:
    return [error.json_path for error in jsonschema.Draft202012Validator(report_schema()).iter_errors(document)]


@pytest.fixture
def strange_report(report: Report, passing) -> Report:
    verdict = Verdict(
        "response.text", "FAIL", STRANGE_TEXT, (Difference(STRANGE_TEXT, STRANGE_TEXT, STRANGE_TEXT + "!"),)
    )
    return Report.from_results(
        report.info, [passing("unicode/odd", verdict, crash=STRANGE_TEXT, where=STRANGE_TEXT, title=STRANGE_TEXT)]
    )


def test_the_exported_schema_matches_the_code() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == report_schema_text(), "write it anew with: make schema"


def test_reports_of_every_kind_fit_the_schema(report: Report, clean_report: Report, strange_report: Report) -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    for sample in (report, clean_report, strange_report, Report.from_results(replace(report.info, partial=True), [])):
        assert _violations(json.loads(to_text(sample))) == []


def test_the_schema_refuses_other_documents(report: Report) -> None:
    document = to_json(report)
    assert _violations({**document, "version": 2}) == ["$.version"]
    assert _violations({**document, "extra": 1}) == ["$"]
    assert _violations({**document, "totals": {}}) != []
    assert _violations({**document, "cases": [{"id": "a"}]}) != []


def test_the_written_text_is_the_document(report: Report, clean_report: Report) -> None:
    for sample in (report, clean_report, Report.from_results(report.info, [])):
        assert json.loads(to_text(sample)) == to_json(sample)


LISTED = (
    AcceptedCases(("a/b", "a/c"), ("stream", "unary"), ("wire",), frozenset({"1f0c22", "77aa01"})),
    AcceptedCases(("recorded/odd, one",), ("unary",), ("wire",), None),
)


def test_a_report_round_trips(report: Report) -> None:
    entries = (
        *accept(report.cases, "response.tool_calls", issue="https://x", expires=date(2026, 12, 1)),
        Deviation("other", "3ef68ad5f7", "response.text", direction="gemini-to-openai-chat", cases=LISTED),
    )
    info = replace(report.info, stale="fail", requirements="2026.1")
    listed = Report.from_results(info, map(Gate(entries).excuse_failures, report.cases), entries)
    assert listed.totals["deviation"] == 2
    assert _violations(json.loads(to_text(listed))) == []
    assert from_json(json.loads(to_text(listed))) == listed


def test_an_interrupted_run_is_recognised(report: Report) -> None:
    whole, partial = to_json(report), to_json(Report.from_results(replace(report.info, partial=True), report.cases[:3]))
    assert (whole["complete"], partial["complete"]) == (True, False)
    assert from_json(partial).info.partial


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "not a report"),
        ({"format": "other"}, "not a report"),
        ({"format": "bridgecheck-report", "version": 9}, "report version 9: this release reads version 1"),
        ({"format": "bridgecheck-report", "version": 1}, "cases, deviations: expected lists"),
        ({"format": "bridgecheck-report", "version": 1, "cases": [], "deviations": []}, "run: expected an object"),
    ],
)
def test_other_documents_are_refused(document: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(document)


def test_junit_counts_every_case_and_gives_its_location(report: Report) -> None:
    root = ElementTree.fromstring(to_xml(report))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "12",
        "failures": "4",
        "errors": "1",
        "skipped": "2",
    }
    assert [suite.get("name") for suite in root] == ["errors", "schema", "thinking", "tools", "unicode", "vendor"]
    assert sum(int(suite.get("tests", 0)) for suite in root) == 12


def test_junit_holds_nothing_that_a_terminal_obeys(report: Report, passing) -> None:
    verdict = Verdict(
        "response.text", "FAIL", "csi \x9b2J turned \u202e isolated \u2066 back \r del \x7f, ümlaut – 東京"
    )
    text = to_xml(Report.from_results(report.info, [passing("unicode/odd", verdict, crash="\x9b2J\r")]))
    assert not {"\x9b", "\u202e", "\u2066", "\r", "&#13;", "\x7f"} & {*text}
    assert "csi \\u009b2J turned \\u202e isolated \\u2066 back \\u000d del \\u007f, ümlaut – 東京" in text


def test_junit_reports_what_failed(report: Report) -> None:
    root = ElementTree.fromstring(to_xml(report))
    failures = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
    failure = failures["tools/parallel::bridged-gemini-to-openai-chat-stream-wire"]
    assert failure is not None and failure.text is not None
    assert failure.get("type") == "response.tool_calls"
    assert "choices[0].tool_calls[1].index\n    expected 1\n    actual   0" in failure.text


def test_warnings_fail_junit_only_when_strict(report: Report) -> None:
    strict = Report.from_results(replace(report.info, strict=True), report.cases)
    assert ElementTree.fromstring(to_xml(strict)).get("failures") == "5"


def test_a_known_deviation_is_skipped_in_junit(report: Report, passing) -> None:
    case = passing("a/b", Verdict("x", "FAIL", "as ever"))
    entries = accept([case])
    root = ElementTree.fromstring(
        to_xml(Report.from_results(report.info, [Gate(entries).excuse_failures(case)], entries))
    )
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"accepted deviation {entries[0].name}: FAIL x: as ever"


def test_the_folder_has_every_file_for_any_text(strange_report: Report, tmp_path: Path) -> None:
    paths = write_report(strange_report, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == list(FILE_NAMES)
    back = from_json(json.loads(paths[0].read_text(encoding="utf-8")))
    assert back.cases[0].crash == STRANGE_TEXT
    (failure,) = ElementTree.parse(paths[1]).getroot().iter("failure")
    message = failure.get("message", "")
    assert "nul \\u0000 escape \\u001b[31m lone \\ud800" in message
    assert "\x1b" not in paths[2].read_text(encoding="utf-8")


def test_writing_again_replaces_every_file(report: Report, clean_report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    write_report(clean_report, tmp_path)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["exit_code"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "annotations.txt", "findings.sarif", "junit.xml", "report.html", "report.json", "summary.md",
    ]  # fmt: skip
