"""Histories compared: the same turns in the same order, after canonical rewrites, on what both ends can say."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.compare.diff import differences
from bridgecheck.compare.rewrites import canonical_turns, join_reasoning, tidy
from bridgecheck.compare.text import holds, joins, same_text
from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart, Turn
from bridgecheck.model.verdict import Difference

_ASSISTANT_ORDER: Final[tuple[type, ...]] = (ReasoningPart, TextPart, MediaPart, OtherPart, CallPart)
"""The order of a Chat assistant message, which has one field a kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Something in a turn that not every dialect can say. ``path``: of a part that is of this kind, "" if it is not.
    ``strip``: the part without it, None where nothing is left. ``keeps_part``: whether something is left."""

    path: Callable[[Part], str]
    strip: Callable[[Part], Part | None]
    keeps_part: bool = False


def _gone(_: Part) -> None:
    return None


def _media_path(part: Part) -> str:
    if not isinstance(part, MediaPart):
        return ""
    if part.media.uri and not part.media.sha256:
        return f"turns.media.uri.{_address_kind(part.media.uri)}"
    return f"turns.media.{part.media.mime.replace('/', '.')}"


def _address_kind(uri: str) -> str:
    """``held``: a file some provider keeps; ``document``, ``video`` or ``web``: an address that anyone can fetch, by
    its ending."""
    if not uri.startswith(("http://", "https://")) or "generativelanguage.googleapis.com/" in uri:
        return "held"
    ending = "." + uri.split("?", 1)[0].lower().rpartition(".")[2]
    return _ENDINGS.get(ending, "web")


_ENDINGS: Final = {".pdf": "document", ".txt": "document", ".mp4": "video", ".webm": "video", ".mov": "video"}


KINDS: Final[tuple[Kind, ...]] = (
    Kind(lambda part: "turns.media.detail" if isinstance(part, MediaPart) and part.detail else "",
         lambda part: replace(part, detail="") if isinstance(part, MediaPart) else part, True),
    Kind(lambda part: "turns.results.is_error" if isinstance(part, ResultPart) and part.is_error else "",
         lambda part: replace(part, is_error=None) if isinstance(part, ResultPart) else part, True),
    Kind(lambda part: "turns.reasoning" if isinstance(part, ReasoningPart) else "", _gone),
    Kind(lambda part: f"turns.other.{part.kind}" if isinstance(part, OtherPart) else "", _gone),
    Kind(_media_path, _gone),
)  # fmt: skip


def pieces(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The canonical turns, with texts of different turns that were merged kept apart."""
    return canonical_turns(turns, join=False)


def match(ours: Sequence[Turn], theirs: Sequence[Turn], carried: Sequence[str] = ()) -> bool:
    """Whether two histories, both from ``pieces``, are equal but for white space between pieces of text. ``carried``:
    texts that may stand between pieces, for parts that were taken out of ours."""
    ours, theirs = tidy(ours), tidy(theirs)
    if len(ours) != len(theirs):
        return False
    return all(_same_turn(one, other, carried) for one, other in zip(ours, theirs, strict=True))


def turn_differences(asked: Sequence[Turn], sent: Sequence[Turn]) -> tuple[Difference, ...]:
    """What differs between two histories, in their canonical forms."""
    return differences(canonical_turns(asked), canonical_turns(sent), "turns")


def strip(turns: Sequence[Turn], kind: Kind, parts: Sequence[Part]) -> tuple[Turn, ...]:
    """The turns without these parts of this kind, or with them stripped of it."""
    return tuple(replace(turn, parts=tuple(_stripped(turn.parts, kind, parts))) for turn in turns)


OPENING: Final = 40
"""The longest words, in characters, that may stand for a user who has not spoken yet."""


def opened(ours: Sequence[Turn], theirs: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Theirs without a few words of the user in front of a history that the model begins, or in place of one that is
    empty, and the rule that allows it: Anthropic wants messages, and used to refuse that the model begins
    (https://github.com/CherryHQ/cherry-studio/issues/39)."""
    silent = not ours or ours[0].role == "assistant"
    if not silent or not theirs or theirs[0].role != "user":
        return theirs, ""
    said = theirs[0].parts[0] if len(theirs[0].parts) == 1 else None
    short = isinstance(said, TextPart) and len(said.text) <= OPENING
    return (theirs[1:], "opening_turn") if short else (theirs, "")


def prefilled(ours: Sequence[Turn], theirs: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Theirs with the white space that ends our last turn, where it is the model's and lacks nothing else, and the rule
    that allows it: Anthropic refuses a prefilled answer that ends in white space (``accept/anthropic``)."""
    mine, yours = _last_words(ours), _last_words(theirs)
    if mine is None or yours is None or mine == yours or mine.text.rstrip() != yours.text:
        return theirs, ""
    return (*theirs[:-1], replace(theirs[-1], parts=(*theirs[-1].parts[:-1], mine))), "prefill_end"


def _last_words(turns: Sequence[Turn]) -> TextPart | None:
    """The text that ends a history whose last turn is the model's."""
    last = turns[-1] if turns and turns[-1].role == "assistant" else None
    said = last.parts[-1] if last and last.parts else None
    return said if isinstance(said, TextPart) else None


def as_told(ours: Sequence[Turn], theirs: Sequence[Turn]) -> tuple[tuple[Turn, ...], str]:
    """Theirs with our name for a text that arrived as text/plain, the one type in which Anthropic takes text, and the
    rule that allows it."""
    named = {
        part.media.sha256: part.media
        for turn in ours
        for part in turn.parts
        if isinstance(part, MediaPart) and part.media.mime.startswith("text/")
    }
    told = tuple(replace(turn, parts=tuple(_named(part, named) for part in turn.parts)) for turn in theirs)
    return told, "" if told == tuple(theirs) else "media.text_type"


def _named(part: Part, named: Mapping[str, Media]) -> Part:
    if not isinstance(part, MediaPart) or part.media.mime != "text/plain":
        return part
    return replace(part, media=named.get(part.media.sha256, part.media))


def held_arguments(ours: Sequence[Turn], theirs: Sequence[Turn]) -> tuple[tuple[Turn, ...], str]:
    """Theirs with our calls in place of those that hold the text of our broken arguments under some key, and the rule
    that allows it: only Chat can say arguments that are no object. Both histories come from ``pieces``."""
    calls = [part.call for turn in ours for part in turn.parts if isinstance(part, CallPart)]
    broken = {call.id: call for call in calls if call.bad_args is not None}
    told = tuple(replace(turn, parts=tuple(_broken_again(part, broken) for part in turn.parts)) for turn in theirs)
    return told, "" if told == tuple(theirs) else "bad_args_held"


def _broken_again(part: Part, broken: Mapping[str, ToolCall]) -> Part:
    said = broken.get(part.call.id) if isinstance(part, CallPart) else None
    if said is None or not isinstance(part, CallPart) or said.bad_args not in part.call.args.values():
        return part
    return replace(part, call=replace(part.call, args=said.args, bad_args=said.bad_args))


def without_additions(
    ours: Sequence[Turn], theirs: Sequence[Turn], restored: bool = False
) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    """Theirs without what a provider's dialect needs and the client did not say, and the rules that allow it: a result
    standing in for one that was never given, the name of a file, thinking that had been put away in a signature
    (``restored``: there may be such). Both histories come from ``pieces``."""
    thought = {part for turn in ours for part in turn.parts if isinstance(part, ReasoningPart)}
    answered = {part.id for turn in ours for part in turn.parts if isinstance(part, ResultPart)}
    asked = {part.call.id for turn in ours for part in turn.parts if isinstance(part, CallPart)}
    named = any(isinstance(part, MediaPart) and "filename" in part.detail for turn in ours for part in turn.parts)
    found: list[Turn] = []
    rules: set[str] = set()
    for turn in theirs:
        parts: list[Part] = []
        for part in turn.parts:
            if isinstance(part, ResultPart) and part.id in asked - answered:
                rules.add("placeholder_result")
            elif restored and isinstance(part, ReasoningPart) and part not in thought:
                rules.add("reasoning_restored")
            elif isinstance(part, MediaPart) and "filename" in part.detail and not named:
                rules.add("file_name_added")
                parts.append(replace(part, detail=_without_file_name(part.detail)))
            else:
                parts.append(part)
        found.append(replace(turn, parts=tuple(parts)))
    return tuple(found), tuple(sorted(rules))


def _without_file_name(detail: str) -> str:
    left = {key: value for key, value in obj(json.loads(detail)).items() if key != "filename"}
    return canonical(left) if left else ""


def of_kind(turns: Sequence[Turn], kind: Kind) -> list[tuple[str, Part]]:
    """(path, part) of everything of this kind, in order."""
    return [(path, part) for turn in turns for part in turn.parts if (path := kind.path(part))]


def by_field(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Assistant turns in the order of a Chat message, where text, reasoning and calls stand in separate fields."""
    return join_reasoning(
        tuple(replace(turn, parts=_sorted(turn.parts)) if turn.role == "assistant" else turn for turn in turns)
    )


def _sorted(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part for kind in _ASSISTANT_ORDER for part in parts if isinstance(part, kind))


def _stripped(parts: Sequence[Part], kind: Kind, chosen: Sequence[Part]) -> list[Part]:
    found = (kind.strip(part) if part in chosen else part for part in parts)
    return [part for part in found if part is not None]


def _same_turn(one: Turn, other: Turn, carried: Sequence[str]) -> bool:
    if (one.role, one.name) != (other.role, other.name):
        return False
    ours, theirs = _runs(one.parts), _runs(other.parts)
    if len(ours) != len(theirs):
        return False
    return all(_same_run(mine, yours, carried) for mine, yours in zip(ours, theirs, strict=True))


Run = tuple[str, ...] | Part


def _runs(parts: Sequence[Part]) -> list[Run]:
    """Neighbouring texts as one tuple of pieces, everything else by itself."""
    found: list[Run] = []
    for part in parts:
        last = found[-1] if found else None
        if not isinstance(part, TextPart):
            found.append(part)
        elif isinstance(last, tuple):
            found[-1] = (*last, part.text)
        else:
            found.append((part.text,))
    return found


def _same_run(one: Run, other: Run, carried: Sequence[str]) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return same_text(one, other, carried)
    if isinstance(one, ResultPart) and isinstance(other, ResultPart) and one.cited and not other.cited:
        said = [words for words in (str(one.value), *one.cited) if words]
        one = replace(one, value=other.value, cited=()) if holds(said, str(other.value)) else one
    if isinstance(one, ResultPart) and isinstance(other, ResultPart) and carried and one.value != other.value:
        one = replace(one, value=other.value) if joins((str(one.value),), str(other.value), carried) else one
    return not differences(one, other)
