"""Schemas compared by meaning."""

import pytest

from bridgecheck.compare.schema import WHOLE_SCHEMA_LOST, compare_schemas, normal_schema
from bridgecheck.compare.schema_contents import candidate_instances

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "full name", "minLength": 1},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "role": {"type": "string", "enum": ["admin", "user"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "boss": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["name", "role"],
}
OPENAPI = {
    "type": "OBJECT",
    "propertyOrdering": ["name", "age", "role", "tags", "boss"],
    "properties": {
        "name": {"type": "STRING", "description": "full name", "minLength": "1"},
        "age": {"type": "INTEGER", "minimum": 0, "maximum": 150},
        "role": {"type": "STRING", "format": "enum", "enum": ["admin", "user"]},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "maxItems": "3"},
        "boss": {"type": "STRING", "nullable": True},
    },
    "required": ["role", "name"],
}


def _with(name, schema):
    return {**PERSON, "properties": {**PERSON["properties"], name: schema}}


def test_openapi_and_json_schema_are_the_same():
    assert normal_schema(OPENAPI) == normal_schema(PERSON)
    report = compare_schemas(PERSON, OPENAPI)
    assert (report.narrowed, report.lost, report.loosened, report.rules) == ((), (), (), ("schema_equiv",))


def test_an_absent_schema_is_an_object_without_properties():
    assert compare_schemas(None, {"type": "object", "properties": {}}).narrowed == ()
    assert normal_schema({}) == {"type": "object"}


@pytest.mark.parametrize(
    "changed",
    [
        {**PERSON, "required": ["name", "role", "age"]},
        _with("role", {"type": "string", "enum": ["admin"]}),
        _with("age", {"type": "string"}),
        _with("age", {"type": "integer", "minimum": 18}),
        _with("boss", {"type": "string"}),
        _with("tags", {"type": "array", "items": {"type": "string"}, "maxItems": 1}),
        _with("name", {"type": "string", "description": "full name", "maxLength": 2}),
    ],
)
def test_a_narrowed_schema_is_found(changed):
    assert compare_schemas(PERSON, changed).narrowed


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        (_with("name", {"type": "string", "minLength": 1}), "schema.name.description"),
        (_with("role", {"type": "string"}), "schema.role.enum"),
        ({**PERSON, "required": ["name"]}, "schema.required"),
        ({**PERSON, "properties": {k: v for k, v in PERSON["properties"].items() if k != "age"}}, "schema.age"),
    ],
)
def test_a_lost_constraint_is_found(changed, where):
    report = compare_schemas(PERSON, changed)
    assert report.narrowed == ()
    assert any(row.path.startswith(where) for row in report.lost)


@pytest.mark.parametrize("left", [None, {}, {"type": "object", "properties": {}}, {"type": "OBJECT"}])
def test_a_whole_schema_lost_is_a_failure(left):
    assert [row.note for row in compare_schemas(PERSON, left).narrowed] == [WHOLE_SCHEMA_LOST]
    assert compare_schemas({"type": "object"}, left).narrowed == ()
    inlined = {"type": "object", "properties": {"boss": PERSON}}
    by_reference = {**inlined, "properties": {"boss": {"$ref": "#/$defs/p"}}, "$defs": {"p": PERSON}}
    assert compare_schemas(by_reference, inlined).narrowed == ()


def test_a_loosened_schema_is_listed():
    report = compare_schemas(PERSON, _with("age", {"type": "number"}))
    assert (report.narrowed, report.lost) == ((), ())
    assert report.loosened
    closed = {**PERSON, "additionalProperties": False}
    assert compare_schemas(closed, PERSON).loosened


def test_strict_mode_makes_optional_properties_required_and_nullable():
    strict = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key: value if key in ("name", "role") else {"anyOf": [value, {"type": "null"}]}
            for key, value in PERSON["properties"].items()
        },
        "required": list(PERSON["properties"]),
    }
    report = compare_schemas(PERSON, strict)
    assert report.narrowed == ()
    assert "schema.strict_null" in report.rules


def test_a_blank_enum_member_may_be_dropped():
    """Gemini refuses a blank member; every other dropped member is a loss."""
    requested = _with("role", {"type": "string", "enum": ["admin", "user", ""]})
    report = compare_schemas(requested, PERSON)
    assert report.narrowed == ()
    assert "schema.blank_member" in report.rules
    assert compare_schemas(requested, _with("role", {"type": "string", "enum": ["admin"]})).narrowed
    rows = {"type": "object", "properties": {"rows": {"type": "array", "items": requested}}}
    sent = {"type": "object", "properties": {"rows": {"type": "array", "items": PERSON}}}
    assert compare_schemas(rows, sent).narrowed == ()


NODE = {"type": "object", "properties": {"v": {"type": "string"}, "next": {"$ref": "#/$defs/node"}}}
TREE = {"$defs": {"node": NODE},
        "$ref": "#/$defs/node"}  # fmt: skip


def test_recursive_references_terminate():
    inlined = {"type": "object", "properties": {"v": {"type": "string"}, "next": {"type": "object"}}}
    report = compare_schemas(TREE, inlined)
    assert report.narrowed == ()
    assert compare_schemas(TREE, TREE).rules == ()
    assert compare_schemas({"$ref": "#"}, {"type": "object"}).narrowed == ()
    assert compare_schemas({"$ref": "#/$defs/gone"}, {"type": "object"}).narrowed == ()


def test_a_thousand_levels_terminate():
    deep: dict[str, object] = {"type": "string"}
    for _ in range(400):
        deep = {"type": "object", "properties": {"x": deep}}
    assert compare_schemas(deep, {"type": "object"}).narrowed == ()


def test_instances_are_the_same_every_time_and_cover_the_members():
    found = candidate_instances(PERSON)
    assert found == candidate_instances(PERSON)
    assert {value["role"] for value in found if isinstance(value, dict)} == {"admin", "user"}
    assert any(set(value) == {"name", "role"} for value in found if isinstance(value, dict))
