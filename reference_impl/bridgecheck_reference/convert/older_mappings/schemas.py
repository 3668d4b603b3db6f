"""Schemas of the older mappings towards Gemini (mapping row R-15): ``parameters`` and ``responseSchema`` with three
keywords dropped."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_schema import DEEPEST
from bridgecheck_reference.convert.json_values import obj, objs
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_LEGACY_DROPPED_KEYWORDS: Final = frozenset({"additionalProperties", "$schema", "title"})


def drop_legacy_schema_keywords(schema: object, depth: int = 0) -> object:
    """Drop three keywords below ``properties`` and ``items`` only, and nowhere else.

    A property of such a name stays. Raises ConversionError for endless nesting.
    """
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"parameters: schema nested deeper than {DEEPEST} levels", "parameters")
    result = {key: value for key, value in schema.items() if key not in _LEGACY_DROPPED_KEYWORDS}
    if isinstance(result.get("properties"), dict):
        result["properties"] = {
            name: drop_legacy_schema_keywords(inner, depth + 1) for name, inner in result["properties"].items()
        }
    if isinstance(result.get("items"), dict):
        result["items"] = drop_legacy_schema_keywords(result["items"], depth + 1)
    return result


def drop_three_keywords(made: JsonObject, read: JsonObject, losses: Losses) -> JsonObject:
    """Give a Gemini request the schemas of the Chat Completions request that it was made from, three keywords
    dropped."""
    schemas = [function.get("parameters") for function in _converted_functions(read)]
    tools = [
        {**tool, "functionDeclarations": [
            _with_schema(declared, "parameters", "parametersJsonSchema", schema)
            for declared, schema in zip(objs(tool["functionDeclarations"]), schemas, strict=False)
        ]} if "functionDeclarations" in tool else tool
        for tool in objs(made.get("tools"))
    ]  # fmt: skip
    config = obj(made.get("generationConfig"))
    if "responseJsonSchema" in config:
        schema = obj(obj(read.get("response_format")).get("json_schema")).get("schema")
        config = _with_schema(config, "responseSchema", "responseJsonSchema", schema)
        made = {**made, "generationConfig": config}
    return {**made, "tools": tools} if tools else made


def _converted_functions(request: JsonObject) -> Iterator[JsonObject]:
    """Yield the functions that become declarations, in their order."""
    for tool in objs(request.get("tools")):
        if tool.get("type", "function") == "function" and isinstance(tool.get("function"), dict):
            yield obj(tool["function"])
    yield from objs(request.get("functions"))


def _with_schema(holder: JsonObject, key: str, replaced: str, schema: object) -> JsonObject:
    """Return the holder with the cleaned schema under ``key`` in place of the one under ``replaced``."""
    if replaced not in holder:
        return holder
    rest = {name: value for name, value in holder.items() if name != replaced}
    return {**rest, key: drop_legacy_schema_keywords(schema)}
