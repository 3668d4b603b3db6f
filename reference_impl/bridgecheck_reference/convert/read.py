"""Readers for JSON of any shape: the value if it has the wanted shape, else the empty value of that shape."""

import json
from _json import make_encoder
from collections.abc import Container, Iterator
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


def objs(value: object) -> Iterator[JsonObject]:
    """The objects of a list; a single object counts as a list of one."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def integer(value: object) -> int | None:
    """The integer; a whole float counts, a boolean does not."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def google(holder: JsonObject) -> JsonObject:
    """``extra_content.google`` of an OpenAI object, {} if there is none."""
    extra = holder.get("extra_content")
    return obj(extra.get("google")) if isinstance(extra, dict) else NOTHING


def anthropic(holder: JsonObject) -> JsonObject:
    """``extra_content.anthropic`` of an OpenAI object, {} if there is none."""
    extra = holder.get("extra_content")
    return obj(extra.get("anthropic")) if isinstance(extra, dict) else NOTHING


def dumps(value: object) -> str:
    """JSON text as models are used to seeing it: non-ASCII kept, a space after colons and commas, any integer exact."""
    return "".join(_ENCODER(value, 0))


def compact(value: object) -> str:
    """The same without spaces, as models write arguments themselves, and in a fifth of the time. What orjson does not
    write as it was (integers beyond 64 bits, halves of surrogate pairs; NaN becomes null) has spaces."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        return dumps(value)
    return dumps(value) if b"null" in written else written.decode()


def without(source: JsonObject, known: frozenset[str]) -> JsonObject:
    """The members whose keys are not known and that say something (not null, "", [] or {}); {} mostly."""
    if known.issuperset(source):
        return NOTHING
    return {key: value for key, value in source.items() if key not in known and value not in _EMPTY}


def unknown(source: JsonObject, known: Container[str]) -> list[str]:
    """The keys that are not known, in the order of the document: that of a set changes from run to run."""
    return [key for key in source if key not in known]
