"""Chat Completions requests -> Prompt: OpenAI's own fields and those that its many hosts add.

``messages`` reads the history; here stand sampling, tools, tool choice, reasoning and response format.
Sources: https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21),
https://openrouter.ai/docs/use-cases/reasoning-tokens, https://ai.google.dev/gemini-api/docs/openai,
https://docs.z.ai/guides/capabilities/thinking-mode."""

from typing import Final

from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import canonical, integer, obj, objs, text
from bridgecheck.model.prompt import ChoiceMode, Prompt, ResponseFormat, TextPart, Thinking, Tool, ToolChoice, Turn
from bridgecheck.normalise.openai_chat.messages import read_turn
from bridgecheck.normalise.settings import DYNAMIC, OFF, feature_header_lines, stop_as_tuple, take_settings
from bridgecheck.normalise.tree import Fields, non_empty_rests, other_leaves
from bridgecheck.wire import JsonObject


def read_request(request: Request) -> Prompt:
    """Return the request in normal form; never raises: what cannot be read stands in ``other``."""
    applied_rules: set[str] = set()
    top = Fields(request.body)
    top.drop_expected("stream", True, False)
    system, turns = _read_leading_system_and_turns(top, applied_rules)
    model = text(top.rest.get("model"))
    top.drop_expected("model", model)
    return Prompt(
        dialect="openai-chat", model=request.model or model, system=system, turns=turns,
        tools=read_tools(top, applied_rules), tool_choice=read_tool_choice(top), settings=read_settings(top),
        thinking=read_thinking(top), response_format=read_response_format(top),
        features=feature_header_lines(request.headers), other=other_leaves(top.rest),
        notes=tuple(sorted(applied_rules)),
    )  # fmt: skip


def _read_leading_system_and_turns(top: Fields, applied_rules: set[str]) -> tuple[tuple[str, ...], tuple[Turn, ...]]:
    """Return (system texts, turns). System and developer messages behind the first turn are turns where they stand."""
    system: list[str] = []
    turns: list[Turn] = []
    unread_messages: list[JsonObject] = []
    for raw in top.take_list("messages"):
        message = Fields(raw)
        turn = read_turn(message, applied_rules)
        unread_messages.append(message.rest if isinstance(raw, dict) else {"unread": raw})
        if turn.role == "system" and not turns and all(isinstance(part, TextPart) for part in turn.parts):
            system += [part.text for part in turn.parts if isinstance(part, TextPart)]
            if turn.name:
                unread_messages[-1]["name"] = turn.name
        else:
            turns.append(turn)
    top.put_back("messages", non_empty_rests(unread_messages))
    return tuple(system), tuple(turns)


SETTINGS: Final[dict[str, str]] = {
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens", "stop": "stop", "seed": "seed", "random_seed": "seed", "n": "n",
    "presence_penalty": "presence_penalty", "frequency_penalty": "frequency_penalty", "logprobs": "logprobs",
    "top_logprobs": "top_logprobs", "user": "user", "modalities": "modalities",
}  # fmt: skip
"""Field -> name of the setting. Where two fields mean one setting the first counts and the other stays to be seen."""

FORMATS: Final = {"text": ResponseFormat("text"), "json_object": ResponseFormat("json_object")}

TOOL_CHOICE_MODES: Final[dict[str, ChoiceMode]] = {
    "auto": "auto", "none": "none", "required": "required", "any": "required",
}  # fmt: skip


def read_settings(top: Fields) -> tuple[tuple[str, object], ...]:
    settings = stop_as_tuple(take_settings(top, SETTINGS))
    with top.child("stream_options") as options:
        include = options.take_flag("include_usage")
    return (*settings, *((("include_usage", include),) if include is not None else ()))


def read_tools(top: Fields, applied_rules: set[str]) -> tuple[Tool, ...] | None:
    """Read functions (deprecated ``functions`` too), and any other kind whole; None where the keys are absent."""
    if not isinstance(top.rest.get("tools"), list) and not isinstance(top.rest.get("functions"), list):
        return None
    tools = [_read_tool(entry) for entry in top.members("tools")]
    legacy = [_read_function(entry) for entry in top.members("functions")]
    if legacy:
        applied_rules.add("legacy_function_call")
    return (*tools, *legacy)


def _read_tool(entry: Fields) -> Tool:
    """Read a function, or a tool that the provider runs: by its type, or by its key where clients write Gemini's
    words ({"google_search": {}})."""
    kind = text(entry.rest.get("type"))
    if kind not in ("function", "") or not isinstance(entry.rest.get("function"), dict):
        whole = entry.take_whole()
        return Tool(kind or next(iter(whole), ""), builtin=canonical(whole))
    entry.drop_expected("type", "function", "")
    with entry.child("function") as function:
        return _read_function(function)


def _read_function(function: Fields) -> Tool:
    schema = function.take_child("parameters").rest if isinstance(function.rest.get("parameters"), dict) else None
    return Tool(
        function.take_text("name"), function.take_text("description"), schema, strict=function.take_flag("strict")
    )


def read_tool_choice(top: Fields) -> ToolChoice:
    """Read ``tool_choice`` or the deprecated ``function_call``; an unknown word or shape stays in ``top.rest``."""
    parallel = top.take_flag("parallel_tool_calls")
    key = "tool_choice" if top.has("tool_choice") else "function_call"
    mode, names = _parse_tool_choice(top.rest.get(key))
    if mode != "absent":
        top.take(key)
    return ToolChoice(mode, names, parallel)


def _parse_tool_choice(value: object) -> tuple[ChoiceMode, tuple[str, ...]]:
    if isinstance(value, str):
        return TOOL_CHOICE_MODES.get(value, "absent"), ()
    value = obj(value)
    kind = text(value.get("type"))
    if kind in TOOL_CHOICE_MODES:
        return TOOL_CHOICE_MODES[kind], ()
    if kind == "allowed_tools":
        allowed = obj(value.get("allowed_tools"))
        names = tuple(_chosen_name(item) for item in objs(allowed.get("tools")))
        return ("allowed" if allowed.get("mode") == "required" else "auto"), names
    name = _chosen_name(value)
    return ("named", (name,)) if name else ("absent", ())


def _chosen_name(value: JsonObject) -> str:
    """Return the name of a function, custom or (deprecated) bare choice."""
    return next((text(obj(value.get(key)).get("name")) for key in ("function", "custom") if key in value), "") or text(
        value.get("name")
    )


def read_thinking(top: Fields) -> Thinking | None:
    """Read the first of the many fields for it that is there; "none", "disabled", false and 0 are all off."""
    if thinking := _thinking_of_level(top.take_text("reasoning_effort")):
        return thinking
    if thinking := _read_reasoning_object(top) or _read_thinking_object(top):
        return thinking
    enabled = top.take_flag("enable_thinking")  # Qwen's
    return _read_google_thinking(top) if enabled is None else Thinking(DYNAMIC if enabled else 0)


def _thinking_of_level(level: str) -> Thinking | None:
    if not level:
        return None
    return OFF if level.lower() == "none" else Thinking(level=level.lower())


def _read_reasoning_object(top: Fields) -> Thinking | None:
    """Read ``reasoning: {effort, max_tokens, enabled, exclude}``"""
    if not isinstance(top.rest.get("reasoning"), dict):
        return None
    value = top.take_child("reasoning")
    level = _thinking_of_level(value.take_text("effort")) or Thinking()
    budget = value.take_integer("max_tokens")
    enabled, exclude = value.take_flag("enabled"), value.take_flag("exclude")
    top.put_back("reasoning", value.rest)
    if enabled is False:
        return OFF
    chosen = level.budget if level.budget is not None else budget
    default = DYNAMIC if enabled and chosen is None and level.level is None else chosen
    return Thinking(default, level.level, None if exclude is None else not exclude)


def _read_thinking_object(top: Fields) -> Thinking | None:
    """Read ``thinking: {type: enabled | disabled, budget_tokens}`` (Z.ai, DeepSeek, Moonshot)."""
    with top.child("thinking") as value:
        kind, budget = value.take_text("type"), value.take_integer("budget_tokens")
    if not kind:
        return None
    return OFF if kind == "disabled" else Thinking(DYNAMIC if budget is None else budget)


def _read_google_thinking(top: Fields) -> Thinking | None:
    """Read ``extra_body.google.thinking_config`` (Google's own endpoint of this dialect)."""
    with top.child("extra_body") as body, body.child("google") as google, google.child("thinking_config") as value:
        budget, level = integer(value.take("thinking_budget")), value.take_text("thinking_level").lower()
        result = Thinking(budget, level or None, value.take_flag("include_thoughts"))
    return result if result != Thinking() else None


def read_response_format(top: Fields) -> ResponseFormat | None:
    value = top.take_child("response_format")
    kind = text(value.rest.get("type"))
    result: ResponseFormat | None = None
    if kind in FORMATS:
        result = FORMATS[kind]
        value.take("type")
    elif kind == "json_schema":
        value.take("type")
        inner = value.take_child("json_schema")
        schema = inner.take_child("schema").rest if isinstance(inner.rest.get("schema"), dict) else None
        result = ResponseFormat("json_schema", schema, inner.take_text("name"), inner.take_flag("strict"))
        value.put_back("json_schema", inner.rest)
    top.put_back("response_format", value.rest)
    return result
