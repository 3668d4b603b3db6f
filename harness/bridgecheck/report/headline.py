"""What became of what, in words: the headline of a finding."""

import re
from typing import Final

from bridgecheck.checks.acceptable import REFUSED
from bridgecheck.checks.documents import DOCUMENT
from bridgecheck.model.verdict import Difference
from bridgecheck.report.fingerprint import describe_finish_or_error_change, lost_added_or_differs, part_kind, path_shape

_NOUNS: Final = (
    (r"settings\.(.+)", r"the setting \1"), (r"usage\.(.+)", r"the count of \1 tokens"), (r"usage", "the token counts"),
    (r"finish", "the reason why the answer ended"), (r"error\.(.+)", r"the error's \1"),
    (r"text", "text of the answer"), (r"tool_calls\[\]", "a tool call"),
    (r"tool_calls\[\]\.args", "an argument of a tool call"), (r"tool_calls\[\]\.(.+)", r"the \1 of a tool call"),
    (r"choices\[\]", "a choice of the answer"), (r"turns\[\]", "a turn"), (r"turns\[\]\.role", "the role of a turn"),
    (r"turns\[\]\.parts\[\]", "a part of a turn"), (r"turns\[\]\.parts\[\]\.value", "the result of a tool call"),
    (r"turns\[\]\.parts\[\]\.(.+)", r"the \1 in a turn"), (r"system", "the system prompt"), (r"tools\[\]", "a tool"),
    (r"tools\.schema (.+)", r"\1 in a tool's schema"), (r"tools\.schema", "a tool's schema"),
    (r"tool_choice.*", "the choice of tools"), (r"thinking(?:\.(?:effort|off))?", "the effort of thinking"),
    (r"other:(.+)", r"the member \1"), (r"upstream_request\[\] (.+)", r"\1 of the request"),
    (r"client (.+)", r"\1 of the answer"), (r"signature of step N, (\w+) ?N?", r"the signature of a \1"),
    (r"id of call N of answer N|ids", "the id of a call"),
)  # fmt: skip
"""Shapes of locations, and what a reader calls them."""

_PARTS: Final = {
    "media": "a file or image", "call": "a tool call", "value": "the result of a tool call", "text": "text",
}  # fmt: skip


def describe_change(difference: Difference) -> str:
    """Return ``the setting seed is lost``, ``the reason why the answer ended: length became stop``."""
    change = describe_finish_or_error_change(difference)
    became = lost_added_or_differs(difference)
    noun = _name_location(difference)
    if change or difference.expected == DOCUMENT:
        return f"{noun}: {change or difference.actual}"
    if difference.actual == REFUSED:
        return f"{noun} is refused: {difference.expected}"
    return f"{noun} {'differs' if became == 'differs' else f'is {became}'}"


def _name_location(difference: Difference) -> str:
    shape = path_shape(difference.path)
    became = lost_added_or_differs(difference)
    if shape.endswith("parts[]") and became != "differs":
        kind = part_kind(difference.expected if became == "lost" else difference.actual)
        return f"{_PARTS.get(kind, 'a part')} in a turn"
    for pattern, noun in _NOUNS:
        if found := re.fullmatch(pattern, shape):
            return found.expand(noun).replace("[]", "")
    return shape.replace("[]", "")
