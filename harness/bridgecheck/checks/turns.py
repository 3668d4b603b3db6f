"""request.system and request.turns: the instructions and the history that the provider receives."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.checks.bases import CALLING, CHAT, GEMINI, MEASURED, MESSAGES, READ, SEAMS
from bridgecheck.checks.check import Check, Result, Rule, describe_undocumented
from bridgecheck.checks.request_and_response_pairs import RequestPair, replayed_parts, request_pairs
from bridgecheck.compare.content_as_text import restore_parts_written_as_text
from bridgecheck.compare.diff import differences
from bridgecheck.compare.forms_of_libraries import (
    forget_form_of_library,
    gather_texts_of_model,
    restore_marks_of_failures,
    take_out_of_frames,
    tells_calls_as_text,
)
from bridgecheck.compare.kept_order import restore_kept_order
from bridgecheck.compare.losses import Ends
from bridgecheck.compare.marked_instructions import MarkedInstructions, find_marked_instructions
from bridgecheck.compare.rewrites import canonical_turns, canonical_turns_of_single_texts
from bridgecheck.compare.text import contains_in_order, is_same_text
from bridgecheck.compare.tool_results import count_orphan_results, drop_orphan_results
from bridgecheck.compare.turns import (
    KINDS,
    MEDIA_OF_RESULT_NAMED,
    ONE_FIELD_PER_KIND,
    RULES_OF_DIALECT,
    Kind,
    canonical_pieces,
    drop_allowed_additions,
    drop_words_about_media_of_results,
    drop_words_beside_media_of_results,
    find_parts_of_kind,
    order_by_chat_field,
    restore_broken_arguments,
    restore_fetched_media,
    restore_files_sent_as_text,
    strip_parts,
    turn_differences,
    turns_match,
)
from bridgecheck.documented_leaves import is_documented_part
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.model.prompt import MediaPart, OtherPart, Part, ReasoningPart, TextPart, Turn
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import AppliedLoss, Difference

_TURN_REWRITES: Final = frozenset(
    {"id_bijection", "result_wrap", "media_bytes", "default_fill", "role_merge", "result_order", "adjacent_text"}
)
_WRAPPED: Final = Basis("recorded", "results in recorded Gemini requests are wrapped in over 20 ways", MEASURED)
_ERROR_KEY: Final = Basis("documented", "https://ai.google.dev/api/caching#FunctionResponse, response", READ)
_SOURCE_NAMED: Final = "words that say whose an image is, which the client did not send, stand beside it"
_BETWEEN_TEXTS: Final = "white space between texts that were joined"
_MARKED: Final = "marked as an instruction, in a turn of the user"
_STAND_IN_SLACK: Final = 80
"""Characters of wording that may stand around the text that stands in for a part."""


def check_system(evidence: Evidence) -> Iterator[Result]:
    """Every piece of the system instruction reaches the provider, in order and in full."""
    for pair in request_pairs(evidence):
        expected = [piece for piece in pair.expected.system if piece.strip()]
        if marked := _find_marked_instructions(pair):
            demoted = [Difference("system", piece, _MARKED) for piece in marked.texts]
            yield Result(demoted, level="SHOULD", rules=["system.marked"], turn=pair.turn)
            continue
        if expected and not pair.actual.system and _is_sent_by_user(pair):
            yield Result(rules=["system_as_user"], turn=pair.turn)
            continue
        actual = [piece for piece in pair.actual.system if piece.strip()]
        with_middle = [*expected, *_system_texts(pair.expected.turns)]
        if expected and (is_same_text(expected, actual) or is_same_text(with_middle, actual)):
            yield Result(rules=[] if expected == actual else ["system_join"], turn=pair.turn)
        elif expected and not contains_in_order(expected, "".join(actual)):  # more than that: request.added
            rows = differences("".join(expected), "".join(actual), "system") or differences(expected, actual, "system")
            yield Result(rows, turn=pair.turn)


def _find_marked_instructions(pair: RequestPair) -> MarkedInstructions | None:
    """Return the instructions that stand marked in turns, towards a provider with one place for instructions."""
    has_one_place = pair.ends.target in ("gemini", "anthropic") and not pair.ends.unconverted
    return find_marked_instructions(pair.expected, pair.actual) if has_one_place else None


def _is_sent_by_user(pair: RequestPair) -> bool:
    """Return whether a request of nothing but a system instruction has it as its only turn: a provider that requires a
    user's turn gets one."""
    turns = (Turn("user", tuple(TextPart(piece) for piece in pair.expected.system)),)
    return not canonical_turns(pair.expected.turns) and turns_match(canonical_pieces(turns), pair.actual.turns)


SYSTEM: Final = Check(
    "request.system", "messages", "MUST", GEMINI, "All of the system instruction is sent.", check_system, "request",
    rules=(
        Rule("system.whole", "MUST", "Every piece of the system instruction is sent, in order.", GEMINI),
        Rule("system.marked", "SHOULD", "Further instructions go where the provider has its place for them, not marked "
            "into a turn.", GEMINI),
    ),
)  # fmt: skip


def _system_texts(history: Sequence[Turn]) -> list[str]:
    """Return the texts of system messages in mid-conversation."""
    return [part.text for turn in history if turn.role == "system" for part in turn.parts if isinstance(part, TextPart)]


def check_turns(evidence: Evidence) -> list[Result]:
    """The provider receives every turn: every text, image, call and result, in order and paired as by the client."""
    return [
        result
        for pair in request_pairs(evidence)
        for result in _judge_turns_and_marks(pair, _parts_in_keep(evidence, pair))
    ]


TURNS: Final = Check(
    "request.turns", "messages", "MUST", GEMINI, "Every turn is sent, in order and paired.", check_turns, "request",
    rules=(
        Rule("system.middle", "MUST", "A system message in mid-conversation stays, moves to the instruction or becomes "
            "a user turn in its place.", CHAT),
        Rule("turns.order", "MUST", "Every turn is sent with its parts in the client's order.", GEMINI),
        Rule("turns.media_order", "SHOULD", "A library sends text and files in its caller's order.", GEMINI),
        Rule("turns.library", "SHOULD", "A library sends an image as it was given, a result in its own place and no "
            "word of its own.", GEMINI),
        Rule("turns.media_words", "SHOULD", "Nothing but whose it is is added beside an image out of a result.",
            GEMINI),
        Rule("turns.seams", "SHOULD", "Texts of one message or result join with nothing between them, never with white "
            "space.", SEAMS),
        Rule("turns.written_out", "SHOULD", "Content that the provider has no place for is not written out as text "
            "among the client's texts.", GEMINI),
        Rule("turns.told", "SHOULD", "A library sends calls and results as such, not told as text.", GEMINI),
        Rule("turns.text_place", "SHOULD", "A library whose types hold texts and calls without an order (cannot_say) "
            "sends the model's texts among its calls.", GEMINI),
        Rule("turns.merge", "MUST", "Neighbours of one role may be one turn; calls and results never.", GEMINI),
        Rule("turns.empty", "MUST", "Nothing is sent for empty content.", MESSAGES),
        Rule("turns.pairs", "MUST", "Each result answers the call that it answered for the client.", CALLING),
        Rule("results.value", "MUST", "The value of a result arrives, however it is wrapped.", _WRAPPED),
        Rule("results.block", "SHOULD", "The value is not sent in the one block of a list, as a library's own types "
            "hold it.", _WRAPPED),
        Rule("results.error", "MUST", "A failed result stays one where the dialect can express that; elsewhere, one "
            "without a text gets words.", MESSAGES),
        Rule("results.error_key", "SHOULD", "A failed result that another dialect marks is sent to Gemini under the "
            "key error, which its page allows and does not demand.", _ERROR_KEY),
        Rule("media.request", "MUST", "Images and files are the same bytes, or the same address.", GEMINI),
        Rule("turns.reasoning", "SHOULD", "Reasoning of the history is not sent as text, in tags.",
            CHAT),
        Rule("turns.expressible", "SHOULD", "The name of a document, and code that ran, arrive where the provider has "
            "a place for them.", CHAT),
    ),
)  # fmt: skip


def _parts_in_keep(evidence: Evidence, pair: RequestPair) -> tuple[Part, ...]:
    """Return the parts of the provider's earlier answers, where the client's history gives back the ``keep`` that a
    library had made of them; elsewhere those of the provider's own kinds, such as a search that it ran, which an
    adapter may restore where the client's dialect has no place for them."""
    turns = [*objs(pair.client_request.body.get("turns"))]
    holders = [*turns, *(part for turn in turns for part in objs(turn.get("parts")))]
    are_kept = any(holder.get("keep") is not None for holder in holders)
    if not are_kept and pair.ends.unconverted:
        return ()
    calls = (evidence.answering_call_index(turn) for turn in range(pair.answered_turns))
    upstream = evidence.transcript.upstream
    return tuple(
        part
        for call in calls
        if 0 <= call < len(upstream)
        for part in replayed_parts(upstream[call].response)
        if are_kept or isinstance(part, OtherPart)
    )


def _judge_turns_and_marks(pair: RequestPair, preserved: tuple[Part, ...]) -> list[Result]:
    """Return the result of a turn, and beside another fault those of white space between joined texts and of marks of
    failed results that Gemini may lack."""
    result, *of_seams = _split_off_seams(pair, _judge_turns(pair, preserved))
    lost = [row for row in result.differences if row.path.endswith(".is_error")]
    if not lost or result.level or not _may_lack_marks(pair):
        return [result, *of_seams]
    marked = replace(pair.actual, turns=restore_marks_of_failures(pair.expected.turns, pair.actual.turns))
    rest = _judge_turns(replace(pair, actual=marked), preserved)
    if any(row.path.endswith(".is_error") for row in rest.differences):
        return [result, *of_seams]
    return [*_split_off_seams(pair, rest), Result(lost, level="SHOULD", rules=["results.error_key"], turn=pair.turn)]


def _split_off_seams(pair: RequestPair, result: Result) -> list[Result]:
    """Return the result, without what differs by white space between texts that were joined; and that as a warning."""
    texts = [part.text for turn in pair.expected.turns for part in turn.parts if isinstance(part, TextPart)]
    between = [row for row in result.differences if row.path.endswith(".text") and _is_joined_with_space(row, texts)]
    if not between or result.level:
        return [result]
    rest = replace(result, differences=tuple(row for row in result.differences if row not in between))
    noted = [replace(row, note=_BETWEEN_TEXTS) for row in between]
    return [rest, Result(noted, level="SHOULD", rules=["turns.seams"], turn=pair.turn)]


def _is_joined_with_space(row: Difference, texts: Sequence[str]) -> bool:
    with suppress(ValueError):
        expected, actual = json.loads(row.expected), json.loads(row.actual)
        if not isinstance(expected, str) or not isinstance(actual, str):
            return False
        for first in range(len(texts)):
            for end in range(first + 2, len(texts) + 1):
                if (joined := "".join(texts[first:end])) == expected:
                    return re.fullmatch(r"\s*".join(map(re.escape, texts[first:end])), actual) is not None
                if not expected.startswith(joined):
                    break
    return False


def _may_lack_marks(pair: RequestPair) -> bool:
    return pair.ends.target == "gemini" != pair.ends.origin


def _judge_turns(pair: RequestPair, preserved: tuple[Part, ...]) -> Result:
    if pair.ends.unconverted and pair.expected.turns == pair.actual.turns:
        return Result(turn=pair.turn)
    if marked := _find_marked_instructions(pair):  # request.system judges them
        instructed, sent = (replace(prompt, turns=turns) for prompt, turns in (
            (pair.expected, marked.expected), (pair.actual, marked.actual)))  # fmt: skip
        pair = replace(pair, expected=instructed, actual=sent)
    rules = _applied_rewrites(pair)
    first: tuple[Difference, ...] = ()
    may_restore_reasoning = bool(pair.turn) and pair.ends.target == "anthropic"
    for history, placement_rules in _accepted_histories(pair, preserved):
        comparison = _HistoryComparison(pair.ends, may_restore_reasoning, preserved)
        rows = comparison.compare(history, pair.actual.turns)
        if not rows:
            rules += [*placement_rules, *comparison.rules]
            return _judge_undocumented_parts(
                pair, comparison, Result(rules=rules, losses=comparison.losses, turn=pair.turn)
            )
        first = first or rows
    if _differs_between_texts_alone(pair, may_restore_reasoning, preserved):
        between = [replace(row, note=_BETWEEN_TEXTS) for row in first]
        return Result(between, level="SHOULD", rules=[*rules, "turns.seams"], turn=pair.turn)
    rule = _rule_of_other_form(pair)
    return Result(first, level="SHOULD" if rule else None, rules=[*rules, rule], turn=pair.turn)


def _differs_between_texts_alone(pair: RequestPair, may_restore_reasoning: bool, preserved: tuple[Part, ...]) -> bool:
    """Return whether a history arrives whole but for white space between texts that the client wrote separately."""
    return any(
        not _HistoryComparison(pair.ends, may_restore_reasoning, preserved).compare(
            history, pair.actual.turns, are_texts_single=True
        )
        for history, _ in _accepted_histories(pair, preserved)
    )


def _rule_of_other_form(pair: RequestPair) -> str:
    """Return the rule by which all is there, in a form that loses nothing: reasoning in tags and results in frames, or
    of a library what its own types make of a message; "" if something is lost."""
    if pair.ends.unconverted:
        return ""
    expected, actual = pair.expected.turns, pair.actual.turns
    is_library = pair.expected.dialect == "outcome"
    if is_library and not pair.answered_turns and tells_calls_as_text(expected, actual):
        return "turns.told"
    marked = restore_marks_of_failures(expected, actual) if _may_lack_marks(pair) else actual
    has_thoughts = any(isinstance(part, ReasoningPart) for turn in expected for part in turn.parts)
    forms = [((expected, take_out_of_frames(expected, actual)), "turns.reasoning" if has_thoughts else "results.block")]
    forms += [((expected, marked), "results.error_key")] if marked != actual else []
    pieces = canonical_pieces(expected), canonical_pieces(actual)
    forms.append(((expected, drop_words_beside_media_of_results(*pieces)), "turns.media_words"))
    written = restore_parts_written_as_text(*pieces, lambda part: _has_no_place(pair.ends, part))
    forms.append(((expected, written), "turns.written_out"))
    if is_library:
        forms.append((forget_form_of_library(expected, actual), "turns.library"))
    if is_library and "order" in pair.ends.inexpressible:
        gathered = [(gather_texts_of_model(sent), gather_texts_of_model(received)) for (sent, received), _ in forms]
        forms += [(form, "turns.text_place") for form in gathered]
    return next(
        (
            rule
            for form, rule in forms
            if not _HistoryComparison(pair.ends, False, ()).compare(*form, are_texts_single=True)
        ),
        "",
    )


def _has_no_place(ends: Ends, part: Part) -> bool:
    """Return whether the provider has no place for a part of another provider's, for a file of text or for one that is
    named by its address."""
    is_readable = isinstance(part, MediaPart) and (bool(part.media.uri) or part.media.mime.startswith("text/"))
    if not is_readable and not isinstance(part, OtherPart):
        return False
    is_file_of_text_for_chat = ends.target == "openai-chat" and isinstance(part, MediaPart) and not part.media.uri
    paths = [path for kind in KINDS if (path := kind.path(part)) and not kind.keeps_part]
    return bool(paths) and (is_file_of_text_for_chat or not ends.split_losses(paths)[1])


def _judge_undocumented_parts(pair: RequestPair, comparison: "_HistoryComparison", result: Result) -> Result:
    """Return the result of equal histories, a NOTE where content of a kind that the client's dialect does not document
    did not arrive, or words were added that say whose an image is."""
    names = comparison.undocumented
    if MEDIA_OF_RESULT_NAMED in comparison.rules:
        result = replace(result, status="NOTE", message=_SOURCE_NAMED)
    if not names:
        return result
    return replace(result, status="NOTE", message=describe_undocumented(names, pair.ends.origin))


def _applied_rewrites(pair: RequestPair) -> list[str]:
    applied = {*pair.expected_canonical[1], *pair.actual_canonical[1]}
    return sorted(applied & _TURN_REWRITES) if canonical_turns(pair.expected.turns) != pair.actual.turns else []


def _accepted_histories(
    pair: RequestPair, preserved: tuple[Part, ...]
) -> Iterator[tuple[tuple[Turn, ...], tuple[str, ...]]]:
    """Yield the histories that may arrive, with the rules that allow them. A system message in mid-conversation may
    stay, move into the system instruction, or become a user turn in place. A result that answers no call may stay, for
    the provider to refuse, or be dropped. An answer that a library keeps may be in the provider's order."""
    history = pair.expected.turns
    if not pair.actual.system and _is_sent_by_user(pair):
        history = pair.actual.turns
    yield history, ()
    if preserved and pair.expected.dialect == "outcome":
        yield restore_kept_order(history, preserved), ("order_as_kept",)
    if count_orphan_results(history) and not pair.ends.unconverted:
        yield drop_orphan_results(history), ("orphan_left_out",)
    system_texts = _system_texts(history)
    if pair.ends.unconverted or not system_texts:
        return
    if all(piece in "".join(pair.actual.system) for piece in system_texts):
        yield tuple(turn for turn in history if turn.role != "system"), ("system_moved",)
    yield tuple(replace(turn, role="user") if turn.role == "system" else turn for turn in history), ("system_as_user",)


@dataclass
class _HistoryComparison:
    """Compares two histories on what every dialect on the route can express; what cannot be expressed is dropped from
    both where it differs.

    ``may_restore_reasoning``: thinking that the client did not repeat may be back; relay.thinking judges whether it is
    right. ``preserved``: parts that a library keeps beside those it shows. ``losses``, ``rules``: the declared losses
    and the rules applied so far. ``stand_ins``: texts that may stand for dropped parts: a file's address or type, code
    that was run. ``undocumented``: kinds of dropped parts that the dialect does not document."""

    ends: Ends
    may_restore_reasoning: bool
    preserved: tuple[Part, ...]
    losses: tuple[AppliedLoss, ...] = ()
    rules: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    undocumented: tuple[str, ...] = ()

    def compare(
        self, client_turns: Sequence[Turn], upstream_turns: Sequence[Turn], *, are_texts_single: bool = False
    ) -> tuple[Difference, ...]:
        """Return the differences, () if the histories mean the same. ``are_texts_single``: white space may stand
        between any two texts of the client's, of one message too."""
        split = canonical_turns_of_single_texts if are_texts_single else canonical_pieces
        expected, actual = split(client_turns), canonical_pieces(upstream_turns)
        if turns_match(expected, actual):
            return ()
        if self.ends.unconverted:
            rows = turn_differences(client_turns, upstream_turns)
            return rows or differences(tuple(client_turns), tuple(upstream_turns), "turns")
        expected, actual = self._drop_participant_names(*self._apply_rules(expected, actual))
        for kind in KINDS:
            expected, actual = self._drop_lost_parts(expected, actual, kind)
        without_stand_ins = self._drop_stand_ins(actual)
        if turns_match(expected, actual, self.stand_ins) or turns_match(expected, without_stand_ins, self.stand_ins):
            return ()
        return turn_differences(expected, actual)

    def _apply_rules(
        self, expected: tuple[Turn, ...], actual: tuple[Turn, ...]
    ) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Take back in ``actual`` what the dialects on the route need, and bring both into the order of a Chat message
        where Chat is on the route."""
        actual, rules = drop_allowed_additions(expected, actual, self.may_restore_reasoning, self.preserved)
        self.rules += rules
        of_dialects = (rule for dialect in self.ends.dialects for rule in RULES_OF_DIALECT.get(dialect, ()))
        rules_of_all = (
            restore_broken_arguments, restore_fetched_media, restore_files_sent_as_text,
            drop_words_about_media_of_results,
        )  # fmt: skip
        for restore in (*rules_of_all, *of_dialects):
            actual, rule = restore(expected, actual)
            self.rules += (rule,)
        if not any(dialect in ONE_FIELD_PER_KIND for dialect in self.ends.dialects):
            return expected, actual
        ordered = order_by_chat_field(expected)
        if ordered != expected:
            self.losses += self.ends.split_losses(["turns.order"])[0]
        return ordered, order_by_chat_field(actual)

    def _drop_participant_names(
        self, expected: tuple[Turn, ...], actual: tuple[Turn, ...]
    ) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Drop participants' names where no dialect on the route can express them."""
        if not any(turn.name for turn in expected) or self.ends.can_express("turns.name"):
            return expected, actual
        if [turn.name for turn in expected] != [turn.name for turn in actual]:
            self.losses += self.ends.split_losses(["turns.name"])[0]
        return tuple(replace(turn, name="") for turn in expected), tuple(replace(turn, name="") for turn in actual)

    def _drop_lost_parts(
        self, expected: tuple[Turn, ...], actual: tuple[Turn, ...], kind: Kind
    ) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """Drop the parts of this kind that did not arrive and are in the table of losses; of two equal parts that
        arrived as one, drop both."""
        sent, received = find_parts_of_kind(expected, kind), find_parts_of_kind(actual, kind)
        values = [[kind.value(part) for _, part in side] for side in (sent, received)]
        pairs = zip(sent, values[0], strict=True)
        missing = [pair for pair, value in pairs if values[0].count(value) > values[1].count(value)]
        losses, _ = self.ends.split_losses([path for path, part in missing if not _is_code_in_text(part, actual)])
        _, unlisted = self.ends.split_losses([path for path, _ in missing])
        unknown = {path: path.rpartition(".")[2] for path in unlisted if self._is_undocumented_part(path)}
        lost = [part for path, part in missing if path not in unlisted or path in unknown]
        if not lost:
            return expected, actual
        self.losses += losses
        self.undocumented += tuple(unknown.values())
        self.stand_ins += tuple(stand_in for part in lost if (stand_in := _stand_in_text(part)))
        if kind.keeps_part:
            lost, found = [part for _, part in sent], [part for _, part in received]
            return strip_parts(expected, kind, lost), strip_parts(actual, kind, found)
        return strip_parts(expected, kind, lost), strip_parts(actual, kind, lost)

    def _is_undocumented_part(self, path: str) -> bool:
        return path.startswith("turns.other.") and not is_documented_part(self.ends.origin, path.split(".")[2])

    def _drop_stand_ins(self, history: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Return the history without text parts that hold nothing but a stand-in."""
        return tuple(
            replace(turn, parts=tuple(part for part in turn.parts if not self._is_stand_in(part))) for turn in history
        )

    def _is_stand_in(self, part: Part) -> bool:
        if not isinstance(part, TextPart):
            return False
        return any(
            stand_in in part.text and len(part.text) <= len(stand_in) + _STAND_IN_SLACK for stand_in in self.stand_ins
        )


def _is_code_in_text(part: Part, history: Sequence[Turn]) -> bool:
    """Return whether a part is code that Gemini ran, or its output, and some text holds it."""
    if not isinstance(part, OtherPart) or part.kind not in ("executableCode", "codeExecutionResult"):
        return False
    texts = (item.text for turn in history for item in turn.parts if isinstance(item, TextPart))
    return any(_stand_in_text(part) in content for content in texts)


def _stand_in_text(part: Part) -> str:
    """Return the text that may stand for a part that the dialect cannot attach, "" if there is none."""
    if isinstance(part, MediaPart):
        return part.media.uri or part.media.mime
    if not isinstance(part, OtherPart):
        return ""
    whole = obj(json.loads(part.value))
    content = obj(whole.get(part.kind)) or whole
    return text(content.get("code")) or text(content.get("output"))
