"""Members of a Chat document that no converter reads, put back behind a route that leads through another dialect and
back to Chat.

The document in the middle has no place for them, so they travel beside it: what a message, a call, a content part, a
tool or a choice has, and the converted one at the same place lacks, is added to it. Where there is no such place, that
is a loss. Top-level members are carried by the converters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.chat_messages import CONVERTED_MESSAGE_KEYS, CONVERTED_PART_KEYS
from bridgecheck_reference.convert.json_values import arr, obj, objs, unknown_nonempty_members
from bridgecheck_reference.loss import Losses


@dataclass(frozen=True, slots=True)
class Members:
    """What converters read of an object: its own keys, and which of its members hold further objects."""

    read: frozenset[str]
    inner: Mapping[str, "Members"] = field(default_factory=dict)


_FUNCTION: Final = Members(frozenset({"name", "arguments", "description", "parameters", "strict"}))
_CALL: Final = Members(frozenset({"index", "id", "type", "custom", "extra_content"}), {"function": _FUNCTION})
_PART: Final = Members(CONVERTED_PART_KEYS)
_MESSAGE: Final = Members(
    CONVERTED_MESSAGE_KEYS - {"content", "tool_calls"} | {"audio"}, {"content": _PART, "tool_calls": _CALL}
)
_CHOICE: Final = Members(
    frozenset({"index", "finish_reason", "logprobs", "extra_content"}), {"message": _MESSAGE, "delta": _MESSAGE}
)
_DOCUMENT: Final = {"messages": _MESSAGE, "tools": _CALL, "choices": _CHOICE}

_SAME: Final = ("role", "id", "index", "type", "name", "tool_call_id")
"""Members by which two objects at one place are known to be the same."""

_Place = TypeVar("_Place")
"""An index of a choice, or of a choice and a call in it."""

_REASON: Final = "its place is gone on the way through another dialect"


def restore_members(original: JsonObject, converted: JsonObject, losses: Losses) -> JsonObject:
    """Return a converted request or response with the members that only the original has. Neither is changed."""
    result = dict(converted)
    for key, members in _DOCUMENT.items():
        if key in original:
            result[key] = _restore_value(original[key], converted.get(key), members, key, losses)
    return result


def _restore_value(original: object, converted: object, members: Members, path: str, losses: Losses) -> object:
    if isinstance(original, dict):
        return _restore_object(original, converted, members, path, losses)
    if not isinstance(original, list):
        return converted
    path += "[]"
    if not isinstance(converted, list) or len(original) != len(converted):
        for item in objs(original):
            _record_losses(item, members, path, losses)
        return converted
    return [
        _restore_object(item, made, members, path, losses) if isinstance(item, dict) else made
        for item, made in zip(original, converted, strict=True)
    ]


def _restore_object(original: JsonObject, converted: object, members: Members, path: str, losses: Losses) -> object:
    if not isinstance(converted, dict) or not _is_same(original, converted):
        _record_losses(original, members, path, losses)
        return converted
    own = _unread_members(original, members)
    result: JsonObject = {**converted, **{key: value for key, value in own.items() if key not in converted}}
    for key, inner in members.inner.items():
        if key in original:
            value = _restore_value(original[key], converted.get(key), inner, f"{path}.{key}", losses)
            if key in converted:
                result[key] = value
    return result


def _is_same(original: JsonObject, converted: JsonObject) -> bool:
    return all(original.get(key) == converted.get(key) for key in _SAME if key in original and key in converted)


def _unread_members(value: JsonObject, members: Members) -> JsonObject:
    return unknown_nonempty_members(value, members.read.union(members.inner))


def _record_losses(value: JsonObject, members: Members, path: str, losses: Losses) -> None:
    for key in _unread_members(value, members):
        losses.add(f"{path}.{key}", _REASON, "info")
    for key, inner in members.inner.items():
        for item in objs(value.get(key)):
            _record_losses(item, inner, f"{path}.{key}", losses)


class ChatMemberStream:
    """Puts the members of chunks back into the converted chunks: ``read`` each chunk before it is converted, then
    ``restore`` what was made of it.

    A chunk that gives nothing at once, as of a call that is held, leaves its members to the next of its choice.
    """

    def __init__(self) -> None:
        self.losses = Losses()
        self._of_choices: dict[object, JsonObject] = {}
        self._of_deltas: dict[object, JsonObject] = {}
        self._of_calls: dict[tuple[object, object], JsonObject] = {}

    def read(self, chunk: JsonObject) -> None:
        """Keep what only this chunk has."""
        for choice in objs(chunk.get("choices")):
            index, delta = choice.get("index"), obj(choice.get("delta"))
            _merge(self._of_choices, index, _unread_members(choice, _CHOICE))
            _merge(self._of_deltas, index, _unread_members(delta, _MESSAGE))
            for call in objs(delta.get("tool_calls")):
                function = _unread_members(obj(call.get("function")), _FUNCTION)
                own = _unread_members(call, _CALL)
                _merge(self._of_calls, (index, call.get("index")), {**own, "function": function} if function else own)

    def restore(self, chunks: list[JsonObject], *, closing: bool = False) -> list[JsonObject]:
        """Return the chunks with the members that were kept. ``closing``: no more will come; what is left is lost."""
        if self._of_choices or self._of_deltas or self._of_calls:
            chunks = [self._restore_chunk(chunk) for chunk in chunks]
        if closing:
            for path in self._remaining_paths():
                self.losses.add(path, _REASON, "info")
        return chunks

    def _restore_chunk(self, chunk: JsonObject) -> JsonObject:
        if not arr(chunk.get("choices")):
            return chunk
        return {**chunk, "choices": [self._restore_choice(choice) for choice in objs(chunk["choices"])]}

    def _restore_choice(self, choice: JsonObject) -> JsonObject:
        index, delta = choice.get("index"), {**obj(choice.get("delta"))}
        if "tool_calls" in delta:
            delta["tool_calls"] = [self._restore_call(index, call) for call in objs(delta["tool_calls"])]
        delta = {**self._of_deltas.pop(index, {}), **delta}
        return {**self._of_choices.pop(index, {}), **choice, "delta": delta}

    def _restore_call(self, choice_index: object, call: JsonObject) -> JsonObject:
        own = self._of_calls.pop((choice_index, call.get("index")), None)
        if own is None:
            return call
        return {**own, **call, "function": {**obj(own.get("function")), **obj(call.get("function"))}}

    def _remaining_paths(self) -> Iterator[str]:
        remaining = (
            ("choices[]", self._of_choices),
            ("choices[].delta", self._of_deltas),
            ("choices[].delta.tool_calls[]", self._of_calls),
        )
        for path, by_place in remaining:
            for members in by_place.values():
                yield from (f"{path}.{key}" for key in members)


def _merge(by_place: dict[_Place, JsonObject], place: _Place, members: JsonObject) -> None:
    if members:
        by_place[place] = {**by_place.get(place, {}), **members}
