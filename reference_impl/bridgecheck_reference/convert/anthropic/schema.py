"""The schema of an answer as Anthropic takes it: every object says that it has no further properties.

Source: recorded refusals (maruel-genai/0053), https://docs.claude.com/en/docs/build-with-claude/structured-outputs.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.schema import DEEPEST
from bridgecheck_reference.errors import ConversionError

_MAPS: Final = frozenset({"properties", "$defs", "definitions"})
_LISTS: Final = frozenset({"anyOf", "allOf", "oneOf"})


def closed(schema: object, depth: int = 0) -> object:
    """The schema with every object closed; itself, not a copy, if it is. Raises ConversionError past 200 levels."""
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"response_format: schema nested deeper than {DEEPEST} levels", "response_format")
    made: JsonObject = {key: _keyword(key, value, depth) for key, value in schema.items()}
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        made["additionalProperties"] = False
    return made if any(made[key] is not schema.get(key) for key in made) else schema


def _keyword(key: str, value: object, depth: int) -> object:
    if key in _MAPS and isinstance(value, dict):
        inner = {name: closed(item, depth + 1) for name, item in value.items()}
        return inner if any(inner[name] is not value[name] for name in inner) else value
    if key in _LISTS and isinstance(value, list):
        items = [closed(item, depth + 1) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return closed(value, depth + 1) if key == "items" else value
