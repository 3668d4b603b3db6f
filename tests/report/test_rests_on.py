"""What the scenarios of a run rest on, in every report, and the demands that a run makes on it."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from bridgecheck.model.provenance import Recording
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report import Report, RunInfo, sentences
from bridgecheck.report.html.report_page import to_html
from bridgecheck.report.jsonfile import from_json, to_text
from bridgecheck.report.markdown import to_markdown
from bridgecheck.report.rests_on import group_alike_scenarios, name_scenarios
from bridgecheck.report.schema import compile_predicate, report_schema
from bridgecheck.wire import JsonObject

from .pagecheck import page_problems

MakeCase = Callable[..., CaseResult]
INFO = RunInfo("mine", started="2026-11-24T10:00:00+00:00", planned=1)
NEW = Recording("2026-11-20T10:00:00Z", "gpt-5.4-nano", "v1")
SCENARIOS = "--scenario tools/one --scenario tools/two"
OLD = Recording("2026-09-01T10:00:00Z", "gpt-4.1-mini")


def make_report(cases: list[CaseResult], **fields: object) -> Report:
    return Report.from_results(replace(INFO, **fields), cases)  # type: ignore[arg-type]


@pytest.fixture
def cases(passing: MakeCase) -> list[CaseResult]:
    return [
        passing("tools/one", source="live", recording=NEW),
        passing("tools/one", source="live", recording=OLD, mode="stream"),
        passing("tools/one@cline", source="live", recording=NEW),
        passing("tools/one", upstream="gemini", client="openai-chat"),
        passing("tools/two"),
        passing("usage/one"),
        passing("usage/two"),
        passing("v/1", source="traffic", where="x.jsonl:1"),
    ]


def test_each_cassette_is_a_row_and_traffic_is_none(cases: list[CaseResult]) -> None:
    rows = make_report(cases).rests_on
    assert [(row.id, row.source) for row in rows] == [
        ("tools/one gemini.unary", "scripted"), ("tools/one openai-chat.unary", "live"),
        ("tools/one openai-chat.stream", "live"), ("tools/two openai-chat.unary", "scripted"),
        ("usage/one openai-chat.unary", "scripted"), ("usage/two openai-chat.unary", "scripted"),
    ]  # fmt: skip


def test_a_lost_case_does_not_hide_what_its_cassette_is(passing: MakeCase) -> None:
    live, lost = passing("a/b", source="live", recording=NEW), passing("a/b", client="anthropic")
    for both in ([live, lost], [lost, live]):
        assert [row.source for row in make_report(both).rests_on] == ["live"]


def test_the_line_of_cassettes_has_the_age_of_the_live_ones(cases: list[CaseResult]) -> None:
    assert "live (4 to 84 days old), 0 imported" in sentences.recordings_line(make_report(cases))


def test_alike_scenarios_of_a_topic_are_one_row(cases: list[CaseResult]) -> None:
    rows = list(group_alike_scenarios(make_report(cases).rests_on, date(2026, 11, 24)))
    assert [name_scenarios(row) for row in rows] == ["tools/one", "tools/two", "usage: all 2"]
    new, old = "live, gpt-5.4-nano, v1, 2026-11-20, 4 days old", "live, gpt-4.1-mini, 2026-09-01, 84 days old"
    assert rows[0].by_dialect == ("scripted", f"unary: {new}; stream: {old}", "")


def test_reports_tell_it_and_read_back_the_same(cases: list[CaseResult]) -> None:
    report = make_report(cases, max_age=30)
    document: JsonObject = json.loads(to_text(report))
    schema = report_schema()
    assert compile_predicate(schema, schema["$defs"])(document)  # type: ignore[arg-type]
    assert document["rests_on"]["tools/one"]["openai-chat"]["stream"] == {  # type: ignore[index]
        "source": "live", "recorded_at": OLD.recorded_at, "model": OLD.model, "age_in_days": 84, "fails": ["--max-age"],
    }  # fmt: skip
    assert from_json(document).rests_on == report.rests_on
    assert from_json(document).exit_code == report.exit_code == 1
    assert "usage: all 2" in to_markdown(report)
    assert "84 days old" in to_markdown(report)
    page = to_html(report, date(2026, 11, 24))
    assert page_problems(page) == []
    assert "What they rest on" in page
    assert "84 days old" in page


@pytest.mark.parametrize(
    ("fields", "failing"),
    [
        ({}, []),
        ({"max_age": 84}, []),
        ({"max_age": 83}, ["tools/one openai-chat.stream"]),
        ({"require": ("live:usage",)}, ["usage/one openai-chat.unary", "usage/two openai-chat.unary"]),
        ({"require": ("live:tools",)}, ["tools/one gemini.unary", "tools/two openai-chat.unary"]),
        ({"require": ("live:tools",), "max_age": 3}, [
            "tools/one gemini.unary", "tools/one openai-chat.unary", "tools/one openai-chat.stream",
            "tools/two openai-chat.unary",
        ]),
    ],
)  # fmt: skip
def test_demands_fail_the_run_and_list_what_does_not_meet_them(
    cases: list[CaseResult], fields: dict[str, object], failing: list[str]
) -> None:
    report = make_report(cases, **fields)
    assert [row.id for row in report.unmet_demands] == failing
    assert report.exit_code == (1 if failing else 0)
    lines = "\n".join(sentences.unmet_demand_lines(report))
    assert all(f"  {name}: " in lines for name in failing)
    assert bool(lines) == bool(failing)


def test_the_lines_say_which_command_records_anew(cases: list[CaseResult]) -> None:
    lines = list(sentences.unmet_demand_lines(make_report(cases, max_age=30, require=("live:tools",))))
    assert lines == [
        "Live cassettes older than 30 days: 1",
        "  tools/one openai-chat.stream: live, gpt-4.1-mini, 2026-09-01, 84 days old",
        "  next: bridgecheck refresh tools/one --live openai-chat=URL --key-env openai-chat=NAME --out DIR",
        "Not live, and required by live:tools: 2",
        "  tools/one gemini.unary: scripted",
        "  tools/two openai-chat.unary: scripted",
        (
            f"  next: bridgecheck record {SCENARIOS} --live gemini=URL --key-env gemini=NAME "
            "--live openai-chat=URL --key-env openai-chat=NAME --out DIR"
        ),
    ]
    verdict = sentences.verdict_line(make_report(cases, max_age=30, require=("live:tools",)))
    assert verdict.startswith("NOT CONFORMANT: 1 cassette too old, 2 cassettes not live in ")
