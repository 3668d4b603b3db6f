"""Keys as the older mapping spells them: camelCase, but snake_case for two members of generationConfig, and either for
the system instruction and the tools (mapping row R-13, ``casing="letter"``)."""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import arr, obj
from bridgecheck_reference.loss import Losses

_SNAKE: Final = frozenset({"response_mime_type", "response_schema"})
_NOT_CAMEL: Final = frozenset({"responseMimeType", "responseSchema", "responseJsonSchema"})
_EITHER: Final = frozenset({"system_instruction"})


def exact_keys(request: JsonObject, losses: Losses) -> JsonObject:
    """Without the members that are spelt in another way: they do not count."""
    result = {key: value for key, value in request.items() if _counts(key, key in _EITHER, key, losses)}
    if "generationConfig" in result:
        result["generationConfig"] = _config(obj(result["generationConfig"]), losses)
    if isinstance(result.get("contents"), list):
        result["contents"] = [_content(content, losses) for content in arr(result["contents"])]
    return result


def _config(config: JsonObject, losses: Losses) -> JsonObject:
    path = "generationConfig"
    result: JsonObject = {}
    for key, value in config.items():
        if key in _NOT_CAMEL:
            losses.add(f"{path}.{key}", "spelt in a way that does not count")
        elif _counts(key, key in _SNAKE, f"{path}.{key}", losses):
            result[key] = value
    if isinstance(result.get("thinkingConfig"), dict):
        thinking = obj(result["thinkingConfig"])
        inner = f"{path}.thinkingConfig"
        result["thinkingConfig"] = {
            key: value for key, value in thinking.items() if _counts(key, False, f"{inner}.{key}", losses)
        }
    return result


def _content(content: object, losses: Losses) -> object:
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return content
    return {**content, "parts": [_part(part, losses) for part in content["parts"]]}


def _part(part: object, losses: Losses) -> object:
    if not isinstance(part, dict):
        return part
    return {key: value for key, value in part.items() if _counts(key, False, f"contents[].parts[].{key}", losses)}


def _counts(key: str, also: bool, path: str, losses: Losses) -> bool:
    if "_" not in key or also:
        return True
    losses.add(path, "spelt in a way that does not count")
    return False
