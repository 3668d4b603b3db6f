"""empty_chunks, heartbeats: what a provider sends while it has nothing to say."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.relations.chunk import envelope, finishes, index, only
from bridgecheck.relations.relation import Documents
from bridgecheck.wire import JsonObject

COMMENT: Final = b": keep-alive\n\n"

_BETWEEN: Final = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")
"""After the empty line that ends an event."""

_PING: Final[JsonObject] = {"type": "ping"}

_EMPTY_DELTAS: Final[dict[str, JsonObject]] = {
    "tool_use": {"type": "input_json_delta", "partial_json": ""},
    "thinking": {"type": "thinking_delta", "thinking": ""},
}
"""Block type -> the empty delta that Anthropic is known to begin it with."""


def chat(documents: Documents) -> Documents:
    """A first chunk without choices (Azure sends its filter results so), and a delta without a word, or with an empty
    one, after every chunk up to the finish reason."""
    if not documents or not documents[0].get("choices") or finishes(documents, "choices") > 1:
        return documents
    return ({**envelope(documents[0], "choices"), "choices": []}, *_chat(documents))


def _chat(documents: Documents) -> Iterator[JsonObject]:
    ended = False
    for number, document in enumerate(documents):
        yield document
        choice = only(document, "choices")
        ended = ended or choice is None or bool(choice.get("finish_reason"))
        if choice is not None and not ended:
            delta: JsonObject = {"content": ""} if number % 2 else {}
            empty = {"index": index(choice), "delta": delta, "finish_reason": None}
            yield {**envelope(document, "choices"), "choices": [empty]}


def gemini(documents: Documents) -> Documents:
    """A candidate without parts after every chunk up to the finish reason."""
    return tuple(_gemini(documents)) if finishes(documents, "candidates") < 2 else documents


def _gemini(documents: Documents) -> Iterator[JsonObject]:
    ended = False
    for document in documents:
        yield document
        candidate = only(document, "candidates")
        ended = ended or candidate is None or bool(candidate.get("finishReason"))
        if candidate is not None and not ended:
            usage = {"usageMetadata": document["usageMetadata"]} if "usageMetadata" in document else {}
            empty = {"content": {"role": "model"}, "index": index(candidate)}
            yield {"candidates": [empty], **usage, **envelope(document, "candidates")}


def anthropic(events: Documents) -> Documents:
    return tuple(_anthropic(events))


def _anthropic(events: Documents) -> Iterator[JsonObject]:
    for event in events:
        yield event
        block = obj(event.get("content_block")) if event.get("type") == "content_block_start" else {}
        delta = _EMPTY_DELTAS.get(text(block.get("type")))
        if delta is not None:
            yield {"type": "content_block_delta", "index": event.get("index"), "delta": delta}


def pings(events: Documents) -> Documents:
    """A ping after every event but the last."""
    return tuple(each for event in events[:-1] for each in (event, _PING)) + events[-1:]


def comments(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """A comment before the first event and after every one. Not where events have ids: openai 3.52.0 takes the end of a
    comment for an event without data from then on (measured 2026-11-21), and no provider is known to send both."""
    if any(line.startswith(b"id:") for line in b"".join(chunks).splitlines()):
        return tuple(chunks)
    events = [event for event in _BETWEEN.split(b"".join(chunks)) if event]
    whole = [piece for event in events[:-1] for piece in (event, COMMENT)]
    return (COMMENT, *whole, *events[-1:])
