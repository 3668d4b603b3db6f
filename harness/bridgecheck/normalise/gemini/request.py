"""Gemini requests -> Prompt, in either spelling of the keys: contents, generationConfig, tools, toolConfig, schemas.

google-genai sends the members of a schema in snake_case (``max_length``) inside a request in camelCase; the API takes
both. Names of properties, and values the user wrote (default, enum, example), are left as they are.
Sources: https://ai.google.dev/api/generate-content,
https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.publishers.models/generateContent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from bridgecheck.codec.camel_case import respell_request
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import canonical, integer, obj, text
from bridgecheck.model.prompt import (
    ChoiceMode,
    OtherPart,
    Part,
    Prompt,
    ResponseFormat,
    ResultPart,
    Role,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.normalise.gemini import parts as gemini_parts
from bridgecheck.normalise.settings import feature_header_lines, take_settings
from bridgecheck.normalise.tree import Fields, non_empty_rests, other_leaves
from bridgecheck.wire import JsonObject
from bridgecheck.wire.gemini_documents import SCHEMA_TYPES

ROLES: Final[dict[str, Role]] = {
    "": "user", "user": "user", "model": "assistant", "function": "user", "tool": "user", "system": "system",
}  # fmt: skip


def read_request(request: Request) -> Prompt:
    """Return the request in normal form; never raises: what cannot be read stands in ``other``."""
    top = Fields(respell_request(request.body))
    top.drop_expected("model", request.model, f"models/{request.model}")
    generation = read_generation_config(top)
    return Prompt(
        dialect="gemini", model=request.model, system=_read_system(top), turns=_read_turns(top), tools=read_tools(top),
        tool_choice=read_tool_choice(top), settings=generation.settings, thinking=generation.thinking,
        response_format=generation.response_format, features=feature_header_lines(request.headers),
        other=other_leaves(top.rest),
    )  # fmt: skip


def _read_system(top: Fields) -> tuple[str, ...]:
    """Read the texts of the system instruction: a content, or (as SDKs take it) a plain string."""
    if plain := top.take_text("systemInstruction"):
        return (plain,)
    content = top.take_child("systemInstruction")
    content.drop_expected("role", "user", "system", "model", "")
    texts: list[str] = []
    unread_parts: list[JsonObject] = []
    for raw in content.take_list("parts"):
        part, _, rest = gemini_parts.read_part(raw)
        if isinstance(part, TextPart):
            texts += [part.text] if part.text else []
            unread_parts.append(rest)
        elif part is not None or rest:
            unread_parts.append(dict(raw) if isinstance(raw, dict) else {"unread": raw})
    content.put_back("parts", [rest for rest in unread_parts if rest])
    top.put_back("systemInstruction", content.rest)
    return tuple(texts)


def _read_turns(top: Fields) -> tuple[Turn, ...]:
    """Read one turn a content. ``contents`` may be a list or a string."""
    if plain := top.take_text("contents"):
        return (Turn("user", (TextPart(plain),)),)
    turns: list[Turn] = []
    unread_parts: list[object] = []
    for raw in top.take_list("contents"):
        if isinstance(raw, str):
            turns.append(Turn("user", (TextPart(raw),)))
            continue
        turn, rest = _read_turn(Fields(raw))
        turns += _split_at_results(turn)
        unread_parts += [rest] if rest else []
    top.put_back("contents", unread_parts)
    return tuple(turns)


def _read_turn(content: Fields) -> tuple[Turn, JsonObject]:
    role = ROLES.get(text(content.rest.get("role")))
    if role is not None:
        content.drop_expected("role", *ROLES)
    parts: list[Part] = []
    unread_parts: list[object] = []
    for raw in content.take_list("parts"):
        part, rest = _read_part_or_keep_whole(raw)
        parts += [part] if part else []
        unread_parts += [rest] if rest else []
    content.put_back("parts", unread_parts)
    return Turn(role or "user", tuple(parts)), content.rest


def _split_at_results(turn: Turn) -> Iterator[Turn]:
    """Yield a turn of the model in the form that every dialect has: results of tools in turns of their own.

    Gemini writes calls that it ran itself, their results and what follows into one content.
    """
    if turn.role != "assistant" or not any(isinstance(part, ResultPart) for part in turn.parts):
        yield turn
        return
    for are_results, parts in groupby(turn.parts, lambda part: isinstance(part, ResultPart)):
        yield Turn("user" if are_results else "assistant", tuple(parts), turn.name)


def _read_part_or_keep_whole(raw: object) -> tuple[Part | None, JsonObject]:
    """Return a part and what it left; one of a kind without a type of its own is kept whole, with its signature."""
    if isinstance(raw, str):
        return TextPart(raw), {}
    part, signature, rest = gemini_parts.read_part(raw)
    if part == TextPart(""):
        return None, rest
    if part is None and rest:
        whole = {**rest, "thoughtSignature": signature} if signature else rest
        return gemini_parts.opaque_part(whole), {}
    if isinstance(part, OtherPart | TextPart) or not signature:
        return part, rest
    has_signature_field = hasattr(part, "signature") or hasattr(part, "call")
    return part, rest if has_signature_field else {**rest, "thoughtSignature": signature}


SETTINGS: Final[dict[str, str]] = {
    "temperature": "temperature", "topP": "top_p", "topK": "top_k", "maxOutputTokens": "max_tokens",
    "stopSequences": "stop", "seed": "seed", "candidateCount": "n", "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty", "responseLogprobs": "logprobs", "logprobs": "top_logprobs",
    "responseModalities": "modalities",
}  # fmt: skip

TOOL_CHOICE_MODES: Final[dict[str, ChoiceMode]] = {
    "MODE_UNSPECIFIED": "absent", "AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "validated",
}  # fmt: skip
"""functionCallingConfig.mode (any case) -> mode. ANY with names is ``named`` (one) or ``allowed`` (several).

Recorded: ruby_llm/0376, where "any" in small letters forced a call that nothing else led to. (That Google reads it as
AUTO, as https://github.com/langchain-ai/langchainjs/pull/11323 says, is not what was recorded; read 2026-11-23.)"""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    settings: tuple[tuple[str, object], ...] = ()
    thinking: Thinking | None = None
    response_format: ResponseFormat | None = None


def read_generation_config(top: Fields) -> GenerationSettings:
    """Read generationConfig; what has no common name stays in ``top.rest``."""
    with top.child("generationConfig") as config:
        settings = tuple((name, _lower_modalities(name, value)) for name, value in take_settings(config, SETTINGS))
        return GenerationSettings(settings, _read_thinking(config), _read_response_format(config))


def _lower_modalities(name: str, value: object) -> object:
    """Write ``["TEXT"]`` and ``["Text"]`` as ``text``, as OpenAI does."""
    is_list = name == "modalities" and isinstance(value, tuple)
    return tuple(text(item).lower() for item in value) if is_list and isinstance(value, tuple) else value


def _read_thinking(config: Fields) -> Thinking | None:
    with config.child("thinkingConfig") as thinking:
        budget, level = integer(thinking.take("thinkingBudget")), thinking.take_text("thinkingLevel").lower()
        settings = Thinking(budget, level or None, thinking.take_flag("includeThoughts"))
    return settings if settings != Thinking() else None


def _read_response_format(config: Fields) -> ResponseFormat | None:
    """Read the format: json_schema with a schema, whatever the MIME type; ``text/x.enum`` stays beside its schema."""
    mime = text(config.rest.get("responseMimeType"))
    key = "responseJsonSchema" if config.has("responseJsonSchema") else "responseSchema"
    schema = config.take_child(key).rest if isinstance(config.rest.get(key), dict) else None
    schema = camel_case_schema(schema) if schema is not None and key == "responseSchema" else schema
    if mime in ("application/json", "text/plain"):
        config.take("responseMimeType")
    if schema is not None:
        return ResponseFormat("json_schema", schema)
    if mime == "application/json":
        return ResponseFormat("json_object")
    return ResponseFormat("text") if mime == "text/plain" else None


def read_tools(top: Fields) -> tuple[Tool, ...] | None:
    """Read functions and built-in tools in their order; None where the key is absent."""
    if not isinstance(top.rest.get("tools"), list):
        return None
    tools_so_far: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.take_list("tools"):
        tool = Fields(raw)
        declarations = [Fields(item) for item in tool.take_list("functionDeclarations")]
        tools_so_far += [_read_function(item) for item in declarations]
        tools_so_far += [Tool(name, builtin=canonical({name: value})) for name, value in tool.rest.items()]
        left = non_empty_rests(item.rest for item in declarations)
        rests.append({"functionDeclarations": left} if left else {})
    top.put_back("tools", non_empty_rests(rests))
    return tuple(tools_so_far)


def _read_function(declaration: Fields) -> Tool:
    """Read a function. ``parametersJsonSchema`` outranks ``parameters``, which then stays; the API takes one."""
    key = "parametersJsonSchema" if declaration.has("parametersJsonSchema") else "parameters"
    schema = declaration.take_child(key).rest if isinstance(declaration.rest.get(key), dict) else None
    schema = camel_case_schema(schema) if schema is not None and key == "parameters" else schema
    declaration.drop_expected("description", "")
    return Tool(declaration.take_text("name"), declaration.take_text("description"), schema)


def read_tool_choice(top: Fields) -> ToolChoice:
    config = top.take_child("toolConfig")
    calling = config.take_child("functionCallingConfig")
    names = tuple(text(name) for name in calling.take_list("allowedFunctionNames"))
    mode = TOOL_CHOICE_MODES.get(text(calling.rest.get("mode")).upper())
    if mode is not None:
        calling.take("mode")
    elif names and not calling.has("mode"):
        mode = "auto"
    if mode == "required" and names:
        mode = "named" if len(names) == 1 else "allowed"
    config.put_back("functionCallingConfig", calling.rest)
    top.put_back("toolConfig", config.rest)
    return ToolChoice(mode or "absent", names)


KEYWORDS: Final[dict[str, str]] = {
    "any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength",
    "min_length": "minLength", "max_properties": "maxProperties", "min_properties": "minProperties",
    "property_ordering": "propertyOrdering", "additional_properties": "additionalProperties",
}  # fmt: skip
"""snake_case -> camelCase, for https://ai.google.dev/api/caching#Schema (stored copy read 2026-11-21)."""

_MAPS: Final = frozenset({"properties", "defs", "$defs"})
_NESTED: Final = frozenset({"items", "anyOf", "additionalProperties"})
DEEPEST: Final = 200
"""Levels that are read; below them a schema stays as it is."""


def camel_case_schema(schema: JsonObject, depth: int = 0) -> JsonObject:
    """Return the schema with its keywords in camelCase; the input is not changed."""
    if depth > DEEPEST:
        return schema
    return {
        KEYWORDS.get(key, key): _camel_case_value(KEYWORDS.get(key, key), value, depth) for key, value in schema.items()
    }


def _camel_case_value(key: str, value: object, depth: int) -> object:
    if key == "type" and isinstance(value, int) and not isinstance(value, bool) and value in SCHEMA_TYPES:
        return SCHEMA_TYPES[value]
    if key in _MAPS and isinstance(value, dict):
        return {
            name: camel_case_schema(inner, depth + 1) if isinstance(inner, dict) else inner
            for name, inner in value.items()
        }
    if key in _NESTED and isinstance(value, list):
        return [camel_case_schema(inner, depth + 1) if isinstance(inner, dict) else inner for inner in value]
    return camel_case_schema(obj(value), depth + 1) if key in _NESTED and isinstance(value, dict) else value
