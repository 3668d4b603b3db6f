"""The outline of a schema: what a model reads in it, place by place."""

from typing import Final, TypeAlias

from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

Outline: TypeAlias = dict[str, JsonObject]
"""place (``properties.city``, ``items``) -> facts: description, enum members, required names; only those given."""

DEEPEST: Final = 12
MOST: Final = 2000


def outline(schema: JsonObject) -> Outline:
    """Follows local references, to a bounded depth, so that an inlined definition has the same outline."""
    found: Outline = {}
    _visit(schema, schema, "", found, ())
    return found


def resolve(node: JsonObject, root: JsonObject) -> JsonObject:
    """The node that a local ``$ref`` names, joined with what stands beside it; the node itself where it names none."""
    reference = text(node.get("$ref"))
    if not reference.startswith("#"):
        return node
    target: object = root
    for key in reference.removeprefix("#").strip("/").split("/"):
        target = obj(target).get(key.replace("~1", "/").replace("~0", "~")) if key else target
    return {**obj(target), **{key: item for key, item in node.items() if key != "$ref"}}


def _visit(node: JsonObject, root: JsonObject, place: str, found: Outline, seen: tuple[str, ...]) -> None:
    reference = text(node.get("$ref"))
    if reference in seen or len(place.split(".")) > DEEPEST or len(found) > MOST:
        return
    trail = (*seen, reference) if reference else seen
    node = resolve(node, root)
    found[place] = _facts(node)
    for name, child in obj(node.get("properties")).items():
        _visit(obj(child), root, f"{place}.{name}".lstrip("."), found, trail)
    if isinstance(node.get("items"), dict):
        _visit(obj(node["items"]), root, f"{place}[]", found, trail)
    for branch in (*arr(node.get("anyOf")), *arr(node.get("oneOf")), *arr(node.get("allOf"))):
        _branch(obj(branch), root, place, found, trail)


def _branch(node: JsonObject, root: JsonObject, place: str, found: Outline, seen: tuple[str, ...]) -> None:
    """A branch adds the places below it; its own description does not replace that of the whole."""
    own = found.get(place, {})
    _visit(node, root, place, found, seen)
    found[place] = {**found.get(place, {}), **own}


def _facts(node: JsonObject) -> JsonObject:
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
