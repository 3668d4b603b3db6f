"""Call arguments (JSON text in OpenAI, an object in Gemini) and tool results (text in OpenAI, an object in Gemini).

Results: this adapter writes text as ``{"output": text}`` and unwraps only that; every other object travels as its JSON
text and comes back as that object, so no wrapper that a client chose is lost (mapping row R-19). Text that reads as a
JSON object is that object to Gemini.
"""

import json
from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import dumps

OUTPUT: Final = "output"
ERROR: Final = "error"
RAW: Final = "_raw"
"""Key under which unreadable arguments of a call in the history are kept."""

NO_RESULT: Final = "no result was given for this call"


def _refuse_constant(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON value")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)

_SCAN_VALUE: Final[Callable[[str, int], tuple[object, int]]] = vars(_DECODER)["scan_once"]
"""Reads one value and returns where it ended; StopIteration where none begins, also before white space."""


def parse_json_refusing_nan(text: str) -> object:
    """Return the value of strict JSON text (no NaN or Infinity), integers exact. Raises ValueError."""
    try:
        value, end = _SCAN_VALUE(text, 0)
        if end == len(text):
            return value
    except StopIteration:
        pass
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return _parse_strict_json_in_white_space(text)


def _parse_strict_json_in_white_space(text: str) -> object:
    """Return the value of text with white space around it. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_arguments(raw: object) -> JsonObject | None:
    """Return the arguments object; {} for absent, null, "" and the text ``null``; None if it is no JSON object at
    all."""
    if not isinstance(raw, str):
        return {} if raw is None else raw if isinstance(raw, dict) else None
    try:
        value = parse_json_refusing_nan(raw)
    except ValueError:
        return {} if not raw.strip() else None
    if isinstance(value, dict):
        return value
    return {} if value is None else None


def write_arguments(object_or_json: object) -> str | None:
    """Return arguments as JSON text, "{}" for none; None if they are neither an object nor the text of one."""
    if isinstance(object_or_json, dict):
        return dumps(object_or_json)
    parsed = parse_arguments(object_or_json)
    if parsed is None:
        return None
    is_written = isinstance(object_or_json, str) and object_or_json.strip().startswith("{")
    return str(object_or_json) if is_written else dumps(parsed)


def result_text(response: object) -> str:
    """Return a Gemini tool result as the text of a tool message."""
    if not isinstance(response, dict):
        return response if isinstance(response, str) else "" if response is None else dumps(response)
    if _is_output_wrapper(response):
        output = response[OUTPUT]
        return output if isinstance(output, str) else dumps(output)
    return dumps(response)


def result_object(text: str, wrap: str = OUTPUT, *, carried: bool = False) -> JsonObject:
    """Return the text of a tool message as a Gemini tool result: a JSON object as it is, any other under ``wrap``.

    JSON with a key ``$ref`` stays text: to Gemini that names a file of the result, and it refuses a name without one
    (vercel/ai#14369, router-for-me/CLIProxyAPI#6065, read 2026-11-23). Not in a ``carried`` document, which may have
    such a file.
    """
    if not text or text[0] not in "{[":
        return {wrap: text}
    try:
        value = parse_json_refusing_nan(text)
    except ValueError:
        return {wrap: text}
    if not carried and ("$ref" in text or "\\u" in text) and _has_reference(value):
        return {wrap: text}
    if isinstance(value, dict):
        return {wrap: text} if len(value) == 1 and _is_output_wrapper(value) else value
    return {wrap: value}


def _has_reference(value: object) -> bool:
    """Return whether a key ``$ref`` stands anywhere in a JSON value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "$ref" in item:
                return True
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False


def error_text(response: object) -> str | None:
    """Return the error in a Gemini tool result that is ``{"error": ...}`` and nothing else; None for any other."""
    if not isinstance(response, dict) or response.keys() != {ERROR}:
        return None
    error = response[ERROR]
    return error if isinstance(error, str) else dumps(error)


def looks_like_json(text: str) -> bool:
    """Return whether this text might be taken for an object or a list."""
    return text.startswith(("{", "["))


def _is_output_wrapper(value: JsonObject) -> bool:
    """Return whether this object is a wrapper of ours, or would be taken for one on the way back.

    Then its text is wrapped once more.
    """
    return len(value) == 1 and isinstance(value.get(OUTPUT), (str, list))
