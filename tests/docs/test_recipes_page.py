"""docs/recipes.md documents every key and placeholder, and its examples are recipes."""

import re
from pathlib import Path

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.recipe_keys import CLIENT, KEYS, PLACEHOLDER_MEANINGS, READY, STARTING

PAGE = (Path(__file__).parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
ROWS = [row.split("|")[1].strip() for row in PAGE.splitlines() if row.startswith("| `")]


def test_every_key_has_a_row() -> None:
    documented = {name for row in ROWS for name in re.findall(r"`([^`]+)`", row)}
    keys = {*KEYS, *STARTING, *(f"ready.{key}" for key in READY), *(f"client.DIALECT.{key}" for key in CLIENT)}
    assert documented == keys | {f"{{{name}}}" for name in PLACEHOLDER_MEANINGS}


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_are_recipes(text: str, tmp_path: Path) -> None:
    recipe = tmp_path / "adapter.toml"
    recipe.write_text(text, encoding="utf-8")
    assert resolve(str(recipe)).gateway is not None
