"""Changes of a whole request, before or after it is converted, that the presets for older mappings make.

Each belongs to one field of the profile; which of them a profile wants is computed once, and the default wants none.

* ``casing="letter"`` (mapping row R-13): camelCase, but snake_case for two members of generationConfig, and either for
  the system instruction and the tools
* ``thoughts="inline"`` (R-10) and ``drop_siblings`` (R-18): Gemini contents
* ``text_only`` (R-07), ``strict_params`` (R-08) and ``safety="metadata"`` (R-23): OpenAI requests
* ``unknown_role`` (R-41): an unknown role is replaced by a known one
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import arr, camel, dumps, obj, objs, text
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
    """Turn thoughts into text like any other (``thoughts="inline"``)."""

    def inline(content: JsonObject) -> JsonObject:
        return {**content, "parts": [remove_thought_mark(part) for part in arr(content["parts"])]}

    return _change_each_content(request, inline)


def remove_thought_mark(part: object) -> object:
    """Return a part without its mark of a thought."""
    if isinstance(part, dict) and part.get("thought"):
        return {key: value for key, value in part.items() if key != "thought"}
    return part


def drop_result_siblings(request: JsonObject, losses: Losses) -> JsonObject:
    """Of a content with tool results keep only these (``drop_siblings``)."""

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


STRICT_FIELDS: Final = frozenset({
    "model", "messages", "tools", "tool_choice", "temperature", "max_tokens", "response_format", "stream",
})  # fmt: skip
"""The fields of a request with ``strict_params``; ``stream`` is how it is sent."""

LONGEST_METADATA: Final = 512
"""Characters of a metadata value. Source: https://platform.openai.com/docs/api-reference/chat/create."""


def flatten_chat_content_to_text(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace every list of content parts by the text in it."""
    return {**request, "messages": [_flatten_message(message, losses) for message in objs(request.get("messages"))]}


def keep_strict_chat_fields(request: JsonObject, losses: Losses) -> JsonObject:
    """Keep the known fields, and no others."""
    for key in sorted(request.keys() - STRICT_FIELDS):
        losses.add(key, "not one of the known fields")
    return {key: value for key, value in request.items() if key in STRICT_FIELDS}


def add_safety_metadata_if_short(request: JsonObject, settings: object, losses: Losses) -> JsonObject:
    """Add Gemini's safety settings as the JSON text of a metadata value, where it is short enough."""
    settings_json = dumps(settings)
    if len(settings_json) > LONGEST_METADATA:
        losses.add("safetySettings", f"longer than the {LONGEST_METADATA} characters of a metadata value")
        return request
    return {**request, "metadata": {**obj(request.get("metadata")), "gemini_safety_settings": settings_json}}


def _flatten_message(message: JsonObject, losses: Losses) -> JsonObject:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts = list(objs(content))
    for part in parts:
        if part.get("type") != "text":
            losses.add(f"messages[].content[].{text(part.get('type')) or 'type'}", "messages hold text only")
    return {**message, "content": "".join(text(part.get("text")) for part in parts)}


_IN_GEMINI: Final = frozenset({"", "user", "model", "function", "tool"})
_IN_CHAT: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def replace_roles_with_model(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles of a Gemini request by "model" (``unknown_role="assistant"``)."""
    return _replace_unknown_roles(request, "contents", _IN_GEMINI, "model", losses)


def replace_roles_with_user(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles of a Gemini request by "user" (``unknown_role="user"``)."""
    return _replace_unknown_roles(request, "contents", _IN_GEMINI, "user", losses)


def replace_unknown_chat_roles(request: JsonObject, losses: Losses) -> JsonObject:
    """Replace unknown roles of an OpenAI request by "user"."""
    return _replace_unknown_roles(request, "messages", _IN_CHAT, "user", losses)


def _replace_unknown_roles(
    request: JsonObject, key: str, known: frozenset[str], role: str, losses: Losses
) -> JsonObject:
    turns = arr(request.get(key))
    if all(_has_no_unknown_role(turn, known) for turn in turns):
        return request
    losses.add(f"{key}[].role", f"an unknown role, taken for {role}")
    return {
        **request,
        key: [
            turn if _has_no_unknown_role(turn, known) or not isinstance(turn, dict) else {**turn, "role": role}
            for turn in turns
        ],
    }


def _has_no_unknown_role(turn: object, known: frozenset[str]) -> bool:
    if not isinstance(turn, dict):
        return True
    role = turn.get("role") or ""
    return isinstance(role, str) and role in known


Change: TypeAlias = Callable[[JsonObject, Losses], JsonObject]
"""Returns a changed copy; what it drops is a loss."""

_ChangeOfProfile: TypeAlias = tuple[Callable[[Profile], bool], Change]

_OF_GEMINI: Final[tuple[_ChangeOfProfile, ...]] = (
    (lambda profile: profile.casing == "letter", drop_misspelt_keys),
    (lambda profile: profile.unknown_role == "assistant", replace_roles_with_model),
    (lambda profile: profile.unknown_role == "user", replace_roles_with_user),
    (lambda profile: profile.thoughts == "inline", make_thoughts_text),
    (lambda profile: profile.drop_siblings, drop_result_siblings),
)
_OF_CHAT: Final[tuple[_ChangeOfProfile, ...]] = (
    (lambda profile: profile.unknown_role != "error", replace_unknown_chat_roles),
    (lambda profile: profile.text_only, flatten_chat_content_to_text),
    (lambda profile: profile.strict_params, keep_strict_chat_fields),
)


@lru_cache(maxsize=64)
def gemini_request_changes(profile: Profile) -> tuple[Change, ...]:
    """Return the changes of a Gemini request, before it is read."""
    return tuple(change for applies, change in _OF_GEMINI if applies(profile))


@lru_cache(maxsize=64)
def chat_request_changes(profile: Profile) -> tuple[Change, ...]:
    """Return the changes of an OpenAI request: before it is read, or after it was made."""
    return tuple(change for applies, change in _OF_CHAT if applies(profile))


def apply_changes(request: JsonObject, changes: tuple[Change, ...], losses: Losses) -> JsonObject:
    """Return the request after all changes; the same object where there are none."""
    for change in changes:
        request = change(request, losses)
    return request
