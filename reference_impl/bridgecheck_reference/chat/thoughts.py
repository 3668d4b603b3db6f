"""A thought's subject and description: the first bold part, and what stands around it."""

from dataclasses import dataclass
from typing import Final

_BOLD: Final = "**"


@dataclass(frozen=True, slots=True)
class Thought:
    """``subject``: the first bold part, "" without one. ``description``: the text before and behind it."""

    subject: str
    description: str


def parse_thought(text: str) -> Thought:
    """Both are trimmed; the two sides of the bold part are joined with nothing. An unclosed ``**`` is plain text."""
    before, opened, rest = text.partition(_BOLD)
    subject, closed, after = rest.partition(_BOLD)
    if not opened or not closed:
        return Thought("", text.strip())
    return Thought(subject.strip(), (before + after).strip())
