"""The pieces that our JSON schemas are written with."""

from typing import Final

from bridgecheck.wire import JsonObject

TEXT: Final[JsonObject] = {"type": "string"}
COUNT: Final[JsonObject] = {"type": "integer", "minimum": 0}
FLAG: Final[JsonObject] = {"type": "boolean"}


def listed(item: JsonObject) -> JsonObject:
    """A list of these."""
    return {"type": "array", "items": item}


def mapped(value: JsonObject) -> JsonObject:
    """An object open in its keys, with values of one shape."""
    return {"type": "object", "additionalProperties": value}


def closed(properties: JsonObject, *optional: str) -> JsonObject:
    """An object with exactly these members, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}
