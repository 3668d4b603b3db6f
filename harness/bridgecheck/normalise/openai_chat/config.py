"""The settings of a Chat request: sampling, tools, tool choice, reasoning, response format.

Sources: https://platform.openai.com/docs/api-reference/chat/create,
https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/openai,
https://docs.z.ai/guides/capabilities/thinking-mode.
"""

from typing import Final

from bridgecheck.model.jsonvalue import canonical, integer, obj, objs, text
from bridgecheck.model.prompt import ChoiceMode, ResponseFormat, Thinking, Tool, ToolChoice
from bridgecheck.normalise.settings import DYNAMIC, OFF, stop_as_tuple, take_settings
from bridgecheck.normalise.tree import Fields, without_empty
from bridgecheck.wire import JsonObject

SETTINGS: Final[dict[str, str]] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "stop": "stop",
    "seed": "seed",
    "random_seed": "seed",
    "n": "n",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "user": "user",
    "modalities": "modalities",
}
"""Field -> name of the setting. Where two fields mean one setting the first counts and the other stays to be seen."""

FORMATS: Final[dict[str, ResponseFormat]] = {
    "text": ResponseFormat("text"),
    "json_object": ResponseFormat("json_object"),
}

CHOICES: Final[dict[str, ChoiceMode]] = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


def sampling(top: Fields) -> tuple[tuple[str, object], ...]:
    found = stop_as_tuple(take_settings(top, SETTINGS))
    options = top.take_child("stream_options")
    include = options.take_flag("include_usage")
    top.put_back("stream_options", options.rest)
    return (*found, *((("include_usage", include),) if include is not None else ()))


def tools(top: Fields, notes: set[str]) -> tuple[Tool, ...] | None:
    """Functions (also by the deprecated ``functions``), and any other kind whole; None where the keys are absent."""
    if not isinstance(top.rest.get("tools"), list) and not isinstance(top.rest.get("functions"), list):
        return None
    made: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.take_items("tools"):
        entry = Fields(raw)
        made.append(_tool(entry))
        rests.append(entry.rest)
    top.put_back("tools", without_empty(rests))
    legacy = [Fields(item) for item in top.take_items("functions")]
    if legacy:
        notes.add("legacy_function_call")
    made += [_function(item) for item in legacy]
    top.put_back("functions", without_empty(item.rest for item in legacy))
    return tuple(made)


def _tool(entry: Fields) -> Tool:
    """A function, or a tool that the provider runs: by its type, or by its key where clients write Gemini's words
    ({"google_search": {}})."""
    kind = text(entry.rest.get("type"))
    if kind not in ("function", "") or not isinstance(entry.rest.get("function"), dict):
        whole = dict(entry.rest)
        entry.rest.clear()
        return Tool(kind or next(iter(whole), ""), builtin=canonical(whole))
    entry.drop_expected("type", "function", "")
    function = entry.take_child("function")
    made = _function(function)
    entry.put_back("function", function.rest)
    return made


def _function(function: Fields) -> Tool:
    schema = function.take_child("parameters").rest if isinstance(function.rest.get("parameters"), dict) else None
    return Tool(
        function.take_text("name"), function.take_text("description"), schema, strict=function.take_flag("strict")
    )


def choice(top: Fields) -> ToolChoice:
    """``tool_choice`` or the deprecated ``function_call``; a word or shape we do not know stays to be seen."""
    parallel = top.take_flag("parallel_tool_calls")
    key = "tool_choice" if top.has("tool_choice") else "function_call"
    said = top.rest.get(key)
    mode, names = _choice(said)
    if mode != "absent":
        top.take(key)
    return ToolChoice(mode, names, parallel)


def _choice(said: object) -> tuple[ChoiceMode, tuple[str, ...]]:
    if isinstance(said, str):
        return CHOICES.get(said, "absent"), ()
    value = obj(said)
    kind = text(value.get("type"))
    if kind in CHOICES:
        return CHOICES[kind], ()
    if kind == "allowed_tools":
        allowed = obj(value.get("allowed_tools"))
        names = tuple(_name(item) for item in objs(allowed.get("tools")))
        return ("allowed" if allowed.get("mode") == "required" else "auto"), names
    name = _name(value)
    return ("named", (name,)) if name else ("absent", ())


def _name(value: JsonObject) -> str:
    """The name of a function, custom or (deprecated) bare choice."""
    return next((text(obj(value.get(key)).get("name")) for key in ("function", "custom") if key in value), "") or text(
        value.get("name")
    )


def thinking(top: Fields) -> Thinking | None:
    """The first of the many ways that is there; "none", "disabled", false and 0 are all off."""
    ways = (_effort, _openrouter, _thinking_type, _enable_thinking, _google)
    return next((found for found in (way(top) for way in ways) if found is not None), None)


def _effort(top: Fields) -> Thinking | None:
    return _level(top.take_text("reasoning_effort"))


def _level(word: str) -> Thinking | None:
    if not word:
        return None
    return OFF if word.lower() == "none" else Thinking(level=word.lower())


def _openrouter(top: Fields) -> Thinking | None:
    """``reasoning: {effort, max_tokens, enabled, exclude}``"""
    if not isinstance(top.rest.get("reasoning"), dict):
        return None
    said = top.take_child("reasoning")
    level = _level(said.take_text("effort")) or Thinking()
    budget = said.take_integer("max_tokens")
    enabled, exclude = said.take_flag("enabled"), said.take_flag("exclude")
    top.put_back("reasoning", said.rest)
    if enabled is False:
        return OFF
    chosen = level.budget if level.budget is not None else budget
    default = DYNAMIC if enabled and chosen is None and level.level is None else chosen
    return Thinking(default, level.level, None if exclude is None else not exclude)


def _thinking_type(top: Fields) -> Thinking | None:
    """``thinking: {type: enabled | disabled, budget_tokens}`` (Z.ai, DeepSeek, Moonshot)."""
    said = top.take_child("thinking")
    kind = said.take_text("type")
    budget = said.take_integer("budget_tokens")
    top.put_back("thinking", said.rest)
    if not kind:
        return None
    return OFF if kind == "disabled" else Thinking(DYNAMIC if budget is None else budget)


def _enable_thinking(top: Fields) -> Thinking | None:
    """``enable_thinking`` (Qwen)."""
    enabled = top.take_flag("enable_thinking")
    return None if enabled is None else Thinking(DYNAMIC if enabled else 0)


def _google(top: Fields) -> Thinking | None:
    """``extra_body.google.thinking_config`` (Google's own endpoint of this dialect)."""
    body = top.take_child("extra_body")
    google = body.take_child("google")
    said = google.take_child("thinking_config")
    made = Thinking(
        integer(said.take("thinking_budget")),
        said.take_text("thinking_level").lower() or None,
        said.take_flag("include_thoughts"),
    )
    google.put_back("thinking_config", said.rest)
    body.put_back("google", google.rest)
    top.put_back("extra_body", body.rest)
    return made if made != Thinking() else None


def response_format(top: Fields) -> ResponseFormat | None:
    said = top.take_child("response_format")
    kind = text(said.rest.get("type"))
    made: ResponseFormat | None = None
    if kind in FORMATS:
        made = FORMATS[kind]
        said.take("type")
    elif kind == "json_schema":
        said.take("type")
        inner = said.take_child("json_schema")
        schema = inner.take_child("schema").rest if isinstance(inner.rest.get("schema"), dict) else None
        made = ResponseFormat("json_schema", schema, inner.take_text("name"), inner.take_flag("strict"))
        said.put_back("json_schema", inner.rest)
    top.put_back("response_format", said.rest)
    return made
