"""Function schemas as public bridges were seen to get them wrong: untouched, or cleaned for Gemini's own type."""

import copy
from typing import Any

import pytest

from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.errors import ConversionError

from .answers import case, outcome_of_completion
from .samples import Json, call, event

CLEANED = Profile(schema_mode="openapi")


def declare_function(parameters: object, profile: Profile = CLEANED) -> Any:
    function = {"name": "f", "description": "F"} | ({} if parameters is None else {"parameters": parameters})
    body: Json = {"model": "m", "messages": [{"role": "user", "content": "x"}],
                  "tools": [{"type": "function", "function": function}]}  # fmt: skip
    [tool] = openai_request_to_gemini(body, profile=profile).value["tools"]
    return tool["functionDeclarations"][0]


def object_schema(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def cleaned_property(schema: Json) -> Any:
    """The cleaned schema of the one property that this becomes."""
    return declare_function(object_schema(p=schema))["parameters"]["properties"]["p"]


TREE: Json = {**object_schema(root={"$ref": "#/$defs/N"}),
              "$defs": {"N": object_schema(kids={"type": "array", "items": {"$ref": "#/$defs/N"}})}}  # fmt: skip
POINT: Json = {**object_schema(p={"$ref": "#/$defs/P"}), "$defs": {"P": object_schema(x={"type": "number"})}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        case("schema-exclusive-bounds", {"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER"}),
        case("schema-type-list-null", {"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        case("schema-type-list-null", {"type": ["array", "null"], "items": {"type": "string"}},
             {"type": "ARRAY", "nullable": True, "items": {"type": "STRING"}}),
        case("schema-type-list-items-union",
             {"type": "array", "items": {"type": ["object", "null"], "properties": {"a": {"type": "string"}}}},
             {"type": "ARRAY",
              "items": {"type": "OBJECT", "nullable": True, "properties": {"a": {"type": "STRING"}}}}),
        case("schema-type-list-multi", {"type": ["string", "number"]},
             {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}),
        case("schema-array-without-items", {"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        case("schema-array-without-items", {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
             {"type": "ARRAY", "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}}),
        case("schema-array-without-items", {"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]},
             {"type": "ARRAY", "items": {"type": "STRING"}}),
        case("schema-enum-nonstring", {"type": "integer", "enum": [1, 2, 3]}, {"type": "INTEGER"}),
        case("schema-enum-without-type", {"enum": ["a", "b"]}, {"type": "STRING", "enum": ["a", "b"]}),
        case("schema-enum-empty-or-null-member", {"type": ["string", "null"], "enum": ["x", "", None]},
             {"type": "STRING", "nullable": True, "enum": ["x"]}),
        case("schema-enum-empty-or-null-member", {"type": "string", "enum": [""]}, {"type": "STRING"}),
        case("schema-format-unsupported", {"type": "string", "format": "uri"}, {"type": "STRING"}),
        case("schema-format-unsupported", {"type": "string", "format": "date-time"},
             {"type": "STRING", "format": "date-time"}),
        case("schema-property-without-type", {"description": "anything"},
             {"description": "anything", "type": "STRING"}),
        case("schema-strip-additional-properties",
             {"type": "object", "properties": {}, "propertyNames": {"pattern": "^a"}, "$schema": "draft-07",
              "additionalProperties": {"type": "string"}, "patternProperties": {}},
             {"type": "OBJECT", "properties": {}}),
    ],
)  # fmt: skip
def test_schemas_are_rewritten_for_gemini(schema: Json, expected: Json) -> None:
    assert cleaned_property(schema) == expected


@pytest.mark.proposal("schema-ref-defs-inlined", "schema-ref-local-path-items", "schema-ref-circular")
def test_references_are_inlined() -> None:
    assert declare_function(POINT)["parameters"] == {
        "type": "OBJECT", "properties": {"p": {"type": "OBJECT", "properties": {"x": {"type": "NUMBER"}}}},
    }  # fmt: skip
    local = object_schema(h={"type": "object"}, a={"type": "array", "items": {"$ref": "#/properties/h"}})
    assert declare_function(local)["parameters"]["properties"]["a"] == {"type": "ARRAY", "items": {"type": "OBJECT"}}
    kids = declare_function(TREE)["parameters"]["properties"]["root"]["properties"]["kids"]
    assert kids == {"type": "ARRAY", "items": {"type": "OBJECT"}}


@pytest.mark.proposal("schema-property-named-like-keyword", "schema-required-names-missing")
def test_names_of_properties_are_no_keywords_and_required_ones_exist() -> None:
    names = ["title", "format", "type", "default", "additionalProperties", "$ref"]
    schema = {**object_schema(**{name: {"type": "string"} for name in names}), "title": "T",
              "required": ["title", "type", "ghost"]}  # fmt: skip
    made = declare_function(schema)["parameters"]
    assert made["properties"] == {name: {"type": "STRING"} for name in names}
    assert made["required"] == ["title", "type"]


@pytest.mark.proposal("schema-no-params")
@pytest.mark.parametrize("profile", [CLEANED, Profile()])
@pytest.mark.parametrize("parameters", [None, {}, {"type": "object", "properties": {}}])
def test_a_function_without_parameters(parameters: object, profile: Profile) -> None:
    made = declare_function(parameters, profile)
    assert made.get("parameters", {"type": "OBJECT"})["type"] == "OBJECT"
    assert "parametersJsonSchema" not in made or made["parametersJsonSchema"] == parameters
    assert outcome_of_completion(event(call("f", {}), finish="STOP"))["calls"] == [["f", {}]]


@pytest.mark.proposal("schema-deep-nesting")
def test_a_schema_nested_a_thousand_deep_is_passed_on_or_refused_by_name() -> None:
    schema: Json = {"type": "string"}
    for _ in range(1000):
        schema = object_schema(p=schema)
    assert declare_function(schema, Profile())["parametersJsonSchema"] is schema
    with pytest.raises(ConversionError, match="deeper than"):
        declare_function(schema)


@pytest.mark.proposal("schema-uppercase-to-lowercase-g2o", "schema-nullable-g2o", "schema-several-tool-objects")
def test_geminis_own_schema_becomes_json_schema() -> None:
    parameters = {
        "type": "OBJECT",
        "properties": {
            "a": {"type": "ARRAY", "items": {"type": "STRING"}, "minItems": "1"},
            "b": {"anyOf": [{"type": "INTEGER"}, {"type": "NULL"}]},
            "c": {"type": "STRING", "nullable": True},
        },
        "propertyOrdering": ["a", "b", "c"],
    }
    tools = [{"functionDeclarations": [{"name": "f", "parameters": parameters}]},
             {"function_declarations": [{"name": "g"}]}]  # fmt: skip
    first, second = gemini_request_to_openai({"contents": "x", "tools": tools}, model="m").value["tools"]
    assert first["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"type": ["string", "null"]},
        },
    }
    assert second["function"]["name"] == "g"


@pytest.mark.proposal("par-nonmutating")
@pytest.mark.parametrize("profile", [CLEANED, Profile()])
def test_the_callers_schema_is_not_changed(profile: Profile) -> None:
    for schema in (TREE, POINT, object_schema(a={"type": ["string", "null"], "enum": ["x", None]})):
        before = copy.deepcopy(schema)
        declare_function(schema, profile)
        assert schema == before


@pytest.mark.proposal("schema-strip-additional-properties")
def test_by_default_the_whole_schema_travels_untouched_as_json_schema() -> None:
    assert declare_function(TREE, Profile()) == {"name": "f", "description": "F", "parametersJsonSchema": TREE}
