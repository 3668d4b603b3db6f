"""The page of mapping rows: the rows that docstrings cite, each of them once, and no others."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from bridgecheck_reference.config import Config
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.older_mappings.habits import HABITS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "mapping.md"
ROW = re.compile(r"^\| (R-\d{2}) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
CITED = re.compile(r"\bR-\d{2}\b")
OPTION = re.compile(r"`((?:Config\.)?\w+)(?:=[^`]*)?`(?=:|,)")


def rows() -> list[tuple[str, str, str]]:
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


def cited_rows() -> set[str]:
    sources = (ROOT / "reference_impl").rglob("*.py")
    return {name for path in sources for name in CITED.findall(path.read_text(encoding="utf-8"))}


def test_every_cited_row_is_on_the_page_and_every_row_is_cited() -> None:
    names = [name for name, _, _ in rows()]
    assert names == sorted(set(names))
    assert set(names) == cited_rows()


@pytest.mark.parametrize(("name", "default", "option"), rows())
def test_a_row_states_its_rule_and_names_existing_fields(name: str, default: str, option: str) -> None:
    assert default.strip().endswith(".")
    known = {field.name for field in fields(Profile)} | {f"Config.{field.name}" for field in fields(Config)}
    named = set(OPTION.findall(option))
    assert named <= known
    assert named or option.strip() == "none", name


def test_every_field_of_the_profile_cites_the_row_that_names_it() -> None:
    options = {name: option for name, _, option in rows()}
    documented = re.findall(r"\* ((?:``\w+``(?:, )?)+) \((R-\d{2})\)", Profile.__doc__ or "")
    found = {field: row for names, row in documented for field in re.findall(r"\w+", names)}
    assert found.keys() == {field.name for field in fields(Profile)} - {"name"}
    for field, row in found.items():
        assert f"`{field}" in options[row], f"{row} does not name {field}"


def test_the_page_names_every_habit_and_no_other() -> None:
    named = re.findall(r"`habits=(\w+)`", "".join(option for _, _, option in rows()))
    assert sorted(set(named)) == sorted(HABITS)
