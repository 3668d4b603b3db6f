"""docs/catalogue.md is current."""

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

from bridgecheck.files import load_scenario, scenarios, scenarios_root

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_catalogue")


@pytest.mark.skipif("CI" not in os.environ, reason="scenarios are written in many places; CI wants the page current")
def test_the_page_is_current(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page == tool.catalogue_page(scenarios(scenarios_root())), "run python docs/write_catalogue.py"


def test_a_row_shows_the_directions_and_sources_of_a_scenario(tool: ModuleType) -> None:
    scenario = load_scenario(scenarios_root() / "relay" / "signed-calls-of-three-turns.json")
    page = tool.catalogue_page([scenario])
    assert "1 scenario over 1 topic." in page
    assert "| [relay](#relay) | 1 | 1 | 0 | 0 |\n" in page
    row = next(line for line in page.splitlines() if line.startswith("| `signed-calls"))
    assert (
        f"| MUST | {scenario.description} | GOA>G us, 3 turns, as clients go on | documented: https://ai.google.dev"
        in row
    )
    assert "[anomalyco/opencode#4832](https://github.com/anomalyco/opencode/issues/4832)" in row
