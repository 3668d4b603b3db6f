"""Texts as segments: inside a segment every byte counts, between segments white space may be added.

Some adapters put a blank line between the text before a tool call and the text after it, where the target has one
string; joining *adjacent* parts with anything is a bug, and a normaliser has already joined those with nothing.
"""

from collections.abc import Sequence


def is_joined_from(segments: Sequence[str], whole: str, carried: Sequence[str] = ()) -> bool:
    """Whether ``whole`` is these segments in order with nothing but white space added between them (not inside, not at
    the ends). ``carried``: texts that may stand between segments and at the ends too, such as a code part or a
    refusal that the target can only say as text; they may bring a little wording or a fence of their own."""
    if "".join(segments) == whole:
        return True
    starts = {0} if not carried else {0, *_gaps(whole, 0, segments[0] if segments else "", carried)}
    if not segments:
        return _is_gap(whole, carried)
    ends = _advance(starts, segments[0], whole)
    for segment in segments[1:]:
        starts = {position for end in ends for position in _next(whole, end, segment, carried)}
        ends = _advance(starts, segment, whole)
    return any(end == len(whole) or (carried and _is_gap(whole[end:], carried)) for end in ends)


def is_same_text(expected: Sequence[str], got: Sequence[str], carried: Sequence[str] = ()) -> bool:
    """``joins`` from either side: what is one string on one side may be several on the other."""
    return is_joined_from(expected, "".join(got), carried) or is_joined_from(got, "".join(expected))


def contains_in_order(pieces: Sequence[str], whole: str) -> bool:
    """Whether all pieces stand in the text, in order, whatever stands around them."""
    position = 0
    for piece in pieces:
        found = whole.find(piece, position)
        if found == -1:
            return False
        position = found + len(piece)
    return True


def _advance(starts: set[int], segment: str, whole: str) -> set[int]:
    return {start + len(segment) for start in starts if whole.startswith(segment, start)}


def _next(whole: str, end: int, segment: str, carried: Sequence[str]) -> set[int]:
    """Where the next segment may start: after 0 or more white-space characters, or after carried text."""
    found = {end}
    position = end
    while position < len(whole) and whole[position].isspace():
        position += 1
        found.add(position)
    return found | _gaps(whole, end, segment, carried)


def _gaps(whole: str, end: int, segment: str, carried: Sequence[str]) -> set[int]:
    """Starts of the segment further on, with nothing but carried text between."""
    if not carried or not segment:
        return set()
    found, position = set[int](), whole.find(segment, end)
    while position != -1:
        if _is_gap(whole[end:position], carried):
            found.add(position)
        position = whole.find(segment, position + 1)
    return found


def _is_gap(text: str, carried: Sequence[str]) -> bool:
    """White space, or carried text with at most 80 characters of wording around each piece."""
    if not text.strip():
        return True
    left = text
    found = 0
    for piece in carried:
        if piece and piece in left:
            left = left.replace(piece, "", 1)
            found += 1
    return found > 0 and len(left.strip()) <= 80 * found
