"""A tiny path language for literal expectations, on decoded documents.

``a.b[0].c``: keys and indices; ``[]``: every item; ``*``: every key; ``[-1]``: the last item. A key with dots or
brackets stands in quotes: ``a."x.y"``. The empty path is the document itself.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from bridgecheck.errors import HarnessError

Step: TypeAlias = str | int | None
"""A key, an index, or None for every item; the key ``*`` stands for every key."""

_UPPER: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")
_TOKEN: Final = re.compile(r'\.?"((?:[^"\\]|\\.)*)"|\[(-?\d*)\]|\.?([^.\[\]"]+)')


def parse(path: str) -> tuple[Step, ...]:
    """The steps of a path. Raises HarnessError where it cannot be read."""
    steps: list[Step] = []
    position = 0
    while position < len(path):
        match = _TOKEN.match(path, position)
        if match is None:
            raise HarnessError(f"cannot read the path {path!r}", where=f"character {position}", expected="a.b[0].c")
        quoted, index, key = match.groups()
        if index is not None:
            steps.append(int(index) if index else None)
        else:
            steps.append(quoted.replace('\\"', '"') if quoted is not None else key)
        position = match.end()
    return tuple(steps)


def select(document: object, path: str, *, either_casing: bool = False) -> list[tuple[str, object]]:
    """(concrete path, value) of everything that the path reaches, in document order; [] if nothing is there.

    ``either_casing``: a camelCase key also reaches its snake_case spelling, as in requests to Gemini, which may mix
    both. Source: https://protobuf.dev/programming-guides/json/ (parsers accept the lowerCamelCase name and the
    original one; google-genai 3.4.0 sends both in one body; 2026-11-20).
    """
    return list(_walk(document, parse(path), "", either_casing))


def _walk(value: object, steps: tuple[Step, ...], place: str, either: bool) -> Iterator[tuple[str, object]]:
    if not steps:
        yield place, value
        return
    for name, child in _children(value, steps[0], either):
        at = f"{place}{name}" if name.startswith("[") or not place else f"{place}.{name}"
        yield from _walk(child, steps[1:], at, either)


def _children(value: object, step: Step, either: bool) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        yield from _items(value, step)
    elif isinstance(value, dict):
        if step == "*":
            yield from ((str(key), child) for key, child in value.items())
        elif (key := _spelling(value, step, either)) is not None:
            yield key, value[key]


def _spelling(value: dict[object, object], step: Step, either: bool) -> str | None:
    """The key as it stands in this object, None if it is not there."""
    wanted = [str(step), _UPPER.sub(lambda match: f"_{match[0].lower()}", str(step))] if either else [str(step)]
    return next((key for key in wanted if key in value), None)


def _items(value: list[object], step: Step) -> Iterator[tuple[str, object]]:
    if step is None:
        yield from ((f"[{at}]", child) for at, child in enumerate(value))
    elif isinstance(step, int) and -len(value) <= step < len(value):
        yield f"[{step % len(value)}]", value[step]
