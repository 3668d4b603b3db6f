"""What every provider refuses in a JSON Schema: types that are no types of it, and references that lead nowhere."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.accept.rule import FieldPath, LocatedObject
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

WRONG_TYPE: Final = "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.1 (read 2026-11-22)"
NO_TARGET: Final = "https://github.com/Rahularya01/pi-antigravity/pull/33 (read 2026-11-22)"
"""In Gemini's words: ``reference to undefined schema at properties.designSystem.properties.theme``."""

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_MAPS: Final = frozenset({"properties", "defs", "$defs", "definitions", "patternProperties"})
_LISTS: Final = frozenset({"anyOf", "any_of", "oneOf", "allOf", "prefixItems"})
_SINGLE: Final = frozenset({"items", "additionalProperties", "not"})
_DEEPEST: Final = 60


def walk_schema(path: FieldPath, node: JsonObject, depth: int = 0) -> Iterator[LocatedObject]:
    """Yield a schema and those below it; names of properties are no keywords."""
    yield path, node
    if depth > _DEEPEST:
        return
    for key, value in node.items():
        if key in _MAPS:
            for name, child in obj(value).items():
                yield from walk_schema(f"{path}.{key}.{name}", obj(child), depth + 1)
        elif key in _LISTS:
            for index, child in enumerate(arr(value)):
                yield from walk_schema(f"{path}.{key}[{index}]", obj(child), depth + 1)
        elif key in _SINGLE and isinstance(value, dict):
            yield from walk_schema(f"{path}.{key}", obj(value), depth + 1)


def find_wrong_types(schemas: Iterator[LocatedObject]) -> Iterator[FieldPath]:
    """Yield where a schema has a type that JSON Schema does not know, such as Gemini's ``STRING``; once a schema."""
    for path, schema in schemas:
        for node_path, node in walk_schema(path, schema):
            stated = node.get("type")
            names = stated if isinstance(stated, list) else [stated]
            if any(isinstance(name, str) and name not in _TYPES for name in names):
                yield f"{node_path}.type"
                break


def find_references_to_nothing(schemas: Iterator[LocatedObject]) -> Iterator[FieldPath]:
    """Yield where a local reference names no schema, or only itself; once a schema."""
    for path, schema in schemas:
        for node_path, node in walk_schema(path, schema):
            if "$ref" in node and not _leads_to_schema(text(node["$ref"]), schema):
                yield f"{node_path}.$ref"
                break


def _leads_to_schema(reference: str, root: JsonObject) -> bool:
    """Return whether a reference leads to a schema. One to another document, or to an anchor, is not judged."""
    passed: list[str] = []
    while reference == "#" or reference.startswith("#/"):
        if reference in passed:
            return False
        passed.append(reference)
        target: object = root
        for key in reference.split("/")[1:]:
            target = obj(target).get(key.replace("~1", "/").replace("~0", "~"))
        if not isinstance(target, dict):
            return isinstance(target, bool)
        if set(target) != {"$ref"}:
            return True
        reference = text(target["$ref"])
    return True
