"""What each API refuses: another shape of its request, the rules of ``bridgecheck.accept``, and those here.

A rule here either depends on the model or on the answers given before, or looks at what ``bridgecheck.accept``, which
judges adapters, does not. Each has its source; ``documented`` in it means that the reference states the duty and no
refusal is recorded. Where recordings and reports disagree the recordings win: Gemini takes turns of nothing but an empty
text (pydantic-ai/0332, js-genai/0054), parts of nothing but a signature (ruby_llm/0451), a last turn of the model
(mirascope-ts/0018), and ``any`` in small letters (ruby_llm/0376)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from bridgecheck.accept import refusals
from bridgecheck.accept.anthropic_history import merge_turns
from bridgecheck.checks.signatures import PLACEHOLDERS
from bridgecheck.codec.camel_case import wrap_single_messages
from bridgecheck.model.jsonvalue import arr, obj, objs, text
from bridgecheck.wire import Dialect, JsonObject

from .strict_shapes import (
    PART_DATA,
    ChatRequest,
    Content,
    GenerateContentRequest,
    MessagesRequest,
    Schema,
    decode_base64,
)

Operation: TypeAlias = Literal["generate", "count"]


@dataclass(frozen=True)
class ApiRequest:
    """``signatures``: those that this provider has given so far, None where that is not known: Gemini's as bytes,
    Anthropic's with the text of their thinking."""

    dialect: Dialect
    body: JsonObject
    model: str = ""
    operation: Operation = "generate"
    signatures: "frozenset[object] | None" = None


@dataclass(frozen=True)
class Problem:
    """``message``: in the API's own words, as far as they are known. ``path``: OpenAI's ``param``."""

    rule: str
    message: str
    path: str = ""
    code: str | None = None


@dataclass(frozen=True)
class StrictRule:
    name: str
    source: str
    find: Callable[[ApiRequest], Iterator[Problem]]


def first_problem(request: ApiRequest) -> Problem | None:
    """Return what the API refuses this request for, None where it takes it."""
    return next(problems(request), None)


def problems(request: ApiRequest) -> Iterator[Problem]:
    """Yield everything that is wrong, the shape first: the rest expects a body of the right shape."""
    shape_problems = [problem for problem in _shape_problems(request) if not _is_taken_by_older_model(request, problem)]
    found = shape_problems or (
        *_refusals(request),
        *(problem for rule in RULES[request.dialect] for problem in rule.find(request)),
    )
    yield from (problem for problem in found if not _is_taken_by_older_model(request, problem))


def _refusals(request: ApiRequest) -> Iterator[Problem]:
    for refusal in refusals(request.dialect, request.body):
        needs_no_limit = request.operation == "count" and refusal.rule == "anthropic.max_tokens"
        if refusal.level == "MUST" and not needs_no_limit:
            yield Problem(refusal.rule, f"{refusal.path}: {refusal.why}", refusal.path)


def _is_taken_by_older_model(request: ApiRequest, problem: Problem) -> bool:
    return any(problem.rule == rule and re.search(models, request.model) for rule, models, _ in TAKEN_BY_OLDER_MODELS)


TAKEN_BY_OLDER_MODELS: Final = (
    ("gemini.results_apart", r"gemini-(?:1|2\.0)", "js-genai/0024: a call that is never answered"),
    ("chat.value", r"gpt-4-vision-preview", "dd-trace-py/0130: the URL of an image as a string"),
    ("anthropic.call_without_result", r"claude-3-", "dd-trace-py/0078: results with the ids of other calls"),
    ("anthropic.result_without_call", r"claude-3-", "dd-trace-py/0078"),
)
"""Rule, models that take what it refuses, and the recording that shows it."""


# --- Shapes ---

_SHAPES: Final[dict[Dialect, type[GenerateContentRequest | ChatRequest | MessagesRequest]]] = {
    "gemini": GenerateContentRequest, "openai-chat": ChatRequest, "anthropic": MessagesRequest,
}  # fmt: skip


def _shape_problems(request: ApiRequest) -> Iterator[Problem]:
    try:
        _SHAPES[request.dialect].model_validate(request.body)
    except ValidationError as error:
        for found in error.errors(include_url=False):
            yield _PROBLEMS[request.dialect](found)


def path_of(location: tuple[int | str, ...]) -> str:
    """``("contents", 0, "parts")`` as contents[0].parts"""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return steps.removeprefix(".")


def _gemini_words(found: Any) -> Problem:
    path = path_of(found["loc"])
    if found["type"] == "extra_forbidden":
        holder, name = path_of(found["loc"][:-1]), found["loc"][-1]
        where = f" at '{holder}'" if holder else ""
        message = f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.'
        return Problem("gemini.unknown_name", message, path)
    if found["type"] == "missing":
        return Problem("gemini.required", f"* GenerateContentRequest.{path}: is required", path)
    return Problem("gemini.value", f"Invalid value at '{path}': {found['msg']}", path)


def _chat_words(found: Any) -> Problem:
    path = path_of(found["loc"])
    if found["type"] == "extra_forbidden":
        return Problem("chat.unknown_parameter", f"Unknown parameter: '{path}'.", path, "unknown_parameter")
    if found["type"] == "missing":
        message = f"Missing required parameter: '{path}'."
        return Problem("chat.required", message, path, "missing_required_parameter")
    return Problem("chat.value", f"Invalid value for '{path}': {found['msg']}", path, "invalid_value")


def _anthropic_words(found: Any) -> Problem:
    path = ".".join(map(str, found["loc"]))
    message = {"extra_forbidden": "Extra inputs are not permitted", "missing": "Field required"}
    return Problem("anthropic.shape", f"{path}: {message.get(found['type'], found['msg'])}", path)


_PROBLEMS: Final[dict[Dialect, Callable[[Any], Problem]]] = {
    "gemini": _gemini_words, "openai-chat": _chat_words, "anthropic": _anthropic_words,
}  # fmt: skip


# --- Gemini ---

_FIELDS_REQUIRED: Final = "https://github.com/genkit-ai/genkit/issues/3816 and https://github.com/vercel/ai/issues/3775"
_ROLE: Final = "recorded: otel-contrib/0036"
_ORDER: Final = "https://github.com/google-gemini/gemini-cli/issues/11814 and https://github.com/langchain-ai/langchain/issues/27799"
_COUNT: Final = "https://github.com/cloudwego/eino-ext/issues/571 (2026-11-21)"
_IDS: Final = "documented: https://ai.google.dev/api/caching#FunctionResponse, id (2026-11-21)"
_SIGNED: Final = (
    "https://ai.google.dev/gemini-api/docs/thought-signatures; recorded without one on the second of two parallel calls:"
    " chatlas/0106; the words: https://github.com/langgenius/dify-official-plugins/issues/2088"
)
_CORRUPTED: Final = "https://github.com/google-gemini/gemini-cli/issues/13467 (2026-11-23)"
_NOT_DEFINED: Final = "https://github.com/iBUHub/AIStudioToAPI/issues/154 (2026-11-23)"
_DECLARED_TWICE: Final = "https://github.com/baguskto/threads-mcp/issues/1 (2026-11-23)"
_CONFIG: Final = "documented: https://ai.google.dev/api/caching#FunctionCallingConfig (2026-11-23)"

_NEEDS_SIGNATURES: Final = re.compile(r"gemini-(?:[3-9]|\d{2}|pro-latest|flash-latest|flash-lite-latest)")
_PLACEHOLDER_BYTES: Final = frozenset(value for word in PLACEHOLDERS for value in (word.encode(), decode_base64(word)))
_MODES: Final = frozenset({"", "MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"})


@dataclass(frozen=True)
class _GeminiTurn:
    """Neighbouring contents of one role, which the API takes for one turn: google-genai's chats send each event of a
    stream as a content. ``parts``: with their paths."""

    role: str
    parts: tuple[tuple[str, JsonObject], ...]

    def values(self, camel: str, snake: str) -> list[tuple[str, JsonObject, JsonObject]]:
        found = ((path, part, part.get(camel, part.get(snake))) for path, part in self.parts)
        return [(path, part, obj(value)) for path, part, value in found if value is not None]

    @property
    def calls(self) -> list[tuple[str, JsonObject, JsonObject]]:
        return self.values("functionCall", "function_call")

    @property
    def results(self) -> list[tuple[str, JsonObject, JsonObject]]:
        return self.values("functionResponse", "function_response")


def _contents(request: ApiRequest) -> list[JsonObject]:
    return list(objs(wrap_single_messages(request.body).get("contents")))


def _gemini_turns(request: ApiRequest) -> list[_GeminiTurn]:
    """Return the turns. A content that answers calls is a turn of its own: no text of the user is joined to it."""
    turns: list[_GeminiTurn] = []
    for at, content in enumerate(_contents(request)):
        role = "model" if content.get("role") == "model" else "user"
        parts = tuple((f"contents[{at}].parts[{index}]", part) for index, part in enumerate(objs(content.get("parts"))))
        if turns and turns[-1].role == role:
            turns[-1] = _GeminiTurn(role, turns[-1].parts + parts)
        else:
            turns.append(_GeminiTurn(role, parts))
    return turns


def _find_empty_parts(request: ApiRequest) -> Iterator[Problem]:
    for at, content in enumerate(_contents(request)):
        path = f"contents[{at}].parts"
        if not arr(content.get("parts")):
            message = f"* GenerateContentRequest.{path}: contents.parts must not be empty.\n"
            yield Problem("gemini.no_parts", message, path)
        for index, part in enumerate(Content.model_validate(content).parts or []):
            filled = [name for name in PART_DATA if getattr(part, name) is not None]
            where = f"{path}[{index}].data"
            if not filled and part.thought_signature is None:
                message = (
                    f"* GenerateContentRequest.{where}: required oneof field 'data' must have one initialized field\n"
                )
                yield Problem("gemini.no_data", message, where)
            elif len(filled) > 1:
                message = f"Invalid value at '{path}[{index}]' (oneof), oneof field 'data' is already set. Cannot set '{filled[1]}'"
                yield Problem("gemini.two_data", message, where)


def _find_unknown_gemini_roles(request: ApiRequest) -> Iterator[Problem]:
    """``function`` is the older API's role for results; a role may be left out of a single content."""
    for at, content in enumerate(_contents(request)):
        if content.get("role") not in (None, "", "user", "model", "function"):
            yield Problem("gemini.role_word", "Please use a valid role: user, model.", f"contents[{at}].role")


def _find_unpaired_calls(request: ApiRequest) -> Iterator[Problem]:
    turns = _gemini_turns(request)
    for at, turn in enumerate(turns):
        before = turns[at - 1] if at else None
        if turn.role == "model" and turn.calls and before is None:
            message = (
                "Please ensure that function call turn comes immediately after a user turn or after a function response"
                " turn."
            )
            yield Problem("gemini.call_order", message, turn.calls[0][0])
        if not turn.results:
            continue
        calls = before.calls if before is not None else []
        path = turn.results[0][0]
        if not calls:
            message = "Please ensure that function response turn comes immediately after a function call turn."
            yield Problem("gemini.result_order", message, path)
        elif len(calls) != len(turn.results):
            message = (
                "Please ensure that the number of function response parts is equal to the number of function call parts"
                " of the function call turn."
            )
            yield Problem("gemini.result_count", message, path)
        else:
            yield from _unknown_result_ids(calls, turn.results)


def _unknown_result_ids(
    calls: list[tuple[str, JsonObject, JsonObject]], results: list[tuple[str, JsonObject, JsonObject]]
) -> Iterator[Problem]:
    """An id in a result is that of a call of the same name, once. A result may leave it out: google-genai does."""
    open_calls = [(text(call.get("id")), text(call.get("name"))) for _, _, call in calls]
    for path, _, result in results:
        call_id, name = text(result.get("id")), text(result.get("name"))
        match = next(
            (call for call in open_calls if call[1] == name and (not call_id or call[0] in ("", call_id))), None
        )
        if match is None:
            yield Problem("gemini.result_id", f"No function call {name!r} with id {call_id!r} is open.", path)
        else:
            open_calls.remove(match)


def _signature(part: JsonObject) -> str:
    return text(part.get("thoughtSignature", part.get("thought_signature")))


def _find_unsigned_calls(request: ApiRequest) -> Iterator[Problem]:
    """In the current turn, which begins with the user's last message that is no result, the first call of each step is
    signed."""
    if not _NEEDS_SIGNATURES.search(request.model):
        return
    turns = _gemini_turns(request)
    starts = [at for at, turn in enumerate(turns) if turn.role == "user" and len(turn.results) < len(turn.parts)]
    position = 0
    for at, turn in enumerate(turns):
        position += len(turn.parts)
        if turn.role != "model" or not turn.calls or (starts and at < starts[-1]):
            continue
        path, part, call = turn.calls[0]
        if not _signature(part):
            message = (
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to work"
                " correctly, and missing thought_signature may lead to degraded model performance. Additional data,"
                f" function call `default_api:{text(call.get('name'))}` , position {position}. Please refer to"
                " https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
            )
            yield Problem("gemini.signature", message, path)


def _find_unknown_signatures(request: ApiRequest) -> Iterator[Problem]:
    if request.signatures is None:
        return
    for turn in _gemini_turns(request):
        for path, part in turn.parts:
            value = _signature(part)
            if value and decode_base64(value) not in request.signatures | _PLACEHOLDER_BYTES:
                yield Problem("gemini.corrupted_signature", "Corrupted thought signature.", path)


def _declarations(request: ApiRequest) -> Iterator[tuple[str, JsonObject]]:
    for at, tool in enumerate(objs(wrap_single_messages(request.body).get("tools"))):
        found = tool.get("functionDeclarations", tool.get("function_declarations"))
        for index, declaration in enumerate(objs(found)):
            yield f"tools[{at}].function_declarations[{index}]", declaration


def _find_undefined_required(request: ApiRequest) -> Iterator[Problem]:
    for path, declaration in _declarations(request):
        if isinstance(declaration.get("parameters"), dict):
            for where in _undefined_required(Schema.model_validate(declaration["parameters"]), f"{path}.parameters"):
                message = f"* GenerateContentRequest.{where}: property is not defined\n"
                yield Problem("gemini.required_property", message, where)


def _undefined_required(schema: Schema, path: str) -> Iterator[str]:
    properties = schema.properties or {}
    yield from (f"{path}.required[{at}]" for at, name in enumerate(schema.required or []) if name not in properties)
    for name, child in properties.items():
        yield from _undefined_required(child, f"{path}.properties[{name}]")
    if schema.items is not None:
        yield from _undefined_required(schema.items, f"{path}.items")


def _find_repeated_declarations(request: ApiRequest) -> Iterator[Problem]:
    names: set[str] = set()
    for path, declaration in _declarations(request):
        name = text(declaration.get("name"))
        if name in names:
            yield Problem("gemini.declared_twice", f"Duplicate function declaration found: {name}", path)
        names.add(name)


def _find_bad_calling_config(request: ApiRequest) -> Iterator[Problem]:
    config = obj(request.body.get("toolConfig", request.body.get("tool_config")))
    calling = obj(config.get("functionCallingConfig", config.get("function_calling_config")))
    mode = text(calling.get("mode")).upper()
    allowed = arr(calling.get("allowedFunctionNames", calling.get("allowed_function_names")))
    path = "tool_config.function_calling_config"
    if mode not in _MODES:
        yield Problem("gemini.mode", f"Invalid value at '{path}.mode' (Mode), \"{mode}\"", path)
    if allowed and mode not in ("ANY", "VALIDATED"):
        yield Problem("gemini.allowed_names", "allowed_function_names needs mode ANY or VALIDATED", path)
    declared = {declaration.get("name") for _, declaration in _declarations(request)}
    if set(allowed) - declared:
        yield Problem("gemini.allowed_names", f"undeclared: {sorted(map(str, set(allowed) - declared))}", path)


# --- OpenAI Chat ---

_NO_CONTENT: Final = "https://github.com/run-llama/llama_index/pull/17921 (2026-11-23)"
_EMPTY_ARRAY: Final = (
    "recorded: ai-gateway/0010; https://github.com/continuedev/continue/issues/3403,"
    " https://github.com/openai/openai-node/pull/1341, https://github.com/langchain-ai/langchainjs/pull/11419"
)
_FOLLOWED: Final = "https://github.com/BerriAI/litellm/issues/28995 (2026-11-23)"
_ANSWERED_TWICE: Final = "https://github.com/agno-agi/agno/issues/5116 (2026-11-23)"
_OLD_LIMIT: Final = "recorded: ai-gateway/0003, vercel-ai/0108"
_STRICT: Final = "recorded: mirascope-ts/0055; https://github.com/ash-project/ash_ai/issues/155 (2026-11-23)"
_CHOSEN: Final = "documented: https://platform.openai.com/docs/api-reference/chat/create, tool_choice (2026-11-21)"
_REASONING_MODEL: Final = re.compile(r"^(?:o\d|gpt-5)")


def _find_missing_content(request: ApiRequest) -> Iterator[Problem]:
    for at, message in enumerate(objs(request.body.get("messages"))):
        is_call = message.get("tool_calls") or message.get("function_call") or message.get("refusal")
        if message.get("role") == "assistant" and message.get("content") is None and not is_call:
            reason = "Invalid value for 'content': expected a string, got null."
            yield Problem("chat.no_content", reason, f"messages.[{at}].content")


def _find_empty_arrays(request: ApiRequest) -> Iterator[Problem]:
    found = [("tools", request.body.get("tools"))]
    for at, message in enumerate(objs(request.body.get("messages"))):
        found += [(f"messages[{at}].{key}", message.get(key)) for key in ("content", "tool_calls")]
    for path, value in found:
        if value == []:
            reason = f"Invalid '{path}': empty array. Expected an array with minimum length 1, but got an empty array instead."
            yield Problem("chat.empty_array", reason, path, "empty_array")


def _find_calls_open_at_the_end(request: ApiRequest) -> Iterator[Problem]:
    """``bridgecheck.accept`` looks at calls that another message follows."""
    unanswered: list[str] = []
    for message in objs(request.body.get("messages")):
        if message.get("role") != "tool":
            unanswered = [text(call.get("id")) for call in objs(message.get("tool_calls"))]
        elif message.get("tool_call_id") in unanswered:
            unanswered.remove(text(message.get("tool_call_id")))
    if unanswered:
        reason = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
            f" The following tool_call_ids did not have response messages: {', '.join(unanswered)}"
        )
        yield Problem("chat.open_calls", reason, "messages")


def _find_repeated_results(request: ApiRequest) -> Iterator[Problem]:
    answered: dict[str, int] = {}
    for at, message in enumerate(objs(request.body.get("messages"))):
        if message.get("role") != "tool":
            answered = {}
            continue
        call_id = text(message.get("tool_call_id"))
        if call_id in answered:
            reason = f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in messages[{answered[call_id]}] and messages[{at}]."
            yield Problem("chat.answered_twice", reason, f"messages.[{at}].tool_call_id")
        answered[call_id] = at


def _find_old_limit(request: ApiRequest) -> Iterator[Problem]:
    if _REASONING_MODEL.match(request.model) and request.body.get("max_tokens") is not None:
        reason = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        yield Problem("chat.old_limit", reason, "max_tokens", "unsupported_parameter")


def _find_open_strict_schemas(request: ApiRequest) -> Iterator[Problem]:
    for at, tool in enumerate(objs(request.body.get("tools"))):
        function = obj(tool.get("function"))
        schema = obj(function.get("parameters"))
        if function.get("strict") is not True:
            continue
        start = f"Invalid schema for function '{text(function.get('name'))}': In context=(), "
        missing = [name for name in obj(schema.get("properties")) if name not in arr(schema.get("required"))]
        if schema.get("additionalProperties") is not False:
            reason = start + "'additionalProperties' is required to be supplied and to be false."
        elif missing:
            reason = start + (
                "'required' is required to be supplied and to be an array including every key in properties. Missing"
                f" '{missing[0]}'."
            )
        else:
            continue
        yield Problem("chat.strict_schema", reason, f"tools[{at}].function.parameters", "invalid_function_parameters")


def _find_undeclared_choice(request: ApiRequest) -> Iterator[Problem]:
    choice = obj(request.body.get("tool_choice"))
    declared = [obj(tool.get("function")).get("name") for tool in objs(request.body.get("tools"))]
    name = obj(choice.get("function")).get("name")
    if choice.get("type") == "function" and name not in declared:
        yield Problem("chat.choice", f"Tool choice '{name}' not found in 'tools' parameter.", "tool_choice")


# --- Anthropic ---

_FINAL_THINKING: Final = "https://github.com/tailcallhq/forgecode/issues/2107 (2026-11-23)"
_STARTS: Final = "https://github.com/anthropics/claude-code/issues/11978 (2026-11-23)"
_MODIFIED: Final = (
    "https://github.com/anthropics/anthropic-sdk-python/issues/1598 and"
    " https://github.com/ding113/claude-code-hub/issues/518 (2026-11-23)"
)
_TOOL: Final = "documented: https://docs.anthropic.com/en/api/messages, tool_choice.name (2026-11-21)"
_THINKING: Final = ("thinking", "redacted_thinking")


def _find_final_thinking(request: ApiRequest) -> Iterator[Problem]:
    for at, message in enumerate(objs(request.body.get("messages"))):
        blocks = list(objs(message.get("content")))
        if message.get("role") == "assistant" and blocks and blocks[-1].get("type") in _THINKING:
            reason = f"messages.{at}: The final block in an assistant message cannot be `thinking`."
            yield Problem("anthropic.final_thinking", reason, f"messages.{at}")


def _find_chain_without_leading_thinking(request: ApiRequest) -> Iterator[Problem]:
    """With a budget, the assistant's first turn since the user's last text starts with thinking."""
    if obj(request.body.get("thinking")).get("type") != "enabled":
        return
    turns = merge_turns(request.body)
    starts = [at for at, turn in enumerate(turns) if turn.role == "user" and not turn.blocks_of_type("tool_result")]
    chain = [turn for turn in turns[(starts[-1] if starts else 0) :] if turn.role == "assistant" and turn.content]
    if chain and turns[-1].role == "user" and chain[0].content[0][1].get("type") not in _THINKING:
        path, block = chain[0].content[0]
        reason = (
            f"{path}.type: Expected `thinking` or `redacted_thinking`, but found `{text(block.get('type'))}`. When"
            " `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost"
            " set of `tool_use` and `tool_result` blocks)."
        )
        yield Problem("anthropic.leading_thinking", reason, path)


def _find_modified_thinking(request: ApiRequest) -> Iterator[Problem]:
    if request.signatures is None:
        return
    for turn in merge_turns(request.body):
        for path, block in turn.blocks_of_type("thinking"):
            if (text(block.get("thinking")), text(block.get("signature"))) not in request.signatures:
                yield Problem("anthropic.modified", f"{path}: Invalid `signature` in `thinking` block", path)
        for path, block in turn.blocks_of_type("redacted_thinking"):
            if text(block.get("data")) not in request.signatures:
                yield Problem("anthropic.modified", f"{path}: Invalid `data` in `redacted_thinking` block", path)


def _find_undeclared_tool(request: ApiRequest) -> Iterator[Problem]:
    choice = obj(request.body.get("tool_choice"))
    declared = [tool.get("name") for tool in objs(request.body.get("tools"))]
    if choice.get("type") == "tool" and choice.get("name") not in declared:
        yield Problem("anthropic.choice", f"Tool '{choice.get('name')}' not found in provided tools", "tool_choice")


RULES: Final[dict[Dialect, tuple[StrictRule, ...]]] = {
    "gemini": (
        StrictRule("parts", _FIELDS_REQUIRED, _find_empty_parts),
        StrictRule("role", _ROLE, _find_unknown_gemini_roles),
        StrictRule("order, count and ids of results", f"{_ORDER}; {_COUNT}; {_IDS}", _find_unpaired_calls),
        StrictRule("signature of a call", _SIGNED, _find_unsigned_calls),
        StrictRule("signature that was not given", _CORRUPTED, _find_unknown_signatures),
        StrictRule("required properties", _NOT_DEFINED, _find_undefined_required),
        StrictRule("functions declared once", _DECLARED_TWICE, _find_repeated_declarations),
        StrictRule("mode and allowed names", _CONFIG, _find_bad_calling_config),
    ),
    "openai-chat": (
        StrictRule("content of the assistant", _NO_CONTENT, _find_missing_content),
        StrictRule("empty arrays", _EMPTY_ARRAY, _find_empty_arrays),
        StrictRule("calls open at the end", _FOLLOWED, _find_calls_open_at_the_end),
        StrictRule("a call answered twice", _ANSWERED_TWICE, _find_repeated_results),
        StrictRule("max_tokens of a reasoning model", _OLD_LIMIT, _find_old_limit),
        StrictRule("strict schemas", _STRICT, _find_open_strict_schemas),
        StrictRule("the chosen function", _CHOSEN, _find_undeclared_choice),
    ),
    "anthropic": (
        StrictRule("no final thinking", _FINAL_THINKING, _find_final_thinking),
        StrictRule("thinking leads", _STARTS, _find_chain_without_leading_thinking),
        StrictRule("thinking unchanged", _MODIFIED, _find_modified_thinking),
        StrictRule("the chosen tool", _TOOL, _find_undeclared_tool),
    ),
}  # fmt: skip
