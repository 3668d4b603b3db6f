"""Faults of the library, one at a time, each with the cases that show it and the check that has to report it.

Each is modelled on a fault of a real library with types of its own, or on a mistake in a shim.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .library import Library
from .library_types import (
    Call,
    CallDelta,
    EncryptedThought,
    Media,
    Piece,
    Prompt,
    Replies,
    Text,
    Thought,
    ToolResult,
    Usage,
)

Events = list[dict[str, Any]]


def change_nothing(_: Any) -> None:
    """Leave the value as it is."""


@dataclass(frozen=True)
class Fault:
    """A change to the prompt before it is sent, to the replies, to the document or events written from them, or to the
    last events of a stream. ``cases``: globs of scenario and variant; ``detected_by``: check and status of the verdict
    that complains."""

    cases: str
    detected_by: str
    change_prompt: Callable[[Prompt], None] = change_nothing
    change_replies: Callable[[Replies], None] = change_nothing
    change_document: Callable[[dict[str, Any]], None] = change_nothing
    change_events: Callable[[Events], Events] = list
    change_last_events: Callable[[Events], Events] = list
    change_status: Callable[[int], int] = int


class Faulty(Library):
    """The library with one fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault

    def read_prompt(self, body: dict[str, Any]) -> Prompt:
        prompt = super().read_prompt(body)
        self.fault.change_prompt(prompt)
        return prompt

    def read_replies(self, body: dict[str, Any], status: int, *, partial: bool = False) -> Replies:
        replies = super().read_replies(body, status, partial=partial)
        self.fault.change_replies(replies)
        return replies

    def write_answer(self, replies: Replies) -> dict[str, Any]:
        document = super().write_answer(replies)
        self.fault.change_document(document)
        return document

    def write_events(self, replies: Replies) -> Events:
        return self.fault.change_events(super().write_events(replies))

    def last_events(self, details: dict[str, Any]) -> Events:
        return self.fault.change_last_events(super().last_events(details))

    def from_upstream(self, *args: Any, **rest: Any) -> tuple[int, dict[str, Any]]:
        status, body = super().from_upstream(*args, **rest)
        return self.fault.change_status(status), body


def change_pieces_of_replies(change: Callable[[list[Piece]], list[Piece]]) -> Callable[[Replies], None]:
    """Change the pieces of every reply."""

    def change_replies(replies: Replies) -> None:
        for reply in replies.replies:
            reply.pieces = change(reply.pieces)

    return change_replies


def change_pieces_of_messages(change: Callable[[list[Piece]], list[Piece]]) -> Callable[[Prompt], None]:
    """Change the pieces of every message of a prompt."""

    def change_prompt(prompt: Prompt) -> None:
        for message in prompt.messages:
            message.pieces = change(message.pieces)

    return change_prompt


def remove_kinds(*kinds: type) -> Callable[[list[Piece]], list[Piece]]:
    return lambda pieces: [piece for piece in pieces if not isinstance(piece, kinds)]


def merge_calls(pieces: list[Piece]) -> list[Piece]:
    calls = [piece for piece in pieces if isinstance(piece, Call)]
    for call in calls[1:]:
        calls[0].arguments |= call.arguments
    return [piece for piece in pieces if not isinstance(piece, Call) or piece is calls[0]]


def share_one_index(pieces: list[Piece]) -> list[Piece]:
    for piece in pieces:
        if isinstance(piece, CallDelta):
            piece.index = 0
    return pieces


def share_one_id(pieces: list[Piece]) -> list[Piece]:
    for piece in pieces:
        if isinstance(piece, Call):
            piece.id = "call"
    return pieces


def write_as_text(*kinds: type) -> Callable[[list[Piece]], list[Piece]]:
    return lambda pieces: [Text(piece.text) if isinstance(piece, kinds) else piece for piece in pieces]


def keep_first(kind: type) -> Callable[[list[Piece]], list[Piece]]:
    def change(pieces: list[Piece]) -> list[Piece]:
        first = next((piece for piece in pieces if isinstance(piece, kind)), None)
        return [piece for piece in pieces if not isinstance(piece, kind) or piece is first]

    return change


def drop_signatures(prompt: Prompt) -> None:
    """Remove every signature from the prompt."""
    for message in prompt.messages:
        message.details = None
        message.pieces = [piece for piece in message.pieces if not isinstance(piece, EncryptedThought)]
        for piece in message.pieces:
            if isinstance(piece, Call | Text | Thought):
                piece.signature = ""


def swap_results(pieces: list[Piece]) -> list[Piece]:
    """Swap the call ids of the first two results."""
    results = [piece for piece in pieces if isinstance(piece, ToolResult)]
    if len(results) > 1:
        results[0].call_id, results[1].call_id = results[1].call_id, results[0].call_id
    return pieces


def set_attribute(name: str, value: Any) -> Callable[[Any], None]:
    return lambda owner: setattr(owner, name, value)


def drop_setting(name: str) -> Callable[[Prompt], None]:
    return lambda prompt: prompt.settings.pop(name, None)


def drop_falsy_settings(prompt: Prompt) -> None:
    prompt.settings = {name: value for name, value in prompt.settings.items() if value}


def end_with(word: str) -> Callable[[Replies], None]:
    def change_replies(replies: Replies) -> None:
        for reply in replies.replies:
            reply.stop_reason = word if reply.stop_reason else ""

    return change_replies


def write_refusal_as_text(replies: Replies) -> None:
    for reply in replies.replies:
        reply.pieces += [Text(reply.refusal)] if reply.refusal else []
        reply.refusal = ""


def subtract_reasoning(replies: Replies) -> None:
    if replies.usage is not None and replies.usage.reasoning:
        replies.usage.completion = (replies.usage.completion or 0) - replies.usage.reasoning


def swallow_error(document: dict[str, Any]) -> None:
    if document.pop("error", None):
        document |= {"parts": [{"text": ""}], "finish": "stop"}


def write_arguments_as_text(document: dict[str, Any]) -> None:
    for part in document.get("parts", []):
        if "args" in part.get("tool_call", {}):
            part["tool_call"]["args"] = str(part["tool_call"]["args"])


def write_native_reason(document: dict[str, Any]) -> None:
    if "finish" in document:
        document["finish"] = "STOP"


def misspell_parts(document: dict[str, Any]) -> None:
    if "parts" in document:
        document["part"] = document.pop("parts")


def hold_events_back() -> tuple[Callable[[Events], Events], Callable[[Events], Events]]:
    """Return changes that hold all events back and release them at the end."""
    waiting: Events = []

    def change_events(events: Events) -> Events:
        waiting.extend(events)
        return []

    def change_last_events(events: Events) -> Events:
        remaining = [*waiting, *events]
        waiting.clear()
        return remaining

    return change_events, change_last_events


def repeat_text_at_end() -> tuple[Callable[[Events], Events], Callable[[Events], Events]]:
    """Return changes that repeat the whole text in an extra event at the end."""
    texts: list[str] = []

    def change_events(events: Events) -> Events:
        texts.extend(part.get("text", "") for event in events for part in event.get("parts", []))
        return events

    def change_last_events(events: Events) -> Events:
        text = "".join(texts)
        texts.clear()
        return [{"parts": [{"text": text}]}, *events]

    return change_events, change_last_events


def add_usages_up() -> Callable[[Events], Events]:
    """Return a change that reports the sum of the usage of all events, doubled."""
    usages: list[dict[str, int]] = []

    def change_events(events: Events) -> Events:
        for event in events:
            if "usage" in event:
                usages.append(event["usage"])
                event["usage"] = {name: sum(usage.get(name, 0) for usage in usages) * 2 for name in event["usage"]}
        return events

    return change_events


def end_cleanly(events: Events) -> Events:
    """Report the stream as complete, however it ended."""
    return [{"finish": "stop"}, *events]


def drop_errors(events: Events) -> Events:
    return [event for event in events if "error" not in event]


def drop_second_text() -> Callable[[Events], Events]:
    count = [0]

    def change_events(events: Events) -> Events:
        for event in events:
            has_text = any(part.get("text") for part in event.get("parts", []))
            count[0] += has_text
            if has_text and count[0] == 2:
                event["parts"] = [part for part in event["parts"] if not part.get("text")]
        return events

    return change_events


_HOLD_BACK, _RELEASE = hold_events_back()
_COLLECT_TEXT, _REPEAT_TEXT = repeat_text_at_end()

FAULTS: dict[str, Fault] = {
    "calls merged into one": Fault(
        "tools/parallel*::*gemini-unary-wire", "response.tool_calls FAIL", change_replies=change_pieces_of_replies(merge_calls)
    ),
    "streamed calls share a number": Fault(
        "tools/parallel-separate-chunks-indices::*gemini-stream-wire", "response.tool_calls FAIL", change_replies=change_pieces_of_replies(share_one_index)
    ),
    "calls share an id": Fault(
        "tools/parallel*::*gemini-unary-wire", "response.tool_calls FAIL", change_replies=change_pieces_of_replies(share_one_id)
    ),
    "calls left out": Fault(
        "tools/single-call::*anthropic-unary-wire", "response.tool_calls FAIL", change_replies=change_pieces_of_replies(remove_kinds(Call))
    ),
    "arguments written as text": Fault(
        "tools/single-call::*gemini-unary-wire", "adapter.completes FAIL", change_document=write_arguments_as_text
    ),
    "always stop": Fault("finish/*::*gemini-unary-wire", "response.finish FAIL", change_replies=end_with("stop")),
    "always stop, streamed": Fault(
        "finish/*::*anthropic-stream-wire", "response.finish FAIL", change_replies=end_with("stop")
    ),
    "no reason to stop": Fault("finish/length::*gemini-unary-wire", "response.finish FAIL", change_replies=end_with("")),
    "the provider's word for the end": Fault(
        "messages/plain-text::*gemini-unary-wire", "adapter.completes FAIL", change_document=write_native_reason
    ),
    "a member misspelt": Fault("messages/plain-text::*gemini-unary-wire", "adapter.completes FAIL", change_document=misspell_parts),
    "usage lost": Fault("usage/*::*gemini-unary-wire", "response.usage FAIL", change_replies=set_attribute("usage", None)),
    "usage made up": Fault("usage/*::*gemini-unary-wire", "response.usage FAIL", change_replies=set_attribute("usage", Usage(1, 1, 2))),
    "reasoning not counted": Fault(
        "usage/thoughts-in-completion::*gemini-unary-wire", "response.usage WARN", change_replies=subtract_reasoning
    ),
    "usage of all events added up": Fault("usage/*::*gemini-stream-wire", "response.usage FAIL", change_events=add_usages_up()),
    "a cut stream ends well": Fault(
        "broken-streams/*::*-stream-wire", "response.finish FAIL", change_events=drop_errors, change_last_events=end_cleanly
    ),
    "an error swallowed": Fault("errors/*::*-unary-wire", "response.error FAIL", change_document=swallow_error),
    "an error in a stream swallowed": Fault(
        "errors/*::*-stream-wire", "response.error FAIL", change_events=drop_errors, change_last_events=end_cleanly
    ),
    "a rate limit becomes a server error": Fault(
        "errors/rate-limit::*-unary-wire", "response.error FAIL",
        change_document=lambda document: document.get("error", {}).pop("status", None), change_status=lambda change_status: 500 if change_status == 429 else change_status,
    ),
    "reasoning as text": Fault(
        "thinking/thought-text-kept::*gemini-unary-wire", "response.text FAIL", change_replies=change_pieces_of_replies(write_as_text(Thought))
    ),
    "reasoning lost": Fault(
        "thinking/thought-text-kept::*gemini-unary-wire", "response.reasoning WARN", change_replies=change_pieces_of_replies(remove_kinds(Thought))
    ),
    "a refusal as text": Fault("*::*openai-chat-unary-wire", "response.refusal FAIL", change_replies=write_refusal_as_text),
    "the second text of a stream lost": Fault(
        "chunks/*::*gemini-stream-wire", "response.text FAIL", change_events=drop_second_text()
    ),
    "the whole text again at the end": Fault(
        "chunks/*::*gemini-stream-wire", "response.text FAIL", change_events=_COLLECT_TEXT, change_last_events=_REPEAT_TEXT
    ),
    "nothing before the end": Fault("chunks/*::*gemini-stream-wire", "stream.incremental WARN", change_events=_HOLD_BACK, change_last_events=_RELEASE),
    "ended twice": Fault(
        "messages/plain-text::*gemini-stream-wire", "stream.terminates_once FAIL", change_last_events=end_cleanly
    ),
    "one answer of several": Fault(
        "messages/several-candidates::*gemini-unary-wire", "response.choices FAIL",
        change_replies=lambda replies: replies.replies.__delitem__(slice(1, None)),
    ),
    "an image of an answer lost": Fault(
        "multimodal/image-output::*gemini-unary-wire", "response.media FAIL", change_replies=change_pieces_of_replies(remove_kinds(Media))
    ),
    "a model made up": Fault(
        "messages/plain-text::*gemini-unary-wire", "response.identity FAIL", change_replies=set_attribute("model", "other")
    ),
    "an image not asked": Fault("multimodal/image-input::*-unary-wire", "request.turns FAIL", change_prompt=change_pieces_of_messages(remove_kinds(Media))),
    "only the first text of a message": Fault(
        "multimodal/*::*gemini-unary-wire", "request.turns FAIL", change_prompt=change_pieces_of_messages(keep_first(Text))
    ),
    "signatures do not come back": Fault(
        "signatures/call-roundtrip::*gemini-*-wire", "relay.signatures FAIL", change_prompt=drop_signatures
    ),
    "thinking does not come back": Fault(
        "thinking/interleaved-replay::*anthropic-*-wire", "relay.thinking FAIL",
        change_prompt=lambda prompt: [setattr(message, "details", None) for message in prompt.messages] and drop_signatures(prompt),
    ),
    "results mixed up": Fault("correlation/*::*gemini-unary-wire", "request.turns FAIL", change_prompt=change_pieces_of_messages(swap_results)),
    "results lost": Fault("correlation/*::*anthropic-unary-wire", "request.turns FAIL", change_prompt=change_pieces_of_messages(remove_kinds(ToolResult))),
    "the system left out": Fault(
        "messages/developer-role::*gemini-unary-wire", "request.system FAIL", change_prompt=set_attribute("system", [])
    ),
    "tools left out": Fault("tools/single-call::*gemini-unary-wire", "request.tools FAIL", change_prompt=set_attribute("functions", None)),
    "tool choice left out": Fault("settings/*::*gemini-unary-wire", "request.tool_choice FAIL", change_prompt=set_attribute("choice_mode", "")),
    "zeros left out": Fault("settings/*::*gemini-unary-wire", "request.settings FAIL", change_prompt=drop_falsy_settings),
    "stops left out": Fault("settings/*::*gemini-unary-wire", "request.settings FAIL", change_prompt=drop_setting("stop")),
    "the form of the answer left out": Fault(
        "schema/response-json-schema::*gemini-unary-wire", "request.response_format FAIL", change_prompt=set_attribute("response_format", None)
    ),
}  # fmt: skip
