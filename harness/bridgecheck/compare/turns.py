"""Histories compared: the same turns in the same order, after canonical rewrites, on what both ends can express.

``expected``: the client's turns; ``actual``: the adapter's. Functions that return ``actual`` changed return the rule
that allows the change with it, "" if nothing changed."""

import json
import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, TypeAlias

from bridgecheck.compare.diff import differences
from bridgecheck.compare.rewrites import canonical_turns, join_reasoning, tidy_turns_leaving_texts_unjoined
from bridgecheck.compare.text import contains_in_order, is_joined_from, is_same_text
from bridgecheck.compare.tool_results import (
    ORPHAN,
    decode_json_text,
    map_parts,
    unwrap_result,
    unwrap_to_expected_value,
)
from bridgecheck.model.jsonvalue import arr, canonical, obj
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import CallPart, MediaPart, OtherPart, Part, ReasoningPart, ResultPart, TextPart, Turn
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect, JsonObject

ONE_FIELD_PER_KIND: Final = frozenset[Dialect]({"openai-chat"})
"""Dialects whose assistant messages keep text, reasoning and calls in separate fields, without an order."""
_FIELD_ORDER: Final[tuple[type, ...]] = (ReasoningPart, TextPart, MediaPart, OtherPart, CallPart)
_LONGEST_OPENING: Final = 40
"""The most characters of a text that may stand for a user who has not sent anything yet."""
_MOST_LINES: Final = 100
"""Lines of a text in which a file is looked for."""
_LONGEST_NAMING: Final = 100
"""The most characters of a text that may say where an image comes from."""
_NAMING: Final = re.compile(r"(?i)(?<![a-z])(?:tool|function|result|output|call|file|attach(?:ed|ment))s?(?![a-z])")
"""A word of a text that says where an image comes from."""

Rule: TypeAlias = Callable[[Sequence[Turn], tuple[Turn, ...]], tuple[tuple[Turn, ...], str]]
"""(expected, actual) -> actual without what a dialect needs, and the name of the rule that allows it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Something in a turn that not every dialect can express. ``path``: of a part that is of this kind, "" if it is
    not. ``strip``: the part without it, None where nothing is left. ``value``: what of the part has to arrive."""

    path: Callable[[Part], str]
    strip: Callable[[Part], Part | None]
    value: Callable[[Part], object] = lambda part: part

    @property
    def keeps_part(self) -> bool:
        """Whether something of the part is left without it."""
        return self.strip is not _drop_part


def _drop_part(_: Part) -> None:
    return None


FILE_NAME: Final = "filename"
"""The member of ``MediaPart.detail`` that is the name of a file, whatever its dialect calls it."""


def detail_members(part: Part, *, named: bool) -> JsonObject:
    """Return the file's name beside media (``named``), or all other details of them, {} if there are none."""
    members = obj(json.loads(part.detail)) if isinstance(part, MediaPart) and part.detail else {}
    return {key: value for key, value in members.items() if (key == FILE_NAME) == named}


def _keep_details(part: Part, *, named: bool) -> Part:
    members = detail_members(part, named=named)
    return replace(part, detail=canonical(members) if members else "") if isinstance(part, MediaPart) else part


def _file_name_path(part: Part) -> str:
    if not isinstance(part, MediaPart) or not detail_members(part, named=True):
        return ""
    return f"turns.media.detail.name.{part.media.mime.partition('/')[0] or 'file'}"


def _media_path(part: Part) -> str:
    if not isinstance(part, MediaPart):
        return ""
    if part.media.uri and not part.media.sha256:
        return f"turns.media.uri.{_address_kind(part.media.uri)}"
    return f"turns.media.{part.media.mime.replace('/', '.')}"


_KIND_OF_ENDING: Final = {
    "pdf": "document", "txt": "text", "mp4": "video", "webm": "video", "mov": "video", "mp3": "audio", "wav": "audio",
    "png": "image", "jpg": "image", "jpeg": "image", "gif": "image", "webp": "image",
}  # fmt: skip


def _address_kind(uri: str) -> str:
    """Return ``held`` for a file that some provider keeps; of an address that anyone can fetch the kind by its ending,
    ``web`` for any other."""
    if not uri.startswith(("http://", "https://")) or "generativelanguage.googleapis.com/" in uri:
        return "held"
    return _KIND_OF_ENDING.get(uri.split("?", 1)[0].lower().rpartition(".")[2], "web")


KINDS: Final[tuple[Kind, ...]] = (
    Kind(_media_path, _drop_part, lambda part: part.media if isinstance(part, MediaPart) else None),
    Kind(_file_name_path, lambda part: _keep_details(part, named=False),
         lambda part: detail_members(part, named=True)),
    Kind(lambda part: "turns.media.detail" if detail_members(part, named=False) else "",
         lambda part: _keep_details(part, named=True), lambda part: detail_members(part, named=False)),
    Kind(lambda part: "turns.results.is_error" if isinstance(part, ResultPart) and part.is_error and part.value else "",
         lambda part: replace(part, is_error=None) if isinstance(part, ResultPart) else part),
    Kind(lambda part: "turns.reasoning" if isinstance(part, ReasoningPart) else "", _drop_part),
    Kind(lambda part: f"turns.other.{part.kind}" if isinstance(part, OtherPart) else "", _drop_part),
)  # fmt: skip
"""Media first: what stands beside media that cannot be sent goes with them."""


def find_parts_of_kind(turns: Sequence[Turn], kind: Kind) -> list[tuple[str, Part]]:
    """Return (path, part) of every part of this kind, in order."""
    return [(path, part) for turn in turns for part in turn.parts if (path := kind.path(part))]


def strip_parts(turns: Sequence[Turn], kind: Kind, parts: Sequence[Part]) -> tuple[Turn, ...]:
    """Return the turns without these parts of this kind, or with them stripped of it."""
    return map_parts(turns, lambda part: kind.strip(part) if part in parts else part)


def canonical_pieces(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the canonical turns, with texts of different turns that were merged kept separate."""
    return canonical_turns(turns, join=False)


def turn_differences(expected: Sequence[Turn], actual: Sequence[Turn]) -> tuple[Difference, ...]:
    """Return what differs between two histories, in their canonical forms. The name of a result that answers no call
    goes unsaid: not every dialect's results have one, and the call would tell it."""
    rows = differences(canonical_turns(expected), canonical_turns(actual), "turns")
    orphans = {row.path.removesuffix("id") for row in rows if row.path.endswith(".id") and row.actual == f'"{ORPHAN}"'}
    return tuple(row for row in rows if not (row.path.endswith(".name") and row.path.removesuffix("name") in orphans))


def drop_opening_turn(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Drop a short text of the user in front of a history that the model begins, or in place of one that is empty:
    Gemini and Anthropic want messages, and Anthropic used to refuse that the model begins
    (https://github.com/CherryHQ/cherry-studio/issues/39)."""
    lacks_user = not expected or expected[0].role == "assistant"
    if not lacks_user or not actual or actual[0].role != "user":
        return actual, ""
    part = actual[0].parts[0] if len(actual[0].parts) == 1 else None
    is_short = isinstance(part, TextPart) and len(part.text) <= _LONGEST_OPENING
    return (actual[1:], "opening_turn") if is_short else (actual, "")


def restore_prefill_end(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore the white space that ends the last expected turn, where it is the model's and lacks nothing else:
    Anthropic refuses a prefilled response that ends in white space (``accept/anthropic``)."""
    expected_end, actual_end = _text_of_model_ending_history(expected), _text_of_model_ending_history(actual)
    if expected_end is None or actual_end is None or expected_end == actual_end:
        return actual, ""
    if expected_end.text.rstrip() != actual_end.text:
        return actual, ""
    return (*actual[:-1], replace(actual[-1], parts=(*actual[-1].parts[:-1], expected_end))), "prefill_end"


def _text_of_model_ending_history(turns: Sequence[Turn]) -> TextPart | None:
    """Return the text that ends a history whose last turn is the model's."""
    last = turns[-1] if turns and turns[-1].role == "assistant" else None
    part = last.parts[-1] if last and last.parts else None
    return part if isinstance(part, TextPart) else None


def restore_text_media_types(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore the expected type of a text that arrived as text/plain, the one type in which Anthropic takes text."""
    media_of_hash = {
        part.media.sha256: part.media
        for turn in expected
        for part in turn.parts
        if isinstance(part, MediaPart) and part.media.mime.startswith("text/")
    }
    restored = map_parts(actual, lambda part: _restore_text_media_type(part, media_of_hash))
    return restored, "" if restored == actual else "media.text_type"


def _restore_text_media_type(part: Part, media_of_hash: Mapping[str, Media]) -> Part:
    if not isinstance(part, MediaPart) or part.media.mime != "text/plain":
        return part
    return replace(part, media=media_of_hash.get(part.media.sha256, part.media))


def restore_fetched_media(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore the address of media whose bytes arrived in its place: an adapter may fetch what its provider cannot."""
    sent, received = ([part.media for turn in turns for part in turn.parts if isinstance(part, MediaPart)]
                      for turns in (expected, actual))  # fmt: skip
    addresses = [media for media in sent if media.uri.startswith("http") and media not in received]
    fetched = [media for media in received if media.sha256 and media not in sent]
    if not addresses or len(addresses) != len(fetched):
        return actual, ""
    address_of = dict(zip(fetched, addresses, strict=True))
    return map_parts(
        actual,
        lambda part: (
            replace(part, media=address_of.get(part.media, part.media)) if isinstance(part, MediaPart) else part
        ),
    ), "media_fetched"


def unwrap_results_under_any_key(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Take results out of an object with a key of the adapter's own: Gemini lets callers use any that fits the
    function (https://ai.google.dev/api/caching#FunctionResponse, read 2026-11-22)."""
    results = {part.id: part for turn in expected for part in turn.parts if isinstance(part, ResultPart)}
    unwrapped = map_parts(actual, lambda part: _unwrap_part_to_expected_value(part, results))
    return unwrapped, "" if unwrapped == actual else "result_wrap"


def _unwrap_part_to_expected_value(part: Part, results: Mapping[str, ResultPart]) -> Part:
    if not isinstance(part, ResultPart) or part.id not in results:
        return part
    expected = results[part.id]
    return replace(part, value=unwrap_to_expected_value(part.value, expected.value, expected.texts))


def restore_failures_told_in_words(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore the failed results without a text in place of words: Chat has no mark, and nothing said is a success."""
    results = [part for turn in expected for part in turn.parts if isinstance(part, ResultPart)]
    failed = {part.id: part for part in results if part.is_error and not part.value}
    restored = map_parts(
        actual,
        lambda part: failed.get(part.id, part) if isinstance(part, ResultPart) and part.value else part,
    )
    return restored, "" if restored == actual else "failure_in_words"


RULES_OF_DIALECT: Final[Mapping[Dialect, tuple[Rule, ...]]] = {
    "openai-chat": (restore_failures_told_in_words,),
    "gemini": (unwrap_results_under_any_key, drop_opening_turn),
    "anthropic": (drop_opening_turn, restore_text_media_types, restore_prefill_end),
}
"""Dialect on the route -> what has to be taken back before histories are compared."""


def drop_words_about_media_of_results(
    expected: Sequence[Turn], actual: tuple[Turn, ...]
) -> tuple[tuple[Turn, ...], str]:
    """Drop short texts that say whose an image or a file is, beside one that came out of a tool's result and listed
    with the result: where a provider takes it as the user's alone, adapters say that (LiteLLM 1.109.1, "The following
    images are tool output"; ai 7.0.173, "Tool executed successfully and returned this image as a response";
    pydantic-ai 2.68.0, "See file 2cb0ce.")."""
    results = [part for turn in expected if _has_result_with_media(turn) for part in turn.parts]
    names = {part.name for part in results if isinstance(part, ResultPart)} - {""}

    def names_source(added: str) -> bool:
        return _NAMING.search(added) is not None or any(name in added for name in names)

    changed = drop_words_beside_media_of_results(expected, actual, names_source)
    return changed, "" if changed == actual else MEDIA_OF_RESULT_NAMED


MEDIA_OF_RESULT_NAMED: Final = "media_of_result_named"


def drop_words_beside_media_of_results(
    expected: Sequence[Turn], actual: tuple[Turn, ...], may_be_dropped: Callable[[str], object] = bool
) -> tuple[Turn, ...]:
    """Return the actual history without the short texts, none of them the client's, that stand beside media of a
    tool's result or are listed with the result. Both histories come from ``canonical_pieces``."""
    parts = [part for turn in expected if _has_result_with_media(turn) for part in turn.parts]
    if not parts:
        return actual
    values = {part.id: part.value for part in parts if isinstance(part, ResultPart)}
    media = {part.media for part in parts if isinstance(part, MediaPart)}
    stated = {part.text for turn in expected for part in turn.parts if isinstance(part, TextPart)}

    def is_added(value: object) -> bool:
        is_short_text = isinstance(value, str) and value not in stated and len(value) <= _LONGEST_NAMING
        return is_short_text and bool(may_be_dropped(str(value)))

    changed = tuple(replace(turn, parts=_without_words_beside_media(turn.parts, media, is_added)) for turn in actual)
    return map_parts(changed, lambda part: _without_words_beside_value(part, values, is_added))


def _without_words_beside_value(part: Part, values: Mapping[str, object], is_added: Callable[[object], bool]) -> Part:
    """Return a result that lists the expected value and words about its media with that value alone."""
    if not isinstance(part, ResultPart) or part.id not in values:
        return part
    value, shown = values[part.id], str(part.value)
    listed = arr(decode_json_text(shown)) if shown.startswith("[") else []
    texts = [item for item in listed if unwrap_result(item, None)[0] != value]
    is_value_among_texts = len(texts) == len(listed) - 1 and all(map(is_added, texts))
    return replace(part, value=value) if is_value_among_texts else part


def _has_result_with_media(turn: Turn) -> bool:
    return {ResultPart, MediaPart} <= {type(part) for part in turn.parts}


def _without_words_beside_media(
    parts: Sequence[Part], media: Container[Media], is_added: Callable[[object], bool]
) -> tuple[Part, ...]:
    is_media = [isinstance(part, MediaPart) and part.media in media for part in parts]
    return tuple(
        part
        for at, part in enumerate(parts)
        if not (isinstance(part, TextPart) and any(is_media[max(at - 1, 0) : at + 2]) and is_added(part.text))
    )


def restore_files_sent_as_text(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore files of plain text that a turn has as its text, in a frame of few words: Chat takes no such files, and
    pydantic-ai 2.68.0 writes "-----BEGIN FILE id=..." and the text."""
    if len(expected) != len(actual):
        return actual, ""
    restored = tuple(map(_restore_turn_of_text_files, expected, actual))
    return restored, "" if restored == actual else "media.as_text"


def _restore_turn_of_text_files(expected: Turn, actual: Turn) -> Turn:
    contents = texts_of_files(expected, actual)
    joined = "".join(part.text for part in actual.parts if isinstance(part, TextPart))
    pieces = [part.text if isinstance(part, TextPart) else contents.get(_digest(part), "") for part in expected.parts]
    is_whole = bool(contents) and contains_in_order(pieces, joined)
    return replace(actual, parts=expected.parts) if is_whole and is_short_frame(pieces, contents, joined) else actual


def texts_of_files(expected: Turn, actual: Turn) -> dict[str, str]:
    """Return the texts, by digest, of the files of a turn of texts and files of text, {} where it is no such turn or
    the actual one, of nothing but text, lacks one."""
    files = [part.media for part in expected.parts if isinstance(part, MediaPart)]
    digests = {media.sha256 for media in files}
    is_of_text = all(isinstance(part, TextPart | MediaPart) for part in expected.parts) and all(
        media.mime.startswith("text/") or media.mime in _OTHER_TEXTS for media in files
    )
    texts = [part.text for part in actual.parts if isinstance(part, TextPart)]
    if not is_of_text or len(texts) < len(actual.parts):
        return {}
    contents = {
        digest: run for content in ("".join(texts), *texts) for digest, run in _texts_of_digests(content, digests)
    }
    return contents if len(contents) == len(digests) else {}


def is_short_frame(pieces: Sequence[str], contents: Collection[str], joined: str) -> bool:
    """Return whether few words stand around the texts of these files (``contents``) and the other texts."""
    return len(joined) - sum(map(len, pieces)) <= 2 * _LONGEST_NAMING * len(contents)


_OTHER_TEXTS: Final = frozenset({"application/json", "application/xml", "application/yaml"})


def _digest(part: Part) -> str:
    return part.media.sha256 if isinstance(part, MediaPart) else ""


def _texts_of_digests(text: str, digests: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the runs of whole lines in a text whose bytes have one of these digests, each behind its digest."""
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        return
    for end in range(len(lines) + 1):
        for start in range(end):
            run = "\n".join(lines[start:end])
            digest = sha256(run.encode("utf-8", "replace")).hexdigest()
            if digest in digests:
                yield digest, run


def restore_broken_arguments(expected: Sequence[Turn], actual: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """Restore the expected calls in place of those that hold the text of broken arguments under some key: only Chat can
    express arguments that are no object. Both histories come from ``canonical_pieces``."""
    calls = [part.call for turn in expected for part in turn.parts if isinstance(part, CallPart)]
    broken = {call.id: call for call in calls if call.bad_args is not None}
    restored = map_parts(actual, lambda part: _restore_broken_call(part, broken))
    return restored, "" if restored == actual else "bad_args_held"


def _restore_broken_call(part: Part, broken: Mapping[str, ToolCall]) -> Part:
    call = broken.get(part.call.id) if isinstance(part, CallPart) else None
    if call is None or not isinstance(part, CallPart) or call.bad_args not in part.call.args.values():
        return part
    return replace(part, call=replace(part.call, args=call.args, bad_args=call.bad_args))


def drop_allowed_additions(
    expected: Sequence[Turn],
    actual: Sequence[Turn],
    may_restore_reasoning: bool = False,
    preserved: Sequence[Part] = (),
) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    """Drop what a provider's dialect needs and the client did not send, and return the rules that allow it: a result
    standing in for a missing one, the name of a file, thinking that was stored in a signature
    (``may_restore_reasoning``: there may be such), and what a library had put into ``keep`` beside the parts
    (``preserved``: the parts of the provider's earlier answers). Both histories come from ``canonical_pieces``."""
    parts = [part for turn in expected for part in turn.parts]
    answered = {part.id for part in parts if isinstance(part, ResultPart)}
    unanswered = {part.call.id for part in parts if isinstance(part, CallPart)} - answered
    has_file_names = any(detail_members(part, named=True) for part in parts)
    rules: set[str] = set()

    def drop(part: Part) -> Part | None:
        if isinstance(part, ResultPart) and part.id in unanswered:
            rules.add("placeholder_result")
            return None
        if may_restore_reasoning and isinstance(part, ReasoningPart) and part not in parts:
            rules.add("reasoning_restored")
            return None
        if part not in parts and _is_preserved(part, preserved):
            rules.add("kept_part_back")
            return None
        if not has_file_names and detail_members(part, named=True):
            rules.add("file_name_added")
            return _keep_details(part, named=False)
        return part

    return map_parts(actual, drop), tuple(sorted(rules))


def _is_preserved(part: Part, preserved: Sequence[Part]) -> bool:
    """Return whether a part is one of those, signatures aside, and none that a library's own parts can all hold."""
    if isinstance(part, ReasoningPart):
        texts = "".join(held.text for held in preserved if isinstance(held, ReasoningPart))
        return (bool(part.text) and part.text in texts) or part in preserved
    return isinstance(part, MediaPart | OtherPart) and part in preserved


def order_by_chat_field(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return assistant turns in the order of a Chat message: text, reasoning and calls in separate fields."""
    ordered = list(turns)
    for at, turn in enumerate(turns):
        if turn.role == "assistant":
            parts = tuple(part for kind in _FIELD_ORDER for part in turn.parts if isinstance(part, kind))
            ordered[at] = replace(turn, parts=parts)
    return join_reasoning(ordered)


def turns_match(expected: Sequence[Turn], actual: Sequence[Turn], stand_ins: Sequence[str] = ()) -> bool:
    """Return whether two histories, both from ``canonical_pieces``, are equal but for white space between pieces of
    text. ``stand_ins``: texts that may stand between pieces, for parts that were dropped from ``expected``."""
    expected, actual = tidy_turns_leaving_texts_unjoined(expected), tidy_turns_leaving_texts_unjoined(actual)
    if len(expected) != len(actual):
        return False
    return all(_is_same_turn(*pair, stand_ins) for pair in zip(expected, actual, strict=True))


def _is_same_turn(expected: Turn, actual: Turn, stand_ins: Sequence[str]) -> bool:
    if (expected.role, expected.name) != (actual.role, actual.name):
        return False
    expected_runs, actual_runs = _runs_without_blank_edges(expected.parts), _runs_without_blank_edges(actual.parts)
    if len(expected_runs) != len(actual_runs):
        return False
    return all(_is_same_run(*pair, stand_ins) for pair in zip(expected_runs, actual_runs, strict=True))


Run: TypeAlias = tuple[str, ...] | Part


def _text_runs(parts: Sequence[Part]) -> list[Run]:
    """Return neighbouring texts as one tuple of pieces, everything else by itself."""
    runs: list[Run] = []
    for part in parts:
        last = runs[-1] if runs else None
        if not isinstance(part, TextPart):
            runs.append(part)
        elif isinstance(last, tuple):
            runs[-1] = (*last, part.text)
        else:
            runs.append((part.text,))
    return runs


def _runs_without_blank_edges(parts: Sequence[Part]) -> list[Run]:
    """Return the runs without texts of nothing but white space at the ends of neighbouring texts: some providers want
    a text beside an image, others refuse a blank one."""
    runs: list[Run] = []
    for run in _text_runs(parts):
        if isinstance(run, tuple):
            written = [at for at, piece in enumerate(run) if piece.strip()]
            run = run[written[0] : written[-1] + 1] if written else ()
        if run != ():
            runs.append(run)
    return runs


def _is_same_run(expected: Run, actual: Run, stand_ins: Sequence[str]) -> bool:
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        return is_same_text(expected, actual, stand_ins)
    if isinstance(expected, ResultPart) and isinstance(actual, ResultPart):
        expected = _expected_with_actual_value(expected, actual, stand_ins)
    return not differences(expected, actual)


def _expected_with_actual_value(expected: ResultPart, actual: ResultPart, stand_ins: Sequence[str]) -> ResultPart:
    """Return the expected result with the actual value, where that is the expected one amid citations or stand-ins, or
    its separate texts with white space between them."""
    if expected.texts and is_joined_from(expected.texts, str(actual.value)):
        return replace(expected, value=actual.value)
    if expected.cited and not actual.cited:
        texts = [text for text in (str(expected.value), *expected.cited) if text]
        if contains_in_order(texts, str(actual.value)):
            expected = replace(expected, value=actual.value, cited=())
    differs = bool(stand_ins) and expected.value != actual.value
    if differs and is_joined_from((str(expected.value),), str(actual.value), stand_ins):
        expected = replace(expected, value=actual.value)
    return expected
