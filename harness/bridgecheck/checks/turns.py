"""request.turns and request.system: what was said so far."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.diff import differences
from bridgecheck.compare.pairing import orphans, without_orphans
from bridgecheck.compare.project import Ends
from bridgecheck.compare.rewrites import canonical_turns
from bridgecheck.compare.text import holds, same_text
from bridgecheck.compare.turns import (
    KINDS,
    Kind,
    as_told,
    by_field,
    held_arguments,
    match,
    of_kind,
    opened,
    pieces,
    prefilled,
    strip,
    turn_differences,
    without_additions,
)
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.model.prompt import MediaPart, OtherPart, Part, TextPart, Turn
from bridgecheck.model.verdict import AppliedLoss, Difference, Verdict

_TURN_RULES: Final = frozenset(
    {"id_bijection", "result_wrap", "media_bytes", "default_fill", "role_merge", "result_order", "adjacent_text"}
)


def turns(evidence: Evidence) -> list[Verdict]:
    """The provider is sent every turn, with every text, image, call and result, in order and paired as the client
    did."""
    return [_turns(view) for view in request_views(evidence)]


def system(evidence: Evidence) -> list[Verdict]:
    """Every piece of the system instruction reaches the provider, in order and in full."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        asked = [piece for piece in view.expected.system if piece.strip()]
        sent = [piece for piece in view.actual.system if piece.strip()]
        if asked and (same_text(asked, sent) or _with_middle(view, asked, sent)):
            rules = [] if asked == sent else ["system_join"]
            verdicts.append(result("request.system", rules=rules, turn=view.turn))
        elif asked and not _added_to(asked, sent):
            rows = differences("".join(asked), "".join(sent), "system") or differences(asked, sent, "system")
            verdicts.append(result("request.system", rows, turn=view.turn))
    return verdicts


def _added_to(asked: Sequence[str], sent: Sequence[str]) -> bool:
    """All that was asked, and more: ``request.added`` speaks of that."""
    return holds(asked, "".join(sent))


def _with_middle(view: RequestView, asked: Sequence[str], sent: Sequence[str]) -> bool:
    return same_text([*asked, *_middle(view.expected.turns)], sent)


def _middle(history: Sequence[Turn]) -> list[str]:
    """Texts of system messages in mid-conversation."""
    return [part.text for turn in history if turn.role == "system" for part in turn.parts if isinstance(part, TextPart)]


def _turns(view: RequestView) -> Verdict:
    asked, sent = view.expected.turns, view.actual.turns
    if view.ends.same_dialect and asked == sent:
        return result("request.turns", turn=view.turn)
    rules = _rules(view)
    first: tuple[Difference, ...] = ()
    for variant, named in _placements(view):
        rows, losses, more = _compare(variant, sent, view.ends, bool(view.turn) and view.ends.target == "anthropic")
        if not rows:
            return result("request.turns", rules=[*rules, *named, *more], losses=losses, turn=view.turn)
        first = first or rows
    return result("request.turns", first, rules=rules, turn=view.turn)


def _rules(view: RequestView) -> list[str]:
    used = {*view.expected_canonical[1], *view.actual_canonical[1]}
    return sorted(used & _TURN_RULES) if canonical_turns(view.expected.turns) != view.actual.turns else []


def _placements(view: RequestView) -> Iterator[tuple[tuple[Turn, ...], tuple[str, ...]]]:
    """A system message in mid-conversation may stay, move into the system instruction, or become a user turn in
    place. A result that answers no call may stay, for the provider to refuse, or be left out."""
    history = view.expected.turns
    yield history, ()
    if orphans(history) and not view.ends.same_dialect:
        yield without_orphans(history), ("orphan_left_out",)
    middle = _middle(history)
    if view.ends.same_dialect or not middle:
        return
    if all(piece in "".join(view.actual.system) for piece in middle):
        yield tuple(turn for turn in history if turn.role != "system"), ("system_moved",)
    yield tuple(replace(turn, role="user") if turn.role == "system" else turn for turn in history), ("system_as_user",)


def _compare(
    asked: Sequence[Turn], sent: Sequence[Turn], ends: Ends, restored: bool
) -> tuple[tuple[Difference, ...], tuple[AppliedLoss, ...], tuple[str, ...]]:
    """Differences, declared losses and rules. What not everyone can say is taken out on both sides where it differs.
    ``restored``: thinking that the client did not repeat may be back; relay.thinking judges whether it is right."""
    ours, theirs = pieces(asked), pieces(sent)
    if match(ours, theirs):
        return (), (), ()
    if ends.same_dialect:
        return turn_differences(asked, sent) or differences(tuple(asked), tuple(sent), "turns"), (), ()
    losses: list[AppliedLoss] = []
    theirs, rules = without_additions(ours, theirs, restored)
    theirs, held = held_arguments(ours, theirs)
    rules = (*rules, held)
    if "anthropic" in ends.dialects:
        theirs, begun = opened(ours, theirs)
        theirs, typed = as_told(ours, theirs)
        theirs, ended = prefilled(ours, theirs)
        rules = (*rules, begun, typed, ended)
    if "openai-chat" in ends.dialects:
        reordered = by_field(ours), by_field(theirs)
        losses += ends.split_losses(["turns.order"])[0] if reordered[0] != ours else ()
        ours, theirs = reordered
    ours, theirs = _unnamed(ours, theirs, ends, losses)
    carried: list[str] = []
    for kind in KINDS:
        ours, theirs = _project(ours, theirs, kind, ends, losses, carried)
    if match(ours, theirs, carried) or match(ours, _without(theirs, carried), carried):
        return (), tuple(losses), rules
    return turn_differences(ours, theirs), (), rules


def _project(
    ours: tuple[Turn, ...],
    theirs: tuple[Turn, ...],
    kind: Kind,
    ends: Ends,
    losses: list[AppliedLoss],
    carried: list[str],
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Without what is of this kind, did not arrive, and is in the table of losses; of two that are equal and arrived
    as one, without both. ``carried`` collects the texts that may stand for it: a file's address or type, code that was
    run."""
    said, arrived = of_kind(ours, kind), of_kind(theirs, kind)
    missing = [pair for pair in said if said.count(pair) > arrived.count(pair)]
    found, unlisted = ends.split_losses([path for path, _ in missing])
    gone = [part for path, part in missing if path not in unlisted]
    if not gone:
        return ours, theirs
    losses += found
    carried += [stand_in for part in gone if (stand_in := _stand_in(part))]
    return strip(ours, kind, gone), strip(theirs, kind, [part for _, part in arrived] if kind.keeps_part else gone)


def _unnamed(
    ours: tuple[Turn, ...], theirs: tuple[Turn, ...], ends: Ends, losses: list[AppliedLoss]
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Without participants' names, where they did not arrive and nobody could say them."""
    if not any(turn.name for turn in ours) or ends.can_express("turns.name"):
        return ours, theirs
    if [turn.name for turn in ours] != [turn.name for turn in theirs]:
        losses += ends.split_losses(["turns.name"])[0]
    return tuple(replace(turn, name="") for turn in ours), tuple(replace(turn, name="") for turn in theirs)


def _stand_in(part: Part) -> str:
    """The text that may stand for a part that the dialect cannot attach, "" if there is none."""
    if isinstance(part, MediaPart):
        return part.media.uri or part.media.mime
    if not isinstance(part, OtherPart):
        return ""
    whole = obj(json.loads(part.value))
    found = obj(whole.get(part.kind)) or whole
    return text(found.get("code")) or text(found.get("output"))


def _without(history: tuple[Turn, ...], carried: Sequence[str]) -> tuple[Turn, ...]:
    """Without text parts that say nothing but a stand-in."""
    return tuple(
        replace(turn, parts=tuple(part for part in turn.parts if not _only_stands_in(part, carried)))
        for turn in history
    )


def _only_stands_in(part: Part, carried: Sequence[str]) -> bool:
    if not isinstance(part, TextPart):
        return False
    return any(one in part.text and len(part.text) <= len(one) + 80 for one in carried)
