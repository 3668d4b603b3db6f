"""Collecting marks from tests: by id, on parameters and modules, a suite that cannot be collected, and the two pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = {"row": "coverage.md", "proposal": "proposals.md"}
SUITE = """
import pytest

pytestmark = pytest.mark.row("whole")

@pytest.mark.row("both", "first")
@pytest.mark.parametrize("value", [1, pytest.param(2, marks=pytest.mark.proposal("one"))])
def test_a(value): ...

class TestB:
    @pytest.mark.row("both")
    def test_b(self): ...
"""


@pytest.fixture(autouse=True)
def _docs_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))


@pytest.mark.slow
def test_marks_are_collected_by_id(tmp_path: Path) -> None:
    from collect_marks import collect_marks

    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  row\n  proposal\n")
    (tmp_path / "test_suite.py").write_text(SUITE)
    a, b = "test_suite.py::test_a", "test_suite.py::TestB::test_b"
    assert collect_marks("row", tmp_path) == {"both": [b, a], "first": [a], "whole": [b, a]}
    assert collect_marks("proposal", tmp_path) == {"one": [a]}


@pytest.mark.slow
def test_a_suite_that_does_not_import_is_an_error(tmp_path: Path) -> None:
    from collect_marks import collect_marks

    (tmp_path / "test_broken.py").write_text("import no_such_module_at_all")
    with pytest.raises(RuntimeError, match="no_such_module_at_all"):
        collect_marks("row", tmp_path)


@pytest.mark.parametrize("page", PAGES.values())
def test_a_page_names_existing_tests_and_has_no_open_row(page: str) -> None:
    """A check by text, and fast: the slow tests of both pages collect the suite."""
    page_text = (DOCS / page).read_text(encoding="utf-8")
    nodes = {*re.findall(r"`([\w/]+\.py)(?:::\w+)*::(\w+)`", page_text)}
    assert len(nodes) > 50
    unknown = []
    for file, name in nodes:
        path = next((found for root in ("tests", "tests/reference") if (found := ROOT / root / file).is_file()), None)
        if path is None or f"def {name}(" not in path.read_text(encoding="utf-8"):
            unknown.append(f"{file}::{name}")
    assert not unknown, f"run: make docs; {page} names {unknown}"
    assert not [line for line in page_text.splitlines() if "**open**" in line and "| MAY |" not in line]


@pytest.mark.parametrize(("marker", "page"), PAGES.items())
def test_every_marked_test_is_on_its_page(marker: str, page: str) -> None:
    page_text = (DOCS / page).read_text(encoding="utf-8")
    missing = [
        f"{path.name}: {name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path != Path(__file__)
        for marks in re.findall(rf"@pytest\.mark\.{marker}\(([^)]*)\)", path.read_text(encoding="utf-8"))
        for name in re.findall(r"\"([^\"]+)\"", marks)
        if not re.search(rf"^\| {re.escape(name)} \|.*{path.name}::", page_text, re.MULTILINE)
    ]
    assert not missing, f"run: make docs; {missing}"
