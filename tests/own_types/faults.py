"""Ways in which the library could be wrong, one at a time, each with where it shows and the check that has to say so.

Each is modelled on something that libraries with types of their own were seen to do, or on what a shim gets wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .library import Library
from .shapes import Call, CallPiece, Cost, Picture, Piece, Question, Replies, Returned, Sealed, Text, Thought

Events = list[dict[str, Any]]


def nothing(_: Any) -> None:
    """Changes nothing."""


@dataclass(frozen=True)
class Fault:
    """What is done to a question before it is asked, to what came back, to the document or the events written of it,
    and to those that end a stream. ``shows``: scenario and variant; ``seen_by``: the verdict that complains."""

    shows: str
    seen_by: str
    asking: Callable[[Question], None] = nothing
    replying: Callable[[Replies], None] = nothing
    writing: Callable[[dict[str, Any]], None] = nothing
    streaming: Callable[[Events], Events] = list
    ending: Callable[[Events], Events] = list
    status: Callable[[int], int] = int


class Faulty(Library):
    """The library with one fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault

    def question(self, body: dict[str, Any]) -> Question:
        asked = super().question(body)
        self.fault.asking(asked)
        return asked

    def replies(self, body: dict[str, Any], status: int, *, piecewise: bool = False) -> Replies:
        given = super().replies(body, status, piecewise=piecewise)
        self.fault.replying(given)
        return given

    def answer(self, given: Replies) -> dict[str, Any]:
        made = super().answer(given)
        self.fault.writing(made)
        return made

    def events(self, given: Replies) -> Events:
        return self.fault.streaming(super().events(given))

    def last_events(self, kept: dict[str, Any]) -> Events:
        return self.fault.ending(super().last_events(kept))

    def from_upstream(self, *args: Any, **rest: Any) -> tuple[int, dict[str, Any]]:
        status, body = super().from_upstream(*args, **rest)
        return self.fault.status(status), body


def each(change: Callable[[list[Piece]], list[Piece]]) -> Callable[[Replies], None]:
    """The pieces of every reply, changed."""

    def replying(given: Replies) -> None:
        for one in given.replies:
            one.pieces = change(one.pieces)

    return replying


def said(change: Callable[[list[Piece]], list[Piece]]) -> Callable[[Question], None]:
    """The pieces of every message of a question, changed."""

    def asking(asked: Question) -> None:
        for one in asked.messages:
            one.pieces = change(one.pieces)

    return asking


def without(*kinds: type) -> Callable[[list[Piece]], list[Piece]]:
    return lambda pieces: [piece for piece in pieces if not isinstance(piece, kinds)]


def merged(pieces: list[Piece]) -> list[Piece]:
    calls = [piece for piece in pieces if isinstance(piece, Call)]
    for call in calls[1:]:
        calls[0].arguments |= call.arguments
    return [piece for piece in pieces if not isinstance(piece, Call) or piece is calls[0]]


def one_number(pieces: list[Piece]) -> list[Piece]:
    for piece in pieces:
        if isinstance(piece, CallPiece):
            piece.number = 0
    return pieces


def same_ids(pieces: list[Piece]) -> list[Piece]:
    for piece in pieces:
        if isinstance(piece, Call):
            piece.id = "call"
    return pieces


def as_text(*kinds: type) -> Callable[[list[Piece]], list[Piece]]:
    return lambda pieces: [Text(piece.words) if isinstance(piece, kinds) else piece for piece in pieces]


def first_only(kind: type) -> Callable[[list[Piece]], list[Piece]]:
    def change(pieces: list[Piece]) -> list[Piece]:
        first = next((piece for piece in pieces if isinstance(piece, kind)), None)
        return [piece for piece in pieces if not isinstance(piece, kind) or piece is first]

    return change


def unsealed(asked: Question) -> None:
    """Signatures do not come back."""
    for message in asked.messages:
        message.details = None
        message.pieces = [piece for piece in message.pieces if not isinstance(piece, Sealed)]
        for piece in message.pieces:
            if isinstance(piece, Call | Text | Thought):
                piece.seal = ""


def swapped(pieces: list[Piece]) -> list[Piece]:
    """Two results answer each other's calls."""
    results = [piece for piece in pieces if isinstance(piece, Returned)]
    if len(results) > 1:
        results[0].call, results[1].call = results[1].call, results[0].call
    return pieces


def set_on(name: str, value: Any) -> Callable[[Any], None]:
    return lambda owner: setattr(owner, name, value)


def knob_lost(name: str) -> Callable[[Question], None]:
    return lambda asked: asked.knobs.pop(name, None)


def falsy_knobs_lost(asked: Question) -> None:
    asked.knobs = {name: value for name, value in asked.knobs.items() if value}


def ends(word: str) -> Callable[[Replies], None]:
    def replying(given: Replies) -> None:
        for one in given.replies:
            one.why = word if one.why else ""

    return replying


def refused_as_text(given: Replies) -> None:
    for one in given.replies:
        one.pieces += [Text(one.refused)] if one.refused else []
        one.refused = ""


def without_reasoning_count(given: Replies) -> None:
    if given.cost is not None and given.cost.thinking:
        given.cost.written = (given.cost.written or 0) - given.cost.thinking


def swallowed(document: dict[str, Any]) -> None:
    if document.pop("error", None):
        document |= {"parts": [{"text": ""}], "finish": "stop"}


def args_written_as_text(document: dict[str, Any]) -> None:
    for part in document.get("parts", []):
        if "args" in part.get("tool_call", {}):
            part["tool_call"]["args"] = str(part["tool_call"]["args"])


def words_of_the_provider(document: dict[str, Any]) -> None:
    if "finish" in document:
        document["finish"] = "STOP"


def misspelt(document: dict[str, Any]) -> None:
    if "parts" in document:
        document["part"] = document.pop("parts")


def held_back() -> tuple[Callable[[Events], Events], Callable[[Events], Events]]:
    """Everything at the end."""
    waiting: Events = []

    def streaming(events: Events) -> Events:
        waiting.extend(events)
        return []

    def ending(events: Events) -> Events:
        given = [*waiting, *events]
        waiting.clear()
        return given

    return streaming, ending


def said_again() -> tuple[Callable[[Events], Events], Callable[[Events], Events]]:
    """The last event repeats the whole text."""
    heard: list[str] = []

    def streaming(events: Events) -> Events:
        heard.extend(part.get("text", "") for event in events for part in event.get("parts", []))
        return events

    def ending(events: Events) -> Events:
        text = "".join(heard)
        heard.clear()
        return [{"parts": [{"text": text}]}, *events]

    return streaming, ending


def summed() -> Callable[[Events], Events]:
    """Counts of all events added up."""
    seen: list[dict[str, int]] = []

    def streaming(events: Events) -> Events:
        for event in events:
            if "usage" in event:
                seen.append(event["usage"])
                event["usage"] = {name: sum(one.get(name, 0) for one in seen) * 2 for name in event["usage"]}
        return events

    return streaming


def clean_end(events: Events) -> Events:
    """However a stream ended, it is said to have been complete."""
    return [{"finish": "stop"}, *events]


def without_errors(events: Events) -> Events:
    return [event for event in events if "error" not in event]


def second_text_lost() -> Callable[[Events], Events]:
    count = [0]

    def streaming(events: Events) -> Events:
        for event in events:
            spoken = any(part.get("text") for part in event.get("parts", []))
            count[0] += spoken
            if spoken and count[0] == 2:
                event["parts"] = [part for part in event["parts"] if not part.get("text")]
        return events

    return streaming


_BACK, _LATE = held_back()
_HEARD, _AGAIN = said_again()

FAULTS: dict[str, Fault] = {
    "calls merged into one": Fault(
        "tools/parallel*::*gemini-unary-wire", "response.tool_calls FAIL", replying=each(merged)
    ),
    "streamed calls share a number": Fault(
        "tools/parallel-separate-chunks-indices::*gemini-stream-wire", "response.tool_calls FAIL", replying=each(one_number)
    ),
    "calls share an id": Fault(
        "tools/parallel*::*gemini-unary-wire", "response.tool_calls FAIL", replying=each(same_ids)
    ),
    "calls left out": Fault(
        "tools/single-call::*anthropic-unary-wire", "response.tool_calls FAIL", replying=each(without(Call))
    ),
    "arguments written as text": Fault(
        "tools/single-call::*gemini-unary-wire", "adapter.completes FAIL", writing=args_written_as_text
    ),
    "always stop": Fault("finish/*::*gemini-unary-wire", "response.finish FAIL", replying=ends("stop")),
    "always stop, streamed": Fault(
        "finish/*::*anthropic-stream-wire", "response.finish FAIL", replying=ends("stop")
    ),
    "no reason to stop": Fault("messages/plain-text::*gemini-unary-wire", "response.finish FAIL", replying=ends("")),
    "the provider's word for the end": Fault(
        "messages/plain-text::*gemini-unary-wire", "adapter.completes FAIL", writing=words_of_the_provider
    ),
    "a member misspelt": Fault("messages/plain-text::*gemini-unary-wire", "adapter.completes FAIL", writing=misspelt),
    "usage lost": Fault("usage/*::*gemini-unary-wire", "response.usage FAIL", replying=set_on("cost", None)),
    "usage made up": Fault("usage/*::*gemini-unary-wire", "response.usage FAIL", replying=set_on("cost", Cost(1, 1, 2))),
    "reasoning not counted": Fault(
        "usage/thoughts-in-completion::*gemini-unary-wire", "response.usage FAIL", replying=without_reasoning_count
    ),
    "usage of all events added up": Fault("usage/*::*gemini-stream-wire", "response.usage FAIL", streaming=summed()),
    "a cut stream ends well": Fault(
        "broken-streams/*::*-stream-wire", "response.finish FAIL", streaming=without_errors, ending=clean_end
    ),
    "an error swallowed": Fault("errors/*::*-unary-wire", "response.error FAIL", writing=swallowed),
    "an error in a stream swallowed": Fault(
        "errors/*::*-stream-wire", "response.error FAIL", streaming=without_errors, ending=clean_end
    ),
    "a rate limit becomes a server error": Fault(
        "errors/rate-limit::*-unary-wire", "response.error FAIL",
        writing=lambda document: document.get("error", {}).pop("status", None), status=lambda status: 500 if status == 429 else status,
    ),
    "reasoning as text": Fault(
        "thinking/thought-text-kept::*gemini-unary-wire", "response.text FAIL", replying=each(as_text(Thought))
    ),
    "reasoning lost": Fault(
        "thinking/thought-text-kept::*gemini-unary-wire", "response.reasoning WARN", replying=each(without(Thought))
    ),
    "a refusal as text": Fault("*::*openai-chat-unary-wire", "response.refusal FAIL", replying=refused_as_text),
    "the second text of a stream lost": Fault(
        "chunks/*::*gemini-stream-wire", "response.text FAIL", streaming=second_text_lost()
    ),
    "the whole text again at the end": Fault(
        "chunks/*::*gemini-stream-wire", "response.text FAIL", streaming=_HEARD, ending=_AGAIN
    ),
    "nothing before the end": Fault("chunks/*::*gemini-stream-wire", "stream.incremental WARN", streaming=_BACK, ending=_LATE),
    "ended twice": Fault(
        "messages/plain-text::*gemini-stream-wire", "stream.terminates_once FAIL", ending=clean_end
    ),
    "one answer of several": Fault(
        "messages/several-candidates::*gemini-unary-wire", "response.choices FAIL",
        replying=lambda given: given.replies.__delitem__(slice(1, None)),
    ),
    "an image of an answer lost": Fault(
        "multimodal/image-output::*gemini-unary-wire", "response.media FAIL", replying=each(without(Picture))
    ),
    "a model made up": Fault(
        "messages/plain-text::*gemini-unary-wire", "response.identity FAIL", replying=set_on("model", "other")
    ),
    "an image not asked": Fault("multimodal/image-input::*-unary-wire", "request.turns FAIL", asking=said(without(Picture))),
    "only the first text of a message": Fault(
        "multimodal/*::*gemini-unary-wire", "request.turns FAIL", asking=said(first_only(Text))
    ),
    "signatures do not come back": Fault(
        "signatures/call-roundtrip::*gemini-*-wire", "relay.signatures FAIL", asking=unsealed
    ),
    "thinking does not come back": Fault(
        "thinking/interleaved-replay::*anthropic-*-wire", "relay.thinking FAIL",
        asking=lambda asked: [setattr(one, "details", None) for one in asked.messages] and unsealed(asked),
    ),
    "results mixed up": Fault("correlation/*::*gemini-unary-wire", "request.turns FAIL", asking=said(swapped)),
    "results lost": Fault("tools/*::*anthropic-unary-wire", "request.turns FAIL", asking=said(without(Returned))),
    "the system left out": Fault(
        "messages/developer-role::*gemini-unary-wire", "request.system FAIL", asking=set_on("briefing", [])
    ),
    "tools left out": Fault("tools/single-call::*gemini-unary-wire", "request.tools FAIL", asking=set_on("functions", None)),
    "tool choice left out": Fault("settings/*::*gemini-unary-wire", "request.tool_choice FAIL", asking=set_on("must", "")),
    "zeros left out": Fault("settings/*::*gemini-unary-wire", "request.settings FAIL", asking=falsy_knobs_lost),
    "stops left out": Fault("settings/*::*gemini-unary-wire", "request.settings FAIL", asking=knob_lost("stop")),
    "the form of the answer left out": Fault(
        "schema/response-json-schema::*gemini-unary-wire", "request.response_format FAIL", asking=set_on("shape", None)
    ),
}  # fmt: skip
