"""A Chat Completions stream folded into the unary document that says the same.

Per choice and per call, by index (never by id: calls that share an index do run together for every client, and must be
seen doing so; only where no index is given does an id of its own begin a call). id, model and created are the first
given, finish_reason the last, usage per field the last.
Source: https://platform.openai.com/docs/api-reference/chat-streaming (stored copy read 2026-11-21).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import obj
from bridgecheck.normalise.openai_chat.delta import MessageFold
from bridgecheck.normalise.tree import Fields, merge_fields
from bridgecheck.wire import JsonObject

FIRST: Final = ("id", "model", "created")
JOINED: Final[frozenset[str]] = frozenset(
    {"text", "logprobs.content", "logprobs.refusal", "logprobs.reasoning_content"}
)
"""Paths in a choice that come in pieces. ``text``: hosts that send the old completion field beside the delta."""


@dataclass
class _Choice:
    """``snapshot``: the message so far, which Perplexity sends beside every delta."""

    message: MessageFold = field(default_factory=MessageFold)
    rest: JsonObject = field(default_factory=dict)
    finish: object = None
    snapshot: object = None
    has_delta: bool = False


def fold(events: Sequence[object]) -> JsonObject:
    """The document. ``unread``: what was no object where there must be one."""
    made: JsonObject = {}
    choices: dict[int, _Choice] = {}
    unread: list[object] = []
    for event in events:
        if not isinstance(event, dict):
            unread.append(event)
            continue
        fields = Fields(event)
        for position, value in enumerate(fields.take_items("choices")):
            _choice(choices, position, value, unread)
        if fields.has("choices"):
            unread.append(fields.take("choices"))
        _top(made, fields)
    if choices:
        made["choices"] = [_folded(index, choice) for index, choice in sorted(choices.items())]
    if unread:
        made["unread"] = unread
    return made


def _top(made: JsonObject, fields: Fields) -> None:
    for name in FIRST:
        if made.get(name):
            fields.take(name)
    if fields.rest.get("object") == "chat.completion.chunk":
        fields.rest["object"] = "chat.completion"
    fields.take("choices")
    merge_fields(made, fields.rest)


def _choice(choices: dict[int, _Choice], position: int, value: object, unread: list[object]) -> None:
    if not isinstance(value, dict):
        unread += [value] if value is not None else []
        return
    fields = Fields(value)
    index = fields.take_integer("index")
    choice = choices.setdefault(position if index is None else index, _Choice())
    if isinstance(fields.rest.get("delta"), dict):
        choice.has_delta = True
        choice.message.add(fields.take_child("delta"))
        choice.snapshot = fields.take("message") or choice.snapshot
    choice.finish = fields.take("finish_reason") or choice.finish
    merge_fields(choice.rest, fields.rest, JOINED)


def _folded(index: int, choice: _Choice) -> JsonObject:
    rest = dict(choice.rest)
    if choice.has_delta:
        rest["message"] = message = choice.message.built()
        if choice.snapshot is not None and not _says_less(obj(choice.snapshot), message):
            rest["snapshot"] = choice.snapshot
    return {"index": index, **rest, "finish_reason": choice.finish}


def _says_less(snapshot: JsonObject, message: JsonObject) -> bool:
    """Whether the snapshot says nothing that the deltas did not (rule ``stream.snapshot``)."""
    return all(value is None or message.get(key) == value for key, value in snapshot.items())
