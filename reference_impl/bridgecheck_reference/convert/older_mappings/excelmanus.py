"""What else is wrong with the adapter that the older design was ported from (mapping rows R-11 and R-16), to compare
with: one function a habit. ``EXCELMANUS`` has what it shares with others.

Nothing serves real traffic with them. An id that would be random is derived from the document instead.
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.ids import document_digest
from bridgecheck_reference.convert.json_values import arr, integer, obj, objs, text
from bridgecheck_reference.convert.older_mappings.profiles import EXCELMANUS
from bridgecheck_reference.convert.pair_converter import ConversionContext
from bridgecheck_reference.convert.pairs import find_pair_converter

UNKNOWN_FUNCTION: Final = "unknown_function"
FILTERED: Final = "[Gemini 安全过滤] "
"""Start of the text that is invented for a model whose prompt was blocked."""

_IGNORED: Final = frozenset({"temperature", "top_p", "max_tokens", "max_completion_tokens"})

_CONVERTER: Final = find_pair_converter("openai-chat", "gemini", EXCELMANUS)


def _context(request: JsonObject, model: str = "") -> ConversionContext:
    return ConversionContext(request, model, False, EXCELMANUS)


def request_to_gemini(request: JsonObject) -> JsonObject:
    """Convert a request, ignoring settings and system messages of parts; a result without a call is of an unknown
    function."""
    changed = {key: value for key, value in request.items() if key not in _IGNORED}
    changed["messages"] = _drop_system_lists_adopt_orphan_results(list(objs(request.get("messages"))))
    return _CONVERTER.request(_context(changed)).value


def response_to_openai(response: JsonObject, model: str) -> JsonObject:
    """Convert a response: texts are joined by line feeds, a thought is the text under ``thought``, the total is summed
    anew."""
    if not arr(response.get("candidates")):
        response = _invent_stop_text_for_blocked_prompt(response)
    completion = _CONVERTER.response(_join_candidate_texts(response), _context({}, model)).value
    return _recount_total(completion)


def stream_to_openai(events: Sequence[JsonObject], model: str) -> list[JsonObject]:
    """Convert a stream: every call is number 0 and has an id of its own, and every stream ends with ``stop``."""
    stream = _CONVERTER.stream(_context({"stream_options": {"include_usage": True}}, model))
    chunks = [chunk for event in events for chunk in stream.feed(_join_candidate_texts(event))] + stream.close()
    return [_recount_total(_spoil_calls_and_finish_of_chunk(chunk)) for chunk in chunks]


def _drop_system_lists_adopt_orphan_results(messages: list[JsonObject]) -> list[object]:
    """Drop system messages of parts; turn results without a call into user messages."""
    known: set[str] = set()
    remaining: list[object] = []
    for message in messages:
        known.update(text(call.get("id")) for call in objs(message.get("tool_calls")))
        if message.get("role") == "system" and isinstance(message.get("content"), list):
            continue
        orphan = message.get("role") == "tool" and text(message.get("tool_call_id")) not in known
        remaining.append(_orphan_result_to_user_message(message) if orphan else message)
    return remaining


def _orphan_result_to_user_message(message: JsonObject) -> JsonObject:
    """Return the user message that a result without a call becomes: one part of an unknown function."""
    response = {"name": UNKNOWN_FUNCTION, "response": {"result": text(message.get("content"))}}
    part = {"type": "text", "text": "", "extra_content": {"google": {"part": {"functionResponse": response}}}}
    return {"role": "user", "content": [part]}


def _join_candidate_texts(response: JsonObject) -> JsonObject:
    return {**response, "candidates": [_join_texts(candidate) for candidate in objs(response.get("candidates"))]}


def _join_texts(candidate: JsonObject) -> JsonObject:
    content = obj(candidate.get("content"))
    parts = list(objs(content.get("parts")))
    texts = [text(part["text"]) for part in parts if "text" in part]
    thoughts = [{"text": part["thought"], "thought": True} for part in parts if text(part.get("thought"))]
    further = [part for part in parts if "text" not in part and not text(part.get("thought"))]
    joined = [{"text": "\n".join(texts)}] if texts else []
    return {**candidate, "content": {**content, "parts": [*thoughts, *joined, *further]}}


def _invent_stop_text_for_blocked_prompt(response: JsonObject) -> JsonObject:
    """Invent a clean answer for a blocked prompt."""
    reason = text(obj(response.get("promptFeedback")).get("blockReason"))
    content = {"role": "model", "parts": [{"text": FILTERED + reason}]}
    rest = {key: value for key, value in response.items() if key != "promptFeedback"}
    return {**rest, "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}]}


def _spoil_calls_and_finish_of_chunk(chunk: JsonObject) -> JsonObject:
    return {**chunk, "choices": [_spoil_calls_and_finish(choice) for choice in objs(chunk.get("choices"))]}


def _spoil_calls_and_finish(choice: JsonObject) -> JsonObject:
    delta = obj(choice.get("delta"))
    if "tool_calls" in delta:
        calls = [{**call, "index": 0, "id": document_digest(call)} for call in objs(delta["tool_calls"])]
        delta = {**delta, "tool_calls": calls}
    return {**choice, "delta": delta, "finish_reason": "stop" if choice.get("finish_reason") else None}


def _recount_total(document: JsonObject) -> JsonObject:
    usage = obj(document.get("usage"))
    if not usage:
        return document
    total = (integer(usage.get("prompt_tokens")) or 0) + (integer(usage.get("completion_tokens")) or 0)
    return {**document, "usage": {**usage, "total_tokens": total}}
