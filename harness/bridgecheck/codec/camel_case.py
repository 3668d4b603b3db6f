"""Gemini's spellings made one: keys in camelCase at every level of the API's own objects, user data untouched; lists
where a request has a single message in place of one.

Google's JSON parser takes ``systemInstruction`` and ``system_instruction`` alike, and google-genai 3.4 mixes both
within one body (measured 2026-11-20). Source: https://protobuf.dev/programming-guides/json/.
"""

import re
from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject

USER_DATA: Final[frozenset[str]] = frozenset({
    "args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema", "labels",
    "metadata", "customMetadata", "partMetadata", "structValue",
})  # fmt: skip
"""Keys (camelCase) below which every key is the user's or a JSON Schema's own, and stays as it is."""

_SNAKE = re.compile(r"(?<=[a-z0-9])_([a-z0-9])")


def camel_case_key(key: str) -> str:
    """``mime_type`` -> ``mimeType``; a key that is no lower snake case stays (``@type``, ``HTTP_CODE``)."""
    return _SNAKE.sub(lambda found: found[1].upper(), key)


def camel_case_api_keys(document: object) -> object:
    """A copy with camelCase keys. Lists under both spellings of one key are joined; otherwise the second spelling keeps
    its own name, so that nothing is lost."""
    if isinstance(document, list):
        return [camel_case_api_keys(item) for item in document]
    if not isinstance(document, dict):
        return document
    result: JsonObject = {}
    for key, value in obj(document).items():
        new_key = camel_case_key(key)
        new_value = value if new_key in USER_DATA else camel_case_api_keys(value)
        earlier_value = result.get(new_key)
        if new_key not in result:
            result[new_key] = new_value
        elif isinstance(earlier_value, list) and isinstance(new_value, list):
            result[new_key] = [*earlier_value, *new_value]
        else:
            result[key if key not in result else f"{key}_"] = new_value
    return result


_LISTS: Final = frozenset({
    "contents", "tools", "safetySettings", "safety_settings", "parts", "functionDeclarations", "function_declarations",
})  # fmt: skip
"""Members of a request that are lists. Google's parser takes a single message there too, and its own examples write
one: https://ai.google.dev/gemini-api/docs/code-execution, ``"tools": {"code_execution": {}}`` (2026-11-22)."""
_HOLDERS: Final = ("contents", "tools", "systemInstruction", "system_instruction")


def respell_request(body: JsonObject) -> JsonObject:
    """A copy of a request to Gemini with camelCase keys, and lists wherever the API has them."""
    return wrap_single_messages(obj(camel_case_api_keys(body)))


def wrap_single_messages(body: JsonObject) -> JsonObject:
    """A copy of a request to Gemini, in either spelling, with lists wherever the API has them."""
    document = obj(_wrap_members(body))
    return document | {name: _wrap_members(document[name]) for name in _HOLDERS if name in document}


def _wrap_members(value: object) -> object:
    if isinstance(value, list):
        return [_wrap_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: [item] if key in _LISTS and isinstance(item, dict) else item for key, item in value.items()}
