"""bytes_*, mid_*, one_write, crlf, heartbeats, empty_chunks: a body in other chunks or with other line ends, which no
reader of HTTP may notice, and what a provider sends while it has nothing to send."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.codec import rechunk
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.relations.chunk import Documents, Recut, choice_index, count_finished, identifying_members, only_choice
from bridgecheck.wire import DIALECTS, Dialect, JsonObject

COMMENT: Final = b": keep-alive\n\n"

_AFTER_EVENT: Final = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")
"""After the empty line that ends an event."""

_PING: Final[JsonObject] = {"type": "ping"}

_EMPTY_DELTAS: Final[dict[str, JsonObject]] = {
    "tool_use": {"type": "input_json_delta", "partial_json": ""},
    "thinking": {"type": "thinking_delta", "thinking": ""},
}
"""Block type -> the empty delta that Anthropic is known to begin it with."""


def add_empty_chat_chunks(documents: Documents) -> Documents:
    """Add a first chunk without choices (Azure sends its filter results so), and a delta without text, or with an empty
    one, after every chunk up to the finish reason."""
    if not documents or not documents[0].get("choices") or count_finished(documents, "choices") > 1:
        return documents
    return ({**identifying_members(documents[0], "choices"), "choices": []}, *_with_empty_chat_deltas(documents))


def _with_empty_chat_deltas(documents: Documents) -> Iterator[JsonObject]:
    ended = False
    for number, document in enumerate(documents):
        yield document
        choice = only_choice(document, "choices")
        ended = ended or choice is None or bool(choice.get("finish_reason"))
        if choice is not None and not ended:
            delta: JsonObject = {"content": ""} if number % 2 else {}
            empty = {"index": choice_index(choice), "delta": delta, "finish_reason": None}
            yield {**identifying_members(document, "choices"), "choices": [empty]}


def add_empty_gemini_chunks(documents: Documents) -> Documents:
    """Add a candidate without parts after every chunk up to the finish reason."""
    return tuple(_with_empty_gemini_candidates(documents)) if count_finished(documents, "candidates") < 2 else documents


def _with_empty_gemini_candidates(documents: Documents) -> Iterator[JsonObject]:
    ended = False
    for document in documents:
        yield document
        candidate = only_choice(document, "candidates")
        ended = ended or candidate is None or bool(candidate.get("finishReason"))
        if candidate is not None and not ended:
            usage = {"usageMetadata": document["usageMetadata"]} if "usageMetadata" in document else {}
            empty = {"content": {"role": "model"}, "index": choice_index(candidate)}
            yield {"candidates": [empty], **usage, **identifying_members(document, "candidates")}


def add_empty_anthropic_call_thinking_deltas(events: Documents) -> Documents:
    """Add an empty delta after the start of every block that Anthropic begins so."""
    return tuple(_with_empty_call_and_thinking_deltas(events))


def _with_empty_call_and_thinking_deltas(events: Documents) -> Iterator[JsonObject]:
    for event in events:
        yield event
        block = obj(event.get("content_block")) if event.get("type") == "content_block_start" else {}
        delta = _EMPTY_DELTAS.get(text(block.get("type")))
        if delta is not None:
            yield {"type": "content_block_delta", "index": event.get("index"), "delta": delta}


def add_anthropic_pings(events: Documents) -> Documents:
    """Add a ping after every event but the last."""
    return tuple(piece for event in events[:-1] for piece in (event, _PING)) + events[-1:]


def add_comments(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Add a comment before the first event and after every one. Not where events have ids: openai 3.52.0 takes the end
    of a comment for an event without data from then on (measured 2026-11-21), and no provider is known to send both."""
    if any(line.startswith(b"id:") for line in b"".join(chunks).splitlines()):
        return tuple(chunks)
    events = [event for event in _AFTER_EVENT.split(b"".join(chunks)) if event]
    pieces = [piece for event in events[:-1] for piece in (event, COMMENT)]
    return (COMMENT, *pieces, *events[-1:])


def rechunk_in_all_dialects(policy: str) -> dict[Dialect, Recut]:
    """Return a policy of ``codec/rechunk`` for every dialect."""
    return dict.fromkeys(DIALECTS, lambda chunks: rechunk.split_chunks(chunks, policy))


def use_crlf(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """Write lines that end in CRLF. The chunks stay where they are, but for those that were cut inside a CRLF."""
    if any(chunk.endswith(b"\r") for chunk in chunks):
        chunks = [b"".join(chunks)]
    return tuple(chunk.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for chunk in chunks)
