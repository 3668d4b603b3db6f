"""What goes wrong at a provider, in each dialect's words: a refusal with its status, a stream that fails or breaks."""

from dataclasses import dataclass

from hypothesis import strategies as st

from bridgecheck.fuzz.meaning import WORDS
from bridgecheck.normalise.envelope import STATUSES, envelope
from bridgecheck.wire import Dialect, JsonObject


@dataclass(frozen=True)
class Refusal:
    """``wait``: in how many seconds one may ask again, None if that is not said."""

    status: int
    message: str
    wait: int | None


@st.composite
def refusals(draw: st.DrawFn) -> Refusal:
    status = draw(st.sampled_from(sorted(STATUSES)))
    return Refusal(status, draw(WORDS), draw(st.none() | st.integers(1, 60)) if status in (429, 503) else None)


def told(dialect: Dialect, refusal: Refusal) -> JsonObject:
    """The document that says it."""
    return envelope(dialect, refusal.status, refusal.message, refusal.wait)


def refused(dialect: Dialect, refusal: Refusal) -> JsonObject:
    """The scripted answer."""
    waits: JsonObject = {} if refusal.wait is None else {"headers": {"retry-after": str(refusal.wait)}}
    return {"status": refusal.status, **waits, "body": told(dialect, refusal)}


def broken(dialect: Dialect, events: list[JsonObject], kept: int) -> JsonObject:
    """A stream that ends after the first ``kept`` events, before anything in it says how it ended."""
    last = next(place for place, event in enumerate(events) if _ends(dialect, event))
    return {"events": events[: min(kept, last)], "end": "cut", "done": False}


def _ends(dialect: Dialect, event: JsonObject) -> bool:
    """Whether a client learns from this event that, or why, the answer is over."""
    if dialect == "anthropic":
        return event["type"] == "message_delta"
    choices = event.get("candidates" if dialect == "gemini" else "choices")
    word = "finishReason" if dialect == "gemini" else "finish_reason"
    return "usage" in event or any(choice.get(word) for choice in (choices if isinstance(choices, list) else []))
