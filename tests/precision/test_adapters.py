"""The recipes of adapters that were run for a trial alone: each can still be read, leads to files that are there, and
holds no credential. (``bridgecheck lint`` looks below ``reports/``.)"""

import re
from pathlib import Path

import pytest

from bridgecheck.drivers.recipe import read_recipe
from bridgecheck.secrets import find_secret_kinds

ADAPTERS = Path(__file__).resolve().parent / "adapters"
RECIPES = sorted(ADAPTERS.glob("*/adapter.toml"))

_OUTSIDE = re.compile(r"(?:\{here\}/|\")((?:\.\./)+[\w./-]+)")
"""Paths that lead out of the recipe's folder, in a recipe or in an import of a shim."""


def test_every_folder_has_a_recipe() -> None:
    assert [path.parent for path in RECIPES] == sorted(path for path in ADAPTERS.iterdir() if path.is_dir())


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.parent.name)
def test_a_recipe_can_be_read_and_leads_to_files_that_are_there(recipe: Path) -> None:
    assert read_recipe(str(recipe))["target"]
    texts = [path.read_text(encoding="utf-8") for path in (recipe, *recipe.parent.glob("*.mjs"))]
    paths = [recipe.parent / found[1] for text in texts for found in _OUTSIDE.finditer(text)]
    assert [path for path in paths if not path.exists()] == []
    assert paths or "http:" in texts[0]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.parent.name)
def test_a_recipe_holds_no_credential(recipe: Path) -> None:
    assert not find_secret_kinds(recipe.read_bytes())
