"""What the way through the representation costs a client whose provider speaks its own dialect: converting twice.

The risk it is about: a bridge that converts each event to OpenAI's format and back makes every answer wait. So this one
is a time, not a ratio: what is added to an answer of about 10 KB in all, which takes seconds to arrive.
"""

from collections.abc import Iterator
from typing import Any

from documents import encode_documents, text_chunk
from figures import Figure
from rounds import best

SIZE = 10 * 1024


def measure() -> Iterator[Figure]:
    events = stream_of(SIZE)
    times = best({"twice": lambda: there_and_back(events)}, rounds=60)
    detail = f"{len(events)} events, {times['twice'] / len(events) * 1e6:.1f} us each"
    yield Figure("10 KB of answer, Gemini > OpenAI > Gemini", times["twice"] * 1e3, 1.0, "ms", detail=detail)


def stream_of(size: int) -> list[dict[str, Any]]:
    """Events of a stream that has at least that many bytes; only the last one has a finish reason."""
    events: list[dict[str, Any]] = []
    total = 0
    while total < size:
        events.append(text_chunk(len(events)))
        total += len(encode_documents(events[-1:])[0])
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    return events


def there_and_back(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events as they come out of both machines, one behind the other, as in the bridge."""
    from bridgecheck_reference import GeminiToOpenAIStream, OpenAIToGeminiStream
    from bridgecheck_reference.conversion_profile import PIVOT

    there = GeminiToOpenAIStream(model="m", include_usage=True, profile=PIVOT)
    back = OpenAIToGeminiStream(model="m", profile=PIVOT)
    chunks = [chunk for event in events for chunk in there.feed(event)]
    chunks += there.close()
    return [event for chunk in chunks for event in back.feed(chunk)] + back.close()
