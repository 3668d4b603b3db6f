"""Gemini documents come in snake_case, camelCase and both at once; this brings one level to camelCase.

google-genai 3.4.0 mixes them inside one body, so every level is read through ``camel``. It works on one object, never
on what lies below it: arguments, tool results, schemas and other user data keep their keys. Where a key is there in
both spellings camelCase wins.
"""

from functools import lru_cache

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import NOTHING


def camel(value: object) -> JsonObject:
    """The object with its own keys in camelCase; the same object when there was nothing to do, {} if it is none."""
    if not isinstance(value, dict):
        return NOTHING
    for key in value:
        if "_" in key:
            return _renamed(value)
    return value


def _renamed(value: JsonObject) -> JsonObject:
    result: JsonObject = {}
    for key, item in value.items():
        name = camel_key(key)
        if name == key or name not in value:
            result[name] = item
    return result


@lru_cache(maxsize=1024)
def camel_key(key: str) -> str:
    """``max_output_tokens`` -> ``maxOutputTokens``; a leading underscore stays."""
    head, *tail = key.lstrip("_").split("_")
    lead = key[: len(key) - len(key.lstrip("_"))]
    return lead + head + "".join(word[:1].upper() + word[1:] for word in tail)
