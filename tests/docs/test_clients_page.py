"""docs/clients.md is current: every client model has its rows."""

import importlib
from pathlib import Path

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.files import scenarios, scenarios_root

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    tool = importlib.import_module("write_clients")
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(scenarios(scenarios_root())), "run make docs"


def test_every_model_says_what_it_keeps_and_prints() -> None:
    assert [model.name for model in CLIENT_MODELS.values() if not (model.keeps and model.prints and model.source)] == []
