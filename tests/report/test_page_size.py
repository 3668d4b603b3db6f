"""The size of published pages, and that nothing a reader needs was paid for it."""

import base64
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Final

import pytest

from bridgecheck.report.html.report_page import ReportPage, make_report_page, to_html
from bridgecheck.report.publication import read_findings_and_recipe
from bridgecheck.report.read import read_report

from .pagecheck import page_problems

ROOT: Final = Path(__file__).resolve().parents[2] / "reports"
LARGEST: Final = "litellm-proxy"
LIMIT: Final = 2_000_000
LIMIT_OF_ANY: Final = 3_200_000
"""llm-rosetta's page has 150 findings in six directions."""
DAY: Final = date(2026, 11, 28)
PACKED: Final = re.compile(r'<template class="packed">([^<]*)</template>')


def make_page(name: str) -> tuple[ReportPage, str]:
    folder = ROOT / name
    report = read_report(folder).report
    files = read_findings_and_recipe(folder, report)
    report = report.with_failing_scenario_rationales()
    return make_report_page(report, DAY, files), to_html(report, DAY, files)


@pytest.fixture(scope="module")
def largest() -> tuple[ReportPage, str]:
    return make_page(LARGEST)


def test_the_page_of_the_largest_report_is_small_and_whole(largest: tuple[ReportPage, str]) -> None:
    page, text = largest
    assert len(text.encode()) <= LIMIT
    assert page_problems(text) == []
    assert len(page.cards) > 50


def test_every_finding_has_both_sides_its_rule_and_its_command_as_text(largest: tuple[ReportPage, str]) -> None:
    page, text = largest
    articles = dict(re.findall(r'<article class="finding [^"]*" id="([^"]+)"(.*?)</article>', text, re.DOTALL))
    for card in page.cards:
        own = PACKED.sub("", articles[card.id])
        assert len(card.panels[0].documents) == len(card.cases[0].views)
        assert own.count("<figure>") == len(card.cases[0].views)
        assert "The rule and its sources" in own and (card.check is None or card.check.requirement in own)
        assert "bridgecheck run --adapter reports/litellm-proxy/adapter.toml --scenario" in own


def test_documents_of_further_cases_are_packed_and_what_is_left_out_has_a_command(
    largest: tuple[ReportPage, str],
) -> None:
    page, text = largest
    packed = [zlib.decompress(base64.b64decode(data)).decode() for data in PACKED.findall(text)]
    further = [card.panels[1:] for card in page.cards if len(card.cases) > 1]
    for markup, panels in zip(packed, further, strict=True):
        assert markup.count('<details class="panel">') == markup.count('class="command"') == len(panels)
        assert markup.count("<figure>") == sum(len(panel.documents) for panel in panels)
    omitted = [panel for panels in further for panel in panels if panel.case.views and not panel.documents]
    assert omitted == []
    unpacked = [len(card.cases) - len(card.panels) for card in page.cards if len(card.cases) > len(card.panels)]
    command = (
        "Each is run again by <code>bridgecheck run --adapter reports/litellm-proxy/adapter.toml --scenario ADDRESS"
    )
    assert text.count(command) == len(packed) + len(unpacked)
    assert re.findall(r"(\d+) cases? without documents here", text) == [str(count) for count in unpacked] != []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.parent.name for path in ROOT.glob("*/report.json.gz")))
def test_the_page_of_every_published_report_is_small(name: str) -> None:
    assert len(make_page(name)[1].encode()) <= LIMIT_OF_ANY
