"""A Prompt in the words that a library's caller would use, where the wire format it was read from has its own.

Gemini writes schemas as OpenAPI has them, and wraps what a function gave back: ``{"output": x}``, or ``{"error": x}``.
Sources: https://ai.google.dev/api/caching#Schema and #FunctionResponse (stored copies read 2026-11-21).
"""

from dataclasses import replace
from typing import Final

from bridgecheck.model.jsonvalue import arr, obj
from bridgecheck.model.prompt import Part, Prompt, ResultPart
from bridgecheck.wire import JsonObject

DEEPEST: Final = 60
"""Levels of a schema that are rewritten."""

_ITS_OWN: Final = frozenset({"propertyOrdering", "nullable"})
_BOUNDS: Final = frozenset({"maxItems", "minItems", "maxLength", "minLength", "minProperties", "maxProperties"})
_ONE: Final = frozenset({"items", "additionalProperties"})
_MAP: Final = frozenset({"properties", "$defs"})
_LIST: Final = frozenset({"anyOf", "prefixItems"})


def plain(prompt: Prompt) -> Prompt:
    """Schemas as JSON Schema, results without a wrapper. A Prompt of any other dialect has them so already."""
    if prompt.dialect != "gemini":
        return prompt
    form = prompt.response_format
    return replace(
        prompt,
        tools=prompt.tools and tuple(replace(tool, schema=_schema(tool.schema)) for tool in prompt.tools),
        response_format=form and replace(form, schema=_schema(form.schema)),
        turns=tuple(replace(turn, parts=tuple(map(_part, turn.parts))) for turn in prompt.turns),
    )


def _part(part: Part) -> Part:
    """An error says that it is one; what it says stays, wrapper and all."""
    if not isinstance(part, ResultPart) or not isinstance(part.value, dict) or len(part.value) != 1:
        return part
    if "output" in part.value:
        return replace(part, value=part.value["output"])
    return replace(part, is_error=True) if "error" in part.value else part


def _schema(schema: JsonObject | None) -> JsonObject | None:
    return None if schema is None else obj(_node(schema, 0))


def _node(value: object, depth: int) -> object:
    if not isinstance(value, dict) or depth > DEEPEST:
        return value
    node = {key: _keyword(key, item, depth + 1) for key, item in obj(value).items() if key not in _ITS_OWN}
    if node.get("format") == "enum":
        del node["format"]
    if value.get("nullable") is True and isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
        node |= {"enum": [*arr(node["enum"]), None]} if "enum" in node else {}
    elif value.get("nullable") is True and isinstance(node.get("anyOf"), list):
        node["anyOf"] = [*arr(node["anyOf"]), {"type": "null"}]
    return node


def _keyword(key: str, item: object, depth: int) -> object:
    if key == "type" and isinstance(item, str):
        return item.lower()
    if key in _BOUNDS and isinstance(item, str) and item.isdigit():
        return int(item)
    if key in _ONE:
        return _node(item, depth)
    if key in _LIST and isinstance(item, list):
        return [_node(one, depth) for one in item]
    return {name: _node(one, depth) for name, one in item.items()} if key in _MAP and isinstance(item, dict) else item
