"""Laying out expected and actual value side by side, as rows for the terminal and the Markdown summary.

JSON objects and lists are written one member a line before they are aligned, so that two long documents show only the
lines that differ and a little around them. Control, invisible and look-alike characters are written as escapes: a
difference that cannot be seen is not shown.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from rich.cells import cell_len, chop_cells

from bridgecheck.compare.diff import common_prefix_length
from bridgecheck.model.counts import plural

DiffMark = Literal["=", "!", "<", ">", "…"]
"""Same on both sides, different, only expected, only actual, lines omitted."""

MAX_SINGLE_LINE: Final = 40
"""A JSON value up to this long stays on one line."""
CONTEXT_LINES: Final = 1
"""How many equal lines are kept around a different one."""
WRAP_FRACTION: Final = 3
"""A line is broken behind a space in the last third of it, else inside a word."""
COMMON_START: Final = 12
"""How many equal characters are kept before the first different one of a long text."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line: ``left`` of the expected, ``right`` of the actual value; neither is wider than requested."""

    mark: DiffMark
    left: str
    right: str


def diff_rows(expected: str, actual: str, width: int, limit: int = 24) -> list[DiffRow]:
    """Return at most ``limit`` rows whose halves are at most ``width`` terminal cells wide."""
    left, right = _split_json_members_into_lines(expected), _split_json_members_into_lines(actual)
    if len(left) == len(right) == 1:
        left, right = _clip_common_start(left[0], right[0])
    found = [row for pair in _fold_equal_lines(_align_lines(left, right)) for row in _wrap_row(*pair, width)]
    if len(found) <= limit:
        return found
    return [*found[: limit - 1], DiffRow("…", f"({plural(len(found) - limit + 1, 'more line')})", "")]


def pad_to_width(text: str, width: int) -> str:
    """Return the text filled up with spaces to ``width`` cells."""
    return text + " " * max(0, width - cell_len(text))


def split_at_line_feeds(text: str) -> list[str]:
    """Return the lines of a text. Only a line feed ends one: U+2028 and its like stand inside JSON strings."""
    return text.removesuffix("\n").split("\n") if text else []


def clip(text: str, length: int) -> str:
    """Return the text cut to at most ``length`` characters, with an ellipsis if cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def escape_invisible(text: str) -> str:
    """Return the text with every character that does not show itself written as an escape."""
    return "".join(char if char.isprintable() else _invisible_character_escape(char) for char in text)


def _invisible_character_escape(char: str) -> str:
    escape = f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, escape)


def _split_json_members_into_lines(text: str) -> list[str]:
    """Return one line for a short or plain text, one line a member for a long JSON value."""
    if len(text) > MAX_SINGLE_LINE and text[:1] in "[{":
        try:
            value = json.loads(text)
        except ValueError:
            return [escape_invisible(text)]
        return list(map(escape_invisible, split_at_line_feeds(json.dumps(value, indent=1, ensure_ascii=False))))
    return [escape_invisible(text)]


def _clip_common_start(left: str, right: str) -> tuple[list[str], list[str]]:
    """Cut the common start of two long texts to its last few characters, where it is long."""
    cut = common_prefix_length(left, right) - COMMON_START
    if cut <= COMMON_START or max(len(left), len(right)) <= MAX_SINGLE_LINE:
        return [left], [right]
    return ["…" + left[cut:]], ["…" + right[cut:]]


def _align_lines(left: list[str], right: list[str]) -> Iterator[tuple[DiffMark, str, str]]:
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for i in range(max(b - a, d - c)):
            has_left, has_right = a + i < b, c + i < d
            mark: DiffMark = "=" if tag == "equal" else "!" if has_left and has_right else "<" if has_left else ">"
            yield mark, left[a + i] if has_left else "", right[c + i] if has_right else ""


def _fold_equal_lines(aligned: Iterator[tuple[DiffMark, str, str]]) -> Iterator[tuple[DiffMark, str, str]]:
    """Cut runs of equal lines down to those next to a difference."""
    every = list(aligned)
    changed = [i for i, (mark, _, _) in enumerate(every) if mark != "="]
    near = {i + step for i in changed for step in range(-CONTEXT_LINES, CONTEXT_LINES + 1)}
    skipped = 0
    for i, line in enumerate(every):
        if changed and i not in near:
            skipped += 1
            continue
        if skipped:
            yield "…", f"({skipped} equal)", ""
        skipped = 0
        yield line
    if skipped:
        yield "…", f"({skipped} equal)", ""


def _wrap_row(mark: DiffMark, left: str, right: str, width: int) -> Iterator[DiffRow]:
    lefts, rights = _chop_text(left, width), _chop_text(right, width)
    for i in range(max(len(lefts), len(rights))):
        yield DiffRow(mark, lefts[i] if i < len(lefts) else "", rights[i] if i < len(rights) else "")


def _chop_text(text: str, width: int) -> list[str]:
    """Split the text into pieces that fit, after a space where one is near the end of a piece. Nothing is omitted."""
    pieces: list[str] = []
    while cell_len(text) > width:
        piece = chop_cells(text, width)[0]
        space = piece.rfind(" ") + 1
        piece = piece[:space] if space > len(piece) - len(piece) // WRAP_FRACTION else piece
        pieces.append(piece)
        text = text[len(piece) :]
    return [*pieces, text]
