"""Requirement sets: frozen once, and from then on only errata may be added."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.checks import CHECKS
from bridgecheck.errors import BadRequirements
from bridgecheck.files.requirements import (
    freeze_requirements,
    hash_scenario_demands,
    lint_requirements,
    load_requirements,
    requirement_set,
    write_requirements,
)
from bridgecheck.model.selection import RequirementSet

ERRATUM = {
    "scenario": "a/one",
    "check": "*",
    "reason": "the provider never said so",
    "link": "https://example.org/7",
    "date": "2026-12-01",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder ``scenarios/`` with two scenarios and the set 2026.1 of both."""
    for name in ("one", "two"):
        _put(tmp_path, name, {"title": "One", "level": "MUST", "modes": ["unary"], "expect": {"outcome": {}}})
    write_requirements(tmp_path, freeze_requirements("2026.1", "2026-11-30", tmp_path))
    return tmp_path


def _put(root: Path, name: str, document: dict[str, Any]) -> None:
    path = root / "a" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"id": f"a/{name}", **document}), encoding="utf-8")


def _edit(root: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    path = root / "requirements" / "2026.1.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return path


def _problems(root: Path) -> list[str]:
    return [str(problem) for problem in lint_requirements(root)]


def test_only_frozen_scenarios_and_checks_gate(root: Path) -> None:
    frozen = requirement_set("2026.1", root)
    assert frozen.scenarios.keys() == {"a/one", "a/two"}
    assert frozen.checks == {check.id: check.version for check in CHECKS}
    assert frozen.gates("a/one", "response.text")
    assert not frozen.gates("a/new", "response.text")
    assert not frozen.gates("a/one", "response.new")
    assert _problems(root) == []


def test_a_set_is_frozen_once(root: Path) -> None:
    with pytest.raises(BadRequirements, match="frozen already"):
        write_requirements(root, freeze_requirements("2026.1", "2026-12-01", root))


def test_an_erratum_may_be_added_at_any_time(root: Path) -> None:
    load_requirements(_edit(root, lambda document: document.update(withdrawn=[ERRATUM])))
    frozen = requirement_set("2026.1", root)
    assert not frozen.gates("a/one", "response.text")
    assert frozen.gates("a/two", "response.text")
    assert _problems(root) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["scenarios"].pop("a/one"),
        lambda document: document["scenarios"].update({"a/new": "0" * 64}),
        lambda document: document["checks"].pop("response.text"),
        lambda document: document["checks"].update({"response.text": 2}),
        lambda document: document.update(frozen="2026-12-01"),
    ],
)
def test_any_other_edit_is_refused(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = _edit(root, change)
    with pytest.raises(BadRequirements, match="its digest does not fit"):
        requirement_set("2026.1", root)
    (problem,) = _problems(root)
    assert str(path) in problem


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.update(id="2026.2"), "the id is not the file's name"),
        (lambda document: document.update(extra=1), "unknown key 'extra'"),
        (lambda document: document.update(withdrawn=[{**ERRATUM, "reason": ""}]), "withdrawn[0].reason"),
        (lambda document: document.update(withdrawn=[{**ERRATUM, "link": ""}]), "withdrawn[0].link"),
        (lambda document: document.update(scenarios={"a/one": "short"}), "scenarios"),
    ],
)
def test_an_invalid_set_is_refused(root: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    _edit(root, change)
    with pytest.raises(BadRequirements) as wrong:
        requirement_set("2026.1", root)
    assert message in str(wrong.value)


def test_the_error_for_a_missing_set_lists_the_existing_ones(root: Path) -> None:
    with pytest.raises(BadRequirements, match=r"one of 2026\.1"):
        requirement_set("2027.1", root)


def test_descriptions_may_change_and_requirements_may_not(root: Path) -> None:
    _put(root, "one", {"title": "Two", "level": "MUST", "modes": ["unary"], "expect": {"outcome": {}}})
    assert _problems(root) == []
    _put(root, "one", {"title": "Two", "level": "MUST", "modes": ["stream"], "expect": {"outcome": {}}})
    (problem,) = _problems(root)
    assert "the scenario is no longer what was frozen" in problem
    assert "2026.1.json: scenarios.a/one" in problem


def test_a_removed_scenario_is_a_problem_until_it_is_withdrawn(root: Path) -> None:
    (root / "a" / "one.json").unlink()
    (problem,) = _problems(root)
    assert "the scenario is not there" in problem
    _edit(root, lambda document: document.update(withdrawn=[{**ERRATUM, "check": "response.text"}]))
    assert len(_problems(root)) == 1
    _edit(root, lambda document: document.update(withdrawn=[ERRATUM]))
    assert _problems(root) == []


def test_a_changed_check_is_a_problem_until_it_is_withdrawn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = CHECKS[0].id
    monkeypatch.setattr("bridgecheck.checks.CHECKS", (replace(CHECKS[0], version=2), *CHECKS[1:]))
    (problem,) = _problems(root)
    assert f"checks.{name}" in problem
    _edit(root, lambda document: document.update(withdrawn=[{**ERRATUM, "scenario": "*", "check": name}]))
    assert _problems(root) == []


def test_an_erratum_that_names_nothing_is_a_problem(root: Path) -> None:
    _edit(root, lambda document: document.update(withdrawn=[{**ERRATUM, "scenario": "b/*"}]))
    (problem,) = _problems(root)
    assert "names nothing in the set: b/*:*" in problem
    assert "withdrawn[0]" in problem


def test_a_newer_scenario_is_no_problem(root: Path) -> None:
    _put(root, "three", {"title": "Three"})
    assert _problems(root) == []


def test_a_hash_does_not_depend_on_the_order_of_keys() -> None:
    first = hash_scenario_demands({"level": "MUST", "modes": ["unary"], "client": {"a": 1, "b": "\ud800"}})
    assert first == hash_scenario_demands(
        {"client": {"b": "\ud800", "a": 1}, "modes": ["unary"], "level": "MUST", "why": "x"}
    )
    assert first != hash_scenario_demands({"level": "MUST", "modes": ["unary"], "client": {"a": 1.0, "b": "x"}})


def test_the_file_has_the_documented_shape(root: Path) -> None:
    document = json.loads((root / "requirements" / "2026.1.json").read_text(encoding="utf-8"))
    assert list(document) == ["id", "frozen", "checks", "scenarios", "digest", "withdrawn"]
    assert isinstance(requirement_set("2026.1", root), RequirementSet)
