"""Steps on a Gemini request before it is converted (mapping rows R-10, R-13, R-17, R-18, R-19, R-24, R-41).

A step returns a changed copy, the same object where it changes nothing; what it drops is a loss.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.arguments import OUTPUT
from bridgecheck_reference.convert.gemini.request_to_openai import move_sdk_config
from bridgecheck_reference.convert.gemini.schema import to_json_schema
from bridgecheck_reference.convert.json_values import arr, camel, dumps, integer, obj, objs
from bridgecheck_reference.convert.older_mappings.roles import replace_unknown_roles
from bridgecheck_reference.loss import Losses

_SNAKE: Final = frozenset({"response_mime_type", "response_schema"})
_NOT_CAMEL: Final = frozenset({"responseMimeType", "responseSchema", "responseJsonSchema"})
_EITHER: Final = frozenset({"system_instruction"})


def drop_misspelt_keys(request: JsonObject, losses: Losses) -> JsonObject:
    """Drop the members that are spelt in another way: they do not count."""
    result = {
        key: value for key, value in request.items() if _is_camel_or_allowed_key(key, key in _EITHER, key, losses)
    }
    if "generationConfig" in result:
        result["generationConfig"] = _drop_misspelt_config_keys(obj(result["generationConfig"]), losses)
    if isinstance(result.get("contents"), list):
        result["contents"] = [_drop_misspelt_part_keys(content, losses) for content in arr(result["contents"])]
    return result


def _drop_misspelt_config_keys(config: JsonObject, losses: Losses) -> JsonObject:
    path = "generationConfig"
    result: JsonObject = {}
    for key, value in config.items():
        if key in _NOT_CAMEL:
            losses.add(f"{path}.{key}", "spelt in a way that does not count")
        elif _is_camel_or_allowed_key(key, key in _SNAKE, f"{path}.{key}", losses):
            result[key] = value
    if isinstance(result.get("thinkingConfig"), dict):
        thinking = obj(result["thinkingConfig"])
        inner = f"{path}.thinkingConfig"
        result["thinkingConfig"] = {
            key: value
            for key, value in thinking.items()
            if _is_camel_or_allowed_key(key, False, f"{inner}.{key}", losses)
        }
    return result


def _drop_misspelt_part_keys(content: object, losses: Losses) -> object:
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return content
    return {**content, "parts": [_drop_misspelt_keys_of_part(part, losses) for part in content["parts"]]}


def _drop_misspelt_keys_of_part(part: object, losses: Losses) -> object:
    if not isinstance(part, dict):
        return part
    return {
        key: value
        for key, value in part.items()
        if _is_camel_or_allowed_key(key, False, f"contents[].parts[].{key}", losses)
    }


def _is_camel_or_allowed_key(key: str, is_allowed: bool, path: str, losses: Losses) -> bool:
    if "_" not in key or is_allowed:
        return True
    losses.add(path, "spelt in a way that does not count")
    return False


_PATH = "contents[].parts[]"


def make_thoughts_text(request: JsonObject, losses: Losses) -> JsonObject:
    """Turn thoughts into text like any other."""

    def inline(content: JsonObject) -> JsonObject:
        return {**content, "parts": [remove_thought_mark(part) for part in arr(content["parts"])]}

    return _change_each_content(request, inline)


def remove_thought_mark(part: object) -> object:
    """Return a part without its mark of a thought."""
    if isinstance(part, dict) and part.get("thought"):
        return {key: value for key, value in part.items() if key != "thought"}
    return part


def drop_result_siblings(request: JsonObject, losses: Losses) -> JsonObject:
    """Of a content with tool results keep only these."""

    def results_only(content: JsonObject) -> JsonObject:
        parts = arr(content["parts"])
        results = [part for part in parts if "functionResponse" in camel(part)]
        if not results or len(results) == len(parts) or content.get("role") == "model":
            return content
        losses.add(_PATH, "the content beside a tool result was dropped")
        return {**content, "parts": results}

    return _change_each_content(request, results_only)


def _change_each_content(request: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Return the request with every content that has parts changed."""
    contents = request.get("contents")
    if not isinstance(contents, list):
        return request
    return {
        **request,
        "contents": [
            change(content) if isinstance(content, dict) and isinstance(content.get("parts"), list) else content
            for content in contents
        ],
    }


_IN_GEMINI: Final = frozenset({"", "user", "model", "function", "tool"})


def replace_roles_with_model(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles by "model"."""
    return replace_unknown_roles(request, "contents", _IN_GEMINI, "model", losses)


def replace_roles_with_user(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles by "user"."""
    return replace_unknown_roles(request, "contents", _IN_GEMINI, "user", losses)


def prefer_content_of_results(request: JsonObject, losses: Losses) -> JsonObject:
    """Of a tool result with a key ``content`` send that alone."""

    def prefer(content: JsonObject) -> JsonObject:
        return {**content, "parts": [_result_with_content_alone(part) for part in arr(content["parts"])]}

    return _change_each_content(request, prefer)


def _result_with_content_alone(part: object) -> object:
    result = camel(camel(part).get("functionResponse"))
    response = obj(result.get("response"))
    if "content" not in response:
        return part
    content = response["content"]
    written = content if isinstance(content, str) else dumps(content)
    return {**camel(part), "functionResponse": {**result, "response": {OUTPUT: written}}}


def keep_parameters_alone(request: JsonObject, losses: Losses) -> JsonObject:
    """Of a function's schemas let ``parameters`` count, {} where there are none; ``parametersJsonSchema`` does not."""
    body = camel(move_sdk_config(request))
    tools = [camel(tool) for tool in objs(body.get("tools"))]
    if not any("functionDeclarations" in tool for tool in tools):
        return request
    return {**body, "tools": [_tool_with_parameters_alone(tool, losses) for tool in tools]}


def _tool_with_parameters_alone(tool: JsonObject, losses: Losses) -> JsonObject:
    if "functionDeclarations" not in tool:
        return tool
    declared: list[JsonObject] = []
    for function in map(camel, arr(tool["functionDeclarations"])):
        if function.get("parametersJsonSchema"):
            losses.add("tools[].functionDeclarations[].parametersJsonSchema", "only parameters count")
        rest = {key: value for key, value in function.items() if key != "parameters"}
        declared.append({**rest, "parametersJsonSchema": to_json_schema(function.get("parameters") or {})})
    return {**tool, "functionDeclarations": declared}


def keep_budgets_alone(request: JsonObject, losses: Losses) -> JsonObject:
    """Of thinkingConfig let a budget count, and 0 say nothing."""
    body = camel(move_sdk_config(request))
    config = camel(body.get("generationConfig"))
    if "thinkingConfig" not in config:
        return request
    budget = integer(obj(config["thinkingConfig"]).get("thinkingBudget"))
    rest = {key: value for key, value in config.items() if key != "thinkingConfig"}
    return {**body, "generationConfig": {**rest, "thinkingConfig": {"thinkingBudget": budget}} if budget else rest}
