"""Tool results: paired with their calls, and unwrapped to their values.

Ids are compared as a graph, not as strings: every call gets its number in the whole history as id, every result the
number of the call it answers. A result without an id answers the oldest unanswered call of its name in the step before
it. One that answers no call is an orphan.

The same result may travel as text, as an object or wrapped in one. Recorded wrappers of Gemini's
``functionResponse.response``: result, output, content, return_value (pydantic-ai's), content or error beside name (the
AI SDK's), error, and objects of the caller's own; and a list of blocks of text in any of them (strands-agents')."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bridgecheck.compare.text import is_joined_from
from bridgecheck.model.jsonvalue import canonical, obj, parse_json
from bridgecheck.model.prompt import CallPart, Part, ResultPart, Turn

WRAPPERS: Final[frozenset[str]] = frozenset({"output", "result", "content", "return_value"})
ORPHAN: Final = "?"
_MAX_WRAPPERS: Final = 8


def unwrap_result(value: object, is_error: bool | None) -> tuple[str, bool | None]:
    """Return (text, is it an error): wrappers opened, JSON text decoded; a scalar by its text, the rest by its
    canonical JSON.

    ``{"error": x}`` is the error x, also with a name beside it. "42" and 42 are one value, and so are an object and its
    JSON text; blocks of text are their text. Error None: not one. Unwrapping an unwrapped value changes nothing."""
    error = True if is_error else None
    for _ in range(_MAX_WRAPPERS):
        inner, is_error_wrapper = _unwrap_once_with_error_flag(value)
        error = True if is_error_wrapper else error
        if inner is value:
            break
        value = inner
    return value if isinstance(value, str) else canonical(value), error


def unwrap_to_expected_value(value: object, expected: object, texts: Sequence[str] = ()) -> object:
    """Return the value under a single key of an unwrapped result that is an object, where that is the expected one or
    joined from these texts."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    members = [unwrap_result(member, None)[0] for member in obj(decode_json_text(value)).values()]
    is_expected = members == [expected] or (len(members) == 1 and bool(texts) and is_joined_from(texts, members[0]))
    return members[0] if is_expected else value


def unwrap_block(value: object) -> object:
    """Return what a result of one block holds, as ``[{"json": value}]`` does (strands-agents'); any other value as it
    is."""
    blocks = decode_json_text(unwrap_result(value, None)[0])
    block = obj(blocks[0]) if isinstance(blocks, list) and len(blocks) == 1 else {}
    members = [member for name, member in block.items() if name != "type"]
    return members[0] if len(members) == 1 else value


def _unwrap_once_with_error_flag(value: object) -> tuple[object, bool]:
    """Return the value inside a wrapper or a JSON text, and whether the wrapper marks an error. The same object where
    there is nothing to unwrap."""
    if isinstance(value, dict):
        return _unwrap_object_with_error_flag(value)
    if isinstance(value, list):
        return _join_text_blocks(value), False
    if isinstance(value, str) and value.strip()[:1] in tuple('{["-0123456789tfn'):
        return decode_json_text(value), False
    return value, False


def _join_text_blocks(blocks: list[object]) -> object:
    """Return the text of a list of nothing but blocks of text, ``[{"text": ...}]``; any other list as it is."""
    texts = [obj(block).get("text") for block in blocks if obj(block).keys() <= {"type", "text"}]
    written = [text for text in texts if isinstance(text, str)]
    return "".join(written) if written and len(written) == len(blocks) else blocks


def _unwrap_object_with_error_flag(value: dict[str, object]) -> tuple[object, bool]:
    if len(value) == 1:
        key = next(iter(value))
        if key in WRAPPERS:
            return value[key], False
        if key == "error":
            return value[key], True
    if set(value) == {"name", "content"}:
        return value["content"], False
    if set(value) == {"name", "error"}:
        return value["error"], True
    return value, False


def decode_json_text(text: str) -> object:
    """Return the JSON value in a text, the text itself if there is none or it is a JSON string."""
    try:
        value = parse_json(text)
    except ValueError:
        return text
    if isinstance(value, str) or value != value:
        return text
    return value if isinstance(value, dict | list) or canonical(value) != text else text


@dataclass(slots=True)
class _NumberedCall:
    """A call of the history so far: its number, and whether a result answered it."""

    number: str
    id: str
    name: str
    answered: bool = False


@dataclass(slots=True)
class _CallHistory:
    calls: list[_NumberedCall] = field(default_factory=list)
    by_id: dict[str, _NumberedCall] = field(default_factory=dict)

    def number_call(self, part: CallPart) -> CallPart:
        """Record a call and return it with its number as id."""
        call = _NumberedCall(str(len(self.calls) + 1), part.call.id, part.call.name)
        self.calls.append(call)
        if part.call.id:
            self.by_id[part.call.id] = call
        return CallPart(replace(part.call, id=call.number))

    def pair_result(self, part: ResultPart) -> ResultPart:
        """Return a result with the number of its call as id, ``ORPHAN`` if it answers none."""
        found = self._find_call(part)
        if found is None:
            return replace(part, id=ORPHAN)
        found.answered = True
        return replace(part, id=found.number, name=found.name)

    def _find_call(self, part: ResultPart) -> _NumberedCall | None:
        if part.id:
            by_id = self.by_id.get(part.id)
            if by_id is not None or part.id == ORPHAN:
                return by_id
        candidates = (call for call in self.calls if not call.answered and call.name == part.name)
        return next((call for call in candidates if not (part.id and call.id)), None)

    def pair_part(self, part: Part) -> Part:
        if isinstance(part, CallPart):
            return self.number_call(part)
        return self.pair_result(part) if isinstance(part, ResultPart) else part


def map_parts(turns: Sequence[Turn], change: Callable[[Part], Part | None]) -> tuple[Turn, ...]:
    """Return the turns with every part changed, None for a part to drop."""
    return tuple(
        replace(turn, parts=tuple(part for part in map(change, turn.parts) if part is not None)) for turn in turns
    )


def pair_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns with numbers in place of ids, and the call's name on every result."""
    return map_parts(turns, _CallHistory().pair_part)


def count_orphan_results(turns: Sequence[Turn]) -> int:
    """Return how many results answer no call."""
    return sum(_is_orphan(part) for turn in pair_results(turns) for part in turn.parts)


def drop_orphan_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns, paired, without results that answer no call, and without turns that held nothing else."""
    rest = map_parts(pair_results(turns), lambda part: None if _is_orphan(part) else part)
    return tuple(turn for turn in rest if turn.parts)


def _is_orphan(part: Part) -> bool:
    return isinstance(part, ResultPart) and part.id == ORPHAN
