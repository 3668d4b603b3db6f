"""reports/README.md: its content, and that it matches the files next to it."""

import importlib
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.report.fingerprint import fingerprint
from bridgecheck.report.jsonfile import to_text
from bridgecheck.report.published_readme import read_published_adapters, to_readme

from .sample_reports import clean, sample
from .test_published import ENTRY

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("write_published")


@pytest.mark.skipif("CI" not in os.environ, reason="reports are written in many places; CI wants the page current")
def test_the_page_is_current(tool: ModuleType) -> None:
    assert (tool.ROOT / tool.README_FILE).read_text(encoding="utf-8") == tool.page(), (
        "run python docs/write_published.py"
    )


@pytest.fixture
def page(tmp_path: Path) -> str:
    for name, report in (("zeta", sample()), ("alpha", clean()), ("eta", clean()), ("local", clean())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(to_text(report), encoding="utf-8")
    entry = ENTRY.replace("{mark}", "0123456789")
    warned = next(case for case in sample().cases if case.status == "WARN")
    mark = fingerprint(warned, warned.verdicts[0])
    second_entry = entry.replace("one-index", "other").replace("0123456789", mark)
    disputed = second_entry.replace('"observed"', '"disputed"\nanswer = "It is meant, see https://example.org/why."')
    (tmp_path / "zeta/findings.toml").write_text(f"{entry}\n{disputed}", encoding="utf-8")
    (tmp_path / "eta/findings.toml").write_text("# none\n", encoding="utf-8")
    (tmp_path / "zeta/adapter.toml").write_text('target = "x"\n', encoding="utf-8")
    return to_readme(read_published_adapters(tmp_path))


def test_every_report_is_a_row_without_a_ranking(page: str) -> None:
    rows = [line for line in page.split("\n") if line.startswith("| [")]
    assert rows == [
        "| [sample](#report-alpha) | 1.4.0 | 2026-11-22 | 2027-02-20 | not gone through |",
        "| [sample](#report-eta) | 1.4.0 | 2026-11-22 | 2027-02-20 | none |",
        "| [sample](#report-zeta) | 1.4.0 | 2026-11-22 | 2027-02-20 | 1 OBSERVED, 1 DISPUTED, of them 1 warning |",
    ]
    assert "%" not in page and "Observed,\nnot certified" in page


def test_a_finding_is_shown_in_full(page: str) -> None:
    for part in (
        "[adapter.toml](zeta/adapter.toml), [findings.toml](zeta/findings.toml), [report.json](zeta/report.json)",
        "### Every call has the index 0\n",
        "`bridgecheck html reports/zeta` writes the script `one-index.py`",
        "* The simplest case: `tools/parallel::bridged-gemini-to-openai-chat-unary-wire`",
        "* Why it is the adapter's: The provider numbers them 0 and 1, and the control keeps that.",
        "* Provoked by what is recorded: scenarios/tools/parallel.json",
        "* Also seen by: the openai SDK 3.54.0 gives one call",
        "* What its documentation says: nothing was found",
        "* Tracker: no thread is known",
        "* In the report: 0123456789\n",
        " (a warning)\n",
        "**DISPUTED**: the maintainers disagree",
        "> The maintainers' answer: It is meant, see <https://example.org/why>.",
    ):
        assert part in page, part


def test_every_link_target_exists(page: str) -> None:
    anchors = set(re.findall(r'<a id="([^"]+)">', page))
    assert {link[1:] for link in re.findall(r"\]\((#[^)]+)\)", page)} == anchors
