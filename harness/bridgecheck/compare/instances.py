"""Instances of a JSON Schema, valid ones and near misses: derived from the schema, the same ones every time.

They are candidates: whoever uses them validates them against the schema first. A pattern is not solved; a schema whose
strings must match one yields few valid instances or none, and then only structure is compared.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from bridgecheck.compare.schema_outline import resolve
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.wire import JsonObject

DEEPEST: Final = 5
MOST: Final = 60
PER_NODE: Final = 6
_WORDS: Final = (
    "a",
    "Zürich",
    "x y",
    "2026-11-20",
    "2026-11-20T10:00:00Z",
    "a@example.org",
    "https://example.org/",
    "1",
)


def instances(schema: JsonObject) -> list[object]:
    """At most 60 candidates: boundaries, members and branches of every part of the schema."""
    return list(islice(_dedupe(_samples(schema, schema, 0)), MOST))


def near_misses(schema: JsonObject, valid: Sequence[object]) -> list[object]:
    """At most 60 candidates that differ from a valid instance in one place: a required property gone, one too many, a
    wrong type, a value just outside its bounds."""
    found: Iterator[object] = (miss for value in valid[:10] for miss in _spoil(value, schema, schema, 0))
    return list(islice(_dedupe(found), MOST))


def _dedupe(values: Iterator[object]) -> Iterator[object]:
    seen: set[str] = set()
    for value in values:
        mark = repr(value)
        if mark not in seen:
            seen.add(mark)
            yield value


def _samples(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    node = resolve(node, root)
    if "enum" in node:
        yield from arr(node["enum"])
        return
    for branches in (arr(node.get("anyOf")), arr(node.get("oneOf"))):
        for branch in branches:
            beside = {key: item for key, item in node.items() if key not in ("anyOf", "oneOf")}
            yield from islice(_samples({**beside, **obj(branch)}, root, depth + 1), PER_NODE if depth < DEEPEST else 1)
        if branches:
            return
    parts = [resolve(obj(part), root) for part in arr(node.get("allOf"))]
    if parts:
        node = _merged(node, parts)
    given = node.get("type")
    for kind in given if isinstance(given, list) else [given or _guess(node)]:
        yield from _of_type(str(kind), node, root, depth)


def _merged(node: JsonObject, parts: Sequence[JsonObject]) -> JsonObject:
    whole: JsonObject = {key: item for key, item in node.items() if key != "allOf"}
    for part in parts:
        joined = {**obj(whole.get("properties")), **obj(part.get("properties"))}
        required = [*arr(whole.get("required")), *arr(part.get("required"))]
        whole = {**part, **whole, "properties": joined, "required": required}
    return whole


def _guess(node: JsonObject) -> str:
    if "properties" in node or "additionalProperties" in node:
        return "object"
    return "array" if "items" in node else "string"


def _of_type(kind: str, node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    if kind == "object":
        yield from _objects(node, root, depth)
    elif kind == "array":
        yield from _arrays(node, root, depth)
    elif kind == "string":
        yield from _strings(node)
    elif kind in ("integer", "number"):
        yield from _numbers(node, whole=kind == "integer")
    elif kind == "boolean":
        yield from (True, False)
    elif kind == "null":
        yield None


def _objects(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    """All properties; the required ones alone; then each property through its other samples."""
    required = {name for name in arr(node.get("required")) if isinstance(name, str)}
    names = [name for name in obj(node.get("properties")) if depth < DEEPEST or name in required]
    options = {
        name: list(islice(_samples(obj(obj(node.get("properties"))[name]), root, depth + 1), PER_NODE))
        for name in (names if depth <= DEEPEST + 2 else [])
    }
    full: dict[str, object] = {name: values[0] for name, values in options.items() if values}
    yield full
    yield {name: value for name, value in full.items() if name in required}
    for name, values in options.items():
        for value in values[1:]:
            yield {**full, name: value}
    extra = node.get("additionalProperties", True)
    if isinstance(extra, dict) and depth < DEEPEST:
        for value in islice(_samples(obj(extra), root, depth + 1), 2):
            yield {**full, "another_key": value}
    elif extra is True and not full:
        yield {"another_key": "a"}


def _arrays(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    least, most = integer(node.get("minItems")) or 0, integer(node.get("maxItems"))
    fixed = [next(_samples(obj(item), root, depth + 1), None) for item in arr(node.get("prefixItems"))]
    items = [] if depth >= DEEPEST else list(islice(_samples(obj(node.get("items")), root, depth + 1), PER_NODE))
    if not items:
        yield fixed
        return
    sizes = sorted({least, max(least, 1), least + 1, most if most is not None and most <= 20 else least})
    for size in sizes:
        yield fixed + [items[index % len(items)] for index in range(size)]


def _strings(node: JsonObject) -> Iterator[object]:
    least, most = integer(node.get("minLength")) or 0, integer(node.get("maxLength"))
    for word in _WORDS:
        padded = word + "a" * max(0, least - len(word))
        yield padded if most is None else padded[: max(most, 0)]
    if most is not None and most <= 200:
        yield "a" * most
    if least == 0:
        yield ""


def _numbers(node: JsonObject, whole: bool) -> Iterator[object]:
    low, high = _bound(node, "minimum", "exclusiveMinimum", 1), _bound(node, "maximum", "exclusiveMaximum", -1)
    step = node.get("multipleOf")
    found: list[float | int] = [value for value in (low, high) if value is not None]
    if isinstance(step, int | float) and not isinstance(step, bool):
        found += [step, step * 2, step * 7]
    found += [value for value in (0, 1, -1, 7, 1000) if _inside(value, low, high)]
    if not whole:
        found += [value for value in (0.5, 2.25) if _inside(value, low, high)]
    yield from (int(value) if whole and float(value).is_integer() else value for value in found)


def _bound(node: JsonObject, closed: str, opened: str, inward: int) -> float | int | None:
    value = node.get(closed)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    value = node.get(opened)
    return value + inward if isinstance(value, int | float) and not isinstance(value, bool) else None


def _inside(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _spoil(value: object, node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    node = resolve(node, root)
    yield from _wrong_type(value)
    if isinstance(value, dict) and depth < DEEPEST:
        yield {**value, "not_declared": 1}
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in value.items():
            child = obj(obj(node.get("properties")).get(name))
            yield from ({**value, name: spoilt} for spoilt in islice(_spoil(item, child, root, depth + 1), 4))
    elif isinstance(value, list):
        yield [*value, *value, None]
    elif isinstance(value, bool):
        yield int(value)
    elif isinstance(value, int | float):
        yield from (value - 1, value + 1, value + 0.5)
    elif isinstance(value, str):
        yield from (value + "?", value[:-1])


def _wrong_type(value: object) -> tuple[object, ...]:
    return (7,) if isinstance(value, str) else ("seven",)
