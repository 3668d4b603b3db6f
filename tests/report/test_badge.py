"""Badges: their text, and a self-contained picture."""

import re
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree

import pytest

from bridgecheck.model.verdict import Verdict
from bridgecheck.report import Report
from bridgecheck.report.badge import BAD, GOOD, KNOWN, LABEL, UNSURE, Badge, make_badge, to_shields_endpoint, to_svg
from bridgecheck.report.gate import Gate

from ..deviation_entries import accept

DAY = date(2026, 11, 25)
FAIL = Verdict("response.text", "FAIL", "lost")


def badge_text(report: Report, day: date = DAY) -> tuple[str, str]:
    made = make_badge(report, day)
    return made.message, made.colour


@pytest.fixture
def whole(clean_report: Report) -> Report:
    return replace(clean_report, info=replace(clean_report.info, selection=(("--relations", "fast"),)))


def test_a_conformant_adapter(whole: Report) -> None:
    assert badge_text(whole) == ("conformant", GOOD)
    made = make_badge(replace(whole, info=replace(whole.info, requirements="2026.1")), DAY)
    assert to_shields_endpoint(made) == {
        "schemaVersion": 1, "label": "bridgecheck 2026.1", "message": "conformant", "color": GOOD,
    }  # fmt: skip
    assert made.title == "bridgecheck 2026.1: reference 0.1.0 conformant, observed 2026-11-20"


def test_accepted_failures_are_counted_by_finding_and_not_called_conformant(whole: Report, passing) -> None:
    failing = [passing("a/b", FAIL), passing("a/c", FAIL)]
    entries = accept(failing)
    cases = map(Gate(entries).excuse_failures, [*failing, passing("a/d")])
    assert badge_text(Report.from_results(whole.info, cases, entries)) == ("1 known failure", KNOWN)


def test_omitted_parts_are_stated(whole: Report, clean_report: Report, passing) -> None:
    assert badge_text(clean_report) == ("conformant in part", GOOD)
    failing = [passing("a/b", FAIL), passing("a/c", FAIL)]
    entries = accept(failing)
    cases = map(Gate(entries).excuse_failures, [*failing, passing("a/d")])
    partial = replace(whole.info, selection=(("--tag", "usage"),))
    assert badge_text(Report.from_results(partial, cases, entries)) == ("1 known failure in part", KNOWN)


def test_findings_are_counted_and_warnings_only_where_they_gate(report: Report) -> None:
    assert badge_text(report) == ("3 findings", BAD)
    assert badge_text(replace(report, info=replace(report.info, strict=True))) == ("4 findings", BAD)


def test_one_finding_and_a_stale_deviation(whole: Report, passing) -> None:
    assert badge_text(Report.from_results(whole.info, [passing("a/b", FAIL)])) == ("1 finding", BAD)
    stale = accept([passing("a/b", FAIL)])
    assert badge_text(Report.from_results(replace(whole.info, stale="fail"), [passing("a/b")], stale)) == (
        "1 stale deviation",
        BAD,
    )


def test_a_partial_run_has_no_verdict(whole: Report, report: Report, passing) -> None:
    cut = replace(whole.info, partial=True)
    assert badge_text(Report.from_results(cut, whole.cases)) == ("partial", UNSURE)
    assert badge_text(Report.from_results(cut, report.cases)) == ("partial, 3 findings", BAD)


def test_cases_that_were_not_judged_are_stated(whole: Report, passing) -> None:
    assert badge_text(Report.from_results(whole.info, [])) == ("nothing judged", UNSURE)
    error = Verdict("harness.error", "ERROR", "?")
    assert badge_text(Report.from_results(whole.info, [passing("a/b", error)])) == ("harness errors", UNSURE)


def test_a_badge_expires(whole: Report, report: Report) -> None:
    assert badge_text(whole, date(2027, 2, 18)) == ("conformant", GOOD)
    assert badge_text(whole, date(2027, 2, 19)) == ("expired", UNSURE)
    assert badge_text(report, date(2027, 2, 19)) == ("expired", UNSURE)
    assert badge_text(replace(whole, info=replace(whole.info, started="")))[0] == "expired"


def test_a_badge_has_no_percentage(whole: Report, report: Report) -> None:
    for sample in (whole, report):
        assert "%" not in str(to_shields_endpoint(make_badge(sample, DAY)))


def test_the_picture_shows_the_text_and_requests_nothing(whole: Report) -> None:
    hostile = replace(whole, info=replace(whole.info, adapter='<script src="//x"/> & \x1b[31m "q"'))
    text = to_svg(make_badge(hostile, DAY))
    root = ElementTree.fromstring(text)
    svg = "{http://www.w3.org/2000/svg}"
    assert [part.text for part in root.iter(f"{svg}text")] == ["bridgecheck", "conformant"]
    label = 'bridgecheck: <script src="//x"/> & \\u001b[31m "q" 0.1.0 conformant, observed 2026-11-20'
    assert (root.get("role"), root.get("aria-label"), root.findtext(f"{svg}title")) == ("img", label, label)
    assert {part.tag.removeprefix(svg) for part in root.iter()} == {"svg", "title", "rect", "g", "text"}
    assert (
        re.findall(r"(?:href|src|url|import|style)\W", re.sub(r"<title>.*</title>|aria-label='[^']*'", "", text)) == []
    )


def test_the_halves_are_wide_enough_for_their_text() -> None:
    root = ElementTree.fromstring(to_svg(Badge("bridgecheck", "12 findings", BAD, "t")))
    left, right = root.iter("{http://www.w3.org/2000/svg}rect")
    for half, text in zip((left, right), root.iter("{http://www.w3.org/2000/svg}text"), strict=True):
        start = float(half.get("x", 0))
        assert start < float(text.get("x", 0))
        assert float(text.get("x", 0)) + float(text.get("textLength", 0)) < start + float(half.get("width", 0))
    assert float(root.get("width", 0)) == float(left.get("width", 0)) + float(right.get("width", 0))


@pytest.mark.parametrize("colour", [GOOD, BAD, UNSURE, LABEL])
def test_white_text_is_readable_on_the_colour(colour: str) -> None:
    """WCAG 2.2 asks for a contrast of 4.5 to 1."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 5
