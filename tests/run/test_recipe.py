"""adapter.toml: an adapter described by a file, with claims that replace its own."""

import shutil
from pathlib import Path

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.drivers.recipe import recipe_text
from bridgecheck.errors import BadRecipe, BadTarget
from bridgecheck.model.adapter import CAPABILITIES

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
TARGET = "python:bridgecheck_reference:adapter"


def _recipe(tmp_path: Path, text: str) -> str:
    path = tmp_path / "adapter.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_recipe_written_by_init_round_trips(tmp_path: Path) -> None:
    path = _recipe(tmp_path, recipe_text(tmp_path / "adapter.toml", TARGET, {"tools", "relay"}))
    driver = resolve(path)
    assert driver.info.claims == {"tools", "relay"}
    assert not driver.judged_on_all
    assert driver.target == path
    assert driver.info.name == resolve(TARGET).info.name


def test_a_command_runs_in_the_folder_where_init_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "command_python", tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    target = "command:python3 adapter.py"
    for path in (Path("adapter.toml"), Path("reports/mine/adapter.toml"), tmp_path / "elsewhere" / "adapter.toml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(recipe_text(path, target, {"tools"}), encoding="utf-8")
        monkeypatch.chdir(tmp_path / "mine")
        assert resolve(str(path)).info.routes == resolve(target).info.routes


def test_without_claims_the_adapter_s_own_are_used(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, f'target = "{TARGET}"\n'))
    assert driver.info == resolve(TARGET).info
    assert driver.judged_on_all == resolve(TARGET).judged_on_all


def test_an_empty_list_of_claims_is_used(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, recipe_text(tmp_path, "native:", ())))
    assert driver.identity
    assert (driver.info.claims, driver.judged_on_all) == (frozenset(), False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target =", "no TOML"),
        ("", "the recipe names no adapter"),
        ("target = 3", "target is not what it should be: 3"),
        (f'target = "{TARGET}"\nstart = ["serve"]', "unknown key 'start'"),
        (f'target = "{TARGET}"\nclaims = "tools"', "claims is no list of names"),
        (f'target = "{TARGET}"\nclaims = ["tols"]', "unknown capability 'tols'"),
        (f'target = "{TARGET}"\ncommand = ["serve"]', "command is for gateways"),
    ],
)
def test_an_invalid_recipe_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadRecipe) as wrong:
        resolve(_recipe(tmp_path, text))
    assert message in str(wrong.value)
    assert str(tmp_path / "adapter.toml") in str(wrong.value)


def test_a_missing_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe, match="bridgecheck init --adapter TARGET"):
        resolve(str(tmp_path / "adapter.toml"))


def test_name_and_version_replace_the_adapter_s_own(tmp_path: Path) -> None:
    info = resolve(_recipe(tmp_path, f'target = "{TARGET}"\nname = "mine"\nversion = "7"\n')).info
    assert (info.name, info.version, info.routes) == ("mine", "7", resolve(TARGET).info.routes)


def test_an_invalid_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTarget, match="no such kind of adapter"):
        resolve(_recipe(tmp_path, 'target = "gopher:1"'))


def test_every_capability_can_be_claimed(tmp_path: Path) -> None:
    assert resolve(_recipe(tmp_path, recipe_text(tmp_path, TARGET, CAPABILITIES))).info.claims == set(CAPABILITIES)


def test_a_recipe_of_a_running_gateway_round_trips(tmp_path: Path) -> None:
    routes = {("openai-chat", "gemini"), ("gemini", "gemini")}
    text = recipe_text(tmp_path / "adapter.toml", "http:http://127.0.0.1:4000", {"tools"}, routes, 4001)
    driver = resolve(_recipe(tmp_path, text))
    assert (driver.info.routes, driver.info.claims) == (routes, {"tools"})
    assert driver.gateway is not None
    assert (driver.gateway.url, driver.gateway.command_template, driver.gateway.upstream_port) == (
        "http://127.0.0.1:4000",
        (),
        4001,
    )
