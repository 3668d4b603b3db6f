"""stream.incremental: what the provider has said is not held back until it has said all.

Judged where the provider's text comes in at least ENOUGH events: one event may be kept back, to see whether it is the
last. What has no text (calls, whose arguments some clients can only be given whole) is not judged.
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.codec.json_array import JsonArrayDecoder
from bridgecheck.codec.sse import SseDecoder, SseEvent
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.verdict import Difference, Layer, Verdict
from bridgecheck.wire import JsonObject

CHECK: Final = "stream.incremental"
ENOUGH: Final = 3


def incremental(evidence: Evidence) -> list[Verdict]:
    """The client's first text comes before the provider's last."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        arrivals = evidence.transcript.arrivals
        if view.client_response.mode == "stream" and view.turn < len(arrivals):
            verdicts += _judged(view, arrivals[view.turn], evidence.key.layer)
    return verdicts


def _judged(view: ResponseView, arrivals: str, layer: Layer) -> list[Verdict]:
    first = _first(view.client_response)
    if view.upstream_response.mode == "unary":
        return [] if first is None else [_whole(view)]
    words = events_of_text(view.upstream_response) if layer == "wire" else chunks_of_text(view.upstream_response)
    arrived = _arrived(arrivals, first)
    if len(words) < ENOUGH or arrived is None:
        return []
    late = arrived >= words[-1]
    rows = [Difference("stream", f"text before event {words[-1]}", f"after event {arrived}", "held back")]
    return [result(CHECK, rows if late else (), level="SHOULD", turn=view.turn)]


def _whole(view: ResponseView) -> Verdict:
    """The adapter asked for the whole answer, and makes the stream itself."""
    row = Difference("stream", "a stream asked of the provider", "a whole answer", "held back")
    return result(CHECK, [row], level="SHOULD", turn=view.turn)


def events_of_text(response: Response) -> list[int]:
    """The numbers, from 1, of the events with visible text."""
    return [at for at, document in enumerate(response.documents, 1) if _speaks(response, obj(document))]


def chunks_of_text(response: Response) -> list[int]:
    """The numbers, from 1, of the chunks that complete such events, each once; [] for bytes that are packed."""
    completed = _completed(response.chunks or ())
    return sorted({completed[at - 1] for at in events_of_text(response) if at <= len(completed)})


def _completed(chunks: Sequence[bytes]) -> list[int]:
    """Per document the chunk that completed it, counted from 1."""
    array = b"".join(chunks[:3]).lstrip()[:1] == b"["
    decoder = JsonArrayDecoder() if array else SseDecoder()
    return [at for at, chunk in enumerate(chunks, 1) for event in decoder.feed(chunk) if _is_document(event)]


def _is_document(event: object) -> bool:
    return not isinstance(event, SseEvent) or event.data.lstrip()[:1] == "{"


def _first(response: Response) -> int | None:
    return next((at for at, document in enumerate(response.documents) if _speaks(response, obj(document))), None)


def _arrived(arrivals: str, event: int | None) -> int | None:
    """How many of the provider's events had come when this one left; None if that cannot be told."""
    left = [at for at, letter in enumerate(arrivals) if letter == "c"]
    if event is None or event >= len(left):
        return None
    return arrivals[: left[event]].count("u")


def _speaks(response: Response, event: JsonObject) -> bool:
    """Whether an event holds visible text."""
    if response.dialect == "gemini":
        parts = (part for one in objs(event.get("candidates")) for part in objs(obj(one.get("content")).get("parts")))
        return any(text(part.get("text")) and not part.get("thought") for part in parts)
    if response.dialect == "outcome":
        return any(text(part.get("text")) for part in objs(event.get("parts")))
    if response.dialect == "anthropic":
        return bool(text(obj(event.get("delta")).get("text")))
    return any(text(obj(one.get("delta")).get("content")) for one in objs(event.get("choices")))
