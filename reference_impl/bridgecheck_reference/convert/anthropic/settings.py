"""Sampling settings, limits and the response format: Anthropic's and OpenAI's parameters, both ways. Null counts as
absent.

Source: https://docs.anthropic.com/en/api/messages, anthropic 2.11.0 ``types.message_create_params``. That Anthropic
takes closed schemas only: recorded refusals (maruel-genai/0053),
https://docs.claude.com/en/docs/build-with-claude/structured-outputs.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.gemini.settings import MOST_STOPS_OPENAI
from bridgecheck_reference.convert.json_schema import DEEPEST, meets_strict_mode
from bridgecheck_reference.convert.json_values import arr, integer, obj, text
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

_MAP_KEYWORDS: Final = frozenset({"properties", "$defs", "definitions"})
_LIST_KEYWORDS: Final = frozenset({"anyOf", "allOf", "oneOf"})


def close_objects(schema: object, depth: int = 0) -> object:
    """Return the schema with every object closed; itself, not a copy, if it is. Raises ConversionError past 200
    levels."""
    if not isinstance(schema, dict):
        return schema
    if depth > DEEPEST:
        raise ConversionError(f"response_format: schema nested deeper than {DEEPEST} levels", "response_format")
    made: JsonObject = {key: _close_in_keyword(key, value, depth) for key, value in schema.items()}
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        made["additionalProperties"] = False
    return made if any(made[key] is not schema.get(key) for key in made) else schema


def _close_in_keyword(key: str, value: object, depth: int) -> object:
    if key in _MAP_KEYWORDS and isinstance(value, dict):
        inner = {name: close_objects(item, depth + 1) for name, item in value.items()}
        return inner if any(inner[name] is not value[name] for name in inner) else value
    if key in _LIST_KEYWORDS and isinstance(value, list):
        items = [close_objects(item, depth + 1) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return close_objects(value, depth + 1) if key == "items" else value


API_VERSION: Final = "2023-06-01"
"""The ``anthropic-version`` whose requests the converters write: 2026-10-21, the default of the SDK since 2.0, refuses
temperature, top_p and top_k. Source: https://platform.claude.com/docs/en/api/versioning (stored copy read 2026-11-21).
"""
SAME_VALUE: Final = ("temperature", "top_p")
LONGEST_USER_OPENAI: Final = 64
"""Claude Code's are longer, and OpenAI refuses them as it refuses a fifth stop sequence (maximhq/bifrost#1000,
ujisati/claude-code-provider-proxy#11). Part of one may identify somebody else, so it is dropped."""
TIERS: Final[tuple[tuple[str, str], ...]] = (("auto", "auto"), ("standard_only", "default"))
"""(Anthropic's, OpenAI's) service_tier."""

CONVERTED_ANTHROPIC_SETTINGS: Final[frozenset[str]] = frozenset({*SAME_VALUE, "max_tokens", "top_k", "stop_sequences"})
CONVERTED_OPENAI_SETTINGS: Final[frozenset[str]] = frozenset({
    *SAME_VALUE, "max_tokens", "max_completion_tokens", "top_k", "stop", "user", "response_format", "service_tier",
})  # fmt: skip


def settings_to_openai(request: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    """Convert all settings but messages, tools and thinking."""
    made = {key: request[key] for key in SAME_VALUE if request.get(key) is not None}
    if request.get("top_k") is not None:
        if profile.carries_anthropic or profile.extended:
            made["top_k"] = request["top_k"]
        else:
            losses.add("top_k", "Chat Completions has no top_k")
    stops = arr(request.get("stop_sequences"))
    if stops:
        made["stop"] = stops
        if len(stops) > MOST_STOPS_OPENAI and not profile.extended:
            losses.add("stop_sequences", f"OpenAI takes at most {MOST_STOPS_OPENAI}")
    user = text(obj(request.get("metadata")).get("user_id"))
    if len(user) > LONGEST_USER_OPENAI and not (profile.carries_anthropic or profile.extended):
        losses.add("metadata.user_id", f"OpenAI takes at most {LONGEST_USER_OPENAI} characters of a user", "info")
    elif user:
        made["user"] = user
    tier = dict(TIERS).get(text(request.get("service_tier")))
    if tier:
        made["service_tier"] = tier
    form = _read_format(request)
    if form:
        made["response_format"] = _response_format_to_openai(form, losses)
    return made


def _read_format(request: JsonObject) -> JsonObject:
    """Return output_config.format, or output_format, where it stood before."""
    return obj(obj(request.get("output_config")).get("format")) or obj(request.get("output_format"))


def _response_format_to_openai(form: JsonObject, losses: Losses) -> JsonObject:
    schema = obj(form.get("schema"))
    if form.get("type") != "json_schema":
        losses.add("output_config.format.type", "a format that Chat Completions does not have")
    named: JsonObject = {"name": "response", "strict": True} if meets_strict_mode(schema) else {"name": "response"}
    return {"type": "json_schema", "json_schema": {**named, "schema": schema}}


def settings_to_anthropic(request: JsonObject, profile: Profile, losses: Losses) -> JsonObject:
    """Convert all settings but messages, tools and thinking. Raises ConversionError where a token limit is missing."""
    made: JsonObject = {}
    limit = request.get("max_completion_tokens")
    limit = request.get("max_tokens") if limit is None else limit
    if limit is None and not profile.carries_anthropic:
        limit = profile.anthropic_max_tokens
        if limit is None:
            raise ConversionError("max_tokens: Anthropic demands a limit, and there is no default", "max_tokens")
    if limit is not None:
        made["max_tokens"] = limit
    made.update({key: request[key] for key in SAME_VALUE if request.get(key) is not None})
    top_k = integer(request.get("top_k"))
    if top_k is not None:
        made["top_k"] = top_k
    elif request.get("top_k") is not None:
        losses.add("top_k", "Anthropic takes a whole number")
    stop = request.get("stop")
    stops = [stop] if isinstance(stop, str) else arr(stop)
    accepted = [
        sequence for sequence in stops if profile.carries_anthropic or (isinstance(sequence, str) and sequence.strip())
    ]
    if accepted:
        made["stop_sequences"] = accepted
    if len(accepted) < len(stops):
        losses.add("stop", "Anthropic refuses stop sequences of white space")
    if text(request.get("user")):
        made["metadata"] = {"user_id": request["user"]}
    _openai_service_tier_to_anthropic(request, made, losses)
    return made


def _openai_service_tier_to_anthropic(
    openai_request: JsonObject, anthropic_request: JsonObject, losses: Losses
) -> None:
    openai_tier = text(openai_request.get("service_tier"))
    tier = next((anthropic_tier for anthropic_tier, openai in TIERS if openai == openai_tier), "")
    if tier:
        anthropic_request["service_tier"] = tier
    elif openai_tier:
        losses.add("service_tier", "Anthropic has no such tier", "info")


def format_to_anthropic(response_format: JsonObject, losses: Losses) -> JsonObject:
    """Convert response_format to output_config.format; {} for text and for what Anthropic cannot promise."""
    kind = text(response_format.get("type"))
    if kind == "json_schema":
        named = obj(response_format.get("json_schema"))
        if isinstance(named.get("schema"), dict):
            for key in ("name", "description"):
                if named.get(key) not in (None, "response"):
                    losses.add(f"response_format.json_schema.{key}", "a schema has no name", "info")
            schema = close_objects(named["schema"])
            if schema is not named["schema"]:
                losses.add("response_format.json_schema.schema", "Anthropic takes closed objects only", "info")
            return {"type": "json_schema", "schema": schema}
    if kind not in ("", "text"):
        losses.add("response_format.type", f"Anthropic cannot promise {kind} without a schema")
    return {}
