"""The deltas of one choice put together into its message."""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.normalise.media import join_base64
from bridgecheck.normalise.tree import Fields, merge_fields
from bridgecheck.wire import JsonObject

TEXTS: Final = ("reasoning_content", "reasoning", "refusal")
"""Fields of a delta that come as pieces of one text; ``content`` is one too, but may also be a list."""

LISTS: Final = ("annotations", "images")
"""Lists that grow."""


@dataclass
class _Call:
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
        """A name said again is the same name; another one runs on, as in the official client."""
        name = function.take_text("name")
        if name != self.name:
            self.name += name
        self.arguments.append(function.take_text("arguments"))

    def function(self) -> JsonObject:
        return {"name": self.name, "arguments": "".join(self.arguments), **obj(self.rest.get("function"))}

    def built(self) -> JsonObject:
        rest = {key: value for key, value in self.rest.items() if key != "function"}
        custom = "custom" in rest and not self.name
        return {"id": self.id, **rest} if custom else {"id": self.id, **rest, "function": self.function()}


@dataclass
class _Audio:
    """``data`` comes in pieces of base64 that may each be padded; ``transcript`` in pieces of text."""

    data: list[str] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)

    def add(self, fields: Fields) -> None:
        self.data.append(fields.take_text("data"))
        merge_fields(self.rest, fields.rest, frozenset({"transcript"}))

    def built(self) -> JsonObject:
        data = join_base64([piece for piece in self.data if piece])
        return {**self.rest, "data": data} if data else self.rest


@dataclass
class MessageFold:
    """``add`` each delta, then ``built`` gives the message."""

    _texts: dict[str, list[str]] = field(default_factory=dict)
    _content: list[object] = field(default_factory=list)
    _lists: dict[str, list[object]] = field(default_factory=dict)
    _calls: dict[int, _Call] = field(default_factory=dict)
    _function_call: _Call | None = None
    _details: list[JsonObject] = field(default_factory=list)
    _audio: _Audio | None = None
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
            if items := delta.take_items(name):
                self._lists.setdefault(name, []).extend(items)
        self._add_calls(delta)
        for detail in delta.take_items("reasoning_details"):
            _add_detail(self._details, obj(detail))
        if audio := delta.take_child("audio").rest:
            self._audio = self._audio or _Audio()
            self._audio.add(Fields(audio))
        if not delta.rest.get("role"):
            delta.take("role")
        merge_fields(self._rest, delta.rest)

    def built(self) -> JsonObject:
        made: JsonObject = {"role": "assistant", "content": self._joined_content(), **self._rest}
        made.update({name: "".join(pieces) for name, pieces in self._texts.items()})
        made.update(self._lists)
        if self._details:
            made["reasoning_details"] = self._details
        if self._audio:
            made["audio"] = self._audio.built()
        if self._function_call:
            made["function_call"] = self._function_call.function()
        if self._calls:
            made["tool_calls"] = [call.built() for _, call in sorted(self._calls.items())]
        return made

    def _add_calls(self, delta: Fields) -> None:
        for value in delta.take_items("tool_calls"):
            fields = Fields(value)
            index = fields.take_integer("index")
            fields.take("index")
            place = self._place(fields.rest.get("id")) if index is None else index
            self._calls.setdefault(place, _Call()).add(fields)
        function = delta.take_child("function_call")
        if function.rest:
            self._function_call = self._function_call or _Call()
            self._function_call.add_function(function)
            merge_fields(self._function_call.rest, {"function": function.rest})

    def _place(self, given: object) -> int:
        """Of a piece without an index: the call of this id, a new one for a new id, the last one for none."""
        if not self._calls:
            return 0
        known = [place for place, call in self._calls.items() if call.id == given]
        return known[-1] if known else max(self._calls) + (1 if given else 0)

    def _joined_content(self) -> object:
        """Text as long as all pieces are text, a list of parts as soon as one is; null if there was none."""
        if not self._content:
            return None
        if all(isinstance(piece, str) for piece in self._content):
            return "".join(str(piece) for piece in self._content)
        parts: list[object] = []
        for piece in self._content:
            parts += [{"type": "text", "text": piece}] if isinstance(piece, str) else list(_members(piece))
        return parts


def _members(piece: object) -> list[object]:
    return piece if isinstance(piece, list) else []


def _add_detail(details: list[JsonObject], detail: JsonObject) -> None:
    """A detail of the same type and index as the last one goes on with it."""
    index = integer(detail.get("index"))
    last = details[-1] if details else {}
    same = index is not None and last.get("index") == index and last.get("type") == detail.get("type")
    if not same:
        last = {}
        details.append(last)
    merge_fields(last, detail, frozenset({"text", "summary", "data"}))
