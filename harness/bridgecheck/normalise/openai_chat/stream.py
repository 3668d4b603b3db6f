"""A Chat Completions stream folded into the unary document that holds the same: deltas of each choice into its message.

Per choice and per call, by index (never by id: calls that share an index do run together for every client, and must be
shown doing so; only where no index is given does an id of its own begin a call). id, model and created are the first
given, finish_reason the last, usage per field the last.
Source: https://platform.openai.com/docs/api-reference/chat-streaming (stored copy read 2026-11-21)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.normalise.media import join_base64
from bridgecheck.normalise.tree import Fields, merge_fields
from bridgecheck.wire import JsonObject

TEXTS: Final = ("reasoning_content", "reasoning", "refusal")
"""Fields of a delta that come as pieces of one text; ``content`` is one too, but may also be a list."""

LISTS: Final = ("annotations", "images")
"""Lists that grow."""


@dataclass
class _CallPieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)

    def add(self, fields: Fields) -> None:
        call_id = fields.take_text("id")
        self.id = self.id or call_id
        function = fields.take_child("function")
        self.add_function(function)
        fields.put_back("function", function.rest)
        merge_fields(self.rest, fields.rest, frozenset({"custom.input"}))

    def add_function(self, function: Fields) -> None:
        """Add a piece of the function. A repeated name is the same; another one runs on, as in the official client."""
        name = function.take_text("name")
        if name != self.name:
            self.name += name
        self.arguments.append(function.take_text("arguments"))

    def build_function(self) -> JsonObject:
        return {"name": self.name, "arguments": "".join(self.arguments), **obj(self.rest.get("function"))}

    def build(self) -> JsonObject:
        rest = {key: value for key, value in self.rest.items() if key != "function"}
        custom = "custom" in rest and not self.name
        return {"id": self.id, **rest} if custom else {"id": self.id, **rest, "function": self.build_function()}


@dataclass
class _AudioPieces:
    """``data`` comes in pieces of base64 that may each be padded; ``transcript`` in pieces of text."""

    data: list[str] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)

    def add(self, fields: Fields) -> None:
        self.data.append(fields.take_text("data"))
        merge_fields(self.rest, fields.rest, frozenset({"transcript"}))

    def build(self) -> JsonObject:
        data = join_base64([piece for piece in self.data if piece])
        return {**self.rest, "data": data} if data else self.rest


@dataclass
class MessagePieces:
    """``add`` each delta, then ``build`` gives the message."""

    _texts: dict[str, list[str]] = field(default_factory=dict)
    _content: list[object] = field(default_factory=list)
    _lists: dict[str, list[object]] = field(default_factory=dict)
    _calls: dict[int, _CallPieces] = field(default_factory=dict)
    _function_call: _CallPieces | None = None
    _details: list[JsonObject] = field(default_factory=list)
    _audio: _AudioPieces | None = None
    _rest: JsonObject = field(default_factory=dict)

    def add(self, delta: Fields) -> None:
        if isinstance(delta.rest.get("content"), str | list):
            self._content.append(delta.take("content"))
        elif delta.rest.get("content", ...) is None:
            delta.take("content")
        for name in TEXTS:
            if isinstance(delta.rest.get(name), str):
                self._texts.setdefault(name, []).append(delta.take_text(name))
        for name in LISTS:
            if items := delta.take_list(name):
                self._lists.setdefault(name, []).extend(items)
        self._add_calls(delta)
        for detail in delta.take_list("reasoning_details"):
            _add_or_continue_reasoning_detail(self._details, obj(detail))
        if audio := delta.take_child("audio").rest:
            self._audio = self._audio or _AudioPieces()
            self._audio.add(Fields(audio))
        if not delta.rest.get("role"):
            delta.take("role")
        merge_fields(self._rest, delta.rest, lists_grow=True)

    def build(self) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": self._join_content(), **self._rest}
        message.update({name: "".join(pieces) for name, pieces in self._texts.items()})
        message.update(self._lists)
        if self._details:
            message["reasoning_details"] = self._details
        if self._audio:
            message["audio"] = self._audio.build()
        if self._function_call:
            message["function_call"] = self._function_call.build_function()
        if self._calls:
            message["tool_calls"] = [call.build() for _, call in sorted(self._calls.items())]
        return message

    def _add_calls(self, delta: Fields) -> None:
        for value in delta.take_list("tool_calls"):
            fields = Fields(value)
            index = fields.take_integer("index")
            fields.take("index")
            index_in_message = self._index_without_number(fields.rest.get("id")) if index is None else index
            self._calls.setdefault(index_in_message, _CallPieces()).add(fields)
        function = delta.take_child("function_call")
        if function.rest:
            self._function_call = self._function_call or _CallPieces()
            self._function_call.add_function(function)
            merge_fields(self._function_call.rest, {"function": function.rest})

    def _index_without_number(self, call_id: object) -> int:
        """Return the index of a piece without one: of the call of its id, a new one for a new id, the last for none."""
        if not self._calls:
            return 0
        known = [index_in_message for index_in_message, call in self._calls.items() if call.id == call_id]
        return known[-1] if known else max(self._calls) + (1 if call_id else 0)

    def _join_content(self) -> object:
        """Return text where all pieces are text, a list of parts as soon as one is a list, None if there was none."""
        if not self._content:
            return None
        if all(isinstance(piece, str) for piece in self._content):
            return "".join(str(piece) for piece in self._content)
        parts: list[object] = []
        for piece in self._content:
            parts += [{"type": "text", "text": piece}] if isinstance(piece, str) else arr(piece)
        return parts


def _add_or_continue_reasoning_detail(details: list[JsonObject], detail: JsonObject) -> None:
    """Add a detail; one of the same type and index as the last one continues it."""
    index = integer(detail.get("index"))
    last = details[-1] if details else {}
    same = index is not None and last.get("index") == index and last.get("type") == detail.get("type")
    if not same:
        last = {}
        details.append(last)
    merge_fields(last, detail, frozenset({"text", "summary", "data"}))


FIRST_COUNTS: Final = ("id", "model", "created")
FIELDS_IN_PIECES: Final[frozenset[str]] = frozenset(
    {"text", "logprobs.content", "logprobs.refusal", "logprobs.reasoning_content"}
)
"""Paths in a choice that come in pieces. ``text``: hosts that send the old completion field beside the delta."""


@dataclass
class _ChoicePieces:
    """``snapshot``: the message so far, which Perplexity sends beside every delta."""

    message: MessagePieces = field(default_factory=MessagePieces)
    rest: JsonObject = field(default_factory=dict)
    finish: object = None
    snapshot: object = None
    has_delta: bool = False


def fold(events: Sequence[object]) -> JsonObject:
    """Return the document. ``unread``: what was no object where there must be one."""
    document: JsonObject = {}
    choices: dict[int, _ChoicePieces] = {}
    unread: list[object] = []
    for event in events:
        if not isinstance(event, dict):
            unread.append(event)
            continue
        fields = Fields(event)
        for position, value in enumerate(fields.take_list("choices")):
            _add_choice(choices, position, value, unread)
        if fields.has("choices"):
            unread.append(fields.take("choices"))
        _add_top_fields(document, fields)
    if choices:
        document["choices"] = [_unary_choice(index, choice) for index, choice in sorted(choices.items())]
    if unread:
        document["unread"] = unread
    return document


def _add_top_fields(document: JsonObject, fields: Fields) -> None:
    for name in FIRST_COUNTS:
        if document.get(name):
            fields.take(name)
    if fields.rest.get("object") == "chat.completion.chunk":
        fields.rest["object"] = "chat.completion"
    fields.take("choices")
    fields.take_text("obfuscation")  # padding against traffic analysis, no content
    merge_fields(document, fields.rest)


def _add_choice(choices: dict[int, _ChoicePieces], position: int, value: object, unread: list[object]) -> None:
    if not isinstance(value, dict):
        unread += [value] if value is not None else []
        return
    fields = Fields(value)
    index = fields.take_integer("index")
    choice = choices.setdefault(position if index is None else index, _ChoicePieces())
    if isinstance(fields.rest.get("delta"), dict):
        choice.has_delta = True
        choice.message.add(fields.take_child("delta"))
        choice.snapshot = fields.take("message") or choice.snapshot
    choice.finish = fields.take("finish_reason") or choice.finish
    merge_fields(choice.rest, fields.rest, FIELDS_IN_PIECES)


def _unary_choice(index: int, choice: _ChoicePieces) -> JsonObject:
    rest = dict(choice.rest)
    if choice.has_delta:
        rest["message"] = message = choice.message.build()
        # rule stream.snapshot: it stands there if it holds what the deltas did not
        if any(value is not None and message.get(key) != value for key, value in obj(choice.snapshot).items()):
            rest["snapshot"] = choice.snapshot
    return {"index": index, **rest, "finish_reason": choice.finish}
