"""The sample pages that the tests open."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from bridgecheck.report.html import index_page, report_page
from bridgecheck.report.publication import read_findings_and_recipe
from bridgecheck.report.read import read_report

from ..report.sample_reports import TODAY, clean, findings_and_recipe, hostile, large, nothing_judged, partial, sample


def _past() -> str:
    """A page written on the day of an old run: only the reader's clock shows that it expired."""
    report = sample()
    return report_page.to_html(
        replace(report, info=replace(report.info, started="2020-01-01T00:00:00+00:00")), date(2020, 1, 1)
    )


def _index() -> str:
    names = {"sample": sample(), "clean": clean(), "hostile": hostile()}
    entries = [index_page.IndexEntry(report, f"{name}.html", name) for name, report in names.items()]
    return index_page.to_html(
        [*entries, index_page.IndexEntry(sample(), "told.html", "told", "told/", findings_and_recipe())], TODAY
    )


LARGEST: Final = Path(__file__).resolve().parents[2] / "reports" / "litellm-proxy"
"""The published report with the largest page."""


def _largest() -> str:
    report = read_report(LARGEST).report
    files = read_findings_and_recipe(LARGEST, report)
    return report_page.to_html(report.with_failing_scenario_rationales(), TODAY, files)


PAGES: Final[dict[str, Callable[[], str]]] = {
    "sample": lambda: report_page.to_html(sample(), TODAY, findings_and_recipe()),
    "clean": lambda: report_page.to_html(clean(), TODAY),
    "hostile": lambda: report_page.to_html(hostile(), TODAY),
    "partial": lambda: report_page.to_html(partial(), TODAY),
    "unjudged": lambda: report_page.to_html(nothing_judged(), TODAY),
    "largest": _largest,
    "large": lambda: report_page.to_html(large(), TODAY),
    "past": _past,
    "index": _index,
}
