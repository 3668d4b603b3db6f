"""report.json: the report as a versioned JSON document (schema: reports/schema.json), and back.

    {"format": "bridgecheck-report", "version": 1, "complete": true, "exit_code": 0,
     "run": {...}, "totals": {"ERROR": 0, ..., "deviation": 0, "loss": 3}, "checks": {...}, "topics": {...},
     "losses": [...], "rules": {...}, "traceability": {...}, "sources": {...}, "rests_on": {...},
     "findings": [...],
     "deviations": [...], "scenarios": {...}, "cases": [...]}

Only ``run``, ``deviations``, ``scenarios`` (the grounds of those in which something was found) and ``cases`` are read
back; the rest is derived from them and is there for other readers.
``complete`` is false for a run that was cut off. The file is written whole or not at all: one that cannot be parsed is
not ours.
"""

import json
from datetime import date
from typing import Final, cast

from bridgecheck.deviations import Deviation
from bridgecheck.deviations.entries import TEXT_KEYS as DEVIATION_TEXTS
from bridgecheck.deviations.entries import parse_accepted_cases
from bridgecheck.model.case_json import (
    all_named_fields_to_json,
    case_from_dict,
    case_to_dict,
    read_known_fields,
    to_json_value,
)
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.report.findings import Finding
from bridgecheck.report.model import Report, RuleTrace, RunInfo, trace_rules
from bridgecheck.report.scenario_rationales import scenario_rationales_from_dict, scenario_rationales_to_dict
from bridgecheck.report.table import Cell
from bridgecheck.wire import JsonObject

FORMAT: Final = "bridgecheck-report"
VERSION: Final = 1


def to_json(report: Report) -> JsonObject:
    return {**_json_without_cases(report), "cases": [case_to_dict(case) for case in report.cases]}


def to_text(report: Report) -> str:
    """The document as text: the head indented, the cases one a line, so that it can be read and compared as text."""
    head = json.dumps(_json_without_cases(report), indent=1, ensure_ascii=False)
    cases = ",\n".join(json.dumps(case_to_dict(case), ensure_ascii=False) for case in report.cases)
    return f'{head[:-2]},\n "cases": [\n{cases}\n]}}\n'


def from_json(document: object) -> Report:
    """Return the report that a document holds. Raises ValueError if it is none, or of another version."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'not a report: expected "format": "{FORMAT}"')
    data = cast(JsonObject, document)
    if data.get("version") != VERSION:
        raise ValueError(f"report version {data.get('version')!r}: this release reads version {VERSION}")
    cases, deviations = data.get("cases"), data.get("deviations")
    if not isinstance(cases, list) or not isinstance(deviations, list):
        raise ValueError("cases, deviations: expected lists")
    listed = tuple(map(deviation_from_dict, deviations))
    grounds = scenario_rationales_from_dict(data.get("scenarios"))
    return Report(run_from_dict(data.get("run")), tuple(map(case_from_dict, cases)), listed, grounds)


def deviation_to_dict(entry: Deviation) -> JsonObject:
    fields = {field: getattr(entry, field) for field in DEVIATION_TEXTS if getattr(entry, field)}
    until = {"expires": entry.expires.isoformat()} if entry.expires else {}
    return {**fields, **({"accepts": list(map(str, entry.cases))} if entry.cases else {}), **until}


def deviation_from_dict(value: object) -> Deviation:
    """Return the entry alone: what became of it follows from the cases. Raises ValueError."""
    data = obj(value)
    until = text(data.get("expires"))
    return Deviation(
        **{field: text(data.get(field)) for field in DEVIATION_TEXTS},
        cases=parse_accepted_cases(arr(data.get("accepts"))),
        expires=date.fromisoformat(until) if until else None,
    )


def run_to_dict(info: RunInfo) -> JsonObject:
    """Return the members of RunInfo under their names."""
    return {**obj(to_json_value(info)), "versions": dict(info.versions), "seconds": round(info.seconds, 3)}


def run_from_dict(value: object) -> RunInfo:
    """Return the inverse of ``run_to_dict``. Raises ValueError."""
    versions = [list(pair) for pair in obj(obj(value).get("versions")).items()]
    return read_known_fields(RunInfo, {**value, "versions": versions} if isinstance(value, dict) else value, "run")


def _json_without_cases(report: Report) -> JsonObject:
    return {
        "format": FORMAT, "version": VERSION, "complete": not report.info.partial, "exit_code": report.exit_code,
        "run": run_to_dict(report.info), "totals": report.totals, "checks": report.checks,
        "topics": _topics_to_dict(report),
        "losses": to_json_value(report.losses),
        "rules": report.rule_use_counts,
        "traceability": {trace.rule.id: trace_to_dict(trace) for trace in trace_rules(report.checks)},
        "sources": {row.source: {"recordings": row.recordings, "cases": row.cases} for row in report.sources},
        "rests_on": _rests_on_to_dict(report),
        "findings": [finding_to_dict(finding) for finding in report.findings],
        "newer": [finding_to_dict(finding) for finding in report.newer_findings],
        "accepted": [finding_to_dict(finding) for finding in report.accepted_findings],
        "deviations": [
            {**deviation_to_dict(use.entry), "state": use.state, "cases": use.cases, "stale": list(use.stale_cases)}
            for use in report.deviation_uses
        ],
        "scenarios": scenario_rationales_to_dict(report.rationales),
    }  # fmt: skip


def finding_to_dict(finding: Finding) -> JsonObject:
    names = ("fingerprints", "status", "check", "message", "differences", "cells")
    return {
        "fingerprint": finding.first_fingerprint, **all_named_fields_to_json(finding, names),
        "also": dict(finding.explained_checks), "cases": list(finding.cases), "example": finding.example,
        "command": finding.command_line, "where": finding.where,
    }  # fmt: skip


def trace_to_dict(trace: RuleTrace) -> JsonObject:
    """Return where the rule stands, who enforces it, and how often that check came to which status."""
    head = all_named_fields_to_json(trace.rule, ("check", "level", "text"))
    return {**head, "basis": trace.rule.basis.kind, "source": trace.rule.basis.ref, "verdicts": dict(trace.counts)}


def _rests_on_to_dict(report: Report) -> JsonObject:
    """Return scenario -> dialect -> mode -> what its cassette says of itself, and which options of the run it fails."""
    by_scenario: dict[str, dict[str, dict[str, JsonObject]]] = {}
    for row in report.rests_on:
        modes = by_scenario.setdefault(row.scenario, {}).setdefault(row.dialect, {})
        recorded = {name: value for name, value in obj(to_json_value(row.recording)).items() if value}
        age = row.age_in_days(report.info.start_date)
        failed = list(report.unmet_demands.get(row, ()))
        modes[row.mode] = {
            "source": row.source, **recorded, **({} if age is None else {"age_in_days": age}),
            **({"fails": failed} if failed else {}),
        }  # fmt: skip
    return {**by_scenario}


def _topics_to_dict(report: Report) -> JsonObject:
    """Return topic -> column -> counts; a column without a case of the topic is omitted."""
    table = report.topics
    return {
        name: {head: to_json_value(cell) for head, cell in zip(table.columns, cells, strict=True) if cell != Cell()}
        for name, cells in table.rows
    }
