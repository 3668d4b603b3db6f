"""docs/ledger.md shows what the reference does now, and no entry of it fails."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.compare.losses import LOSSES
from bridgecheck.ledger.command import run_ledger
from bridgecheck.ledger.play import LedgerDialectsAndSide
from bridgecheck.ledger.report import Ledger, describe_entry, ledger_to_markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def reference() -> Ledger:
    return run_ledger("", LedgerDialectsAndSide())


@pytest.fixture(scope="module")
def sample() -> Ledger:
    """Return the ledger of one direction of nine."""
    return run_ledger("", LedgerDialectsAndSide(client="gemini", upstream="openai-chat"))


def cells(page: str) -> dict[tuple[str, str, str], str]:
    """Return (section, field, direction) -> fate."""
    fates = {}
    section, header = "", []
    for line in page.splitlines():
        row = line.strip("| ").split(" | ")
        if line.startswith("## "):
            section, header = line, []
        elif line.startswith("| ") and not header:
            header = row
        elif line.startswith("| `"):
            fates |= {(section, row[0], direction): fate for direction, fate in zip(header[1:], row[1:], strict=False)}
    return fates


def test_one_direction_of_the_page_is_current(tool: ModuleType, sample: Ledger) -> None:
    expected, actual = cells(tool.PAGE.read_text(encoding="utf-8")), cells(ledger_to_markdown(sample))
    assert len(actual) > 140
    assert {key: expected.get(key) for key in actual} == actual, "run: make docs"
    assert [describe_entry(entry) for entry in sample.entries if entry.bad] == []
    assert sample.exit_code_of_bad_or_unrun == 0


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_ledger")


@pytest.mark.slow
def test_the_page_is_current(tool: ModuleType, reference: Ledger) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == ledger_to_markdown(reference), "run: make docs"


@pytest.mark.slow
def test_every_loss_is_declared_and_nothing_is_invented(reference: Ledger) -> None:
    assert [describe_entry(entry) for entry in reference.entries if entry.bad] == []
    assert reference.exit_code_of_bad_or_unrun == 0
    assert len({(entry.client, entry.upstream, entry.side) for entry in reference.entries}) == 27


@pytest.mark.slow
def test_every_declared_loss_has_a_reason_and_a_source(reference: Ledger) -> None:
    rows = {row.name: row for row in LOSSES}
    used = {name for entry in reference.entries for name in entry.ruling.losses}
    assert used
    assert all(rows[name].reason and rows[name].source for name in used)
