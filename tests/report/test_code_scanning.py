"""SARIF and annotations: what services show beside the source code of an adapter."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgecheck.model.verdict import CaseResult, Verdict
from bridgecheck.report import Report
from bridgecheck.report.adapter_file import find_adapter_file
from bridgecheck.report.annotations import MOST_OF_A_LEVEL, to_annotations
from bridgecheck.report.gate import Gate
from bridgecheck.report.sarif import SCHEMA, to_sarif

from ..deviation_entries import accept

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
SARIF: dict[str, Any] = {
    "type": "object", "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"}, "$schema": {"type": "string", "format": "uri"},
        "runs": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["tool", "results"],
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name"],
                    "properties": {"rules": {"type": "array", "uniqueItems": True, "items": {
                        "type": "object", "required": ["id"], "properties": {"shortDescription": TEXT}}}},
                }}},
                "invocations": {"type": "array", "items": {"type": "object", "required": ["executionSuccessful"]}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message", "ruleId", "locations", "partialFingerprints"],
                    "properties": {
                        "message": TEXT, "level": {"enum": ["none", "note", "warning", "error"]},
                        "ruleIndex": {"type": "integer", "minimum": -1}, "occurrenceCount": {"type": "integer", "minimum": 1},
                        "locations": {"type": "array", "minItems": 1, "items": {
                            "type": "object", "required": ["physicalLocation"],
                            "properties": {"physicalLocation": {
                                "type": "object", "required": ["artifactLocation"],
                                "properties": {
                                    "artifactLocation": {"type": "object", "required": ["uri"]},
                                    "region": {"type": "object", "properties": {"startLine": {"type": "integer", "minimum": 1}}},
                                },
                            }},
                        }},
                        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                        "suppressions": {"type": "array", "items": {
                            "type": "object", "required": ["kind"],
                            "properties": {
                                "kind": {"enum": ["inSource", "external"]},
                                "status": {"enum": ["accepted", "underReview", "rejected"]},
                            },
                        }},
                    },
                }},
            },
        }},
    },
}  # fmt: skip
"""What the schema of SARIF 2.1.0 requires of the members that are written, and what GitHub requires besides."""

FILE = "src/mine.py"


def read_log(report: Report) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(to_sarif(report, FILE))
    jsonschema.validate(log, SARIF)
    assert log["$schema"] == SCHEMA
    return log


def test_a_finding_is_a_result_with_its_rule_level_and_fingerprint(report: Report) -> None:
    [run] = read_log(report)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    levels = {"FAIL": "error", "ERROR": "error", "WARN": "warning"}
    assert [(item["ruleId"], item["level"], item["occurrenceCount"]) for item in run["results"]] == [
        (finding.check, levels[finding.status], len(finding.cases)) for finding in report.findings
    ]
    assert all(rules[item["ruleIndex"]] == item["ruleId"] for item in run["results"])
    prints = [item["partialFingerprints"]["bridgecheck/v1"] for item in run["results"]]
    assert prints == [finding.first_fingerprint for finding in report.findings]
    assert {item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for item in run["results"]} == {FILE}
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": report.exit_code}] or report.exit_code == 1


def test_a_clean_run_has_no_result(clean_report: Report) -> None:
    [run] = read_log(clean_report)["runs"]
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_an_accepted_failure_is_a_suppressed_result(report: Report, passing: Callable[..., CaseResult]) -> None:
    case = passing("a/b", Verdict("response.text", "FAIL", "as ever"))
    entries = accept([case])
    accepted = Report.from_results(report.info, [Gate(entries).excuse_failures(case)], entries)
    [result] = read_log(accepted)["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "accepted in deviations.toml"}
    ]
    assert to_annotations(accepted, FILE) == ""


def test_any_text_stays_inside_its_log_and_its_command(report: Report, passing: Callable[..., CaseResult]) -> None:
    strange = "nul \x00 escape \x1b[31m lines \r\u2028\x85 of text"
    cases = [passing(f"a/{check}", Verdict(check, "FAIL", strange)) for check in ("response.text", "strange,\n:check")]
    read_log(Report.from_results(report.info, cases))
    lines = to_annotations(Report.from_results(report.info, cases), FILE).rstrip("\n").split("\n")
    assert len(lines) == 2
    assert all(re.match(r"::(error|warning) file=src/mine\.py,line=1,title=[^:,]*::", line) for line in lines)


def test_an_annotation_cannot_start_another_command(report: Report, passing: Callable[..., CaseResult]) -> None:
    case = passing("a/b", Verdict("adapter.completes", "FAIL", "50% off\r\n::set-output name=x::y"))
    text = to_annotations(Report.from_results(report.info, [case]), "a,b:c.py")
    assert text.count("\n") == 1
    assert text.startswith("::error file=a%2Cb%3Ac.py,line=1,title=adapter.completes::50%25 off")


def test_github_drops_what_is_beyond_ten_of_a_level(report: Report, passing: Callable[..., CaseResult]) -> None:
    cases = [
        passing(f"a/{number}", Verdict("adapter.completes", "FAIL", f"{word} is broken"))
        for number, word in enumerate(
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
        )
    ]
    many = Report.from_results(replace(report.info, planned=len(cases)), cases)
    assert len(many.findings) == len(cases)
    lines = to_annotations(many, FILE).splitlines()
    assert len(lines) == MOST_OF_A_LEVEL
    assert "and 3 more findings in report.html" in lines[-1]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("python:own.bridge:make", "own/bridge.py"),
        ("python:deep:adapter", "src/deep/__init__.py"),
        ("reports/mine/adapter.toml", "reports/mine/adapter.toml"),
        ("python:installed:adapter", "pyproject.toml"),
        ("http:http://127.0.0.1:1", "pyproject.toml"),
        ("../outside.toml", "pyproject.toml"),
        ("", "pyproject.toml"),
    ],
)
def test_a_finding_stands_in_the_file_of_the_adapter(tmp_path: Path, target: str, expected: str) -> None:
    root = tmp_path / "root"
    for name in ("own/bridge.py", "src/deep/__init__.py", "reports/mine/adapter.toml", "../outside.toml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    assert find_adapter_file(target, root) == expected
