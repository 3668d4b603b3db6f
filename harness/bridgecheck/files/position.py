"""Where in a JSON text a value stands: line and column, for messages that point at the mistake."""

import re
from collections.abc import Sequence
from json import JSONDecoder

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


def position(text: str, path: Sequence[str | int]) -> str:
    """``line:column`` of the value at ``path`` in a valid JSON document; of its nearest ancestor that exists, if it is
    not there (a missing key, say)."""
    at = _skip(text, 0)
    for step in path:
        found = _member(text, at, step)
        if found is None:
            break
        at = found
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _member(text: str, at: int, step: str | int) -> int | None:
    """Offset of the member ``step`` of the object or array that starts at ``at``."""
    opening = text[at : at + 1]
    if opening == "{" and isinstance(step, str):
        return _value_of(text, at + 1, step)
    if opening == "[" and isinstance(step, int):
        return _item(text, at + 1, step)
    return None


def _value_of(text: str, at: int, wanted: str) -> int | None:
    at = _skip(text, at)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        if key == wanted:
            return value
        at = _after(text, value)
    return None


def _item(text: str, at: int, wanted: int) -> int | None:
    at = _skip(text, at)
    index = 0
    while text[at] != "]":
        if index == wanted:
            return at
        at = _after(text, at)
        index += 1
    return None


def _after(text: str, value: int) -> int:
    """Offset of what follows the value at ``value`` and its comma: the next member, or the closing bracket."""
    _, end = _DECODER.raw_decode(text, value)
    end = _skip(text, end)
    return _skip(text, end + 1) if text[end] == "," else end
