"""Arguments of a call: what the model said, decoded."""

import json

from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject

NO_ARGS = ("", "null")


def decoded_args(raw: str) -> tuple[JsonObject, str | None]:
    """(arguments, None), or ({}, the text) where it is no JSON object. Nothing, white space and null are no arguments.

    A key that stands twice counts as its last value, as every JSON parser of the SDKs has it.
    """
    if raw.strip() in NO_ARGS:
        return {}, None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}, raw
    return (obj(value), None) if isinstance(value, dict) else ({}, raw)
