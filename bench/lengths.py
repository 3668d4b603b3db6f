"""How long the pieces of recorded traffic are, and text of such lengths.

Each tuple holds the middles of the ten tenths of what was recorded, in characters, so that going round it gives the
recorded spread but for its longest twentieth. Recorded: 2,264 interactions from the test suites of public projects
(shared/real_traffic, read 2026-11-22), Gemini API and api.openai.com; histories of at least four messages, each message
once.
"""

from typing import Final

Lengths = tuple[int, ...]

GEMINI_TEXT: Final[Lengths] = (3, 6, 14, 20, 33, 64, 99, 117, 219, 354)
"""Texts of stream events of gemini-2.5 and gemini-3 models (198)."""

GEMINI_ARGUMENTS: Final[Lengths] = (12, 12, 13, 18, 20, 22, 25, 29, 76, 110)
"""Arguments of calls in streams of the same models, as JSON (29, those without arguments left out): eight in ten have
one member, the longest three and four."""

GEMINI_SIGNATURES: Final[Lengths] = (0, 312, 384, 432, 580, 660, 772, 1092, 1804, 5488)
"""Signatures of the same calls, 0 for none."""

CHAT_TEXT: Final[Lengths] = (1, 2, 2, 3, 4, 4, 5, 6, 8, 10)
"""Contents of OpenAI deltas (4,583)."""

CHAT_ARGUMENTS: Final[Lengths] = (1, 1, 2, 2, 3, 3, 4, 5, 5, 7)
"""Pieces of arguments in OpenAI deltas (709)."""

USER: Final[Lengths] = (15, 20, 31, 37, 40, 45, 48, 67, 86, 200)
"""User messages (72)."""

ASSISTANT: Final[Lengths] = (12, 17, 26, 33, 36, 53, 69, 109, 385, 706)
"""Assistant messages with text (41)."""

HISTORY_ARGUMENTS: Final[Lengths] = (2, 2, 2, 16, 22, 22, 24, 24, 43, 44)
"""Arguments of calls in histories (105), 2 for none."""

HISTORY_SIGNATURES: Final[Lengths] = (0, 44, 312, 384, 432, 584, 796, 1088, 2280, 3472)
"""Signatures of calls in Gemini histories (69)."""

RESULTS: Final[Lengths] = (4, 5, 8, 10, 16, 17, 22, 56, 95, 2591)
"""Tool messages (105); one in ten is JSON, the others text."""

_LETTERS: Final = "EoMCCoACARFNMg9JxT6b1SyJ6gdpxB744HDjrEANU3ZBH+exKW9eIzQ3V2SaOOVh34w9SsRQXrOACChN"
_SENTENCE: Final = "the weather in Zürich turns fine by noon with light wind from the west and some rain at night "


def pick_length(lengths: Lengths, number: int, step: int = 7) -> int:
    """The length for this number: all ten come in turn, long ones not next to each other. ``step`` (1, 3, 7 or 9):
    another one for another thing of the same number."""
    return lengths[number * step % len(lengths)]


def filler_text(length: int, number: int = 0) -> str:
    """Text of so many characters, another one for each number."""
    start = number * 13 % len(_SENTENCE)
    return (_SENTENCE * (length // len(_SENTENCE) + 2))[start : start + length]


def signature(length: int) -> str:
    """Letters as base64 has them."""
    return ("EoMCCoACARFNMg9JxT6b1SyJ6gdpxB744HDjrEANU3ZBH+exKW9eIzQ3V2SaOOVh34w9SsRQXrOACChN" * (length // 80 + 1))[
        :length
    ]
