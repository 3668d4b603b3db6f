"""Keywords of Gemini's schema type in both spellings."""

from bridgecheck import normalise
from bridgecheck.model.exchange import Request
from bridgecheck.normalise.gemini.request import camel_case_schema


def test_keywords_are_read_in_both_spellings_at_any_depth():
    assert camel_case_schema({
        "type": "OBJECT",
        "property_ordering": ["a"],
        "properties": {"a": {"type": "ARRAY", "min_items": 1, "items": {"any_of": [{"max_length": 2}]}}},
    }) == {
        "type": "OBJECT",
        "propertyOrdering": ["a"],
        "properties": {"a": {"type": "ARRAY", "minItems": 1, "items": {"anyOf": [{"maxLength": 2}]}}},
    }  # fmt: skip


def test_names_and_values_of_the_user_are_unchanged():
    schema = {"properties": {"max_items": {"type": "STRING", "enum": ["max_items"], "default": {"max_items": 1}}}}
    assert camel_case_schema(schema) == schema


def test_a_schema_below_the_deepest_level_is_unchanged():
    deep = {"max_items": 1}
    for _ in range(300):
        deep = {"items": deep}
    assert camel_case_schema(deep) == deep


def test_parameters_and_response_schema_of_a_request():
    def request(spelling):
        schema = {"type": "ARRAY", spelling: 2, "items": {"type": "STRING"}}
        body = {
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": schema}]}],
            "generationConfig": {"responseMimeType": "application/json", "responseSchema": schema},
        }
        return normalise.request(Request("gemini", "unary", body, "m"))

    assert request("max_items") == request("maxItems")
    assert request("max_items").tools[0].schema["maxItems"] == 2


def test_types_that_vertex_writes_as_numbers_are_read():
    assert camel_case_schema({"type": 6, "properties": {"type": {"type": 1}}}) == {
        "type": "OBJECT",
        "properties": {"type": {"type": "STRING"}},
    }
    assert camel_case_schema({"type": 99}) == {"type": 99}
