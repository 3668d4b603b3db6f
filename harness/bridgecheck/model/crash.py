"""Reading a crash: the text that ``Transcript.crash`` and ``CaseResult.crash`` hold, mostly a Python traceback."""

import re
from typing import Final

_FRAME: Final = re.compile(r'^[ |]*File "[^"]+", line \d+')
LAST_LINES: Final = "its last lines:"
NO_ANSWER: Final = "no answer within"
"""Stands in the crash of an adapter that took too long."""
NOT_HTTP: Final = "no HTTP"
"""Stands in the crash of an adapter at whose address something else listens."""
_GROUP: Final = re.compile(r"^\s*\| ")
"""What the traceback of an exception group puts before its lines."""
TRACEBACK: Final = "Traceback (most recent call last)"
KEPT: Final = 24
"""Lines of a traceback that are worth keeping: about eight frames and what was raised."""


def raised(crash: str) -> str:
    """The line that says what was raised, ``KeyError: 'text'``: the first one that is not indented behind the last
    frame. A message may have more lines. Without frames the first line; "" if there is none. What a process of the
    adapter's wrote last stands behind LAST_LINES, and may be a traceback of anything."""
    said, mark, _ = crash.partition(f"{LAST_LINES}\n")
    lines = [_GROUP.sub("", line) for line in f"{said}{mark}".split("\n") if line.strip()]
    frames = [number for number, line in enumerate(lines) if _FRAME.match(line)]
    behind = lines[frames[-1] + 1 :] if frames else lines
    flush = [line for line in behind if not line.startswith((" ", "+", "Traceback"))]
    return flush[0] if flush else "".join(lines[-1:]).strip()


def shortened(text: str) -> str:
    """Without the middle of a long traceback: its first line, and the last ones. Other texts are as they were."""
    said, mark, log = text.partition(f"{LAST_LINES}\n")
    lines = said.split("\n")
    if TRACEBACK not in said or len(lines) <= KEPT + 2:
        return text
    left_out = f"  ... {len(lines) - KEPT - 1} lines left out"
    return "\n".join((lines[0], left_out, *lines[-KEPT:])) + mark + log
