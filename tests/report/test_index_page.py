"""The index page of several reports."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from bridgecheck.model.verdict import Verdict
from bridgecheck.report import Report
from bridgecheck.report.html.index_page import IndexEntry, to_html
from bridgecheck.report.html.report_page import to_html as one_page
from bridgecheck.report.publication import FindingsAndRecipe

from .pagecheck import Page, page_problems
from .sample_reports import (
    EVIL,
    TODAY,
    case,
    clean,
    control,
    findings_and_recipe,
    hostile,
    info,
    sample,
    sample_published_finding,
)


def entry(report: Report, adapter: str, version: str = "1", **fields: object) -> IndexEntry:
    named = replace(report, info=replace(report.info, adapter=adapter, version=version, **fields))
    return IndexEntry(named, f"{adapter}/report.html", adapter)


@pytest.fixture
def text() -> str:
    old = (TODAY - timedelta(days=91)).isoformat() + "T10:00:00+00:00"
    entries = [
        entry(sample(), "zeta"),
        entry(clean(), "Beta"),
        entry(clean(), "alpha", "2", partial=True, planned=9),
        entry(sample(), "beta", "0.9", started=old),
    ]
    return to_html(entries, TODAY)


def rows(text: str) -> list[str]:
    table = text[text.index('<table class="list reports"') : text.index("</table>")]
    plain = (" ".join("".join(Page(row).text).split()) for row in table.split("<tr")[2:])
    return list(plain)


def test_the_page_is_self_contained_and_readable(text: str) -> None:
    assert page_problems(text) == []
    assert page_problems(to_html([], TODAY)) == []
    assert page_problems(to_html([IndexEntry(hostile(), "x/report.html", EVIL)], TODAY)) == []


def test_adapters_are_listed_alphabetically_without_a_ranking(text: str) -> None:
    assert [re.sub(r"^.*?>", "", row).split()[0] for row in rows(text)] == ["alpha", "beta", "Beta", "zeta"]
    visible = "".join(Page(text).text)
    assert "%" not in visible
    assert "observed, not certified" in visible
    assert "the order is no ranking" in visible


def test_a_row_has_date_version_counts_and_control(text: str) -> None:
    line = rows(text)[-1]
    for part in (
        "zeta 1 ", "2026-11-22 until 2027-02-20", "NOT CONFORMANT, 1 accepted", "1 ERROR 3 FAIL 1 WARN 1 accepted",
        "1 ERROR 5 FAIL 1 WARN 1 accepted 3 PASS", "2 cases without an adapter, in the same run: none failed",
    ):  # fmt: skip
        assert part in line
    assert line.index("3 FAIL") < line.index("5 FAIL")  # by finding, then by case


def test_old_and_interrupted_reports_are_marked(text: str) -> None:
    flags = [attrs for attrs in Page(text).all("span") if attrs.get("class") == "flag"]
    shown = [attrs.get("title", attrs.get("data-expires", "")) for attrs in flags if "hidden" not in attrs]
    assert shown == ["The run was cut off: 2 of 9 cases done. What is missing was not judged.", "2026-11-21"]


def test_the_table_has_a_column_per_adapter_and_the_control(text: str) -> None:
    table = text[text.rindex('<table class="matrix"') :]
    heads = re.findall(r'<th scope="col".*?aria-hidden="true" class="long">(.*?)</span>', table)
    assert heads == ["alpha 2", "beta 0.9", "Beta 1", "zeta 1", "control"]
    links = {attrs["href"] for attrs in Page(table).all("a")}
    assert links == {"beta/report.html#table", "zeta/report.html#table"}  # only where something failed


def test_reports_of_the_same_version_are_named_by_folder() -> None:
    text = to_html([IndexEntry(clean(), "a/report.html", "a"), IndexEntry(clean(), "b/report.html", "b")], TODAY)
    assert "sample 1.4.0 (a)" in text and "sample 1.4.0 (b)" in text


def test_a_failed_control_is_stated() -> None:
    wrong_judge = control("tools/single-call", Verdict("response.text", "FAIL", "lost"))
    report = Report.from_results(info(planned=2), [wrong_judge, case("tools/single-call")])
    text = to_html([entry(report, "x")], TODAY)
    assert "1 case without an adapter, in the same run: 1 failed" in rows(text)[0]
    assert 'class="control failed"' in text


def test_published_findings_are_counted_and_shown_in_full() -> None:
    entries = [
        IndexEntry(sample(), "zeta/report.html", "zeta", "zeta/", findings_and_recipe()),
        IndexEntry(sample(), "eta/report.html", "eta", "eta/", FindingsAndRecipe(())),
        IndexEntry(clean(), "alpha/report.html", "alpha"),
    ]
    text = to_html(entries, TODAY)
    assert page_problems(text) == []
    eta, zeta = rows(text)[1:]
    assert "1 OBSERVED 1 DISPUTED" in zeta and "ERROR" not in zeta.split("DISPUTED")[0].split("1 accepted")[1]
    assert "1 accepted none" in eta
    visible = " ".join("".join(Page(text).text).split())
    for part in (
        "Two calls of one chunk reach the client as one",
        "Gemini sends two parts, and the control keeps both.",
        "Provoked by what is documented https://ai.google.dev/gemini-api/docs/function-calling",
        "the openai SDK 3.54.0 gives one tool call",
        "944f8b74e2, 0123456789",
        "944f8b74e2, 0123456789 (a warning)",
        "DISPUTED the maintainers disagree, and it is not decided; their answer stands beside it",
        "Numbers become text The maintainers' answer That is meant.",
        "2 published, valid until 2027-02-20",
        "nothing published",
        'target = "python:sample.gateway:adapter"',
        "observed and not certified",
    ):
        assert part in visible, part
    assert {"zeta/repro/numbers.py", "https://github.com/a/b/issues/7"} <= {a["href"] for a in Page(text).all("a")}
    assert "%" not in visible


def test_the_page_of_an_adapter_starts_with_its_published_findings() -> None:
    text = one_page(sample(), TODAY, findings_and_recipe(), "../there/")
    assert page_problems(text) == []
    assert text.index('id="published"') < text.index('id="table"') < text.index('id="findings"')
    assert "../there/repro/parallel-calls.py" in {a["href"] for a in Page(text).all("a")}
    assert 'id="published"' not in one_page(sample(), TODAY)


def test_a_hostile_finding_is_shown_as_text() -> None:
    evil = sample_published_finding(
        title=EVIL, why=EVIL, witness=EVIL, answer=EVIL, tracker="javascript:alert(1)", case=EVIL
    )
    text = to_html([IndexEntry(sample(), "x/report.html", "x", "x/", FindingsAndRecipe((evil,), EVIL))], TODAY)
    assert page_problems(text) == []
    assert page_problems(one_page(sample(), TODAY, FindingsAndRecipe((evil,), EVIL))) == []
