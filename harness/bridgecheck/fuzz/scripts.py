"""Scripts of a provider's failures in each dialect, and the client's request that follows an answer.

Placeholders (``$received``, ``$id:0.1``, ``$name:0.1``) are those of scenario files (model/scenario).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from bridgecheck import normalise
from bridgecheck.fuzz.conversation import TEXTS
from bridgecheck.model.jsonvalue import arr
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS


@dataclass(frozen=True)
class Refusal:
    """An error response. ``wait``: seconds after which the request may be repeated, None if not known."""

    status: int
    message: str
    wait: int | None


@st.composite
def refusals(draw: st.DrawFn) -> Refusal:
    status = draw(st.sampled_from(normalise.ERROR_STATUSES))
    return Refusal(status, draw(TEXTS), draw(st.none() | st.integers(1, 60)) if status in (429, 503) else None)


def error_document(dialect: Dialect, refusal: Refusal) -> JsonObject:
    return normalise.error_document(dialect, refusal.status, refusal.message, refusal.wait)


def refusal_script(dialect: Dialect, refusal: Refusal) -> JsonObject:
    """Return a scripted response with the status, its headers and the error document."""
    waits: JsonObject = {} if refusal.wait is None else {"headers": {"retry-after": str(refusal.wait)}}
    return {"status": refusal.status, **waits, "body": error_document(dialect, refusal)}


def cut_stream_script(dialect: Dialect, events: list[JsonObject], event_count: int) -> JsonObject:
    """Return a stream that is cut after ``event_count`` events, always before an event that reports its end."""
    end = next(index for index, event in enumerate(events) if _reports_finish_or_usage(dialect, event))
    return {"events": events[: min(event_count, end)], "end": "cut", "done": False}


def _reports_finish_or_usage(dialect: Dialect, event: JsonObject) -> bool:
    if dialect == "anthropic":
        return event["type"] == "message_delta"
    choices = event.get("candidates" if dialect == "gemini" else "choices")
    key = "finishReason" if dialect == "gemini" else "finish_reason"
    return "usage" in event or any(choice.get(key) for choice in (choices if isinstance(choices, list) else []))


_RECEIVED: Final[JsonObject] = {"$received": 0}


def next_request(dialect: Dialect, body: JsonObject, results: Sequence[str], else_text: str) -> JsonObject:
    """Return the request with the answer and what follows it: ``results`` of its calls in order, or ``else_text`` if it
    has no calls."""
    turns = RECORDS[dialect].turns_member
    messages = _result_messages(dialect, results) or [normalise.text_message(dialect, "user", else_text)]
    return {**body, turns: [*arr(body[turns]), _RECEIVED, *messages]}


def _result_messages(dialect: Dialect, results: Sequence[str]) -> list[JsonObject]:
    """Return the messages that hold these results, in the order of the calls; [] without any."""
    rows = [(f"$id:0.{index}", f"$name:0.{index}", result) for index, result in enumerate(results)]
    if dialect == "openai-chat":
        return [{"role": "tool", "tool_call_id": id, "content": result} for id, _, result in rows]
    if dialect == "gemini":
        responses = [{"id": id, "name": name, "response": {"output": result}} for id, name, result in rows]
        parts = [{"functionResponse": response} for response in responses]
        return [{"role": "user", "parts": parts}] if parts else []
    blocks = [{"type": "tool_result", "tool_use_id": id, "content": result} for id, _, result in rows]
    return [{"role": "user", "content": blocks}] if blocks else []
