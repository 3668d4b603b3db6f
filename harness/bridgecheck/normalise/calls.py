"""Arguments of a call: what the model said, decoded."""

import json

from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject

NO_ARGS = ("", "null")


def decoded_args(raw: str) -> tuple[JsonObject, str | None]:
    """(arguments, None), or ({}, the text) where it is no JSON object. Nothing, white space and null are no arguments.

    A key that stands twice counts as its last value, as every JSON parser of the SDKs has it. NaN and Infinity, which
    Python would read, are no JSON (https://www.rfc-editor.org/rfc/rfc8259#section-6).
    """
    if raw.strip() in NO_ARGS:
        return {}, None
    try:
        value = json.loads(raw, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return {}, raw
    return (obj(value), None) if isinstance(value, dict) else ({}, raw)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")
