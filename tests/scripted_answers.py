"""Scripted answers of a model and their documents in each provider's dialect: those of ``bridgecheck.fuzz``, and
refusals."""

import json
from dataclasses import dataclass
from typing import Final

from bridgecheck import normalise
from bridgecheck.codec import sse
from bridgecheck.codec.rechunk import Cut
from bridgecheck.fuzz.conversation import MODEL, ModelAnswer, ModelCall
from bridgecheck.fuzz.scenario import WRITERS
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import Dialect, JsonObject, Mode

__all__ = ["MODEL", "Cut", "ModelAnswer", "ModelCall", "ProviderError", "answer", "events", "unary"]


@dataclass(frozen=True)
class ProviderError:
    """A refusal in the provider's own envelope. ``wait``: seconds of its Retry-After header, None for no header."""

    status: int
    message: str
    wait: int | None = None


def unary(dialect: Dialect, scripted: ModelAnswer) -> JsonObject:
    """Return the document of a unary answer."""
    return WRITERS[dialect].write_answer(scripted)


def cut_in_halves(text: str) -> list[str]:
    """Return the text in two pieces, so that a client has something to join; no empty ones."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def events(dialect: Dialect, scripted: ModelAnswer, cut: Cut = cut_in_halves) -> list[JsonObject]:
    """Return the events of a stream, with texts and arguments cut in halves or by ``cut``."""
    return normalise.unfold(dialect, WRITERS[dialect].write_answer(scripted), cut)


def answer(dialect: Dialect, scripted: "ModelAnswer | ProviderError", mode: Mode, *, cut: bool = False) -> WireResponse:
    """Return the HTTP response. ``cut``: the connection closes before the events with finish and usage."""
    if isinstance(scripted, ProviderError):
        waits = () if scripted.wait is None else (("retry-after", str(scripted.wait)),)
        return WireResponse(
            scripted.status, (("content-type", "application/json"), *waits), (_json(_ERRORS[dialect](scripted)),)
        )
    if mode == "unary":
        return WireResponse(200, (("content-type", "application/json"),), (_json(unary(dialect, scripted)),))
    writes = [sse.frame_event(dialect, event) for event in events(dialect, scripted)]
    if cut:
        return WireResponse(200, (("content-type", "text/event-stream"),), tuple(writes[: -_TAIL[dialect]]), "cut")
    if sse.terminator(dialect):
        writes.append(sse.terminator(dialect))
    return WireResponse(200, (("content-type", "text/event-stream"),), tuple(writes))


def _json(document: JsonObject) -> bytes:
    return json.dumps(document).encode()


_TAIL: Final[dict[Dialect, int]] = {"gemini": 1, "openai-chat": 2, "anthropic": 2}
"""How many events at the end hold finish and usage."""


def _gemini_error(scripted: ProviderError) -> JsonObject:
    statuses = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
    return {"error": {"code": scripted.status, "message": scripted.message, "status": statuses[scripted.status]}}


def _openai_error(scripted: ProviderError) -> JsonObject:
    kinds = {400: "invalid_request_error", 404: "invalid_request_error", 429: "requests", 503: "server_error"}
    return {"error": {"message": scripted.message, "type": kinds[scripted.status], "param": None, "code": None}}


def _anthropic_error(scripted: ProviderError) -> JsonObject:
    kinds = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error", 503: "overloaded_error"}
    return {"type": "error", "error": {"type": kinds[scripted.status], "message": scripted.message}}


_ERRORS: Final = {"gemini": _gemini_error, "openai-chat": _openai_error, "anthropic": _anthropic_error}
