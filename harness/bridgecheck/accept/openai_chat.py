"""What Chat Completions refuses. Source: https://platform.openai.com/docs/api-reference/chat/create, and what
its users report of the rest."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.accept.rule import Refusal, Rule, apply
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

_DOC: Final = "https://platform.openai.com/docs/api-reference/chat/create (stored copy read 2026-11-21)"
_PAIRS: Final = (
    "https://docs.langchain.com/oss/javascript/langchain/errors/INVALID_TOOL_RESULTS (stored copy read 2026-11-21)"
)
"""OpenAI's own reference does not say it."""


def chat_refusals(body: JsonObject) -> list[Refusal]:
    return apply(RULES, body)


def _messages(body: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    return ((f"messages[{at}]", obj(message)) for at, message in enumerate(arr(body.get("messages"))))


def _calls(path: str, message: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    return ((f"{path}.tool_calls[{at}]", obj(call)) for at, call in enumerate(arr(message.get("tool_calls"))))


def _no_messages(body: JsonObject) -> Iterator[str]:
    if not arr(body.get("messages")):
        yield "messages"


def _results_without_call(body: JsonObject) -> Iterator[str]:
    open_ids: set[str] = set()
    for path, message in _messages(body):
        role = message.get("role")
        if role == "assistant":
            open_ids = {text(call.get("id")) for _, call in _calls(path, message)}
        elif role == "tool" and text(message.get("tool_call_id")) not in open_ids:
            yield f"{path}.tool_call_id"


def _calls_without_result(body: JsonObject) -> Iterator[str]:
    """Every call of an assistant message is answered before the next message of another role."""
    waiting: dict[str, str] = {}
    for path, message in _messages(body):
        if message.get("role") == "tool":
            waiting.pop(text(message.get("tool_call_id")), None)
            continue
        yield from waiting.values()
        waiting = {text(call.get("id")): f"{where}.id" for where, call in _calls(path, message)}


def _bare_arguments(body: JsonObject) -> Iterator[str]:
    for path, message in _messages(body):
        for where, call in _calls(path, message):
            if "function" in call and not isinstance(obj(call["function"]).get("arguments"), str):
                yield f"{where}.function.arguments"


def _bad_ids(body: JsonObject) -> Iterator[str]:
    """Ids are given, and one message does not use one twice."""
    for path, message in _messages(body):
        seen: set[str] = set()
        for where, call in _calls(path, message):
            found = text(call.get("id"))
            if not found or found in seen:
                yield f"{where}.id"
            seen.add(found)


_GEMINI_KEYS: Final = frozenset({
    "contents", "systemInstruction", "system_instruction", "toolConfig", "tool_config", "generationConfig",
    "generation_config", "safetySettings", "safety_settings", "cachedContent", "cached_content",
})  # fmt: skip


def _foreign_keys(body: JsonObject) -> Iterator[str]:
    return (key for key in body if key in _GEMINI_KEYS)


RULES: Final[tuple[Rule, ...]] = (
    Rule("chat.messages", "messages is required and not empty", _DOC, _no_messages),
    Rule(
        "chat.result_without_call",
        "a tool message answers a call of the assistant message before it",
        _PAIRS,
        _results_without_call,
    ),
    Rule("chat.call_without_result", "every tool_call_id is answered by a tool message", _PAIRS, _calls_without_result),
    Rule("chat.arguments", "function.arguments is a string", _DOC, _bare_arguments),
    Rule("chat.foreign_key", "an unrecognised argument is refused", _DOC, _foreign_keys),
    Rule("chat.ids", "every call has an id of its own", _DOC, _bad_ids),
)
