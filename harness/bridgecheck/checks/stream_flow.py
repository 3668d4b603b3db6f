"""stream.incremental: what the provider has said is not held back until it has said all.

Judged where the provider's text comes in at least ENOUGH events: one event may be kept back, to see whether it is the
last. What has no text (calls, whose arguments some clients can only be given whole) is not judged.
"""

from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import AnswerView, answers
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject

CHECK: Final = "stream.incremental"
ENOUGH: Final = 3


def incremental(evidence: Evidence) -> list[Verdict]:
    """The client's first text comes before the provider's last."""
    verdicts: list[Verdict] = []
    for view in answers(evidence):
        arrivals = evidence.transcript.arrivals
        if view.received_raw.mode == "stream" and view.turn < len(arrivals):
            verdicts += _judged(view, arrivals[view.turn])
    return verdicts


def _judged(view: AnswerView, arrivals: str) -> list[Verdict]:
    spoken = [at for at, document in enumerate(view.said_raw.documents, 1) if _speaks(view.said_raw, obj(document))]
    first = _first(view.received_raw)
    arrived = _arrived(arrivals, first)
    if len(spoken) < ENOUGH or arrived is None or view.said_raw.mode != "stream":
        return []
    late = arrived >= spoken[-1]
    rows = [Difference("stream", f"text before event {spoken[-1]}", f"after event {arrived}", "held back")]
    return [result(CHECK, rows if late else (), level="SHOULD", turn=view.turn)]


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
    if response.dialect == "anthropic":
        return bool(text(obj(event.get("delta")).get("text")))
    return any(text(obj(one.get("delta")).get("content")) for one in objs(event.get("choices")))
