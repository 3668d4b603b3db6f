"""Readers and writers of JSON values of any shape.

A reader returns the value if it has the required shape, else the empty value of that shape.

Gemini documents come in snake_case, camelCase and both at once: google-genai 3.4.0 mixes them inside one body, so every
level is read through ``camel``. It works on one object, never on what lies below it: arguments, tool results, schemas
and other user data keep their keys. Where a key is there in both spellings camelCase wins.
"""

import json
from _json import make_encoder
from collections.abc import Container, Iterator
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Final

import orjson

from bridgecheck.wire import JsonObject

NOTHING: Final[JsonObject] = {}
"""Stands for an object that is not there. Never written to."""

_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})

_ENCODER: Final = make_encoder(
    None, json.JSONEncoder().default, encode_basestring, None, ": ", ", ", False, False, True
)
"""What ``json.JSONEncoder(ensure_ascii=False, check_circular=False)`` makes anew for every document: half of the time
that a call's arguments take. CPython's own, as orjson is for CPython alone."""


def obj(value: object) -> JsonObject:
    return value if isinstance(value, dict) else NOTHING


def arr(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def objs(one_or_list: object) -> Iterator[JsonObject]:
    """Return the objects of a list; a single object counts as a list of one."""
    if isinstance(one_or_list, dict):
        yield one_or_list
    elif isinstance(one_or_list, list):
        for item in one_or_list:
            if isinstance(item, dict):
                yield item


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def integer(value: object) -> int | None:
    """Return the integer; a whole float counts, a boolean does not."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def google_extra(holder: JsonObject) -> JsonObject:
    """Return ``extra_content.google`` of an OpenAI object, {} if there is none."""
    extra = holder.get("extra_content")
    return obj(extra.get("google")) if isinstance(extra, dict) else NOTHING


def anthropic_extra(holder: JsonObject) -> JsonObject:
    """Return ``extra_content.anthropic`` of an OpenAI object, {} if there is none."""
    extra = holder.get("extra_content")
    return obj(extra.get("anthropic")) if isinstance(extra, dict) else NOTHING


def dumps(value: object) -> str:
    """Return JSON text in the usual form of models: non-ASCII kept, a space after colons and commas, any integer
    exact."""
    return "".join(_ENCODER(value, 0))


def compact_json(value: object) -> str:
    """Return the same without spaces, as models write arguments themselves, in a fifth of the time.

    What orjson does not write as it was (integers beyond 64 bits, halves of surrogate pairs; NaN becomes null) has
    spaces.
    """
    try:
        written = orjson.dumps(value)
    except TypeError:
        return dumps(value)
    return dumps(value) if b"null" in written else written.decode()


def unknown_nonempty_members(source: JsonObject, known: frozenset[str]) -> JsonObject:
    """Return the members whose keys are not known and that are not null, "", [] or {}; mostly {}."""
    if known.issuperset(source):
        return NOTHING
    return {key: value for key, value in source.items() if key not in known and value not in _EMPTY}


def unknown_keys(source: JsonObject, known: Container[str]) -> list[str]:
    """Return the keys that are not known, in the order of the document: that of a set changes from run to run."""
    return [key for key in source if key not in known]


def camel(value: object) -> JsonObject:
    """Return the object with its own keys in camelCase; the same object when nothing changes, {} if it is none."""
    if not isinstance(value, dict):
        return NOTHING
    for key in value:
        if "_" in key:
            return _rename_own_keys_to_camel(value)
    return value


def _rename_own_keys_to_camel(value: JsonObject) -> JsonObject:
    result: JsonObject = {}
    for key, item in value.items():
        name = camel_key(key)
        if name == key or name not in value:
            result[name] = item
    return result


@lru_cache(maxsize=1024)
def camel_key(key: str) -> str:
    """Convert ``max_output_tokens`` to ``maxOutputTokens``; a leading underscore stays."""
    head, *tail = key.lstrip("_").split("_")
    lead = key[: len(key) - len(key.lstrip("_"))]
    return lead + head + "".join(part[:1].upper() + part[1:] for part in tail)
