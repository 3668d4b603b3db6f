"""Texts as segments: inside a segment every byte counts, between segments white space may be added.

Some adapters put a blank line between the text before a tool call and the text after it, where the target has one
string. A normaliser has already joined *adjacent* parts with nothing: checks that let white space between those be a
warning take the parts from the documents."""

import re
from collections.abc import Sequence
from typing import Final

_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
_IN_PLACE_OF_HALF: Final = "(?:[\ud800-\udfff]|\ufffd{1,3}|[?])?"
"""Half a surrogate pair has no UTF-8: writers pass it on escaped, replace it (or each of its three bytes), or leave it
out. Source: https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/ (2026-11-24), U+FFFD substitution."""

_SLACK: Final = 80
"""Characters of wording that may stand around each carried text."""


def is_joined_from(segments: Sequence[str], text: str, carried: Sequence[str] = ()) -> bool:
    """Return whether ``text`` is these segments in order with nothing but white space added between them (not inside,
    not at the ends). ``carried``: texts that may stand between segments and at the ends too, such as a code part or a
    refusal that the target can only express as text; they may bring a little wording or a fence of their own."""
    if "".join(segments) == text:
        return True
    starts = {0} if not carried else {0, *_starts_after_carried(text, 0, segments[0] if segments else "", carried)}
    if not segments:
        return _is_gap(text, carried)
    ends = _ends_of_segment(starts, segments[0], text)
    for segment in segments[1:]:
        starts = {position for end in ends for position in _next_starts(text, end, segment, carried)}
        ends = _ends_of_segment(starts, segment, text)
    return any(end == len(text) or (carried and _is_gap(text[end:], carried)) for end in ends)


def is_same_text(expected: Sequence[str], actual: Sequence[str], carried: Sequence[str] = ()) -> bool:
    """Apply ``is_joined_from`` from either side: what is one string on one side may be several on the other."""
    return is_joined_from(expected, "".join(actual), carried) or is_joined_from(actual, "".join(expected))


def is_same_but_for_half_characters(expected: str, actual: str) -> bool:
    """Return whether the actual text is the expected one but for halves of surrogate pairs, of which it holds some."""
    pieces = _HALF_CHARACTER.split(expected)
    return len(pieces) > 1 and bool(re.fullmatch(_IN_PLACE_OF_HALF.join(map(re.escape, pieces)), actual))


def contains_in_order(pieces: Sequence[str], text: str) -> bool:
    """Return whether all pieces stand in the text, in order, with anything around them."""
    position = 0
    for piece in pieces:
        found = text.find(piece, position)
        if found == -1:
            return False
        position = found + len(piece)
    return True


def _ends_of_segment(starts: set[int], segment: str, text: str) -> set[int]:
    """Return where the segment ends for each of the starts at which it stands."""
    return {start + len(segment) for start in starts if text.startswith(segment, start)}


def _next_starts(text: str, end: int, segment: str, carried: Sequence[str]) -> set[int]:
    """Return where the next segment may start: after 0 or more white-space characters, or after carried text."""
    starts = {end}
    position = end
    while position < len(text) and text[position].isspace():
        position += 1
        starts.add(position)
    return starts | _starts_after_carried(text, end, segment, carried)


def _starts_after_carried(text: str, end: int, segment: str, carried: Sequence[str]) -> set[int]:
    """Return the starts of the segment further on, with nothing but carried text between."""
    if not carried or not segment:
        return set()
    starts, position = set[int](), text.find(segment, end)
    while position != -1:
        if _is_gap(text[end:position], carried):
            starts.add(position)
        position = text.find(segment, position + 1)
    return starts


def _is_gap(text: str, carried: Sequence[str]) -> bool:
    """Return whether a text is white space, or carried texts with little wording around them."""
    if not text.strip():
        return True
    rest = text
    count = 0
    for piece in carried:
        if piece and piece in rest:
            rest = rest.replace(piece, "", 1)
            count += 1
    return count > 0 and len(rest.strip()) <= _SLACK * count
