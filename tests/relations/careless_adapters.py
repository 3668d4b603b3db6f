"""Adapters that pass a stream on with one fault each. Every fault was found in public code; every one of
them goes unnoticed while the stream has its usual form."""

import json
from collections.abc import Callable
from typing import Any

from bridgecheck.wire import JsonObject

Step = Callable[["Stream", Any], list[JsonObject]]


class Adapter:
    """An adapter from a dialect to itself. ``step``: how an event is changed; None passes it on."""

    name = "careless"
    routes = tuple((dialect, dialect) for dialect in ("gemini", "openai-chat", "anthropic"))

    def __init__(self, step: Step | None = None) -> None:
        self.step = step
        self.shared: Any = {}

    def to_upstream(self, body: JsonObject, **rest: object) -> JsonObject:
        return body

    def from_upstream(self, body: JsonObject, *, status: int, **rest: object) -> tuple[int, JsonObject]:
        return status, body

    def stream(self, **rest: object) -> "Stream":
        return Stream(self)


class Stream:
    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.own: Any = {}

    def feed(self, event: JsonObject) -> list[JsonObject]:
        return self.adapter.step(self, event) if self.adapter.step else [event]

    def close(self) -> list[JsonObject]:
        return []


def first_choice_is_always_there(stream: Stream, event: Any) -> list[JsonObject]:
    """Azure's first chunk has none (recorded: dd-trace-py/0124)."""
    assert "usage" in event or event["choices"][0]
    return [event]


def parts_are_always_there(stream: Stream, event: Any) -> list[JsonObject]:
    assert event["candidates"][0]["content"]["parts"]
    return [event]


def arguments_are_never_empty(stream: Stream, event: Any) -> list[JsonObject]:
    if event["type"] == "content_block_delta" and event["delta"]["type"] == "input_json_delta":
        json.loads(event["delta"]["partial_json"])
    return [event]


def every_event_is_known(stream: Stream, event: Any) -> list[JsonObject]:
    assert event["type"].startswith(("message_", "content_block_")), event["type"]
    return [event]


def drop_chunks_without_content(stream: Stream, event: Any) -> list[JsonObject]:
    """Chunks without content are dropped, and the finish reason with them."""
    if "candidates" in event:
        parts = event["candidates"][0].get("content", {}).get("parts", [])
        return [event] if any(part != {"text": ""} for part in parts) else []
    return [event] if not event["choices"] or event["choices"][0]["delta"] else []


def the_last_chunk_has_no_words(stream: Stream, event: Any) -> list[JsonObject]:
    """https://github.com/maximhq/bifrost/issues/438: text that comes with the finish reason is dropped."""
    if "candidates" in event and "finishReason" in event["candidates"][0]:
        event["candidates"][0]["content"] = {"role": "model", "parts": []}
    elif event.get("choices") and event["choices"][0]["finish_reason"]:
        event["choices"][0]["delta"] = {}
    return [event]


def counts_are_added_up(stream: Stream, event: Any) -> list[JsonObject]:
    """https://github.com/agno-agi/agno/pull/6624"""
    for name in ("usage", "usageMetadata"):
        if name in event and "type" not in event:
            for key, value in event[name].items():
                stream.own[key] = stream.own.get(key, 0) + value
            event[name] = dict(stream.own)
    return [event]


def input_is_counted_once_more(stream: Stream, event: Any) -> list[JsonObject]:
    for usage in (event.get("message", {}).get("usage"), event.get("usage")):
        if usage and "input_tokens" in usage:
            stream.own["input"] = usage["input_tokens"] = stream.own.get("input", 0) + usage["input_tokens"]
    return [event]


def counts_have_a_chunk_of_their_own(stream: Stream, event: Any) -> list[JsonObject]:
    if event["choices"]:
        event.pop("usage", None)
    return [event]


def counts_come_first(stream: Stream, event: Any) -> list[JsonObject]:
    """Gemini's counts are read from the first chunk only, where they usually are."""
    if stream.own.setdefault("counted", "usageMetadata" in event) is False or stream.own.get("seen"):
        event.pop("usageMetadata", None)
    stream.own["seen"] = True
    return [event]


def final_counts_repeat_the_first(stream: Stream, event: Any) -> list[JsonObject]:
    if event["type"] == "message_delta":
        event["usage"]["input_tokens"] = event["usage"].get("input_tokens", 0)
    return [event]


def counts_without_choices_are_passed_over(stream: Stream, event: Any) -> list[JsonObject]:
    return [event] if event["choices"] else []


def the_first_delta_is_the_role(stream: Stream, event: Any) -> list[JsonObject]:
    if event["choices"] and "role" in event["choices"][0]["delta"]:
        event["choices"][0]["delta"] = {"role": "assistant"}
    return [event]


def a_long_text_is_cut(stream: Stream, event: Any) -> list[JsonObject]:
    """A fixed buffer for one fragment."""
    for part in event.get("candidates", [{}])[0].get("content", {}).get("parts", []):
        if "text" in part:
            part["text"] = part["text"][:10]
    if event.get("type") == "content_block_delta" and "text" in event["delta"]:
        event["delta"]["text"] = event["delta"]["text"][:10]
    return [event]


def a_short_text_is_trimmed(stream: Stream, event: Any) -> list[JsonObject]:
    """Fragments are treated as complete texts."""
    for part in event.get("candidates", [{}])[0].get("content", {}).get("parts", []):
        if len(part.get("text", "-----")) < 5:
            part["text"] = part["text"].strip("e ")
    if event.get("type") == "content_block_delta" and len(event["delta"].get("text", "-----")) < 5:
        event["delta"]["text"] = event["delta"]["text"].strip("e ")
    for choice in event.get("choices", []):
        if 0 < len(choice["delta"].get("content") or "-----") < 5:
            choice["delta"]["content"] = choice["delta"]["content"].strip("e ")
    return [event]


def one_call_a_chunk(stream: Stream, event: Any) -> list[JsonObject]:
    for choice in event.get("choices", []):
        del choice["delta"].get("tool_calls", [])[1:]
    for candidate in event.get("candidates", []):
        parts = candidate["content"]["parts"]
        candidate["content"]["parts"] = parts[:1] if "functionCall" in parts[0] else parts
    return [event]


def calls_come_in_one_chunk(stream: Stream, event: Any) -> list[JsonObject]:
    """The first chunk with calls is taken for all of them."""
    choices = event.get("choices") or [{"delta": {}}]
    if "tool_calls" in choices[0]["delta"]:
        if stream.own.get("called"):
            del choices[0]["delta"]["tool_calls"]
        stream.own["called"] = True
    content = event.get("candidates", [{}])[0].get("content", {})
    if any("functionCall" in part for part in content.get("parts", [])):
        if stream.own.get("called"):
            content["parts"] = []
        stream.own["called"] = True
    return [event]


def state_stays_with_the_adapter(stream: Stream, event: Any) -> list[JsonObject]:
    """https://github.com/askalf/dario/pull/646: the state of one stream leaks into the next."""
    before = stream.adapter.shared.pop("held", None)
    stream.adapter.shared["held"] = event
    last = event.get("type") == "message_stop" or "usageMetadata" in event or event.get("usage")
    made = [before] if before else []
    return [*made, stream.adapter.shared.pop("held")] if last else made
