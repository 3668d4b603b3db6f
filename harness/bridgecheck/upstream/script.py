"""A scripted answer -> what goes over the wire: status, headers, writes, ending. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bridgecheck.codec import rechunk, sse
from bridgecheck.model.exchange import End, Headers
from bridgecheck.model.scenario import Script, ScriptedAnswer
from bridgecheck.wire import Dialect, Mode

JSON_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """``writes``: each goes to the socket by itself. ``end``: what follows the last one. ``t_ms``: per write the
    milliseconds since the request came, (): at once. ``head_ms``: milliseconds between the status line and the
    headers."""

    status: int
    headers: Headers
    writes: tuple[bytes, ...]
    end: End = "complete"
    t_ms: tuple[int, ...] = ()
    head_ms: int = 0


def answers(script: Script, dialect: Dialect, mode: Mode) -> tuple[Answer, ...]:
    return tuple(answer(scripted, dialect, mode) for scripted in script)


def answer(scripted: ScriptedAnswer, dialect: Dialect, mode: Mode) -> Answer:
    """Headers of the script come first and replace ours of the same name."""
    writes = tuple(_writes(scripted, dialect))
    if scripted.split != "":
        writes = rechunk.split(writes, scripted.split)
    named = tuple((name.lower(), value) for name, value in scripted.headers)
    if not any(name == "content-type" for name, _ in named):
        named = (("content-type", _content_type(scripted, mode)), *named)
    return Answer(scripted.status, named, writes, scripted.end)


def _writes(scripted: ScriptedAnswer, dialect: Dialect) -> Iterator[bytes]:
    if scripted.raw is not None:
        yield from (write for write in scripted.raw if write)
    elif scripted.events is not None:
        for event in scripted.events:
            yield sse.frame(dialect, event)
        # A stream that breaks does so before its terminator.
        if scripted.done and scripted.end == "complete" and sse.terminator(dialect):
            yield sse.terminator(dialect)
    else:
        yield _document(scripted.body)


def _document(body: object) -> bytes:
    """Indented, as Gemini and OpenAI send it; escaped throughout where a lone surrogate, which has no UTF-8, stands."""
    try:
        return json.dumps(body, indent=2, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(body, indent=2).encode() + b"\n"


def _content_type(scripted: ScriptedAnswer, mode: Mode) -> str:
    streamed = scripted.events is not None or (scripted.raw is not None and mode == "stream" and scripted.status < 400)
    return sse.MEDIA_TYPE if streamed else JSON_TYPE
