"""The other mode of a recorded answer: an adapter may ask for a whole answer to a streamed scenario, or for a stream.

Only what came to its end without an error has another mode: how a provider would have refused what it broke off nobody
knows. A Gemini stream is asked for as events (``alt=sse``) or, without that, as one JSON array.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from bridgecheck import normalise
from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.codec.body import encode_array_stream, encode_document
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, Mode

_BODY_HEADERS: Final = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})
_JSON: Final = "application/json"


def split_text(text: str) -> list[str]:
    """Split a text into pieces of a few characters: several for one of some length, and never very many."""
    size = max(12, len(text) // 100)
    return [text[start : start + size] for start in range(0, len(text), size)]


def convert_mode(recorded: RecordedInteraction, dialect: Dialect, mode: Mode) -> RecordedInteraction | None:
    """Return a response recorded in the other mode; None if it has none in this. A refusal is the same in both."""
    if recorded.status >= 400:
        return recorded
    return _to_stream(recorded, dialect) if mode == "stream" else _to_unary(recorded, dialect)


def requests_json_array(path: str) -> bool:
    """Return whether a Gemini path requests a stream without ``alt=sse``."""
    address = urlsplit(path)
    return address.path.endswith(":streamGenerateContent") and "sse" not in parse_qs(address.query).get("alt", [])


def to_json_array(recorded: RecordedInteraction, dialect: Dialect) -> RecordedInteraction:
    """Return an event stream as the JSON array of its events; anything else unchanged."""
    response = recorded.response(dialect, "stream")
    if recorded.status >= 400 or response.text or not response.documents or recorded.body.lstrip()[:1] in (b"[", b"{"):
        return recorded
    chunks = encode_array_stream(dialect, response.documents, is_whole=recorded.end == "complete")
    return _replace_body(recorded, _JSON, chunks)


def _to_unary(recorded: RecordedInteraction, dialect: Dialect) -> RecordedInteraction | None:
    response = recorded.response(dialect, "stream")
    if not _is_convertible(recorded, response):
        return None
    folded = obj(response.documents[0]) if _is_whole_message(response) else normalise.fold(dialect, response.documents)
    document = {key: value for key, value in folded.items() if key != "unread"}
    return _replace_body(recorded, _JSON, [encode_document(dialect, document)])


def _to_stream(recorded: RecordedInteraction, dialect: Dialect) -> RecordedInteraction | None:
    response = recorded.response(dialect, "unary")
    if not _is_convertible(recorded, response):
        return None
    events = normalise.unfold(dialect, obj(response.documents[0]), split_text)
    frames = [sse.frame_event(dialect, event) for event in events]
    end = sse.terminator(dialect)
    return _replace_body(recorded, sse.MEDIA_TYPE, [*frames, end] if end else frames)


def _is_convertible(recorded: RecordedInteraction, response: Response) -> bool:
    """Return whether a response is complete, holds nothing but objects, and is neither an error nor incomplete."""
    objects = [obj(document) for document in response.documents]
    if recorded.end != "complete" or response.text or not objects or not all(objects):
        return False
    outcome = normalise.response(response)
    return outcome.error is None and not any(choice.finish.kind == "incomplete" for choice in outcome.choices)


def _is_whole_message(response: Response) -> bool:
    """Return whether this is a whole message, no events: a host may send one in place of a stream."""
    document = obj(response.documents[0]) if len(response.documents) == 1 else {}
    return document.get("type") == "message" or document.get("object") == "chat.completion"


def _replace_body(recorded: RecordedInteraction, media_type: str, chunks: Sequence[bytes]) -> RecordedInteraction:
    """Return the interaction with new bytes; their times of arrival are unknown."""
    headers = tuple((name, value) for name, value in recorded.headers if name not in _BODY_HEADERS)
    return replace(recorded, headers=(("content-type", media_type), *headers), chunks=tuple(chunks), t_ms=())
