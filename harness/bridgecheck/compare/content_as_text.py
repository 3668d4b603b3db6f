"""Content that a provider has no place for, written into its turn as text that can be read: nothing of the client's is
lost, and the model can tell what it was. Bytes written as text, and whatever has a place, are no such content."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from bridgecheck.compare.text import contains_in_order
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.prompt import MediaPart, OtherPart, Part, ReasoningPart, TextPart, Turn

_SHORTEST: Final = 4
"""Characters of a value by which a text is known to tell of it."""
_FRAME: Final = 400
"""Characters that may stand around the values of one part, as the keys of its JSON do."""
_MOST_BRACES: Final = 100


def restore_parts_written_as_text(
    expected: Sequence[Turn], actual: Sequence[Turn], may_be_written: Callable[[Part], bool]
) -> tuple[Turn, ...]:
    """Return the actual history with the parts back that it tells as text, at their place among the client's texts.
    ``may_be_written``: whether a part has no place in the provider's dialect. Both histories come from
    ``canonical_pieces``."""
    if len(expected) != len(actual):
        return tuple(actual)
    return tuple(_restore_turn(*pair, may_be_written) for pair in zip(expected, actual, strict=True))


def _restore_turn(expected: Turn, actual: Turn, may_be_written: Callable[[Part], bool]) -> Turn:
    written = [part for part in expected.parts if part not in actual.parts and may_be_written(part)]
    stretches = [list(_split_at_other_parts(turn.parts, written)) for turn in (expected, actual)]
    if not written or expected.role != actual.role or len(stretches[0]) != len(stretches[1]):
        return actual
    is_whole = all(
        expected_part == actual_part and _tells(expected_run, "".join(_texts(actual_run)))
        for (expected_part, expected_run), (actual_part, actual_run) in zip(*stretches, strict=True)
    )
    return replace(actual, parts=expected.parts) if is_whole else actual


def _split_at_other_parts(parts: Sequence[Part], written: Sequence[Part]) -> Iterator[tuple[Part | None, list[Part]]]:
    """Yield each part that is neither text nor written as such, with the texts and such parts behind it; thoughts are
    left to what judges them."""
    head: Part | None = None
    run: list[Part] = []
    for part in parts:
        if isinstance(part, TextPart) or part in written:
            run.append(part)
        elif not isinstance(part, ReasoningPart):
            yield head, run
            head, run = part, []
    yield head, run


def _texts(parts: Sequence[Part]) -> list[str]:
    return [part.text for part in parts if isinstance(part, TextPart)]


def _tells(expected: Sequence[Part], joined: str) -> bool:
    """Return whether a text is the expected texts, in order, with nothing but what tells of the parts among them."""
    position, between = 0, list[Part]()
    if not contains_in_order(_texts(expected), joined):
        return False
    for part in (*expected, None):
        if part is not None and not isinstance(part, TextPart):
            between.append(part)
            continue
        start = joined.find(part.text, position) if part is not None else len(joined)
        if not _is_told(between, joined[position:start]):
            return False
        position, between = start + (len(part.text) if part is not None else 0), []
    return True


def _is_told(parts: Sequence[Part], gap: str) -> bool:
    """Return whether a text tells of these parts, each by one of its values, and of little else; nothing tells of
    nothing. Blocks of another provider may be left out."""
    named = [part for part in parts if _is_named(part, gap)]
    if any(isinstance(part, MediaPart) and part not in named for part in parts):
        return False
    size = sum(len(part.value) if isinstance(part, OtherPart) else len(_text_of_file(part, gap)) for part in named)
    return not gap.strip() or (bool(named) and len(gap) <= 2 * size + _FRAME * len(named))


def _is_named(part: Part, gap: str) -> bool:
    if isinstance(part, MediaPart):
        return bool(part.media.uri and part.media.uri in gap) or bool(_text_of_file(part, gap))
    values = _leaves(json.loads(part.value)) if isinstance(part, OtherPart) else ()
    return any(value in gap or canonical(value)[1:-1] in gap for value in values if len(value) >= _SHORTEST)


def _text_of_file(part: Part, gap: str) -> str:
    """Return the content of a file of text that stands in JSON in a text, "" where it does not or is no text."""
    if not isinstance(part, MediaPart) or not part.media.mime.startswith("text/"):
        return ""
    leaves = (leaf for value in _json_values(gap) for leaf in _leaves(value))
    return next((leaf for leaf in leaves if _digest(leaf) == part.media.sha256), "")


def _digest(content: str) -> str:
    return sha256(content.encode("utf-8", "replace")).hexdigest()


def _json_values(text: str) -> Iterator[object]:
    """Yield the JSON objects that stand in a text."""
    decoder, position = json.JSONDecoder(), text.find("{")
    for _ in range(_MOST_BRACES):
        if position == -1:
            return
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield value
        position = text.find("{", end)


def _leaves(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value, its keys aside."""
    if isinstance(value, str):
        yield value
    for item in (*obj(value).values(), *arr(value)):
        yield from _leaves(item)
