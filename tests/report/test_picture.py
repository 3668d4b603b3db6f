"""The README's picture is drawn from a real report."""

import importlib.util
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from bridgecheck.report import Report
from bridgecheck.report.jsonfile import to_json

TOOL = Path(__file__).resolve().parents[2] / "docs" / "make_picture.py"


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_picture", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_shows_the_report_and_is_reproducible(tool: ModuleType, report: Report) -> None:
    picture = tool.draw(to_json(report), 100, "bridgecheck run")
    text = "".join(ElementTree.fromstring(picture).itertext()).replace("\xa0", " ")
    assert "NOT CONFORMANT: 3 findings, 1 error, 1 warning in 10 judged cases" in text
    assert "choices[0].tool_calls[1].index" in text
    assert picture == tool.draw(to_json(report), 100, "bridgecheck run")


def test_a_file_that_is_not_a_report_is_refused(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="not a report"):
        tool.draw({}, 100, "x")
