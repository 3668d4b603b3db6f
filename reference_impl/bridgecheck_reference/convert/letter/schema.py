"""A JSON Schema as the older mapping sends it to Gemini: three keywords dropped, below ``properties`` and ``items``
only (mapping row R-15, ``schema_mode="letter"``)."""

from typing import Final

from bridgecheck_reference.convert.schema import DEEPEST
from bridgecheck_reference.errors import ConversionError

_DROPPED: Final = frozenset({"additionalProperties", "$schema", "title"})


def lightly_cleaned(schema: object, depth: int = 0) -> object:
    """The schema without the keywords; a property of such a name stays. Raises ConversionError for endless nesting."""
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"parameters: schema nested deeper than {DEEPEST} levels", "parameters")
    result = {key: value for key, value in schema.items() if key not in _DROPPED}
    if isinstance(result.get("properties"), dict):
        result["properties"] = {name: lightly_cleaned(inner, depth + 1) for name, inner in result["properties"].items()}
    if isinstance(result.get("items"), dict):
        result["items"] = lightly_cleaned(result["items"], depth + 1)
    return result
