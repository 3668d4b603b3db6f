"""Forms in which a history loses nothing and is still not as the client made it: each is a WARN, no FAIL."""

import ast
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from bridgecheck.compare.results_in_frames import restore_results_in_frames
from bridgecheck.compare.text import contains_in_order
from bridgecheck.compare.tool_results import decode_json_text, map_parts, pair_results, unwrap_block, unwrap_result
from bridgecheck.compare.turns import is_short_frame, texts_of_files
from bridgecheck.model.outcome import Media
from bridgecheck.model.prompt import CallPart, MediaPart, Part, ReasoningPart, ResultPart, TextPart, Turn

_LONGEST_WORD: Final = 20
"""Characters of "Continue." and the like."""


def forget_form_of_library(
    expected: Sequence[Turn], actual: Sequence[Turn]
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Return both histories without what a library's own types decide: the order of a message's text and files, also of
    files of text that are sent as text, results that are unrolled, how an image is encoded, and a short word of the
    user's behind an answer that was begun (Gemini 3 refuses to end on one)."""
    actual = _restore_files_of_text(expected, restore_results_in_frames(expected, actual))
    same = _digests_of_media(expected) & _digests_of_media(actual)
    plain, sent = (
        tuple(replace(turn, parts=_texts_before_media(turn.parts, same)) for turn in turns)
        for turns in (expected, actual)
    )
    has_added_turn = len(sent) == len(plain) + 1 and plain[-1:] and plain[-1].role == "assistant"
    return plain, sent[:-1] if has_added_turn and _is_word_of_user(sent[-1]) else sent


def _restore_files_of_text(expected: Sequence[Turn], actual: Sequence[Turn]) -> tuple[Turn, ...]:
    """Restore the files of text whose text stands whole before or behind the other texts of their turn."""
    pairs = zip(expected, actual, strict=True) if len(expected) == len(actual) else ()
    return tuple(_restore_files_of_turn(*pair) for pair in pairs) or tuple(actual)


def _restore_files_of_turn(expected: Turn, actual: Turn) -> Turn:
    contents = texts_of_files(expected, actual).values()
    rest = joined = "".join(part.text for part in actual.parts if isinstance(part, TextPart))
    for content in contents:
        rest = rest.replace(content, "", 1)
    texts = [part.text for part in expected.parts if isinstance(part, TextPart)]
    is_whole = (
        bool(contents) and contains_in_order(texts, rest) and is_short_frame((*texts, *contents), contents, joined)
    )
    return replace(actual, parts=expected.parts) if is_whole else actual


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


def gather_texts_of_model(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns with the texts of the model, in their order, behind the calls and results of their exchange,
    which ends where the user says something: a message that holds text and calls apart has no place between them."""
    gathered: list[Turn] = []
    texts: list[Part] = []
    for turn in turns:
        if turn.role == "assistant":
            texts += (part for part in turn.parts if isinstance(part, TextPart))
            gathered.append(replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, TextPart))))
            continue
        gathered.append(replace(turn, parts=tuple(part for part in turn.parts if isinstance(part, ResultPart))))
        rest = tuple(part for part in turn.parts if not isinstance(part, ResultPart))
        if rest:
            gathered += [Turn("assistant", tuple(texts)), replace(turn, parts=rest)]
            texts = []
    return (*gathered, Turn("assistant", tuple(texts)))


def restore_marks_of_failures(expected: Sequence[Turn], actual: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the actual history, paired, with the results marked as failed that lack the mark alone, where
    a text says what failed."""
    parts = [part for turn in pair_results(expected) for part in turn.parts if isinstance(part, ResultPart)]
    failed = {part.id: unwrap_result(part.value, None)[0] for part in parts if part.is_error}
    failed = {number: value for number, value in failed.items() if value}

    def restore(part: Part) -> Part:
        if not isinstance(part, ResultPart) or part.id not in failed:
            return part
        is_same = unwrap_result(part.value, None)[0] == failed[part.id]
        return replace(part, is_error=True) if is_same else part

    return map_parts(pair_results(actual), restore) if failed else tuple(actual)


def tells_calls_as_text(expected: Sequence[Turn], actual: Sequence[Turn]) -> bool:
    """Return whether the actual history tells as text the calls and results that it lacks, with every value in them, in
    their order, and has all else that was expected: a library without messages of tools describes to the model what was
    called."""
    described = "\n".join(part.text for turn in actual for part in turn.parts if isinstance(part, TextPart))
    if any(isinstance(part, CallPart | ResultPart) for turn in actual for part in turn.parts):
        return False
    parts = [part for turn in pair_results(expected) for part in turn.parts]
    files = {part.media.sha256 for part in parts if isinstance(part, MediaPart)}
    files |= {media.sha256 for part in parts if isinstance(part, ResultPart) for media in part.media}
    texts = [part.text.strip() for part in parts if isinstance(part, TextPart)]
    steps = [part for part in parts if isinstance(part, CallPart | ResultPart)]
    is_rest_whole = files <= _digests_of_media(actual) and all(text in described for text in texts)
    orders = (_results_by_call(expected), sorted(steps, key=_number_of_call))  # round by round, or call by call
    return bool(steps) and is_rest_whole and any(_are_told_in_order(order, described) for order in orders)


def _results_by_call(turns: Sequence[Turn]) -> list[CallPart | ResultPart]:
    """Return calls and results by turns, in each the results in the order of their calls."""
    return [
        part
        for turn in pair_results(turns)
        for part in sorted(
            (part for part in turn.parts if isinstance(part, CallPart | ResultPart)), key=_number_of_call
        )
    ]


def _number_of_call(part: CallPart | ResultPart) -> int:
    number = part.call.id if isinstance(part, CallPart) else part.id
    return int(number) if number.isdecimal() else 0


def _are_told_in_order(steps: Sequence[CallPart | ResultPart], described: str) -> bool:
    position = 0
    for step in steps:
        found = [_find_leaf(leaf, described, position) for leaf in _leaves_of_step(step)]
        if -1 in found:
            return False
        position = max([position, *found])
    return True


def _find_leaf(leaf: object, described: str, position: int) -> int:
    """Return where a value that stands in the text from this position on ends, -1 if it does not stand there. A text
    may be written as in JSON or Python, another value is a word of its own."""
    if isinstance(leaf, str):
        forms = {leaf.strip(), json.dumps(leaf)[1:-1], repr(leaf)[1:-1]}
        patterns = [re.escape(form) for form in forms]
    else:
        patterns = [rf"(?<![\w.]){re.escape(form)}(?![\w]|\.\d)" for form in (json.dumps(leaf), repr(leaf))]
    found = re.compile("|".join(patterns)).search(described, position)
    return found.end() if found else -1


def _leaves_of_step(step: CallPart | ResultPart) -> Iterator[object]:
    if isinstance(step, CallPart):
        yield step.call.name
        yield from _leaves_of(step.call.args if step.call.bad_args is None else step.call.bad_args)
        return
    shown = unwrap_result(step.value, None)[0]
    value = decode_json_text(shown)
    yield from _leaves_of(value if isinstance(value, dict | list) and value else _scalar_of(shown))


def _scalar_of(shown: str) -> object:
    """Return the number, truth value or null that a result is as JSON, its text if it is none of them."""
    return json.loads(shown) if shown in ("true", "false", "null") else shown


def _leaves_of(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _leaves_of(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves_of(item)
    else:
        yield value


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
