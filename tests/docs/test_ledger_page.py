"""The page of the ledger: what the reference does now, and nothing in it that fails."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.compare.losses import LOSSES
from bridgecheck.ledger.command import run_ledger
from bridgecheck.ledger.play import LedgerSelection
from bridgecheck.ledger.report import Ledger, describe_entry, ledger_to_markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def reference() -> Ledger:
    return run_ledger("", LedgerSelection())


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_ledger")


def test_the_page_is_what_the_reference_does(tool: ModuleType, reference: Ledger) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == ledger_to_markdown(reference), "run: make docs"


def test_the_reference_loses_nothing_in_silence_and_invents_nothing(reference: Ledger) -> None:
    assert [describe_entry(entry) for entry in reference.entries if entry.bad] == []
    assert reference.exit_code == 0
    assert len({(entry.client, entry.upstream, entry.side) for entry in reference.entries}) == 27


def test_every_declared_loss_has_a_reason_and_a_source(reference: Ledger) -> None:
    rows = {row.name: row for row in LOSSES}
    used = {name for entry in reference.entries for name in entry.ruling.losses}
    assert used
    assert all(rows[name].reason and rows[name].source for name in used)
