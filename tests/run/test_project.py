"""[tool.bridgecheck]: read with its defaults, refused with its line, and overridden by the command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.cli.options import RunOptions, add_project
from bridgecheck.drivers import AdapterSelection, replace_claims, select_adapter_or_reference
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BadProject
from bridgecheck.files.project import NO_PROJECT, Project, nearest_project, read_project

WHOLE = """\
[project]
name = "mine"

[tool.bridgecheck]
adapter = "python:mine:adapter"
capabilities = ["tools"]
deviations = "known/deviations.toml"
requirements = "2026.1"
stale = "fail"
relations = "fast"
layers = ["wire"]
scenarios = ["tools/*"]
"""


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder / "pyproject.toml"


def read_own_project(tmp_path: Path) -> Project:
    return read_project(_write(tmp_path, WHOLE))


def test_every_setting_is_read(tmp_path: Path) -> None:
    assert read_own_project(tmp_path) == Project(
        root=tmp_path,
        adapter="python:mine:adapter",
        capabilities=("tools",),
        deviations=tmp_path / "known/deviations.toml",
        requirements="2026.1",
        stale="fail",
        relations="fast",
        layers=("wire",),
        scenarios=("tools/*",),
    )


def test_an_empty_table_is_a_project_with_the_defaults(tmp_path: Path) -> None:
    assert read_project(_write(tmp_path, "[tool.bridgecheck]\n")) == replace(NO_PROJECT, root=tmp_path)


@pytest.mark.parametrize("text", ["", "[tool.other]\nbridgecheck = 1\n", "not TOML, and not about us"])
def test_a_file_without_the_table_is_no_project(tmp_path: Path, text: str) -> None:
    assert read_project(_write(tmp_path, text)) == NO_PROJECT


def test_the_nearest_file_with_the_table_is_used(tmp_path: Path) -> None:
    outer = _write(tmp_path, WHOLE).parent
    inner = _write(tmp_path / "a" / "b", "[project]\nname = 'bridgecheck-user'\n").parent
    assert nearest_project(inner).root == outer
    _write(tmp_path / "a", "[tool.bridgecheck]\n")
    assert nearest_project(inner).root == tmp_path / "a"
    assert nearest_project(tmp_path) == read_own_project(tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("adaptor = 'python:a:b'", "unknown key 'adaptor'"),
        ("adapter = 3", "adapter is 3"),
        ("adapter = ' '", "adapter is ' '"),
        ("capabilities = 'tools'", "capabilities is 'tools'"),
        ("capabilities = ['tols']", "capabilities is ['tols']"),
        ("capabilities = ['tools']", "capabilities of no adapter"),
        ("deviations = 'deviations.toml'", "deviations of no adapter"),
        ("requirements = 2026.1", "requirements is 2026.1"),
        ("stale = true", "stale is True"),
        ("relations = 'many'", "relations is 'many'"),
        ("layers = []", "layers is []"),
        ("layers = ['wires']", "layers is ['wires']"),
        ("layers = [{}]", "layers is [{}]"),
        ("scenarios = 'tools/*'", "scenarios is 'tools/*'"),
        ("'scenarios' = ['']", "scenarios is ['']"),
    ],
)
def test_a_mistake_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = _write(tmp_path, f"[project]\nname = 'mine'\n[ tool . bridgecheck ] # ours\n\n  {line}\n")
    with pytest.raises(BadProject) as wrong:
        nearest_project(tmp_path / "deeper")
    assert message in wrong.value.what
    assert wrong.value.where == f"{path}:5"
    assert wrong.value.expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool]\nbridgecheck.stale = 1\n", 2),
        ("[tool]\na = 1\nbridgecheck = {stale = 1}\n", 3),
        ("tool.bridgecheck.stale = 1\n", 1),
        ("[tool]\n\nbridgecheck = 1\n", 3),
        ("[tool.bridgecheck]\nadapter = 'python:a:b'\n[tool.bridgecheck.stale]\nx = 1\n", 3),
    ],
)
def test_the_line_is_found_in_other_toml_notations(tmp_path: Path, text: str, line: int) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(BadProject) as wrong:
        read_project(path)
    assert wrong.value.where == f"{path}:{line}"


def test_a_broken_file_with_the_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProject, match="no TOML"):
        nearest_project(_write(tmp_path, "[tool.bridgecheck]\nadapter =\n").parent)


def test_command_line_options_override_the_project(tmp_path: Path) -> None:
    project = read_own_project(tmp_path)
    options = RunOptions(adapter="native:", requirements="2027.1", deviations=Path("other.toml"), layers=("sdk",))
    actual = add_project(options, project)
    assert (actual.adapter, actual.capabilities, actual.requirements) == ("native:", None, "2027.1")
    assert (actual.deviations, actual.layers, actual.scenarios) == (Path("other.toml"), ("sdk",), ())
    assert actual.selecting_options == (("--layer", "sdk"),)


def test_missing_options_are_taken_from_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project = read_own_project(tmp_path)
    for adapter in ("", "python:mine:adapter"):
        actual = add_project(RunOptions(adapter=adapter), project)
        assert (actual.adapter, actual.capabilities) == ("python:mine:adapter", ("tools",))
        assert actual.deviations == Path("known/deviations.toml")
        assert (actual.requirements, actual.layers, actual.scenarios) == ("2026.1", ("wire",), ("tools/*",))
        assert actual.selecting_options == (("scenarios", "tools/*"), ("layers", "wire"))


def test_another_adapter_ignores_the_project_s_claims_and_deviations(tmp_path: Path) -> None:
    actual = add_project(RunOptions(adapter="python:other:adapter"), read_own_project(tmp_path))
    assert (actual.capabilities, actual.deviations, actual.requirements) == (None, None, "2026.1")


def test_a_recipe_path_is_relative_to_the_project_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(root=tmp_path, adapter="known/adapter.toml", capabilities=("tools",))
    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path / "tests")
    assert select_adapter_or_reference("", project) == AdapterSelection("../known/adapter.toml", ("tools",), tmp_path)
    assert (
        select_adapter_or_reference("../known/adapter.toml", project)
        == select_adapter_or_reference("known/adapter.toml", project)
        == select_adapter_or_reference("", project)
    )
    assert select_adapter_or_reference("adapter.toml", project) == AdapterSelection("adapter.toml", root=tmp_path)


def test_without_a_project_only_the_command_line_counts() -> None:
    assert select_adapter_or_reference("", NO_PROJECT) == AdapterSelection()
    expected = RunOptions(adapter="native:", scenarios=("tools/*",))
    assert add_project(expected, NO_PROJECT) == replace(expected, is_projects_selection=False)


def test_claims_replace_the_adapter_s_own() -> None:
    assert replace_claims(IDENTITY, None) is IDENTITY
    driver = replace_claims(IDENTITY, ())
    assert (driver.info.claims, driver.judged_on_all) == (frozenset(), False)
