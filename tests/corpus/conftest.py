"""The corpus as the tests see it: every scenario file, read once."""

import json
from pathlib import Path

import pytest

from bridgecheck.files import scenario_files
from bridgecheck.wire import JsonObject

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def files() -> list[Path]:
    """Every scenario file, in the order of the ids."""
    return scenario_files(SCENARIOS)


def raw() -> dict[str, JsonObject]:
    """id by path -> the decoded file."""
    return {f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8")) for path in files()}


@pytest.fixture(scope="session")
def corpus() -> dict[str, JsonObject]:
    return raw()
