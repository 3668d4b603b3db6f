"""Where in a TOML text a key is set: its line, for messages that point at the mistake."""

import re
from collections.abc import Sequence
from typing import Final

_STEP: Final = r"""(?:[\w\-]+|"[^"]*"|'[^']*')"""
_HEADER: Final = re.compile(r"[ \t]*\[[ \t]*([^\[\]]+?)[ \t]*\][ \t]*(?:#.*)?")
_KEY: Final = re.compile(rf"[ \t]*({_STEP}(?:[ \t]*\.[ \t]*{_STEP})*)[ \t]*=")


def line_of(source: str, path: Sequence[str]) -> int:
    """The 1-based line that sets ``path`` (``("tool", "bridgecheck", "adapter")``); of the nearest table around it that
    has a header, if it stands inside a value; 1 if there is none. What only looks like TOML inside a text of several
    lines may be taken for it."""
    wanted = tuple(path)
    table: tuple[str, ...] = ()
    best = 0, 1
    for number, line in enumerate(source.split("\n"), 1):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header:
            table = _steps(header[1])
        found = table if header else (*table, *_steps(key[1])) if key else None
        if found and found == wanted[: len(found)] and len(found) > best[0]:
            best = len(found), number
    return best[1]


def _steps(dotted: str) -> tuple[str, ...]:
    return tuple(step.strip("\"'") for step in re.findall(_STEP, dotted))
