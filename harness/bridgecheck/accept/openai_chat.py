"""What Chat Completions refuses. Source: https://platform.openai.com/docs/api-reference/chat/create, and what
its users report of the rest."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from bridgecheck.accept.rule import (
    FieldPath,
    LocatedObject,
    Rule,
    find_missing_messages,
    foreign_key_finder,
    located_members,
)
from bridgecheck.accept.schemas import NO_TARGET, WRONG_TYPE, find_references_to_nothing, find_wrong_types
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21)"
_PAIRS: Final = "https://docs.langchain.com/oss/javascript/langchain/errors/INVALID_TOOL_RESULTS (read 2026-11-21)"
"""OpenAI's own reference does not state it."""
_LONG: Final = (
    "https://github.com/vercel/ai/issues/5171, not reproduced in https://github.com/vercel/ai/pull/17233 (2026-11-21)"
)


def _all_calls(body: JsonObject) -> Iterator[tuple[FieldPath, JsonObject]]:
    for path, message in located_members(body, "messages"):
        yield from located_members(message, "tool_calls", path)


def _find_results_without_call(body: JsonObject) -> Iterator[FieldPath]:
    open_ids: set[str] = set()
    for path, message in located_members(body, "messages"):
        role = message.get("role")
        if role == "assistant":
            open_ids = {text(call.get("id")) for _, call in located_members(message, "tool_calls", path)}
        elif role == "tool" and text(message.get("tool_call_id")) not in open_ids:
            yield f"{path}.tool_call_id"


def _find_calls_without_result(body: JsonObject) -> Iterator[FieldPath]:
    """Every call of an assistant message is answered before the next message of another role."""
    unanswered: dict[str, str] = {}
    for path, message in located_members(body, "messages"):
        if message.get("role") == "tool":
            unanswered.pop(text(message.get("tool_call_id")), None)
            continue
        yield from unanswered.values()
        unanswered = {
            text(call.get("id")): f"{call_path}.id" for call_path, call in located_members(message, "tool_calls", path)
        }


def _find_arguments_not_text(body: JsonObject) -> Iterator[FieldPath]:
    for path, call in _all_calls(body):
        if "function" in call and not isinstance(obj(call["function"]).get("arguments"), str):
            yield f"{path}.function.arguments"


def _find_missing_or_repeated_call_ids(body: JsonObject) -> Iterator[FieldPath]:
    """Ids are given, and one message does not use one twice."""
    for path, message in located_members(body, "messages"):
        known_ids: set[str] = set()
        for call_path, call in located_members(message, "tool_calls", path):
            call_id = text(call.get("id"))
            if not call_id or call_id in known_ids:
                yield f"{call_path}.id"
            known_ids.add(call_id)


_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_ID: Final = 40


def _find_bad_tool_names(body: JsonObject) -> Iterator[FieldPath]:
    for at, tool in enumerate(arr(body.get("tools"))):
        function = obj(tool).get("function")
        if isinstance(function, dict) and not _NAME.fullmatch(text(function.get("name"))):
            yield f"tools[{at}].function.name"


def _find_bad_call_names(body: JsonObject) -> Iterator[FieldPath]:
    for path, call in _all_calls(body):
        if "function" in call and not _NAME.fullmatch(text(obj(call["function"]).get("name"))):
            yield f"{path}.function.name"


def _long_list_finder(key: str, most: int) -> Callable[[JsonObject], Iterator[FieldPath]]:
    """Return what finds this list of the body if it has more than ``most`` members."""
    return lambda body: iter([key] if len(arr(body.get(key))) > most else [])


def _find_settings_without_owner(body: JsonObject) -> Iterator[FieldPath]:
    if body.get("top_logprobs") is not None and body.get("logprobs") is not True:
        yield "top_logprobs"
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield "stream_options"
    if not arr(body.get("tools")):
        yield from (key for key in ("tool_choice", "parallel_tool_calls") if body.get(key) is not None)


def _find_bad_schema_names(body: JsonObject) -> Iterator[FieldPath]:
    response_format = obj(body.get("response_format"))
    name = text(obj(response_format.get("json_schema")).get("name"))
    if response_format.get("type") == "json_schema" and not _NAME.fullmatch(name):
        yield "response_format.json_schema.name"


def _located_schemas(body: JsonObject) -> Iterator[LocatedObject]:
    """Yield the schema of each function, and that of the response."""
    for path, tool in located_members(body, "tools"):
        yield f"{path}.function.parameters", obj(obj(tool.get("function")).get("parameters"))
    named = obj(obj(body.get("response_format")).get("json_schema"))
    yield "response_format.json_schema.schema", obj(named.get("schema"))


def _find_unknown_choice(body: JsonObject) -> Iterator[FieldPath]:
    choice = body.get("tool_choice")
    if isinstance(choice, str) and choice not in ("none", "auto", "required"):
        yield "tool_choice"


_GEMINI_KEYS: Final = frozenset({
    "contents", "systemInstruction", "system_instruction", "toolConfig", "tool_config", "generationConfig",
    "generation_config", "safetySettings", "safety_settings", "cachedContent", "cached_content",
})  # fmt: skip


_OF_OPENAI: Final = re.compile(r"(?:gpt|chatgpt|o)-?\d")
"""Models by OpenAI's own names: other hosts that speak Chat take more arguments, and name its models otherwise."""
_REFUSED_BY_OPENAI: Final = frozenset({"reasoning", "thinking", "top_k"})
"""Arguments of other APIs and hosts that OpenAI is reported to refuse."""
_REFUSALS: Final = (
    "https://github.com/teabranch/open-responses-server/issues/41, https://github.com/nashsu/llm_wiki/issues/336, "
    "https://github.com/xlinx/sd-webui-decadetw-auto-prompt-llm/issues/29 (2026-11-23)"
)


def _find_arguments_of_other_hosts(body: JsonObject) -> Iterator[FieldPath]:
    is_of_openai = _OF_OPENAI.match(text(body.get("model"))) is not None
    return (key for key in body if is_of_openai and key in _REFUSED_BY_OPENAI)


RULES: Final[tuple[Rule, ...]] = (
    Rule("chat.messages", "messages is required and not empty", _DOC, find_missing_messages),
    Rule("chat.result_without_call", "a tool message answers a call of the assistant message before it", _PAIRS,
         _find_results_without_call),
    Rule("chat.call_without_result", "every tool_call_id is answered by a tool message before any other message",
         _PAIRS, _find_calls_without_result),
    Rule("chat.arguments", "function.arguments is a string", _DOC, _find_arguments_not_text),
    Rule("chat.foreign_key", "an unrecognised argument is refused", _DOC, foreign_key_finder(_GEMINI_KEYS)),
    Rule("chat.foreign_argument", "OpenAI refuses an argument of another host's", _REFUSALS,
         _find_arguments_of_other_hosts),
    Rule("chat.ids", "every call has an id of its own", _DOC, _find_missing_or_repeated_call_ids),
    Rule("chat.tool_name", "names of functions match ^[a-zA-Z0-9_-]{1,64}$", _DOC, _find_bad_tool_names),
    Rule("chat.call_name", "names in calls match ^[a-zA-Z0-9_-]{1,64}$", _DOC, _find_bad_call_names),
    Rule("chat.many_functions", "at most 128 functions are supported", _DOC, _long_list_finder("tools", 128)),
    Rule("chat.many_stops", "stop holds at most 4 sequences", _DOC, _long_list_finder("stop", 4)),
    Rule("chat.alone", "a setting needs the one that it belongs to", _DOC, _find_settings_without_owner),
    Rule("chat.format_name", "a schema has a name that matches ^[a-zA-Z0-9_-]{1,64}$", _DOC, _find_bad_schema_names),
    Rule("chat.tool_choice", "a word for tool_choice is none, auto or required", _DOC, _find_unknown_choice),
    Rule("chat.schema_type", "a schema is a JSON Schema, whose types are lower case", WRONG_TYPE,
         lambda body: find_wrong_types(_located_schemas(body))),
    Rule("chat.schema_reference", "a reference in a schema leads to a schema", NO_TARGET,
         lambda body: find_references_to_nothing(_located_schemas(body))),
    Rule("chat.id_length", "ids of calls have at most 40 characters", _LONG, lambda body:
         (f"{path}.id" for path, call in _all_calls(body) if len(text(call.get("id"))) > _LONGEST_ID), "SHOULD"),
)  # fmt: skip
