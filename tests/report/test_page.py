"""A report as one HTML file: complete, and without active content."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bridgecheck.model.verdict import Verdict
from bridgecheck.report import Report
from bridgecheck.report.html import rendering, report_page
from bridgecheck.report.html.report_page import to_html

from .pagecheck import Page, page_problems
from .sample_reports import EVIL, TODAY, case, clean, hostile, info, large, sample

MEGABYTE = 1_000_000


def visible_text(text: str) -> str:
    """Return the visible text of a page, with white space collapsed."""
    return " ".join("".join(Page(text).text).split())


@pytest.mark.parametrize("make", [sample, clean, hostile, lambda: Report.from_results(info(), [])])
def test_a_page_is_self_contained_and_readable(make: Callable[[], Report]) -> None:
    assert page_problems(to_html(make(), TODAY)) == []


FAULTS = {
    "2 <script>": ("</main>", "<script>1</script></main>"),
    "the policy does not name this script": ("</script>", " </script>"),
    "the policy does not name this style": ("</style>", "p{}</style>"),
    "the policy allows by default": ("default-src &#39;none&#39;", "default-src *"),
    "<img>": ("</main>", "<img alt=''></main>"),
    "<p onclick>": ("<footer>", "<footer><p onclick='1'></p>"),
    "<p style>": ("<footer>", "<footer><p style='color:red'></p>"),
    "<a href='javascript:alert(1)'>": ("<footer>", "<footer><a href='javascript:alert(1)'>x</a>"),
    "<link href='https://fonts.example/x.css'>": ("<title>", "<link href='https://fonts.example/x.css'><title>"),
    "the id 'main' 2 times": ("<footer>", "<footer id='main'>"),
    "href leads to 'nowhere', which is not there": ("<footer>", "<footer><a href='#nowhere'>x</a>"),
    "<h4> after <h2>": ("<footer>", "<footer><h2>x</h2><h4>y</h4>"),
    "<th> without scope": ("<footer>", "<footer><table><tr><th>x</th></tr></table>"),
    "<pre> takes the focus and has no name": ("<footer>", "<footer><pre tabindex='0'></pre>"),
    "no language": ('<html lang="en">', "<html>"),
    "characters that do not show themselves: U+001B U+202E": ("<footer>", "<footer>\x1b\u202e"),
    "</p> closes <b>": ("<footer>", "<footer><p><b></p>"),
    "<img onerror>": ("</main>", f"<template>{rendering.deflate_to_base64('<img onerror=1>')}</template></main>"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_page_fault_is_noticed(fault: str) -> None:
    text = to_html(sample(), TODAY)
    old, new = FAULTS[fault]
    assert old in text
    assert fault in page_problems(text.replace(old, new, 1))


def test_hostile_content_is_shown_as_text() -> None:
    text = to_html(hostile(), TODAY)
    text.encode("utf-8")  # no lone surrogate is left
    assert "&lt;script&gt;document.title=" in text
    assert "<script>document" not in text
    assert "{{ 7*7 }}" in text
    assert '<span class="invisible">\\u202e</span>' in text
    assert "49" not in visible_text(text)
    visible = visible_text(text)
    for spelled in ("\\u0000", "\\u001b[31m", "\\u202eabc\\u202c", "\\ud800", "\\u2028", "\\u00a0"):
        assert spelled in visible
    assert EVIL not in visible


def test_a_template_cannot_forget_escaping() -> None:
    own = rendering._jinja_environment()
    assert own.from_string("{{ x }}").render(x="a\x1b<b>") == "a\\u001b&lt;b&gt;"
    assert own.from_string('<p title="{{ x }}">').render(x='"\u202e') == '<p title="&#34;\\u202e">'
    with pytest.raises(Exception, match="undefined"):
        own.from_string("{{ forgotten }}").render()


def test_the_header_shows_what_was_judged_and_the_result() -> None:
    visible = visible_text(to_html(sample(), TODAY))
    assert "Run on 2026-11-22, valid until 2027-02-20. Reached as python:sample.gateway:adapter." in visible
    assert (
        "NOT CONFORMANT 3 findings, 1 error, 1 warning, 1 accepted finding in 11 judged cases, 12.3 s (exit code 1)"
        in visible
    )
    assert "Findings 1 ERROR 3 FAIL 1 WARN" in visible
    assert "Cases 1 ERROR 5 FAIL 1 WARN 1 accepted 3 PASS 1 NOTE 1 NOT_APPLICABLE" in visible
    assert "Control 2 cases without an adapter, in the same run: none failed" in visible
    assert "Cassettes 11 scripted, 0 live, 0 imported, 0 edited" in visible
    assert "observed, not certified" in visible


def test_a_finding_has_its_rule_its_scenario_and_their_sources() -> None:
    text = to_html(sample(), TODAY)
    visible = visible_text(text)
    assert "Every call arrives once, with its name" in visible
    assert "tools/parallel-one-chunk" in visible
    assert "Why:" in visible
    assert "Basis:" in visible
    assert "Duty:" in visible
    links = {attrs["href"] for attrs in Page(text).all("a")}
    assert any(link.startswith("https://ai.google.dev/api/") for link in links)
    assert any(re.fullmatch(r"https://github\.com/.+/(issues|pull)/\d+", link) for link in links)
    assert "bridgecheck run --adapter python:sample.gateway:adapter --scenario tools/many::bridged-" in visible


def test_the_control_is_shown_next_to_a_failed_case() -> None:
    visible = visible_text(to_html(sample(), TODAY))
    assert "Control, same scenario, same run: sdk layer ✓ PASS wire layer ✓ PASS" in visible


def test_both_sides_are_shown_and_what_differs_is_marked() -> None:
    text = to_html(sample(), TODAY)
    visible = visible_text(text)
    for label in ("client to adapter", "adapter to provider", "provider to adapter", "adapter to client"):
        assert label in visible
    marked = re.findall(r'<mark><span class="vh">differs: </span>(.*?)</mark>', text, re.DOTALL)
    assert [line.strip() for line in marked] == [
        '"thoughtsTokenCount": 60', '"completion_tokens": 0',
    ]  # fmt: skip


def test_findings_that_do_not_gate_are_marked() -> None:
    text = to_html(sample(), TODAY)
    cards = Page(text).all("article")
    assert [card["data-label"] for card in cards].count("accepted") == 1
    visible = visible_text(text)
    assert "not yet mended" in visible
    assert "https://github.com/a/b/issues/7" in visible
    assert "sample does not claim json_schema" in visible
    assert "the refusal became text" in visible


def test_every_failed_cell_links_to_a_finding_of_its_topic_and_direction() -> None:
    made = report_page.make_report_page(sample(), TODAY)
    cards = {f"#{card.id}": card for card in made.cards}
    failed = [
        (row.name, head.key, square)
        for row in made.matrix.rows
        for head, square in zip(made.matrix.columns, row.cells, strict=True)
        if square.state in ("failed", "warned", "accepted")
    ]
    assert len(failed) >= 6
    for name, key, square in failed:
        assert name in cards[square.link].topics
        assert key in cards[square.link].columns


def test_a_partial_run_is_announced_first() -> None:
    report = sample()
    cut = Report.from_results(replace(report.info, planned=400, partial=True), report.cases)
    visible = visible_text(to_html(cut, TODAY))
    assert "PARTIAL The run was cut off: 13 of 400 cases done. What is missing was not judged." in visible
    assert visible.index("PARTIAL") < visible.index("3 findings")
    assert visible.startswith("sample 1.4.0: NOT CONFORMANT, partial (bridgecheck)")
    assert "PARTIAL" not in visible_text(to_html(report, TODAY))


@pytest.mark.parametrize(("days", "hidden"), [(0, True), (90, True), (91, False)])
def test_a_report_expires_after_ninety_days(days: int, hidden: bool) -> None:
    text = to_html(sample(), TODAY + timedelta(days=days))
    (banner,) = [attrs for attrs in Page(text).all("p") if "expired" in attrs.get("class", "")]
    assert ("hidden" in banner) is hidden
    assert banner["data-expires"] == "2027-02-20"


def test_a_missing_date_or_control_is_stated() -> None:
    bare = Report.from_results(replace(info(), started="", version="", target=""), [case("tools/single-call")])
    visible = visible_text(to_html(bare, date.min))
    assert "Run on an unknown day" in visible
    assert "There was no control in this run." in visible


def test_a_run_without_findings_is_stated() -> None:
    visible = visible_text(to_html(clean(), TODAY))
    assert "CONFORMANT no finding in 2 judged cases" in visible
    assert "Nothing was found." in visible
    assert "Findings none" in visible


def test_a_large_report_is_limited_and_keeps_an_example_of_each_finding() -> None:
    report = large()
    text = to_html(report, TODAY)
    assert len(text.encode()) < 5 * MEGABYTE
    shown = report_page.make_report_page(report, TODAY).cards
    assert all(card.panels[0].documents for card in shown[:20])
    assert "they are in report.json" in text
    assert sum(len(json.dumps(case.views)) for case in report.cases) > 20 * MEGABYTE


def test_long_values_are_clipped() -> None:
    long = Verdict("response.text", "FAIL", "m" * 100_000)
    long_case = case(
        "tools/single-call", long, title="t" * 10, crash="c" * 100_000, views={"client_request": "v" * 100_000}
    )
    assert len(to_html(Report.from_results(info(), [long_case]), TODAY)) < 120_000


def test_pages_are_deterministic() -> None:
    assert to_html(sample(), TODAY) == to_html(sample(), TODAY)


def test_what_is_packed_is_masked_and_holds_no_key_by_chance() -> None:
    key = "AIza" + "Sy0123456789abcdefghijklmnopqrstuvw"[:35]
    (packed,) = Page(f"<template>{rendering.deflate_to_base64(f'<p>{key}</p>' * 90)}</template>").packed
    assert key not in packed and packed.count("REDACTED") == 90
    large_text = rendering.deflate_to_base64("".join(str(number**3) for number in range(3000)))
    assert max(map(len, large_text.split("\n"))) == rendering.PACKED_LINE


@pytest.mark.parametrize(
    ("scenario", "verdict", "sentence"),
    [
        ("errors/key-not-echoed", Verdict("client.no_secret", "WARN", "a key"),
         "what provokes it is rare, or no source makes it a duty: the scenario is a SHOULD."),
        ("thinking/on", Verdict("request.thinking", "WARN", "a level", rules=("thinking.effort_ignored",)),
         "the rule thinking.effort_ignored is a SHOULD."),
        ("stop/one", Verdict("client.framing", "WARN", "no end"), "an adapter may do this on purpose, and be right."),
        ("stop/one", Verdict("client.framing", "FAIL", "no end"), ""),
        ("stop/one", Verdict("response.other", "WARN", "a member"), ""),
    ],
)  # fmt: skip
def test_a_warning_of_a_must_says_why_it_is_none(scenario: str, verdict: Verdict, sentence: str) -> None:
    report = Report.from_results(info(), [case(scenario, verdict)]).with_failing_scenario_rationales()
    page = to_html(report, TODAY)
    shown = re.findall(r"A warning, though the check is a MUST: ([^<]*)<", page)
    assert shown == ([sentence] if sentence else [])
