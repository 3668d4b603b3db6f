"""Gemini's two spellings become one; user data never changes."""

from bridgecheck.codec.camel_case import camel_case_api_keys, camel_case_key


def test_keys_at_every_level() -> None:
    document = {"generation_config": {"thinkingConfig": {"include_thoughts": True}}, "contents": [{"inline_data": {}}]}
    assert camel_case_api_keys(document) == {
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
        "contents": [{"inlineData": {}}],
    }


def test_user_data_is_unchanged() -> None:
    call = {"function_call": {"name": "f", "args": {"snake_key": {"a_b": 1}}}}
    assert camel_case_api_keys(call) == {"functionCall": {"name": "f", "args": {"snake_key": {"a_b": 1}}}}
    tool = {"parameters_json_schema": {"properties": {"user_id": {}}}, "response": {"x_y": 1}}
    assert camel_case_api_keys(tool) == {
        "parametersJsonSchema": {"properties": {"user_id": {}}},
        "response": {"x_y": 1},
    }


def test_both_spellings_at_once_lose_nothing() -> None:
    assert camel_case_api_keys({"functionDeclarations": [1], "function_declarations": [2]}) == {
        "functionDeclarations": [1, 2]
    }
    assert camel_case_api_keys({"topP": 1, "top_p": 2}) == {"topP": 1, "top_p": 2}


def test_keys_not_in_snake_case_are_unchanged() -> None:
    assert [camel_case_key(key) for key in ("@type", "HTTP_CODE", "_x", "mime_type")] == [
        "@type", "HTTP_CODE", "_x", "mimeType",
    ]  # fmt: skip
