"""The settings of a Gemini request: generationConfig, tools, toolConfig."""

from dataclasses import dataclass
from typing import Final

from bridgecheck.model.jsonvalue import canonical, integer, text
from bridgecheck.model.prompt import ChoiceMode, ResponseFormat, Thinking, Tool, ToolChoice
from bridgecheck.normalise.gemini.schema import spelled
from bridgecheck.normalise.settings import take_settings
from bridgecheck.normalise.tree import Fields, without_empty
from bridgecheck.wire import JsonObject

SETTINGS: Final[dict[str, str]] = {
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "maxOutputTokens": "max_tokens",
    "stopSequences": "stop",
    "seed": "seed",
    "candidateCount": "n",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "responseLogprobs": "logprobs",
    "logprobs": "top_logprobs",
    "responseModalities": "modalities",
}

MODES: Final[dict[str, ChoiceMode]] = {
    "MODE_UNSPECIFIED": "absent",
    "AUTO": "auto",
    "NONE": "none",
    "ANY": "required",
    "VALIDATED": "validated",
}
"""functionCallingConfig.mode (any case) -> mode. ANY with names is ``named`` (one) or ``allowed`` (several)."""


@dataclass(frozen=True, slots=True)
class Generation:
    settings: tuple[tuple[str, object], ...] = ()
    thinking: Thinking | None = None
    response_format: ResponseFormat | None = None


def generation(top: Fields) -> Generation:
    """generationConfig; what has no common name stays in ``top.rest``."""
    config = top.take_child("generationConfig")
    found = Generation(
        tuple(_lower_modalities(take_settings(config, SETTINGS))),
        _thinking(config),
        _format(config),
    )
    top.put_back("generationConfig", config.rest)
    return found


def _lower_modalities(found: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """``["TEXT"]`` and ``["Text"]`` are one; OpenAI writes ``text``."""
    return [
        (name, tuple(text(item).lower() for item in value))
        if name == "modalities" and isinstance(value, tuple)
        else (name, value)
        for name, value in found
    ]


def _thinking(config: Fields) -> Thinking | None:
    said = config.take_child("thinkingConfig")
    budget = integer(said.take("thinkingBudget"))
    level = said.take_text("thinkingLevel").lower()
    include = said.take_flag("includeThoughts")
    config.put_back("thinkingConfig", said.rest)
    made = Thinking(budget, level or None, include)
    return made if made != Thinking() else None


def _format(config: Fields) -> ResponseFormat | None:
    """A schema makes it json_schema whatever the MIME type; ``text/x.enum`` stays to be seen beside its schema."""
    mime = text(config.rest.get("responseMimeType"))
    key = "responseJsonSchema" if config.has("responseJsonSchema") else "responseSchema"
    schema = config.take_child(key).rest if isinstance(config.rest.get(key), dict) else None
    schema = spelled(schema) if schema is not None and key == "responseSchema" else schema
    if mime in ("application/json", "text/plain"):
        config.take("responseMimeType")
    if schema is not None:
        return ResponseFormat("json_schema", schema)
    if mime == "application/json":
        return ResponseFormat("json_object")
    return ResponseFormat("text") if mime == "text/plain" else None


def tools(top: Fields) -> tuple[Tool, ...] | None:
    """Functions and built-in tools in their order; None where the key is absent."""
    if not isinstance(top.rest.get("tools"), list):
        return None
    made: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.take_items("tools"):
        entry = Fields(raw)
        declared = [Fields(item) for item in entry.take_items("functionDeclarations")]
        made += [_function(item) for item in declared]
        made += [Tool(name, builtin=canonical({name: value})) for name, value in entry.rest.items()]
        left = without_empty(item.rest for item in declared)
        rests.append({"functionDeclarations": left} if left else {})
    top.put_back("tools", without_empty(rests))
    return tuple(made)


def _function(declared: Fields) -> Tool:
    """``parametersJsonSchema`` outranks ``parameters``, which then stays to be seen; the API takes one of them."""
    key = "parametersJsonSchema" if declared.has("parametersJsonSchema") else "parameters"
    schema = declared.take_child(key).rest if isinstance(declared.rest.get(key), dict) else None
    schema = spelled(schema) if schema is not None and key == "parameters" else schema
    declared.drop_expected("description", "")
    return Tool(declared.take_text("name"), declared.take_text("description"), schema)


def choice(top: Fields) -> ToolChoice:
    config = top.take_child("toolConfig")
    calling = config.take_child("functionCallingConfig")
    names = tuple(text(name) for name in calling.take_items("allowedFunctionNames"))
    mode = MODES.get(text(calling.rest.get("mode")).upper())
    if mode is not None:
        calling.take("mode")
    elif names and not calling.has("mode"):
        mode = "auto"
    if mode == "required" and names:
        mode = "named" if len(names) == 1 else "allowed"
    config.put_back("functionCallingConfig", calling.rest)
    top.put_back("toolConfig", config.rest)
    return ToolChoice(mode or "absent", names)
