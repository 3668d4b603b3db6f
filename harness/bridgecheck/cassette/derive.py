"""The other mode of a recorded answer: an adapter may ask for a whole answer to a streamed scenario, or for a stream.

Only what came to its end without an error has another mode: how a provider would have refused what it broke off nobody
knows. A Gemini stream is asked for as events (``alt=sse``) or, without that, as one JSON array.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from bridgecheck import normalise
from bridgecheck.cassette.recorded import Recorded
from bridgecheck.codec import sse
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, Mode

_OF_THE_BODY: Final = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})
_JSON: Final = "application/json"


def pieces(text: str) -> list[str]:
    """A few characters at a time, so that a text of some length comes in several events, and never in very many."""
    size = max(12, len(text) // 100)
    return [text[start : start + size] for start in range(0, len(text), size)]


def in_mode(recorded: Recorded, dialect: Dialect, mode: Mode) -> Recorded | None:
    """An answer recorded in the other mode; None if it has none in this. A refusal is the same in both."""
    if recorded.status >= 400:
        return recorded
    return _streamed(recorded, dialect) if mode == "stream" else _whole(recorded, dialect)


def asked_for_array(path: str) -> bool:
    """Whether a Gemini path asks for a stream without ``alt=sse``."""
    address = urlsplit(path)
    return address.path.endswith(":streamGenerateContent") and "sse" not in parse_qs(address.query).get("alt", [])


def as_array(recorded: Recorded, dialect: Dialect) -> Recorded:
    """An event stream as the JSON array of its events; anything else as it is."""
    found = recorded.response(dialect, "stream")
    if recorded.status >= 400 or found.text or not found.documents or recorded.body.lstrip()[:1] in (b"[", b"{"):
        return recorded
    members = [json.dumps(document).encode() for document in found.documents]
    chunks = [b"[" + members[0], *(b",\r\n" + member for member in members[1:])]
    if recorded.end == "complete":
        chunks[-1] += b"]"
    return _made(recorded, _JSON, chunks)


def _whole(recorded: Recorded, dialect: Dialect) -> Recorded | None:
    found = recorded.response(dialect, "stream")
    if not _sound(recorded, found):
        return None
    folded = obj(found.documents[0]) if _is_whole(found) else normalise.fold(dialect, found.documents)
    document = {key: value for key, value in folded.items() if key != "unread"}
    return _made(recorded, _JSON, [json.dumps(document).encode()])


def _streamed(recorded: Recorded, dialect: Dialect) -> Recorded | None:
    found = recorded.response(dialect, "unary")
    if not _sound(recorded, found):
        return None
    events = normalise.unfold(dialect, obj(found.documents[0]), pieces)
    frames = [sse.frame(dialect, event) for event in events]
    end = sse.terminator(dialect)
    return _made(recorded, sse.MEDIA_TYPE, [*frames, end] if end else frames)


def _sound(recorded: Recorded, found: Response) -> bool:
    """Whether an answer came to its end, holds nothing but objects, and says neither an error nor too little."""
    objects = [obj(document) for document in found.documents]
    if recorded.end != "complete" or found.text or not objects or not all(objects):
        return False
    said = normalise.response(found)
    return said.error is None and not any(choice.finish.kind == "incomplete" for choice in said.choices)


def _is_whole(found: Response) -> bool:
    """A host may send a whole message in place of a stream."""
    only = obj(found.documents[0]) if len(found.documents) == 1 else {}
    return only.get("type") == "message" or only.get("object") == "chat.completion"


def _made(recorded: Recorded, media_type: str, chunks: Sequence[bytes]) -> Recorded:
    """With new bytes; when they came is not known."""
    headers = tuple((name, value) for name, value in recorded.headers if name not in _OF_THE_BODY)
    return replace(recorded, headers=(("content-type", media_type), *headers), chunks=tuple(chunks), t_ms=())
