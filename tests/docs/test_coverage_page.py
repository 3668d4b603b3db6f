"""docs/coverage.md lists every row with the tests that are marked for it."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = {"S1.1": "first", "S1.2": "second", "S1.3": "third"}


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_coverage")


def test_a_row_is_shown_excluded_or_open(tool: ModuleType) -> None:
    shown = {"S1.1": ["tests/a.py::test_a", "tests/a.py::test_b"]}
    page = tool.page(ROWS, {"S1.2": "No reason."}, shown)
    assert "| S1.1 | first | `a.py::test_a`<br>`a.py::test_b` |\n" in page
    assert "| S1.2 | second | [OUT] No reason. |\n" in page
    assert "| S1.3 | third | **open** |\n" in page
    assert "3 rows: 1 shown, 1 left out, 1 open." in page


@pytest.mark.parametrize(
    ("out", "shown", "message"),
    [
        ({}, {"S1.9": ["t"]}, "no row of coverage_rows.json: S1.9"),
        ({"S1.1": "Why."}, {"S1.1": ["t"]}, "left out in coverage_rows.json, but shown by a test: S1.1"),
    ],
)
def test_unknown_and_excluded_rows_may_not_be_marked(tool: ModuleType, out: dict, shown: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tool.page(ROWS, out, shown)


def test_the_rows_are_numbered_without_gap(tool: ModuleType) -> None:
    rows = json.loads(tool.ROWS.read_text(encoding="utf-8"))["rows"]
    lengths = {"S1": 61, "S2": 92, "S3": 55, "S4": 41, "S5": 24}
    assert list(rows) == [f"{list_name}.{n}" for list_name, length in lengths.items() for n in range(1, length + 1)]
    assert len(set(rows.values())) == len(rows)


@pytest.mark.slow
def test_the_page_is_current(tool: ModuleType) -> None:
    expected = tool.current_page()
    assert tool.PAGE.read_text(encoding="utf-8") == expected, "run: make docs"


@pytest.mark.slow
def test_no_row_is_open(tool: ModuleType) -> None:
    rows_file = json.loads(tool.ROWS.read_text(encoding="utf-8"))
    open_rows = tool.open_rows(rows_file["rows"], rows_file["out"], tool.collect_marks("row"))
    assert not open_rows, f"{len(open_rows)} rows that no test shows"
