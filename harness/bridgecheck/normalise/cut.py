"""How a text is cut into the pieces of a stream."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

Cut: TypeAlias = Callable[[str], list[str]]
"""Pieces, none of them empty, that join to the text."""


def cutting(places: Sequence[int]) -> Cut:
    """Cuts every text at these distances from its start, which rise."""

    def cut(text: str) -> list[str]:
        ends = [place for place in places if place < len(text)] + [len(text)]
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]

    return cut


def halves(text: str) -> list[str]:
    """In two, so that a client has something to join."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]
