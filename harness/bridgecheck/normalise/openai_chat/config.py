"""The settings of a Chat request: sampling, tools, tool choice, reasoning, response format.

Sources: https://platform.openai.com/docs/api-reference/chat/create,
https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/openai,
https://docs.z.ai/guides/capabilities/thinking-mode.
"""

from typing import Final

from bridgecheck.model.jsonvalue import canonical, integer, obj, objs, text
from bridgecheck.model.prompt import ChoiceMode, ResponseFormat, Thinking, Tool, ToolChoice
from bridgecheck.normalise.request_common import DYNAMIC, OFF, settings, stop
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
    found = stop(settings(top, SETTINGS))
    options = top.child("stream_options")
    include = options.flag("include_usage")
    top.put("stream_options", options.left)
    return (*found, *((("include_usage", include),) if include is not None else ()))


def tools(top: Fields, notes: set[str]) -> tuple[Tool, ...] | None:
    """Functions (also by the deprecated ``functions``), and any other kind whole; None where the keys are absent."""
    if not isinstance(top.left.get("tools"), list) and not isinstance(top.left.get("functions"), list):
        return None
    made: list[Tool] = []
    rests: list[JsonObject] = []
    for raw in top.items("tools"):
        entry = Fields(raw)
        made.append(_tool(entry))
        rests.append(entry.left)
    top.put("tools", without_empty(rests))
    legacy = [Fields(item) for item in top.items("functions")]
    if legacy:
        notes.add("legacy_function_call")
    made += [_function(item) for item in legacy]
    top.put("functions", without_empty(item.left for item in legacy))
    return tuple(made)


def _tool(entry: Fields) -> Tool:
    """A function, or a tool that the provider runs: by its type, or by its key where clients write Gemini's words
    ({"google_search": {}})."""
    kind = text(entry.left.get("type"))
    if kind not in ("function", "") or not isinstance(entry.left.get("function"), dict):
        whole = dict(entry.left)
        entry.left.clear()
        return Tool(kind or next(iter(whole), ""), builtin=canonical(whole))
    entry.expect("type", "function", "")
    function = entry.child("function")
    made = _function(function)
    entry.put("function", function.left)
    return made


def _function(function: Fields) -> Tool:
    schema = function.child("parameters").left if isinstance(function.left.get("parameters"), dict) else None
    return Tool(function.text("name"), function.text("description"), schema, strict=function.flag("strict"))


def choice(top: Fields) -> ToolChoice:
    """``tool_choice`` or the deprecated ``function_call``; a word or shape we do not know stays to be seen."""
    parallel = top.flag("parallel_tool_calls")
    key = "tool_choice" if top.has("tool_choice") else "function_call"
    said = top.left.get(key)
    mode, names = _choice(said)
    if mode != "absent":
        top.raw(key)
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
    return _level(top.text("reasoning_effort"))


def _level(word: str) -> Thinking | None:
    if not word:
        return None
    return OFF if word.lower() == "none" else Thinking(level=word.lower())


def _openrouter(top: Fields) -> Thinking | None:
    """``reasoning: {effort, max_tokens, enabled, exclude}``"""
    if not isinstance(top.left.get("reasoning"), dict):
        return None
    said = top.child("reasoning")
    level = _level(said.text("effort")) or Thinking()
    budget = said.integer("max_tokens")
    enabled, exclude = said.flag("enabled"), said.flag("exclude")
    top.put("reasoning", said.left)
    if enabled is False:
        return OFF
    chosen = level.budget if level.budget is not None else budget
    default = DYNAMIC if enabled and chosen is None and level.level is None else chosen
    return Thinking(default, level.level, None if exclude is None else not exclude)


def _thinking_type(top: Fields) -> Thinking | None:
    """``thinking: {type: enabled | disabled, budget_tokens}`` (Z.ai, DeepSeek, Moonshot)."""
    said = top.child("thinking")
    kind = said.text("type")
    budget = said.integer("budget_tokens")
    top.put("thinking", said.left)
    if not kind:
        return None
    return OFF if kind == "disabled" else Thinking(DYNAMIC if budget is None else budget)


def _enable_thinking(top: Fields) -> Thinking | None:
    """``enable_thinking`` (Qwen)."""
    enabled = top.flag("enable_thinking")
    return None if enabled is None else Thinking(DYNAMIC if enabled else 0)


def _google(top: Fields) -> Thinking | None:
    """``extra_body.google.thinking_config`` (Google's own endpoint of this dialect)."""
    body = top.child("extra_body")
    google = body.child("google")
    said = google.child("thinking_config")
    made = Thinking(
        integer(said.raw("thinking_budget")), said.text("thinking_level").lower() or None, said.flag("include_thoughts")
    )
    google.put("thinking_config", said.left)
    body.put("google", google.left)
    top.put("extra_body", body.left)
    return made if made != Thinking() else None


def response_format(top: Fields) -> ResponseFormat | None:
    said = top.child("response_format")
    kind = text(said.left.get("type"))
    made: ResponseFormat | None = None
    if kind in FORMATS:
        made = FORMATS[kind]
        said.raw("type")
    elif kind == "json_schema":
        said.raw("type")
        inner = said.child("json_schema")
        schema = inner.child("schema").left if isinstance(inner.left.get("schema"), dict) else None
        made = ResponseFormat("json_schema", schema, inner.text("name"), inner.flag("strict"))
        said.put("json_schema", inner.left)
    top.put("response_format", said.left)
    return made
