"""Results that a library unrolls: the result names its call, and in a frame that names the same call its text and files
stand in the user's message.

Source: chatlas 0.23.0, ``_content_expand.py``: "Very few providers support anything other than text results from tools.
[...] unrolling the tool result to a forward pointer to other user content items"
(https://github.com/posit-dev/chatlas/blob/main/chatlas/_content_expand.py, 2026-11-23)."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from bridgecheck.compare.rewrites import media_with_canonical_mime
from bridgecheck.compare.tool_results import decode_json_text, pair_results, unwrap_result
from bridgecheck.model.outcome import Media
from bridgecheck.model.prompt import MediaPart, Part, ResultPart, TextPart, Turn

_MOST_WORDS: Final = 100
"""The most characters around the id in what names a call."""
_TAGS: Final = r"(?:\s|</?[\w.:-]{1,40}>)*"
_END_TAGS: Final = r"(?:\s*</[\w.:-]{1,40}>)*"
_FILE: Final = re.compile("\ue000(\\d+)\ue001")


def restore_results_in_frames(expected: Sequence[Turn], actual: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the actual history with the values and files of results, which have files, in the results again: those
    that stand whole and in order in a frame of the same exchange, where result and frame name the call."""
    results = [part for turn in pair_results(_turns_with_files_in_results(expected)) for part in turn.parts]
    whole = {part.id: part for part in results if isinstance(part, ResultPart) and part.media}
    if not whole:
        return tuple(actual)
    numbered = iter([part.id for turn in pair_results(actual) for part in turn.parts if isinstance(part, ResultPart)])
    restored: list[Turn] = []
    for role, neighbours in groupby(actual, lambda turn: turn.role):
        turns = list(neighbours)
        parts = tuple(part for turn in turns for part in turn.parts)
        pairs = [(part, whole.get(next(numbered))) for part in parts if isinstance(part, ResultPart)]
        changed = _restore_results(parts, [(sent, found) for sent, found in pairs if found is not None])
        restored += turns if changed == parts or role != "user" else [replace(turns[0], parts=changed)]
    return tuple(restored)


def _turns_with_files_in_results(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns with files that stand behind a result in that result."""
    changed: list[Turn] = []
    for turn in turns:
        parts: list[Part] = []
        for part in turn.parts:
            last = parts[-1] if parts else None
            if isinstance(part, MediaPart) and isinstance(last, ResultPart):
                parts[-1] = replace(last, media=(*last.media, part.media))
            else:
                parts.append(part)
        changed.append(replace(turn, parts=tuple(parts)))
    return tuple(changed)


def _restore_results(parts: tuple[Part, ...], pairs: Sequence[tuple[ResultPart, ResultPart]]) -> tuple[Part, ...]:
    """Return the parts of an exchange with each (sent, expected) result out of its frame; as they are where one of
    those that name a frame is not whole in it."""
    named = [(sent, found) for sent, found in pairs if _names_call_alone(sent)]
    files = [part for part in parts if isinstance(part, MediaPart)]
    positions = iter(range(len(files)))
    written = "\n".join(
        part.text if isinstance(part, TextPart) else f"\ue000{next(positions)}\ue001"
        for part in parts
        if isinstance(part, TextPart | MediaPart)
    )
    for sent, found in named:
        frame = _find_frame(sent.id, found, files, written)
        if frame is None:
            return parts
        written = f"{written[: frame.start()]}\n{written[frame.end() :]}"
    if not named or not {type(part) for part in parts} <= {TextPart, MediaPart, ResultPart}:
        return parts
    values = {sent.id: found for sent, found in named}
    results = [
        replace(part, value=values[part.id].value, media=values[part.id].media) if part.id in values else part
        for part in parts
        if isinstance(part, ResultPart)
    ]
    pieces = enumerate(_FILE.split(written))
    return (*results, *(files[int(piece)] if at % 2 else TextPart(piece.strip("\n")) for at, piece in pieces))


def _names_call_alone(sent: ResultPart) -> bool:
    """Return whether a result without files has the id of its call in a few words."""
    shown = unwrap_result(sent.value, None)[0]
    is_short = len(shown) <= len(sent.id) + _MOST_WORDS
    return bool(sent.id) and not sent.media and is_short and re.search(_word(sent.id), shown) is not None


def _find_frame(id: str, result: ResultPart, files: Sequence[MediaPart], written: str) -> re.Match[str] | None:
    """Return where the frame that names a call holds the text and the files of its result, and nothing else."""
    shown = unwrap_result(result.value, None)[0]
    forms = "|".join(re.escape(form.strip()) for form in (shown, json.dumps(decode_json_text(shown))))
    places = [
        "|".join(str(at) for at, file in enumerate(files) if _is_same_file(file.media, media)) or "none"
        for media in result.media
    ]
    contents = [f"(?:{forms})"] * bool(shown.strip()) + [f"\ue000(?:{place})\ue001" for place in places]
    name = rf"[^\n\ue000]{{0,{_MOST_WORDS}}}?{_word(id)}"
    opening = rf"(?:^[ \t]*<{name}[^\n<>]{{0,{_MOST_WORDS}}}>|^{name}[^\n<>\ue000]{{0,{_MOST_WORDS}}}$)"
    return re.search(opening + _TAGS + _TAGS.join(contents) + _END_TAGS, written, re.MULTILINE)


def _is_same_file(file: Media, expected: Media) -> bool:
    return media_with_canonical_mime(file) == media_with_canonical_mime(expected)


def _word(id: str) -> str:
    return rf"(?<![\w-]){re.escape(id)}(?![\w-])"
