"""adapter.toml: an adapter by file, with claims that take the place of its own."""

from pathlib import Path

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.recipe import recipe_text
from bridgecheck.errors import BadRecipe, BadTarget
from bridgecheck.model.capability import CAPABILITIES

TARGET = "python:bridgecheck_reference:adapter"


def _recipe(tmp_path: Path, text: str) -> str:
    path = tmp_path / "adapter.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_init_writes_is_read_back(tmp_path: Path) -> None:
    place = _recipe(tmp_path, recipe_text(tmp_path / "adapter.toml", TARGET, {"tools", "relay"}))
    driver = resolve(place)
    assert driver.info.claims == {"tools", "relay"}
    assert not driver.judged_on_all
    assert driver.target == place
    assert driver.info.name == resolve(TARGET).info.name


def test_without_claims_the_adapter_s_own_hold(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, f'target = "{TARGET}"\n'))
    assert driver.info == resolve(TARGET).info
    assert driver.judged_on_all == resolve(TARGET).judged_on_all


def test_no_claims_are_claims_too(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, recipe_text(tmp_path, "native:", ())))
    assert driver.identity
    assert (driver.info.claims, driver.judged_on_all) == (frozenset(), False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("target =", "no TOML"),
        ("", "the recipe names no adapter"),
        ("target = 3", "the recipe names no adapter"),
        (f'target = "{TARGET}"\nstart = ["serve"]', "recipes that start a gateway do not exist yet"),
        (f'target = "{TARGET}"\nclaims = "tools"', "claims is no list of names"),
        (f'target = "{TARGET}"\nclaims = ["tols"]', "unknown capability 'tols'"),
    ],
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadRecipe) as wrong:
        resolve(_recipe(tmp_path, text))
    assert said in str(wrong.value)
    assert str(tmp_path / "adapter.toml") in str(wrong.value)


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe, match="bridgecheck init --adapter TARGET"):
        resolve(str(tmp_path / "adapter.toml"))


def test_kinds_that_do_not_exist_yet_are_refused_here_too(tmp_path: Path) -> None:
    with pytest.raises(BadTarget, match="do not exist yet"):
        resolve(_recipe(tmp_path, 'target = "http:http://localhost:1"'))


def test_every_capability_can_be_claimed(tmp_path: Path) -> None:
    assert resolve(_recipe(tmp_path, recipe_text(tmp_path, TARGET, CAPABILITIES))).info.claims == set(CAPABILITIES)
