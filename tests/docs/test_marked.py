"""The collecting of markers: ids, parameters, modules, and a suite that cannot be collected."""

from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
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


def test_marks_are_found_by_id(tmp_path: Path) -> None:
    from marked import marked

    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  row\n  proposal\n")
    (tmp_path / "test_suite.py").write_text(SUITE)
    a, b = "test_suite.py::test_a", "test_suite.py::TestB::test_b"
    assert marked("row", tmp_path) == {"both": [b, a], "first": [a], "whole": [b, a]}
    assert marked("proposal", tmp_path) == {"one": [a]}


def test_a_suite_that_does_not_import_is_an_error(tmp_path: Path) -> None:
    from marked import marked

    (tmp_path / "test_broken.py").write_text("import no_such_module_at_all")
    with pytest.raises(RuntimeError, match="no_such_module_at_all"):
        marked("row", tmp_path)
