"""Differences of two normal-form values or JSON documents, as rows a person can read.

Equal values cost one C-speed comparison. Lists are aligned before they are compared, so one event deleted among a
thousand is one row and not a thousand. DeepDiff describes only the pairs that were found to differ (on two equal
1,000-event transcripts it needs 0.7 s by itself)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from difflib import SequenceMatcher
from typing import Final
from zlib import crc32

from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.verdict import Difference
from bridgecheck.model.volatile import mask_volatile, strip_package_folders
from bridgecheck.secrets import mask_text

ABSENT: Final = "(absent)"
MAX_SHOWN_LENGTH: Final = 600
"""Characters of a value shown in a difference."""

MAX_DIFFERENCES: Final = 50
"""Differences shown of one comparison; the last row counts the rest."""


def differences(expected: object, actual: object, path: str = "") -> tuple[Difference, ...]:
    """Return what differs between two values, () if nothing. Values: JSON, tuples and the frozen dataclasses of
    ``model``.

    Numbers are equal by value (1 == 1.0), booleans equal booleans only, keys are unordered, lists ordered."""
    if is_same_json(expected, actual):
        return ()
    rows = list(_compare_values(to_plain_json(expected), to_plain_json(actual), path))
    if len(rows) > MAX_DIFFERENCES:
        rest = _checksum("\n".join(f"{row.path} {row.expected} {row.actual}" for row in rows[MAX_DIFFERENCES:]))
        more = Difference(path, "", "", f"{len(rows) - MAX_DIFFERENCES} more differences, checksum {rest}")
        return (*rows[:MAX_DIFFERENCES], more)
    return tuple(rows)


def is_same_json(expected: object, actual: object) -> bool:
    """Return whether two values are equal as JSON: unlike ``==``, True is not 1."""
    if expected != actual:
        return False
    if is_dataclass(expected) or is_dataclass(actual) or _dump(expected) != _dump(actual):
        return canonical(to_plain_json(expected)) == canonical(to_plain_json(actual))
    return True


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def shorten(value: object) -> str:
    """Return a value as one clipped line. The checksum of a long one tells it from others that begin alike."""
    text = canonical(to_plain_json(value))
    if len(text) <= MAX_SHOWN_LENGTH:
        return text
    text = mask_text(strip_package_folders(text))  # half a credential is not known as one any more
    if len(text) <= MAX_SHOWN_LENGTH:
        return text
    return f"{text[:MAX_SHOWN_LENGTH]}… ({len(text)} characters, checksum {_checksum(text)})"


def _checksum(text: str) -> int:
    return crc32(mask_volatile(text).encode("utf-8", "backslashreplace"))


def to_plain_json(value: object) -> object:
    """Return the value with dataclasses as objects of the fields that count for equality, and tuples as lists, at every
    level."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain_json(getattr(value, field.name)) for field in fields(value) if field.compare}
    if isinstance(value, list | tuple):
        return [to_plain_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain_json(item) for key, item in value.items()}
    return value


def _compare_values(expected: object, actual: object, path: str) -> Iterator[Difference]:
    if canonical(expected) == canonical(actual):
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _compare_objects(expected, actual, path)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _compare_lists(expected, actual, path)
    else:
        yield Difference(path, shorten(expected), shorten(actual), _describe_change(expected, actual))


def _compare_objects(expected: dict[str, object], actual: dict[str, object], path: str) -> Iterator[Difference]:
    for key in [*expected, *(key for key in actual if key not in expected)]:
        key_path = f"{path}.{key}" if path else key
        if key not in actual:
            yield Difference(key_path, shorten(expected[key]), ABSENT)
        elif key not in expected:
            yield Difference(key_path, ABSENT, shorten(actual[key]))
        else:
            yield from _compare_values(expected[key], actual[key], key_path)


def _compare_lists(expected: list[object], actual: list[object], path: str) -> Iterator[Difference]:
    left, right = [canonical(item) for item in expected], [canonical(item) for item in actual]
    head = common_prefix_length(left, right)
    tail = common_prefix_length(left[head:][::-1], right[head:][::-1])
    matcher = SequenceMatcher(None, left[head : len(left) - tail], right[head : len(right) - tail], autojunk=False)
    for tag, start, end, actual_start, actual_end in matcher.get_opcodes():
        if tag != "equal":
            span = slice(start + head, end + head), slice(actual_start + head, actual_end + head)
            yield from _compare_stretch(expected, actual, path, span)


def common_prefix_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many items at the start are equal."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(left), len(right)))


def _compare_stretch(
    expected: list[object], actual: list[object], path: str, span: tuple[slice, slice]
) -> Iterator[Difference]:
    """Compare a differing stretch of two lists (``span``: of the expected and of the actual one): items pairwise, then
    what remains on either side."""
    start, actual_start = span[0].start, span[1].start
    items, actual_items = expected[span[0]], actual[span[1]]
    pairs = min(len(items), len(actual_items))
    for offset in range(pairs):
        yield from _compare_values(items[offset], actual_items[offset], f"{path}[{start + offset}]")
    for offset in range(pairs, len(items)):
        yield Difference(f"{path}[{start + offset}]", shorten(items[offset]), ABSENT)
    for offset in range(pairs, len(actual_items)):
        yield Difference(f"{path}[{actual_start + offset}]", ABSENT, shorten(actual_items[offset]))


def _describe_change(expected: object, actual: object) -> str:
    """Return the kind of change of a leaf, as DeepDiff names it; for long texts, where they begin to differ."""
    if isinstance(expected, str) and isinstance(actual, str):
        if len(expected) <= 80 and len(actual) <= 80:
            return ""
        expected, actual = strip_package_folders(expected), strip_package_folders(actual)
        at = common_prefix_length(expected, actual)
        return f"differs from character {at}: {shorten(expected[at : at + 40])} / {shorten(actual[at : at + 40])}"
    from deepdiff import DeepDiff

    return "type changed" if "type_changes" in DeepDiff(expected, actual) else ""
