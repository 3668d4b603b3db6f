"""The contents of a JSON Schema: its outline, which a model reads, and sample instances, valid ones and near misses.

Samples are derived from the schema, the same ones every time. They are candidates: callers validate them against the
schema first. A pattern is not solved; a schema whose strings must match one yields few valid instances or none, and
then only structure is compared."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.wire import JsonObject

Outline: TypeAlias = dict[str, JsonObject]
"""path (``properties.city``, ``items``) -> facts: description, enum members, required names; only those set."""

MAX_PATH_LENGTH: Final = 12
MAX_PATHS: Final = 2000


def outline_schema(schema: JsonObject) -> Outline:
    """Return the outline of a schema. Local references are followed to a bounded depth, as if they were inlined."""
    result: Outline = {}
    _outline_node(schema, schema, "", result, ())
    return result


def resolve_reference(node: JsonObject, root: JsonObject) -> JsonObject:
    """Return the node that a local ``$ref`` names, merged with the keywords beside it; the node itself without one."""
    reference = text(node.get("$ref"))
    if not reference.startswith("#"):
        return node
    target: object = root
    for key in reference.removeprefix("#").strip("/").split("/"):
        target = obj(target).get(key.replace("~1", "/").replace("~0", "~")) if key else target
    return {**obj(target), **{key: item for key, item in node.items() if key != "$ref"}}


def _outline_node(node: JsonObject, root: JsonObject, path: str, result: Outline, references: tuple[str, ...]) -> None:
    reference = text(node.get("$ref"))
    if reference in references or len(path.split(".")) > MAX_PATH_LENGTH or len(result) > MAX_PATHS:
        return
    trail = (*references, reference) if reference else references
    node = resolve_reference(node, root)
    result[path] = _read_description_enum_and_required(node)
    for name, child in obj(node.get("properties")).items():
        _outline_node(obj(child), root, f"{path}.{name}".lstrip("."), result, trail)
    if isinstance(node.get("items"), dict):
        _outline_node(obj(node["items"]), root, f"{path}[]", result, trail)
    for branch in (*arr(node.get("anyOf")), *arr(node.get("oneOf")), *arr(node.get("allOf"))):
        _outline_branch(obj(branch), root, path, result, trail)


def _outline_branch(
    node: JsonObject, root: JsonObject, path: str, result: Outline, references: tuple[str, ...]
) -> None:
    """Add the paths below a branch; its own description does not replace that of the whole."""
    before = result.get(path, {})
    _outline_node(node, root, path, result, references)
    result[path] = {**result.get(path, {}), **before}


def _read_description_enum_and_required(node: JsonObject) -> JsonObject:
    facts: JsonObject = {}
    description = text(node.get("description")).strip()
    if description:
        facts["description"] = description
    members = [member for member in arr(node.get("enum")) if member is not None]
    if members:
        facts["enum"] = members
    if arr(node.get("required")):
        facts["required"] = node["required"]
    return facts


MAX_SAMPLE_DEPTH: Final = 5
MAX_SAMPLES: Final = 60
MAX_PER_NODE: Final = 6
_SAMPLE_TEXTS: Final = (
    "a", "Zürich", "x y", "2026-11-20", "2026-11-20T10:00:00Z", "a@example.org", "https://example.org/", "1",
)  # fmt: skip


def candidate_instances(schema: JsonObject) -> list[object]:
    """Return at most 60 candidates: boundaries, members and branches of every part of the schema."""
    return list(islice(_drop_duplicates(_sample_node(schema, schema, 0)), MAX_SAMPLES))


def candidate_near_misses(schema: JsonObject, valid: Sequence[object]) -> list[object]:
    """Return at most 60 candidates that differ from a valid instance in one respect: a required property missing, one
    too many, a wrong type, a value just outside its bounds."""
    misses: Iterator[object] = (miss for value in valid[:10] for miss in _spoil_value(value, schema, schema, 0))
    return list(islice(_drop_duplicates(misses), MAX_SAMPLES))


def _drop_duplicates(values: Iterator[object]) -> Iterator[object]:
    known: set[str] = set()
    for value in values:
        mark = repr(value)
        if mark not in known:
            known.add(mark)
            yield value


def _sample_node(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    node = resolve_reference(node, root)
    if "enum" in node:
        yield from arr(node["enum"])
        return
    for branches in (arr(node.get("anyOf")), arr(node.get("oneOf"))):
        for branch in branches:
            rest = {key: item for key, item in node.items() if key not in ("anyOf", "oneOf")}
            samples = _sample_node({**rest, **obj(branch)}, root, depth + 1)
            yield from islice(samples, MAX_PER_NODE if depth < MAX_SAMPLE_DEPTH else 1)
        if branches:
            return
    parts = [resolve_reference(obj(part), root) for part in arr(node.get("allOf"))]
    if parts:
        node = _merge_all_of(node, parts)
    types = node.get("type")
    for kind in types if isinstance(types, list) else [types or _guess_type(node)]:
        yield from _sample_type(str(kind), node, root, depth)


def _merge_all_of(node: JsonObject, parts: Sequence[JsonObject]) -> JsonObject:
    merged: JsonObject = {key: item for key, item in node.items() if key != "allOf"}
    for part in parts:
        joined = {**obj(merged.get("properties")), **obj(part.get("properties"))}
        required = [*arr(merged.get("required")), *arr(part.get("required"))]
        merged = {**part, **merged, "properties": joined, "required": required}
    return merged


def _guess_type(node: JsonObject) -> str:
    if "properties" in node or "additionalProperties" in node:
        return "object"
    return "array" if "items" in node else "string"


def _sample_type(kind: str, node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    if kind == "object":
        yield from _sample_objects(node, root, depth)
    elif kind == "array":
        yield from _sample_arrays(node, root, depth)
    elif kind == "string":
        yield from _sample_strings_of_allowed_length(node)
    elif kind in ("integer", "number"):
        yield from _sample_numbers_within_bounds(node, whole=kind == "integer")
    elif kind == "boolean":
        yield from (True, False)
    elif kind == "null":
        yield None


def _sample_objects(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    """Yield an object with all properties, one with the required ones, then each property with its other samples."""
    required = {name for name in arr(node.get("required")) if isinstance(name, str)}
    names = [name for name in obj(node.get("properties")) if depth < MAX_SAMPLE_DEPTH or name in required]
    options = {
        name: list(islice(_sample_node(obj(obj(node.get("properties"))[name]), root, depth + 1), MAX_PER_NODE))
        for name in (names if depth <= MAX_SAMPLE_DEPTH + 2 else [])
    }
    full: dict[str, object] = {name: values[0] for name, values in options.items() if values}
    yield full
    yield {name: value for name, value in full.items() if name in required}
    for name, values in options.items():
        for value in values[1:]:
            yield {**full, name: value}
    extra = node.get("additionalProperties", True)
    if isinstance(extra, dict) and depth < MAX_SAMPLE_DEPTH:
        for value in islice(_sample_node(obj(extra), root, depth + 1), 2):
            yield {**full, "another_key": value}
    elif extra is True and not full:
        yield {"another_key": "a"}


def _sample_arrays(node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    least, most = integer(node.get("minItems")) or 0, integer(node.get("maxItems"))
    fixed = [next(_sample_node(obj(item), root, depth + 1), None) for item in arr(node.get("prefixItems"))]
    count = MAX_PER_NODE if depth < MAX_SAMPLE_DEPTH else 0
    items = list(islice(_sample_node(obj(node.get("items")), root, depth + 1), count))
    if not items:
        yield fixed
        return
    sizes = sorted({least, max(least, 1), least + 1, most if most is not None and most <= 20 else least})
    for size in sizes:
        yield fixed + [items[index % len(items)] for index in range(size)]


def _sample_strings_of_allowed_length(node: JsonObject) -> Iterator[object]:
    least, most = integer(node.get("minLength")) or 0, integer(node.get("maxLength"))
    for sample in _SAMPLE_TEXTS:
        padded = sample + "a" * max(0, least - len(sample))
        yield padded if most is None else padded[: max(most, 0)]
    if most is not None and most <= 200:
        yield "a" * most
    if least == 0:
        yield ""


def _sample_numbers_within_bounds(node: JsonObject, whole: bool) -> Iterator[object]:
    low = _inner_bound(node, "minimum", "exclusiveMinimum", 1)
    high = _inner_bound(node, "maximum", "exclusiveMaximum", -1)
    step = node.get("multipleOf")
    numbers: list[float | int] = [value for value in (low, high) if value is not None]
    if isinstance(step, int | float) and not isinstance(step, bool):
        numbers += [step, step * 2, step * 7]
    numbers += [value for value in (0, 1, -1, 7, 1000) if _is_within(value, low, high)]
    if not whole:
        numbers += [value for value in (0.5, 2.25) if _is_within(value, low, high)]
    yield from (int(value) if whole and float(value).is_integer() else value for value in numbers)


def _inner_bound(node: JsonObject, inclusive: str, exclusive: str, inward: int) -> float | int | None:
    value = node.get(inclusive)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    value = node.get(exclusive)
    return value + inward if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _spoil_value(value: object, node: JsonObject, root: JsonObject, depth: int) -> Iterator[object]:
    node = resolve_reference(node, root)
    yield 7 if isinstance(value, str) else "seven"
    if isinstance(value, dict) and depth < MAX_SAMPLE_DEPTH:
        yield {**value, "not_declared": 1}
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in value.items():
            child = obj(obj(node.get("properties")).get(name))
            yield from ({**value, name: spoilt} for spoilt in islice(_spoil_value(item, child, root, depth + 1), 4))
    elif isinstance(value, list):
        yield [*value, *value, None]
    elif isinstance(value, bool):
        yield int(value)
    elif isinstance(value, int | float):
        yield from (value - 1, value + 1, value + 0.5)
    elif isinstance(value, str):
        yield from (value + "?", value[:-1])
