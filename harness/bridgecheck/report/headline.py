"""What became of what, in words: the headline of a finding."""

import re
from typing import Final

from bridgecheck.checks.acceptable import REFUSED
from bridgecheck.checks.documents import DOCUMENT
from bridgecheck.checks.errors import NO_CREDENTIAL
from bridgecheck.model.verdict import Difference
from bridgecheck.report.fingerprint import (
    ABSENT,
    describe_finish_or_error_change,
    lost_added_or_differs,
    part_kind,
    path_shape,
)

_NOUNS: Final = (
    (r"settings\.(.+)", r"the setting \1"), (r"usage\.([a-z]+|cache_write)", r"the count of \1 tokens"),
    (r"(?:message\.)?usage", "usage"), (r"finish", "the reason why the answer ended"), (r"error", "an error"),
    (r"error\.retry_after", "the error's retry hint"), (r"error\.(.+)", r"the error's \1"),
    (r"text(?:\[\])?", "text of the answer"), (r"reasoning(?:\[\])?", "reasoning"), (r"refusal", "the refusal"),
    (r"media\[\]", "a file or image of the answer"), (r"order(?:\[\])?", "the order of texts, thoughts and calls"),
    (r"(id|model|created)", r"the \1 of the answer"), (r"tool_calls\[\]", "a tool call"),
    (r"tool_calls\[\]\.args", "an argument of a tool call"), (r"tool_calls\[\]\.(.+)", r"the \1 of a tool call"),
    (r"choices\[\]", "a choice of the answer"), (r"upstream", "a call to the provider"), (r"turns\[\]", "a turn"),
    (r"turns\[\]\.role", "the role of a turn"), (r"turns\[\]\.parts\[\]", "a part of a turn"),
    (r"turns\[\]\.parts\[\]\.value", "the result of a tool call"),
    (r"turns\[\]\.parts\[\]\.text|turns\[\]\.text", "text in a turn"),
    (r"turns\[\]\.parts\[\]\.media.*", "a file or image in a turn"),
    (r"turns\[\]\.parts\[\]\.cited.*", "a citation in a turn"),
    (r"turns\[\]\.parts\[\]\.is_error", "the mark of a failed result"),
    (r"turns\[\]\.parts\[\]\.(id|name)", r"the \1 of a tool call or its result"),
    (r"turns\[\]\.parts\[\]\.(.+)", r"the \1 in a turn"), (r"system", "the system prompt"), (r"tools\[\]", "a tool"),
    (r"tools(?:\[\])?\.(description|strict)", r"\1 of a tool"), (r"tools\.builtin\.(.+)", r"the provider's tool \1"),
    (r"tools\.schema (.+)", r"\1 in a tool's schema"), (r"tools\.schema", "a tool's schema"),
    (r"tool_choice\.parallel", "the limit to one call at a time"),
    (r"tool_choice(?:\.(?:mode|names\[\]|validated))?", "the choice of tools"),
    (r"thinking(?:\.(?:effort|off))?", "the effort of thinking"), (r"thinking\.include", "the wish to see thoughts"),
    (r"response_format", "the response format"), (r"other:(.+)", r"the member \1"),
    (r"other", "a member that is not documented"),
    (r"upstream_request\[\] ?|body", "the request"), (r"client ?", "the answer"), (r"turn N", "the request of a turn"),
    (r"signature of step N, tail", "the signature of an empty last part"),
    (r"signature of step N, (\w+) ?N?", r"the signature of a \1"), (r"step N, thinking(?:\[\])?", "a thinking block"),
    (r"step N, thinking\[\]\.(.+)", r"\1 of a thinking block"), (r"id of call N of answer N", "the id of a call"),
    (r"ids", "the ids of calls"),
)  # fmt: skip
"""Shapes of locations, and what a reader calls them."""

_EMPTY_TEXT: Final = '""'
_NOTHING: Final = "nothing is there"
_LONGEST_VALUE: Final = 60
"""Characters of a value that a headline holds."""

_ENDS: Final = re.compile(r"(?:upstream_request\[\] |body\.|(client )).")
"""How the location in a request, or in the client's answer, begins."""

_PARTS: Final = {
    "media": "a file or image", "call": "a tool call", "value": "the result of a tool call", "text": "text",
}  # fmt: skip


def describe_change(difference: Difference) -> str:
    """Return ``the setting seed is lost``, ``the reason why the answer ended: length became stop``."""
    change = describe_finish_or_error_change(difference)
    became = lost_added_or_differs(difference)
    noun = _name_location(difference)
    if difference.path.startswith(("events", "stream")):
        return f"the stream has {difference.actual}: {difference.note or f'expected {difference.expected}'}"
    if difference.expected == DOCUMENT and difference.actual.startswith("is "):
        return f"{noun} {difference.actual}"
    if change or difference.expected == DOCUMENT or difference.path == "ids":
        return f"{noun}: {change or difference.actual}"
    if difference.actual == REFUSED:
        return f"{noun} is refused: {difference.expected}"
    if difference.expected == NO_CREDENTIAL:
        return f"{noun} holds {difference.actual}"
    if difference.path == "error" and became != "differs":
        return (
            "an error arrives that the provider did not send" if became == "added" else "the provider's error is lost"
        )
    if difference.actual == _EMPTY_TEXT and became == "differs":
        return f"{noun} is lost"
    return f"{noun} {'differs' if became == 'differs' or difference.path.startswith('order') else f'is {became}'}"


def describe_broken_expectation(difference: Difference, title: str) -> str:
    """Return what a scenario says and what is so instead: ``Low effort stays low: not so, effort of the request is
    "high"``."""
    actual = difference.actual
    count = actual.partition(":")[0] if difference.expected.startswith("count ") else ""
    is_whole = difference.path.endswith("] ")
    if count == "0" or (not is_whole and actual in (ABSENT, _NOTHING, _EMPTY_TEXT)):
        change = "is lost"
    elif count:
        change = f"is there {count} times"
    elif difference.expected == ABSENT:
        change = "is added"
    else:
        long = "is there" if difference.expected == "absent true" else "differs"
        change = f"is {actual}" if len(actual) <= _LONGEST_VALUE and not is_whole else long
    return f"{title}: not so, {_name_location(difference)} {change}"


def _name_location(difference: Difference) -> str:
    shape = path_shape(difference.path)
    became = lost_added_or_differs(difference)
    if shape.endswith("parts[]") and became != "differs":
        kind = part_kind(difference.expected if became == "lost" else difference.actual)
        return f"{_PARTS.get(kind, 'a part')} in a turn"
    return _name_shape(shape)


def _name_shape(shape: str) -> str:
    if end := _ENDS.match(shape):
        return f"{_name_shape(shape[end.end() - 1 :])} of the {'answer' if end[1] else 'request'}"
    for pattern, noun in _NOUNS:
        if found := re.fullmatch(pattern, shape):
            return found.expand(noun).replace("[]", "")
    return shape.replace("[]", "")
