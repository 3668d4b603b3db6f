"""Fingerprints: what makes two failures one and the same.

They are the check, the place of the first difference and what became of it, and the shape of the message; indices,
numbers, quoted values and the names of a schema's members are taken out, so that they are the same for every case and
over runs. Where both sides are words of a closed list (why an answer ended) the words count: a cut stream that ends as
``stop`` is another defect than a filter that does. A crash is told apart by its exception and the function it came
from.

The fingerprint of a verdict names the direction too: what converts Gemini to Anthropic shares nothing with what
converts Chat to Gemini, so an accepted failure of the one must not hide a new one of the other. It does not name mode
or layer, which most converters serve with the same code.
"""

import hashlib
import re
from typing import Final, Literal, TypeAlias

from bridgecheck.model.evidence import exception_line
from bridgecheck.model.verdict import CaseResult, Difference, Verdict

ABSENT: Final = "(absent)"
"""How a difference writes that nothing is there."""

_CLASS_PATHS: Final = frozenset({"finish", "error.kind"})
"""Places whose values are classes."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_ARGUMENT = re.compile(r"\.args[.\[].*")
_MEMBER = re.compile(
    r"(?:\.(?:properties|\$defs|definitions)\.[^.\[]+|\.items(?=[.\[])|\.(?:anyOf|allOf|oneOf|prefixItems)\[\d*\])+"
)
_ANSWER = re.compile(r"^client_(?:events\[\] \[\]\.|response\[\] )")
_INDEX = re.compile(r"\[\d+\]")
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b")
_NUMBER = re.compile(r"\d+")
_FRAME = re.compile(r'File "([^"]+)", line \d+, in (\S+)')
_SEPARATOR = re.compile(r"[/\\]")
_SHAPE_LENGTH = 160
DifferenceKind: TypeAlias = Literal["lost", "added", "differs"]


def fingerprint(case: CaseResult, verdict: Verdict) -> str:
    """Return the fingerprint of a verdict: ten hex digits, the same on every machine."""
    key = case.key
    text = "\n".join((key.path, key.client, key.upstream, *defect_shape_without_direction(case, verdict)))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:10]


def defect_shape_without_direction(case: CaseResult, verdict: Verdict) -> tuple[str, ...]:
    """Return what is wrong, without the direction: the same for every pair of dialects."""
    crash = crash_shape(case.crash) if verdict.check == "adapter.completes" else ""
    return (verdict.check, crash) if crash else (verdict.check, *_first_difference_and_message_shape(verdict))


def _first_difference_and_message_shape(verdict: Verdict) -> list[str]:
    """Return path and kind of the first difference, and the rest of the message."""
    if not verdict.differences:
        return [message_shape(verdict.message)]
    first = verdict.differences[0]
    remaining_message = first.note if repeats_difference(verdict.message, first) else verdict.message
    return [
        path_shape(first.path),
        lost_added_or_differs(first),
        *filter(None, [describe_finish_or_error_change(first)]),
        message_shape(remaining_message),
    ]


def lost_added_or_differs(difference: Difference) -> DifferenceKind:
    if difference.actual == ABSENT:
        return "lost"
    return "added" if difference.expected == ABSENT else "differs"


def describe_finish_or_error_change(difference: Difference) -> str:
    """Return ``length became stop``, where the values are classes; "" elsewhere. What stands in brackets behind a class
    is the provider's or the client's own word for it."""
    if (
        path_shape(difference.path).removeprefix("choices[].") not in _CLASS_PATHS
        or lost_added_or_differs(difference) != "differs"
    ):
        return ""
    expected, actual = (side.partition(" (")[0] for side in (difference.expected, difference.actual))
    return f"{expected} became {actual}"


def repeats_difference(message: str, difference: Difference) -> bool:
    """Return whether a message holds nothing more than the difference shown beside it."""
    return all(text in message for text in (difference.path, difference.expected, difference.actual))


def path_shape(path: str) -> str:
    """``choices[0].tool_calls[2].args.city`` -> ``choices[].tool_calls[].args.*``: the tool names its arguments.
    ``parameters.properties.rows.items.type`` -> ``parameters.*.type``: it names them in its schema too. A place in the
    only document of a unary answer, and in each event of a stream, is the same place."""
    unnamed = _MEMBER.sub(".*", _ARGUMENT.sub(".args.*", path))
    return _NUMBER.sub("N", _ANSWER.sub("client ", _INDEX.sub("[]", unnamed)))


def message_shape(message: str) -> str:
    """Return the message without what differs from case to case: quoted values, hashes, numbers."""
    plain = _QUOTED.sub("'_'", message)
    return _NUMBER.sub("N", _HEX.sub("H", plain))[:_SHAPE_LENGTH]


def crash_shape(crash: str) -> str:
    """Return ``KeyError in parts.py:convert`` of a traceback; "" if there was none."""
    kind_of = message_shape(exception_line(crash).split(":", 1)[0])
    frames = _FRAME.findall(crash)
    if not frames:
        return kind_of
    file, function = frames[-1]
    return f"{kind_of} in {_SEPARATOR.split(file)[-1]}:{function}"
