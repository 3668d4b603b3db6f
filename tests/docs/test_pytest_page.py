"""docs/pytest.md lists every key, attribute and option, and its examples are valid."""

import re
import tomllib
from pathlib import Path

from bridgecheck.files.project import KEYS, RUN_KEYS, read_project
from bridgecheck.pytest_plugin import pytest_addoption
from bridgecheck.pytest_plugin.guard import NAME
from bridgecheck.testing import Conformance

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "pytest.md").read_text(encoding="utf-8")


class _OptionGroup:
    def __init__(self) -> None:
        self.names: set[str] = set()

    def addoption(self, name: str, **_: object) -> None:
        self.names.add(name)

    def getgroup(self, *_: str) -> "_OptionGroup":
        return self


def test_the_table_lists_every_key_attribute_and_option() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `(--[a-z-]+)", PAGE, re.MULTILINE)
    group = _OptionGroup()
    pytest_addoption(group)  # type: ignore[arg-type]  # it has only the methods that are called
    assert [key for key, _, _ in rows] == [attribute for _, attribute, _ in rows]
    of_runs = set(re.findall(r"^\| \| `(\w+)` \| \| `run` and `plan` only", PAGE, re.MULTILINE))
    assert of_runs == set(RUN_KEYS)
    assert {key for key, _, _ in rows} == KEYS.keys() - RUN_KEYS
    assert {attribute for _, attribute, _ in rows} <= set(vars(Conformance))
    assert {option for _, _, option in rows} <= group.names
    assert set(vars(Conformance)) - {key for key in vars(Conformance) if key.startswith("__")} == {
        *KEYS,
        "routes",
    } - set(RUN_KEYS)


def test_every_named_option_exists() -> None:
    group = _OptionGroup()
    pytest_addoption(group)  # type: ignore[arg-type]
    assert set(re.findall(r"--bridgecheck[a-z-]*", PAGE)) <= group.names


def test_the_toml_example_is_valid(tmp_path: Path) -> None:
    [block] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    assert tomllib.loads(block)["tool"]["bridgecheck"].keys() <= KEYS.keys()
    assert read_project(tmp_path / "pyproject.toml").stale == "fail"


def test_the_guard_and_its_stale_test_are_named() -> None:
    assert f"`{NAME}`" in PAGE
    assert "no_deviation_is_stale" in PAGE
