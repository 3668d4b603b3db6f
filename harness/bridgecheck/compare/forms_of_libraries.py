"""Forms in which a history loses nothing and is still not as the client made it: each is a WARN, no FAIL."""

import ast
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from bridgecheck.compare.tool_results import map_parts, unwrap_block, unwrap_result
from bridgecheck.model.outcome import Media
from bridgecheck.model.prompt import CallPart, MediaPart, Part, ReasoningPart, ResultPart, TextPart, Turn

_LONGEST_WORD: Final = 20
"""Characters of "Continue." and the like."""


def forget_form_of_library(
    expected: Sequence[Turn], actual: Sequence[Turn]
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Return both histories without what a library's own types decide: the order of a message's text and files, how an
    image is encoded, and a short word of the user's behind an answer that was begun (Gemini 3 refuses to end on one).
    """
    same = _digests_of_media(expected) & _digests_of_media(actual)
    plain, sent = (
        tuple(replace(turn, parts=_texts_before_media(turn.parts, same)) for turn in turns)
        for turns in (expected, actual)
    )
    has_added_turn = len(sent) == len(plain) + 1 and plain[-1:] and plain[-1].role == "assistant"
    return plain, sent[:-1] if has_added_turn and _is_word_of_user(sent[-1]) else sent


def _is_word_of_user(turn: Turn) -> bool:
    return turn.role == "user" and all(
        isinstance(part, TextPart) and len(part.text) <= _LONGEST_WORD for part in turn.parts
    )


def _digests_of_media(turns: Sequence[Turn]) -> set[str]:
    return {part.media.sha256 for turn in turns for part in turn.parts if isinstance(part, MediaPart)}


def _texts_before_media(parts: tuple[Part, ...], same: Collection[str]) -> tuple[Part, ...]:
    """Return the parts of a turn of texts and media with the texts first, and of images that may have been encoded anew
    that they are PNG alone; any other turn as it is. ``same``: digests that both histories have: these are the image
    itself, which stays at its place."""
    if not {type(part) for part in parts} <= {TextPart, MediaPart}:
        return parts
    png = Media("image/png")
    files = [
        replace(part, media=png) if part.media.sha256 not in {"", *same} and part.media.mime == png.mime else part
        for part in parts
        if isinstance(part, MediaPart)
    ]
    return (*(part for part in parts if not isinstance(part, MediaPart)), *files)


def tells_calls_as_text(expected: Sequence[Turn], actual: Sequence[Turn]) -> bool:
    """Return whether the actual history tells as text the calls and results that it lacks, with every value in them,
    and has all else that was expected: a library without messages of tools describes to the model what was called."""
    described = "\n".join(part.text for turn in actual for part in turn.parts if isinstance(part, TextPart))
    parts = [part for turn in expected for part in turn.parts]
    if any(isinstance(part, CallPart | ResultPart) for turn in actual for part in turn.parts):
        return False
    digests = _digests_of_media(actual)
    return any(isinstance(part, CallPart | ResultPart) for part in parts) and all(
        all(piece in described for piece in _pieces_of(part))
        if not isinstance(part, MediaPart)
        else part.media.sha256 in digests
        for part in parts
    )


def _pieces_of(part: Part) -> Iterator[str]:
    """Yield the texts of which a description of a part consists."""
    if isinstance(part, CallPart):
        yield part.call.name
        yield from _leaves_of(part.call.args)
    elif isinstance(part, ResultPart):
        yield from _leaves_of(unwrap_result(part.value, None)[0])
    elif isinstance(part, TextPart):
        yield part.text.strip()


def _leaves_of(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _leaves_of(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves_of(item)
    elif isinstance(value, str):
        yield value.strip()


def take_out_of_frames(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return the actual history without reasoning that was sent as text between tags that say so, and with results out
    of the blocks of a library's own types, out of files of plain text and as JSON where Python wrote them."""
    parts = [part for turn in expected for part in turn.parts]
    thoughts = [re.escape(part.text.strip()) for part in parts if isinstance(part, ReasoningPart) and part.text.strip()]
    values = {unwrap_result(part.value, None)[0] for part in parts if isinstance(part, ResultPart)}
    in_tags = re.compile(rf"<(\w*(?:think|thought|reasoning)\w*)>\s*(?:{'|'.join(thoughts)})?\s*</\1>\s*")

    def take_out_of_frame(part: Part) -> Part:
        if isinstance(part, TextPart) and thoughts:
            return replace(part, text=in_tags.sub("", part.text))
        if isinstance(part, ResultPart) and unwrap_result(part.value, None)[0] not in values:
            return replace(part, value=_read_python_repr(unwrap_block(part.value)))
        return part

    turns = map_parts(actual, take_out_of_frame)
    return tuple(replace(turn, parts=_results_with_texts_of_files(turn.parts, values)) for turn in turns)


def _read_python_repr(value: object) -> object:
    """Return the JSON of a text in the form of Python's ``repr``; any other value as it is, and so what JSON lacks."""
    shown = unwrap_result(value, None)[0]
    if not shown.startswith(("{", "[", "(")) and shown not in ("True", "False", "None"):
        return value
    try:
        return json.dumps(ast.literal_eval(shown))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return value


def _results_with_texts_of_files(parts: tuple[Part, ...], values: Collection[str]) -> tuple[Part, ...]:
    """Return the parts with the expected value in a result that is empty, where the same text stands in it or beside it
    as a file."""
    texts = {sha256(value.encode("utf-8", "surrogatepass")).hexdigest(): value for value in values if value}
    files = [part for part in parts if isinstance(part, MediaPart) and part.media.sha256 in texts]
    waiting = [texts[part.media.sha256] for part in files]
    found: list[Part] = []
    for part in parts:
        if isinstance(part, ResultPart) and not unwrap_result(part.value, None)[0]:
            inside = [media for media in part.media if media.sha256 in texts]
            value = texts[inside[0].sha256] if inside else waiting.pop(0) if waiting else part.value
            media = tuple(media for media in part.media if media not in inside[:1])
            found.append(replace(part, value=value, media=media))
        elif part not in files:
            found.append(part)
    return parts if waiting else tuple(found)
