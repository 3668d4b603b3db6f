"""Tool results as values: the same result may travel as text, as an object or wrapped in one.

Recorded wrappers of Gemini's ``functionResponse.response``: result, output, content, return_value (pydantic-ai's),
content or error beside name (the AI SDK's), error, and objects of the caller's own.
"""

import json
from typing import Final

from bridgecheck.model.jsonvalue import canonical

WRAPPERS: Final[frozenset[str]] = frozenset({"output", "result", "content", "return_value"})
DEEPEST: Final = 8


def level_result(value: object, is_error: bool | None) -> tuple[str, bool | None]:
    """(text, is it an error): wrappers opened, JSON text decoded; a scalar by its text, the rest by its canonical JSON.

    ``{"error": x}`` is the error x, also with a name beside it. "42" and 42 are one value, and so are an object and its
    JSON text. Error None: not one. Levelling a levelled value changes nothing.
    """
    error = True if is_error else None
    for _ in range(DEEPEST):
        opened, failed = _open(value)
        error = True if failed else error
        if opened is value:
            break
        value = opened
    return value if isinstance(value, str) else canonical(value), error


def _open(value: object) -> tuple[object, bool]:
    """One step: the value inside a wrapper or a JSON text, and whether the wrapper said error. The same object: nothing
    to open."""
    if isinstance(value, dict):
        return _unwrap(value)
    if isinstance(value, str) and value.strip()[:1] in tuple('{["-0123456789tfn'):
        return _decode(value), False
    return value, False


def _unwrap(value: dict[str, object]) -> tuple[object, bool]:
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


def _decode(text: str) -> object:
    """The JSON value in a text, the text itself if there is none or it is a JSON string."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(found, str) or found != found:
        return text
    return found if isinstance(found, dict | list) or canonical(found) != text else text
