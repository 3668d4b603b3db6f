"""Reading reports: complete ones, partial ones, and what is refused."""

import errno
import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgecheck.errors import BadReport, ReportNotWritten
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report import Report, write_report
from bridgecheck.report.folder import PartialReportJson
from bridgecheck.report.jsonfile import to_json, to_text
from bridgecheck.report.read import find_violations, read_report
from bridgecheck.report.schema import report_schema


@pytest.fixture
def document(report: Report) -> dict[str, Any]:
    return json.loads(to_text(report))  # type: ignore[no-any-return]


@pytest.fixture
def report_file(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


def refusal_message(report_file: Path) -> str:
    with pytest.raises(BadReport) as refused:
        read_report(report_file)
    return str(refused.value)


def test_a_report_is_read_from_its_file_and_its_folder(report: Report, tmp_path: Path) -> None:
    write_report(report, tmp_path)
    for report_file in (tmp_path, tmp_path / "report.json"):
        path, back = read_report(report_file)
        assert path == tmp_path / "report.json"
        assert back == report
        assert not back.info.partial


def test_a_packed_report_is_read_like_any_other(report: Report, tmp_path: Path) -> None:
    packed = tmp_path / "report.json.gz"
    packed.write_bytes(gzip.compress(to_text(report).encode()))
    assert read_report(tmp_path) == read_report(packed) == (packed, report)
    write_report(replace(report, rationales=()), tmp_path)
    assert read_report(tmp_path).path.name == "report.json"


@pytest.mark.parametrize("end", [0, 5, 200])
def test_a_packed_report_that_is_cut_off_is_refused(end: int, report: Report, tmp_path: Path) -> None:
    packed = tmp_path / "report.json.gz"
    packed.write_bytes(gzip.compress(to_text(report).encode())[:end])
    assert "no gzip" in refusal_message(packed) or "JSON" in refusal_message(packed)


def test_without_a_path_the_latest_report_is_read(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_report(report, Path("reports/local"))
    assert read_report().report == report


def test_a_missing_report_is_refused(tmp_path: Path) -> None:
    message = refusal_message(tmp_path)
    assert "there is no report" in message
    assert "next: bridgecheck run" in message


def test_a_truncated_report_is_recognised_at_any_length(report: Report, passing, report_file: Path) -> None:
    strange = Verdict("x", "FAIL", 'quote " brace } \\ Zürich', (Difference("]}", '{"a": 1}', "[\u2028"),))
    whole = to_text(Report.from_results(report.info, [passing("a/b", strange), passing("c/d")])).encode()
    size = len(whole.rstrip())
    for end in (*range(0, size, size // 80), *range(size - 300, size, 7)):
        report_file.write_bytes(whole[:end])
        message = refusal_message(report_file)
        assert "the report is cut off" in message, whole[:end][-40:]
        assert "next: bridgecheck run" in message
    report_file.write_bytes(whole[:900] + b"\0" * 300)
    assert "the report is cut off" in refusal_message(report_file)


def test_the_error_states_how_much_was_read(report: Report, report_file: Path) -> None:
    text = to_text(report)
    report_file.write_text(text[: text.index('{"key": {"scenario": "tools/three-calls"') + 30], encoding="utf-8")
    assert "behind 9 of 12 cases" in refusal_message(report_file)
    report_file.write_text(text[:40], encoding="utf-8")
    assert "before its first case" in refusal_message(report_file)
    report_file.write_text("", encoding="utf-8")
    assert "the file is empty" in refusal_message(report_file)


def test_invalid_json_is_not_reported_as_truncated(report_file: Path) -> None:
    report_file.write_text('{"format": "bridgecheck-report",}', encoding="utf-8")
    assert "cut off" not in refusal_message(report_file)


def test_a_report_of_a_newer_release_is_refused_with_a_message(document: dict[str, Any], report_file: Path) -> None:
    newer = {**document, "version": 2, "cases": [{"new": "shape"}], "sideways": True}
    report_file.write_text(json.dumps(newer), encoding="utf-8")
    message = refusal_message(report_file)
    assert "the report is of version 2, written by a newer bridgecheck" in message
    assert "expected: version 1" in message
    assert "next: pip install --upgrade bridgecheck" in message


def test_another_document_is_refused(report_file: Path) -> None:
    for text in ("[]", '{"format": "bridgecheck-ledger", "version": 1}'):
        report_file.write_text(text, encoding="utf-8")
        assert "not a report" in refusal_message(report_file)


def plant_faults(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return reports with one fault each, in every part of the document."""
    faults = {
        name: json.loads(json.dumps(document)) for name in ("run", "case", "key", "verdict", "none", "head", "text")
    }
    faults["run"]["run"]["planned"] = -1
    faults["case"]["cases"][3]["views"] = [1]
    faults["key"]["cases"][5]["key"]["mode"] = "sideways"
    faults["verdict"]["cases"][-1]["verdicts"][-1]["status"] = "GREEN"
    faults["none"]["cases"][2] = None
    faults["head"]["extra"] = 1
    faults["text"]["cases"] = "none"
    return faults


@pytest.mark.parametrize("fault", ["run", "case", "key", "verdict", "none", "head", "text"])
def test_a_schema_violation_is_refused_with_its_path(document: dict[str, Any], report_file: Path, fault: str) -> None:
    broken = plant_faults(document)[fault]
    report_file.write_text(json.dumps(broken), encoding="utf-8")
    plain = [error.json_path for error in jsonschema.Draft202012Validator(report_schema()).iter_errors(broken)]
    assert [line.partition(":")[0] for line in find_violations(broken)] == plain
    assert f"the report breaks its schema: {plain[0]}: " in refusal_message(report_file)


def test_an_extended_schema_of_a_newer_release_is_reported_as_newer(
    document: dict[str, Any], report_file: Path
) -> None:
    document["run"] |= {"versions": {"bridgecheck": "99.1"}, "mood": "good"}
    report_file.write_text(json.dumps(document), encoding="utf-8")
    message = refusal_message(report_file)
    assert "this one was made by 99.1" in message
    assert "next: pip install --upgrade bridgecheck" in message


def test_fields_that_older_releases_lack_are_optional(
    report: Report, document: dict[str, Any], report_file: Path
) -> None:
    del document["totals"], document["newer"]
    report_file.write_text(json.dumps(document), encoding="utf-8")
    assert read_report(report_file).report.cases == report.cases


def test_a_killed_run_is_read_as_partial(report: Report, tmp_path: Path) -> None:
    with PartialReportJson(tmp_path, replace(report.info, planned=12)) as partial_report:
        for case in report.cases[:5]:
            partial_report.append_case_and_close_json(case)
        back = read_report(tmp_path).report
        assert back.info.partial
        assert len(back.cases) == 5


def test_a_case_that_does_not_fit_on_the_disk_is_taken_back(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, room = os.pwrite, 2_000

    def write_while_there_is_room(file: int, data: bytes, offset: int) -> int:
        fitting = data[: max(0, room - offset)]
        if not fitting:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, fitting, offset)

    with PartialReportJson(tmp_path, replace(report.info, planned=12)) as partial_report:
        partial_report.append_case_and_close_json(report.cases[0])
        room = (tmp_path / "report.json").stat().st_size + 100
        monkeypatch.setattr(os, "pwrite", write_while_there_is_room)
        with pytest.raises(ReportNotWritten, match="No space left on device"):
            partial_report.append_case_and_close_json(report.cases[1])
        assert read_report(tmp_path).report.cases == report.cases[:1]
        monkeypatch.undo()
        partial_report.append_case_and_close_json(report.cases[2])
        assert len(read_report(tmp_path).report.cases) == 2


def test_a_report_with_missing_cases_is_partial(report: Report, report_file: Path) -> None:
    fewer = {**to_json(report), "cases": to_json(report)["cases"][:-1]}  # type: ignore[index]
    assert fewer["complete"] is True
    report_file.write_text(json.dumps(fewer), encoding="utf-8")
    assert read_report(report_file).report.info.partial
