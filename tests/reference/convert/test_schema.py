"""Schemas both ways."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.convert.gemini.schema import to_gemini_schema, to_json_schema
from bridgecheck_reference.convert.json_schema import meets_strict_mode, move_references_from_siblings
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses


@pytest.mark.row("S2.31")
def test_gemini_types_become_json_schema() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "title": {"type": "STRING", "nullable": True, "min_length": "2"},
            "tags": {"type": "ARRAY", "items": {"type": "TYPE_UNSPECIFIED"}, "minItems": "1"},
            "kind": {"type": "STRING", "format": "enum", "enum": ["A"], "nullable": True},
            "either": {"anyOf": [{"type": "INTEGER"}, {"type": "NULL"}]},
        },
        "propertyOrdering": ["title", "tags"],
        "default": {"type": "KEEP_ME"},
    }
    before = copy.deepcopy(schema)
    assert to_json_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": ["string", "null"], "minLength": 2},
            "tags": {"type": "array", "items": {}, "minItems": 1},
            "kind": {"type": ["string", "null"], "enum": ["A", None]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "default": {"type": "KEEP_ME"},
    }
    assert schema == before


@pytest.mark.row("S2.33")
def test_properties_named_like_keywords_survive() -> None:
    names = ["type", "title", "nullable", "any_of", "properties"]
    schema = {"type": "OBJECT", "properties": {name: {"type": "STRING"} for name in names}, "required": names}
    converted = to_json_schema(schema)
    assert isinstance(converted, dict)
    assert list(converted["properties"]) == names


@pytest.mark.parametrize(("text", "number"), [("3", 3), ("-5", -5), ("1.5", 1.5), ("many", "many")])
def test_numbers_written_as_text(text: str, number: object) -> None:
    assert to_json_schema({"minimum": text}) == {"minimum": number}


def nested_schema(depth: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "STRING"}
    for _ in range(depth):
        schema = {"type": "OBJECT", "properties": {"x": schema}}
    return schema


def test_nesting_without_end_is_refused_not_crashed_on() -> None:
    with pytest.raises(ConversionError, match="nested deeper"):
        to_json_schema(nested_schema(1000))
    with pytest.raises(ConversionError, match="nested deeper"):
        to_gemini_schema(nested_schema(1000), Losses())


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}, True),
        ({"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": False}, False),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
        ({"type": "array", "items": {"type": "object", "properties": {}}}, False),
        ({"type": "string"}, True),
    ],
)
def test_when_a_schema_meets_openais_terms_for_strict(schema: object, strict: bool) -> None:
    assert meets_strict_mode(schema) is strict


@pytest.mark.parametrize(
    ("schema", "cleaned"),
    [
        ({"type": ["string", "null"]}, {"nullable": True, "type": "STRING"}),
        ({"type": ["array", "null"], "items": {"type": "integer"}}, {"nullable": True, "type": "ARRAY",
                                                                     "items": {"type": "INTEGER"}}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
        ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        ({"enum": ["a", "b"]}, {"enum": ["a", "b"], "type": "STRING"}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER"}),
        ({"const": "x"}, {"enum": ["x"], "type": "STRING"}),
        ({"type": "string", "enum": ["", "x", None]}, {"enum": ["x"], "nullable": True, "type": "STRING"}),
        ({"type": "string", "format": "uri"}, {"type": "STRING"}),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER"}),
        ({"type": "object", "additionalProperties": False, "$schema": "x"}, {"type": "OBJECT"}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "INTEGER", "nullable": True}),
        ({"description": "no type"}, {"description": "no type", "type": "STRING"}),
        (
            {"allOf": [{"$ref": "#/$defs/p"}, {"required": ["x"]}], "$defs": {"p": {"properties": {"x": {}}}}},
            {"type": "OBJECT", "properties": {"x": {"type": "STRING"}}, "required": ["x"]},
        ),
    ],
)  # fmt: skip
def test_json_schema_cleaned_for_gemini(schema: dict[str, object], cleaned: dict[str, object]) -> None:
    before = copy.deepcopy(schema)
    assert to_gemini_schema(schema, Losses()) == cleaned
    assert schema == before


def test_references_are_inlined_and_cycles_cut() -> None:
    schema = {
        "type": "object",
        "properties": {"p": {"$ref": "#/$defs/point"}, "node": {"$ref": "#/$defs/node"}},
        "$defs": {
            "point": {"type": "object", "properties": {"x": {"type": "number"}}},
            "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node", "description": "more"}}},
        },
    }
    losses = Losses()
    cleaned = to_gemini_schema(schema, losses)
    assert cleaned["properties"] == {
        "p": {"type": "OBJECT", "properties": {"x": {"type": "NUMBER"}}},
        "node": {"type": "OBJECT", "properties": {"next": {"type": "OBJECT", "description": "more"}}},
    }
    assert "parameters.$ref" in {loss.path for loss in losses}


SCHEMAS = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "boolean"])}, optional={"title": st.text()}),
    lambda inner: st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.text(min_size=1), inner, max_size=3)}
    ),
    max_leaves=8,
)


@given(SCHEMAS)
def test_a_schema_that_both_can_express_survives_the_round_trip(schema: dict[str, object]) -> None:
    assert to_json_schema(to_gemini_schema(schema, Losses())) == schema


MARK = {"$ref": "#/$defs/mark"}
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"properties": {"a": {**MARK, "description": "d"}}},
            {"properties": {"a": {"description": "d", "anyOf": [MARK]}}},
        ),
        ({"items": {**MARK, "anyOf": [TEXT]}}, {"items": {"anyOf": [TEXT], "oneOf": [MARK]}}),
        ({"anyOf": [{"not": {**MARK, "title": "t"}}]}, {"anyOf": [{"not": {"title": "t", "anyOf": [MARK]}}]}),
        (
            {**MARK, "title": "t", "$defs": {"mark": TEXT}},
            {**TEXT, "title": "t", "$defs": {"mark": TEXT}},
        ),
        (
            {**MARK, "type": "string", "$defs": {"mark": TEXT}},
            {"type": "string", "$defs": {"mark": TEXT}, "anyOf": [MARK]},
        ),
        (
            {"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"items": {**MARK, "title": "t"}}}},
            {
                "items": {"title": "t", "anyOf": [MARK]},
                "definitions": {"a/b": {"items": {"title": "t", "anyOf": [MARK]}}},
            },
        ),
    ],
)
def test_references_move_from_their_siblings(schema: dict[str, object], expected: object) -> None:
    before = copy.deepcopy(schema)
    assert move_references_from_siblings(schema) == expected
    assert schema == before


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": MARK, "$ref": TEXT}},
        {**MARK, "$defs": {"mark": TEXT}, "$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"enum": [{**MARK, "title": "t"}], "default": {**MARK, "title": "t"}},
        {"type": "string", "$ref": 5},
        nested_schema(300),
    ],
)
def test_other_schemas_are_passed_on_as_they_are(schema: dict[str, object]) -> None:
    assert move_references_from_siblings(schema) is schema
