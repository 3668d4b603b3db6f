"""A recording told again by Gemini: the same answers, for the conversation that is held without the bridge."""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.outcome import Choice, FinishClass, Outcome
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS

_FINISHES: Final[dict[FinishClass, str]] = {
    "stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY",
}  # fmt: skip


def tell_in_gemini(answers: Sequence[Outcome], model: str) -> Cassette | None:
    """Return a recording in which Gemini gives these answers as streams; None where one holds what is more than text,
    thoughts and calls, or does not come to its end."""
    streams = [_tell(answer) for answer in answers]
    path = RECORDS["gemini"].full_path_template("stream").replace("{model}", model)
    request = HttpRequest("POST", f"{path}?alt=sse", (("content-type", "application/json"),), b"{}")
    headers = (("content-type", sse.MEDIA_TYPE),)
    interactions = tuple(
        RecordedInteraction(request, 200, headers, tuple(sse.frame_event("gemini", event) for event in events))
        for events in streams
        if events is not None
    )
    return Cassette({"source": "scripted"}, interactions) if answers and len(interactions) == len(answers) else None


def _tell(outcome: Outcome) -> list[JsonObject] | None:
    choice = outcome.first
    without_place = (choice.media, choice.code, choice.citations, choice.refusal)
    reason = _FINISHES.get(choice.finish.kind)
    if outcome.error is not None or len(outcome.choices) != 1 or any(without_place) or reason is None:
        return None
    if any(call.bad_args is not None for call in choice.tool_calls):
        return None
    parts = [*_parts(choice)] or [{"text": ""}]
    contents: list[JsonObject] = [{"content": {"role": "model", "parts": [part]}, "index": 0} for part in parts]
    contents[-1]["finishReason"] = reason
    return [{"candidates": [content]} for content in contents]


def _parts(choice: Choice) -> Iterator[JsonObject]:
    for channel, number in choice.order:
        if channel == "text":
            yield {"text": choice.text[number]}
        elif channel == "reasoning":
            yield {"text": choice.reasoning[number], "thought": True}
        elif channel == "call":
            call = choice.tool_calls[number]
            signature = {"thoughtSignature": call.signature} if call.signature else {}
            identifier = {"id": call.id} if call.id else {}
            yield {"functionCall": {**identifier, "name": call.name, "args": call.args}, **signature}
