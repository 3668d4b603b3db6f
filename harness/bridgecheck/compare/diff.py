"""Differences of two normal-form values or JSON documents, as rows a person can read.

Equal values cost one C-speed comparison. Lists are aligned before they are compared, so one event deleted among a
thousand is one row and not a thousand. DeepDiff describes only the pairs that were found to differ (on two equal
1,000-event transcripts it needs 0.7 s by itself).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from difflib import SequenceMatcher
from typing import Final

from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.verdict import Difference

ABSENT: Final = "(absent)"
LONGEST: Final = 600
"""Characters of a value shown in a difference."""

MOST: Final = 50
"""Differences shown of one comparison; the last row says how many more there are."""


def differences(expected: object, got: object, path: str = "") -> tuple[Difference, ...]:
    """What differs between two values, () if nothing. Values: JSON, tuples and the frozen dataclasses of ``model``.

    Numbers are equal by value (1 == 1.0), booleans equal booleans only, keys are unordered, lists ordered.
    """
    if is_same_json(expected, got):
        return ()
    rows = list(_walk(to_plain_json(expected), to_plain_json(got), path))
    if len(rows) > MOST:
        more = Difference(path, "", "", f"{len(rows) - MOST} more differences")
        return (*rows[:MOST], more)
    return tuple(rows)


def is_same_json(expected: object, got: object) -> bool:
    """Whether two values are equal as JSON: unlike ``==``, True is not 1."""
    if expected != got:
        return False
    if is_dataclass(expected) or is_dataclass(got):
        return canonical(to_plain_json(expected)) == canonical(to_plain_json(got))
    return _dump(expected) == _dump(got) or canonical(to_plain_json(expected)) == canonical(to_plain_json(got))


def shorten(value: object) -> str:
    """A value as one clipped line."""
    text = canonical(to_plain_json(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def to_plain_json(value: object) -> object:
    """Dataclasses as objects and tuples as lists, all the way down."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [to_plain_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain_json(item) for key, item in value.items()}
    return value


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def _walk(expected: object, got: object, path: str) -> Iterator[Difference]:
    if canonical(expected) == canonical(got):
        return
    if isinstance(expected, dict) and isinstance(got, dict):
        yield from _objects(expected, got, path)
    elif isinstance(expected, list) and isinstance(got, list):
        yield from _lists(expected, got, path)
    else:
        yield Difference(path, shorten(expected), shorten(got), _note(expected, got))


def _objects(expected: dict[str, object], got: dict[str, object], path: str) -> Iterator[Difference]:
    for key in [*expected, *(key for key in got if key not in expected)]:
        where = f"{path}.{key}" if path else key
        if key not in got:
            yield Difference(where, shorten(expected[key]), ABSENT)
        elif key not in expected:
            yield Difference(where, ABSENT, shorten(got[key]))
        else:
            yield from _walk(expected[key], got[key], where)


def _lists(expected: list[object], got: list[object], path: str) -> Iterator[Difference]:
    ours, theirs = [canonical(item) for item in expected], [canonical(item) for item in got]
    head = _common(ours, theirs)
    tail = _common(ours[head:][::-1], theirs[head:][::-1])
    matcher = SequenceMatcher(None, ours[head : len(ours) - tail], theirs[head : len(theirs) - tail], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield from _hunk(expected, got, path, (a + head, b + head, c + head, d + head))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items at the start are equal."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _hunk(
    expected: list[object], got: list[object], path: str, span: tuple[int, int, int, int]
) -> Iterator[Difference]:
    """A differing stretch: items pairwise, then what is left over on one side."""
    start, end, other_start, other_end = span
    paired = min(end - start, other_end - other_start)
    for offset in range(paired):
        yield from _walk(expected[start + offset], got[other_start + offset], f"{path}[{start + offset}]")
    for index in range(start + paired, end):
        yield Difference(f"{path}[{index}]", shorten(expected[index]), ABSENT)
    for index in range(other_start + paired, other_end):
        yield Difference(f"{path}[{index}]", ABSENT, shorten(got[index]))


def _note(expected: object, got: object) -> str:
    """What kind of change a leaf saw, in DeepDiff's words turned short; for long texts, where they part."""
    if isinstance(expected, str) and isinstance(got, str):
        return _text_note(expected, got)
    from deepdiff import DeepDiff

    kinds = DeepDiff(expected, got).keys()
    return "type changed" if "type_changes" in kinds else ""


def _text_note(expected: str, got: str) -> str:
    at = _common(expected, got)
    if len(expected) <= 80 and len(got) <= 80:
        return ""
    return f"differs from character {at}: {shorten(expected[at : at + 40])} / {shorten(got[at : at + 40])}"
