"""What the Messages API refuses.

Sources: https://docs.anthropic.com/en/api/messages and the definitions of it in anthropic 2.11.0, read 2026-11-21;
recorded refusals; and refusals that its users report in the API's own words. Of the recorded requests that were
accepted two break one of these rules: results with the ids of other calls, sent to Claude 3 in 2024
(dd-trace-py/0078). A first message of the assistant is accepted (pydantic-ai/0234)."""

import re
from collections.abc import Iterator
from typing import Final

from bridgecheck.accept import anthropic_history as history
from bridgecheck.accept.rule import (
    FieldPath,
    LocatedObject,
    Rule,
    find_missing_messages,
    foreign_key_finder,
    located_members,
)
from bridgecheck.accept.schemas import NO_TARGET, WRONG_TYPE, find_references_to_nothing, find_wrong_types
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.wire import JsonObject

_DOC: Final = "https://docs.anthropic.com/en/api/messages (anthropic 2.11.0, read 2026-11-21)"
_THINKING: Final = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking (anthropic 2.11.0)"
_EXCLUDES: Final = (
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility (read 2026-11-23)"
)
_REPLAYED: Final = (
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks"
    " (read 2026-11-23)"
)
_RESULTS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls (read 2026-11-23)"
_IN_ONE: Final = (
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/parallel-tool-use (read 2026-11-23), against"
    " https://docs.anthropic.com/en/api/messages: consecutive turns of the user are combined"
)
_TEMPERATURE: Final = "https://platform.claude.com/docs/en/api/openai-sdk#simple-fields (stored copy read 2026-11-23)"
_PREFILL: Final = "https://docs.claude.com/en/docs/prefill-claudes-response (stored copy read 2026-11-21)"
_EMPTY: Final = "https://portkey.ai/error-library/message-content-error-10492 (read 2026-11-21)"
_BLANK: Final = "https://github.com/anthropics/claude-code/issues/23440 (read 2026-11-21)"
_IDS: Final = "https://github.com/QwenLM/qwen-code/issues/8160 (read 2026-11-21)"
_ONCE: Final = "https://github.com/anthropics/claude-code/issues/20901 (read 2026-11-21)"
_NAMES: Final = "https://github.com/home-assistant/core/issues/147760 (read 2026-11-21)"
_TWICE: Final = "https://github.com/anthropics/claude-code/issues/10687 (read 2026-11-21)"
_MARKS: Final = "https://github.com/continuedev/continue/pull/6937 (read 2026-11-21)"
_STOPS: Final = "https://github.com/BerriAI/litellm/issues/3286 (read 2026-11-21)"
_FORMAT: Final = "recorded: maruel-genai/0053, /0071, /0107, /0126"
_EFFORT: Final = "recorded: pydantic-ai/0219"

SMALLEST_BUDGET: Final = 1024
MOST_MARKS: Final = 4
IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")

_FOREIGN_KEYS: Final = frozenset({
    "stop", "n", "max_completion_tokens", "stream_options", "response_format", "reasoning_effort", "functions",
    "parallel_tool_calls", "function_call", "frequency_penalty", "presence_penalty", "logprobs", "seed", "contents",
    "generationConfig", "systemInstruction", "safetySettings", "toolConfig", "extra_content",
})  # fmt: skip


def _find_missing_limit(body: JsonObject) -> Iterator[FieldPath]:
    limit = integer(body.get("max_tokens"))
    if limit is None or limit < 0:
        yield "max_tokens"


def _find_temperature_out_of_range(body: JsonObject) -> Iterator[FieldPath]:
    value = body.get("temperature")
    if isinstance(value, int | float) and not 0 <= value <= 1:
        yield "temperature"


def _find_bad_budget(body: JsonObject) -> Iterator[FieldPath]:
    """Interleaved thinking, which needs tools and a beta header, may be given more than one answer's limit."""
    budget = integer(obj(body.get("thinking")).get("budget_tokens"))
    limit = integer(body.get("max_tokens"))
    if budget is None:
        return
    too_much = limit is not None and budget >= limit and not body.get("tools")
    if budget < SMALLEST_BUDGET or too_much:
        yield "thinking.budget_tokens"


def _find_temperature_or_top_k_beside_thinking(body: JsonObject) -> Iterator[FieldPath]:
    if obj(body.get("thinking")).get("type") not in ("enabled", "adaptive"):
        return
    if body.get("temperature") not in (None, 1):
        yield "temperature"
    if body.get("top_k") is not None:
        yield "top_k"


def _find_forced_tool_beside_thinking(body: JsonObject) -> Iterator[FieldPath]:
    forced = obj(body.get("tool_choice")).get("type") in ("any", "tool")
    if forced and obj(body.get("thinking")).get("type") == "enabled":
        yield "tool_choice"


def _find_bad_tool_names(body: JsonObject) -> Iterator[FieldPath]:
    return (
        f"{path}.name"
        for path, tool in located_members(body, "tools")
        if tool.get("type") in (None, "custom") and not _NAME.fullmatch(text(tool.get("name")))
    )


def _find_repeated_tools(body: JsonObject) -> Iterator[FieldPath]:
    known_names: set[str] = set()
    for path, tool in located_members(body, "tools"):
        name = text(tool.get("name"))
        if name and name in known_names:
            yield f"{path}.name"
        known_names.add(name)


def _find_schemas_not_objects(body: JsonObject) -> Iterator[FieldPath]:
    for path, tool in located_members(body, "tools"):
        if tool.get("type") in (None, "custom") and obj(tool.get("input_schema")).get("type") != "object":
            yield f"{path}.input_schema"


def _find_unknown_choice_type(body: JsonObject) -> Iterator[FieldPath]:
    choice = body.get("tool_choice")
    if choice is not None and obj(choice).get("type") not in ("auto", "any", "tool", "none"):
        yield "tool_choice"


def _find_excess_cache_marks(body: JsonObject) -> Iterator[FieldPath]:
    paths = [path for path, tool in located_members(body, "tools") if tool.get("cache_control")]
    paths += [f"system[{at}]" for at, block in enumerate(objs(body.get("system"))) if block.get("cache_control")]
    paths += [path for path, block in history.blocks_at_any_depth(body) if block.get("cache_control")]
    if len(paths) > MOST_MARKS:
        yield f"{paths[MOST_MARKS]}.cache_control"


def _find_unsupported_image_types(body: JsonObject) -> Iterator[FieldPath]:
    for path, block in history.blocks_at_any_depth(body):
        source = obj(block.get("source"))
        if block.get("type") == "image" and source.get("type") == "base64" and source.get("media_type") not in IMAGES:
            yield f"{path}.source.media_type"


def _find_bad_base64(body: JsonObject) -> Iterator[FieldPath]:
    for path, block in history.blocks_at_any_depth(body):
        source = obj(block.get("source"))
        data = text(source.get("data"))
        if source.get("type") == "base64" and (not data or not _BASE64.fullmatch(data)):
            yield f"{path}.source.data"


def _find_open_response_schemas(body: JsonObject) -> Iterator[FieldPath]:
    response_format = obj(obj(body.get("output_config")).get("format"))
    if response_format.get("type") == "json_schema":
        yield from _find_open_objects(obj(response_format.get("schema")), "output_config.format.schema", 0)


def _find_open_objects(schema: JsonObject, path: str, depth: int) -> Iterator[FieldPath]:
    """Objects of a schema that do not forbid further properties; 60 levels are looked at."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield path
    if depth > 60:
        return
    if isinstance(schema.get("items"), dict):
        yield from _find_open_objects(obj(schema["items"]), f"{path}.items", depth + 1)
    for key in ("anyOf", "allOf"):
        for at, child in enumerate(arr(schema.get(key))):
            yield from _find_open_objects(obj(child), f"{path}.{key}[{at}]", depth + 1)
    for key in ("properties", "$defs", "definitions"):
        for name, child in obj(schema.get(key)).items():
            yield from _find_open_objects(obj(child), f"{path}.{key}.{name}", depth + 1)


def _find_unsupported_effort(body: JsonObject) -> Iterator[FieldPath]:
    effort = obj(body.get("output_config")).get("effort")
    highest = () if "opus-4-6" in text(body.get("model")) else ("xhigh",)
    if effort not in (None, "low", "medium", "high", "max", *highest):
        yield "output_config.effort"


def _find_blank_stops(body: JsonObject) -> Iterator[FieldPath]:
    for at, stop in enumerate(arr(body.get("stop_sequences"))):
        if not text(stop).strip():
            yield f"stop_sequences[{at}]"


def _located_input_schemas(body: JsonObject) -> Iterator[LocatedObject]:
    return ((f"{path}.input_schema", obj(tool.get("input_schema"))) for path, tool in located_members(body, "tools"))


RULES: Final[tuple[Rule, ...]] = (
    Rule("anthropic.max_tokens", "max_tokens is required", _DOC, _find_missing_limit),
    Rule("anthropic.messages", "messages is required and not empty", _DOC, find_missing_messages),
    Rule("anthropic.role", "a role is user, assistant or system", _DOC, history.find_unknown_roles),
    Rule("anthropic.empty", "all messages but the last of the assistant have content", _EMPTY,
         history.find_empty_messages),
    Rule("anthropic.blank_text", "text content blocks must contain non-whitespace text", _BLANK,
         history.find_empty_and_lone_blank_texts),
    Rule("anthropic.prefill_end", "a prefill cannot end with white space", _PREFILL, history.find_prefill_end_space),
    Rule("anthropic.ids", "ids match ^[a-zA-Z0-9_-]+$", _IDS, history.find_malformed_call_ids),
    Rule("anthropic.ids_once", "tool_use ids must be unique", _ONCE, history.find_repeated_call_ids),
    Rule("anthropic.input_object", "tool_use.input is an object", _DOC, history.find_inputs_not_objects),
    Rule("anthropic.call_without_result", "each tool_use has its tool_result in the next message", _RESULTS,
         history.find_calls_without_result),
    Rule("anthropic.result_without_call", "each tool_result has its tool_use in the previous message", _RESULTS,
         history.find_results_without_call),
    Rule("anthropic.results_first", "tool_result blocks stand before all else", _RESULTS,
         history.find_results_not_first),
    Rule("anthropic.results_apart", "the results of one round stand in one message", _IN_ONE,
         history.find_results_apart, "SHOULD"),
    Rule("anthropic.signature", "a replayed thinking block is signed", _REPLAYED, history.find_unsigned_thinking),
    Rule("anthropic.thinking_led", "thinking that led to calls comes back too", _REPLAYED,
         history.find_call_chain_without_thinking),
    Rule("anthropic.temperature", "temperature ranges from 0 to 1", _TEMPERATURE, _find_temperature_out_of_range),
    Rule("anthropic.budget", "a budget is at least 1024 and less than max_tokens", _THINKING, _find_bad_budget),
    Rule("anthropic.thinking_sampling", "thinking excludes temperature and top_k", _EXCLUDES,
         _find_temperature_or_top_k_beside_thinking),
    Rule("anthropic.thinking_forced", "thinking excludes forced tool use", _EXCLUDES,
         _find_forced_tool_beside_thinking),
    Rule("anthropic.tool_name", "tool names match ^[a-zA-Z0-9_-]{1,128}$", _NAMES, _find_bad_tool_names),
    Rule("anthropic.tools_once", "tool names must be unique", _TWICE, _find_repeated_tools),
    Rule("anthropic.input_schema", "input_schema is required, of type object", _DOC, _find_schemas_not_objects),
    Rule("anthropic.schema_type", "input_schema is a JSON Schema, whose types are lower case", WRONG_TYPE,
         lambda body: find_wrong_types(_located_input_schemas(body))),
    Rule("anthropic.schema_reference", "a reference in a schema leads to a schema", NO_TARGET,
         lambda body: find_references_to_nothing(_located_input_schemas(body))),
    Rule("anthropic.tool_choice", "tool_choice is an object: auto, any, tool or none", _DOC, _find_unknown_choice_type),
    Rule("anthropic.cache_marks", "at most 4 blocks have cache_control", _MARKS, _find_excess_cache_marks),
    Rule("anthropic.image_type", "images are jpeg, png, gif or webp", _DOC, _find_unsupported_image_types),
    Rule("anthropic.base64", "data is base64 in the standard alphabet", _DOC, _find_bad_base64),
    Rule("anthropic.format", "objects of the answer's schema forbid further properties", _FORMAT,
         _find_open_response_schemas),
    Rule("anthropic.effort", "effort is a level that the model supports", _EFFORT, _find_unsupported_effort),
    Rule("anthropic.stops", "each stop sequence must contain non-whitespace", _STOPS, _find_blank_stops),
    Rule("anthropic.foreign_key", "extra inputs are not permitted", _DOC, foreign_key_finder(_FOREIGN_KEYS)),
)  # fmt: skip
