"""Data as Python source, to be read by people: one entry a line, nothing that does not show itself."""

from collections.abc import Sequence
from pprint import pformat
from typing import Final

WIDTH: Final = 110


def literal(value: object) -> str:
    """A literal that ``eval`` turns into the value again; of JSON values and bytes."""
    return pformat(value, width=WIDTH, sort_dicts=False)


def listed(values: Sequence[object]) -> str:
    """A list with every entry on lines of its own."""
    if not values:
        return "[]"
    rows = [pformat(value, width=WIDTH - 4, sort_dicts=False).replace("\n", "\n    ") for value in values]
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"


def verbatim(text: str) -> str:
    """A literal that shows lines of code as they are, where they hold nothing that would end it."""
    lines = text.strip("\n") + "\n"
    if "'''" in lines or not all(char.isprintable() or char == "\n" for char in lines):
        return "(\n" + "".join(f"    {line!r}\n" for line in lines.splitlines(keepends=True)) + ")"
    return f"r'''\n{lines}'''"
