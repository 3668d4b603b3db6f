"""docs/outcome.md and the schemas of its documents are current, and its example compiles."""

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from jsonschema import Draft202012Validator

from bridgecheck.model.express import FEATURES_OF_CAPABILITY, OPTIONAL_FEATURES
from bridgecheck.wire.own_types_documents import OBJECTS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("write_outcome")


def test_the_page_is_current(tool: ModuleType) -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run python docs/write_outcome.py"


def test_the_schemas_are_current_and_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    schemas = importlib.import_module("outcome_schema")
    assert schemas.DOCUMENTS == ("request", "answer", "event")
    for name in schemas.DOCUMENTS:
        schema = schemas.outcome_schema(name)
        Draft202012Validator.check_schema(schema)
        actual = json.loads((DOCS / "schemas" / f"outcome.{name}.json").read_text(encoding="utf-8"))
        assert actual == schema, "run python docs/write_schemas.py"


def test_every_link_of_the_page_has_a_target(tool: ModuleType) -> None:
    page = tool.page()
    anchors = {line.lstrip("# ").replace(" ", "-") for line in page.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors
    assert all((DOCS / path).is_file() for path in re.findall(r"\]\((schemas/[^)]+)\)", page))


def test_every_member_and_feature_is_explained(tool: ModuleType) -> None:
    page = tool.page()
    for name, members in OBJECTS.items():
        assert all(member.meaning for member in members), name
        assert all(f"| `{member.name}` |" in page for member in members), name
    assert all(f"`{feature}`" in page for features in FEATURES_OF_CAPABILITY.values() for feature in features)
    assert all(f"`{feature}`" in page for feature in OPTIONAL_FEATURES)


def test_the_example_compiles(tool: ModuleType) -> None:
    example = tool.page().split("```python\n")[1].split("```")[0]
    compile(example, "conformance.py", "exec")
