"""The words of an error of ours, taken apart again: in a verdict and between processes it is a text."""

import re
from typing import Final, NamedTuple

from bridgecheck.run.seen import clipped

LINES: Final = 4
"""Of what an adapter wrote, the last."""

_CODE: Final = re.compile(r"^\[[a-z-]+\] ")


class Told(NamedTuple):
    """The words of a BridgecheckError: its first line, the lines behind it, and its parts."""

    what: str
    said: tuple[str, ...]
    where: str
    expected: str
    next_step: str


def read_error(message: str) -> Told:
    """``message``: ``str()`` of a BridgecheckError; what is none is all first line and lines behind it."""
    parts = {"at": "", "expected": "", "next": ""}
    lines: list[str] = []
    for line in message.splitlines():
        label, _, rest = line.strip().partition(": ")
        if label in parts and line.startswith("  "):
            parts[label] = rest
        else:
            lines.append(clipped(line.strip()))
    first = lines[0] if lines else ""
    said = tuple(filter(None, lines[1:]))[-LINES:]
    return Told(_CODE.sub("", first), said, parts["at"], parts["expected"], parts["next"])


def last_lines(text: str, most: int = LINES) -> tuple[str, ...]:
    """The last lines that say something."""
    return tuple(clipped(line.strip()) for line in text.splitlines() if line.strip())[-most:]
