"""Two sets of recorded interactions -> what the provider changed between them. Pure: no file, no network."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.drift.answers import ERROR_STATUS, Answer, Group, decode_answers, group_answers, pair_answers
from bridgecheck.drift.event_order import order_facts
from bridgecheck.drift.finding import Change, Finding, Severity, merge_findings
from bridgecheck.drift.framing import FACT_RULES, NOT_STATED, FactRule, framing_facts
from bridgecheck.drift.knowledge import top_members
from bridgecheck.drift.member_changes import find_member_changes
from bridgecheck.drift.members import Members, observe
from bridgecheck.drift.sdk_types import sdk_title
from bridgecheck.drift.sides import Sides
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import Dialect, Mode

_ERROR_WORDS: Final = frozenset({"error.type", "error.status", "error.code"})
_ERROR_MEMBERS: Final = _ERROR_WORDS | {"error", "error.message", "type"}
"""Members of an error that clients and converters read, where the provider sends them."""


@dataclass(frozen=True, slots=True)
class _Side:
    old: Sequence[Answer]
    new: Sequence[Answer]
    known: Members | None


Known: TypeAlias = Mapping[Group, Members]
"""What recordings hold, by the form of their answers."""


def observe_known(recordings: Sequence[RecordedInteraction]) -> Known:
    """Return what old recordings hold, for ``find_drift``."""
    groups = group_answers([answer for answer in decode_answers(recordings) if not answer.is_error])
    return {group: _observe(group[0], group[2], answers) for group, answers in groups.items()}


def find_vanished(old: Sequence[RecordedInteraction], new: Sequence[RecordedInteraction]) -> list[Finding]:
    """Return the optional members that all old answers had and no new one has, over a whole folder: where single
    answers may do without, so many do not by chance."""
    old_groups, new_groups = (group_answers(decode_answers(side)) for side in (old, new))
    found: list[Finding] = []
    for group in old_groups.keys() & new_groups.keys():
        old_answers, new_answers = (_without_errors(groups[group]) for groups in (old_groups, new_groups))
        sides = _sides(group, old_answers, new_answers, None)
        found += [finding for finding in find_member_changes(sides) if finding.change == "missing"]
    return [finding for finding in found if finding.severity == "notable"]


def find_drift(
    old: Sequence[RecordedInteraction],
    new: Sequence[RecordedInteraction],
    *,
    same_conversation: bool = False,
    known: Known | None = None,
    recording: str = "",
) -> list[Finding]:
    """Return what a provider changed from the old recordings to the new ones: each change once, worst first, []
    for none. Pure; no input is changed.

    ``old``, ``new``: the interactions of a cassette each, or of several of one model and endpoint. Answers of the
    same dialect, operation and mode are compared by structure; statuses and error words of those that answer an equal
    request. ``same_conversation``: both are one conversation, recorded twice, so that what no equal request pairs is
    paired by position. ``known``: what other old recordings hold, by ``observe_known``; it is no news. ``recording``:
    the name that findings carry. What goes to addresses of no dialect is left out.

    A finding with ``is_drift`` False is cosmetic: what varies between two answers of one model.
    """
    old_answers, new_answers = decode_answers(old), decode_answers(new)
    pairs = pair_answers(old_answers, new_answers, same_conversation=same_conversation)
    findings = [*_status_changes(pairs)]
    old_groups, new_groups = (group_answers(side) for side in (old_answers, new_answers))
    equal = {(id(first), id(second)) for first, second in pairs if first.request_key == second.request_key}
    for group in old_groups.keys() & new_groups.keys():
        side = _Side(old_groups[group], new_groups[group], (known or {}).get(group))
        findings += _compare_group(group, side)
        findings += _compare_errors(group, side, [pair for pair in pairs if (id(pair[0]), id(pair[1])) in equal])
    return merge_findings([replace(finding, recordings=(recording,) if recording else ()) for finding in findings])


def _status_changes(pairs: Sequence[tuple[Answer, Answer]]) -> Iterator[Finding]:
    for old, new in pairs:
        before, after = old.response.status, new.response.status
        if before != after:
            yield _answer_finding(new, "status", f"{before}", f"{after}", "clients decide by it", f"{before} {after}")
        elif new.errors and not old.errors and not new.is_error:
            yield _answer_finding(
                new,
                "status",
                f"{before} and an answer",
                f"{after} with an error in it",
                "clients that look at the status alone take it for an answer",
                "error in 200",
            )


def _answer_finding(answer: Answer, change: Change, old: str, new: str, reason: str, key: str) -> Finding:
    return Finding(change, "breaking", answer.dialect, (), old, new, reason, modes=(answer.mode,), key=key)


def _without_errors(answers: Sequence[Answer]) -> list[Answer]:
    return [answer for answer in answers if not answer.is_error]


def _compare_group(group: Group, side: _Side) -> list[Finding]:
    """Return what differs between answers of one form that are no errors."""
    dialect, operation, mode = group
    old, new = _without_errors(side.old), _without_errors(side.new)
    if not old or not new:
        return []
    found = [] if operation != "generate" else find_member_changes(_sides(group, old, new, side.known))
    new_kinds = {finding.old for finding in found if finding.change == "kind"}
    facts: list[Finding] = []
    if {answer.requested_form for answer in new} <= {answer.requested_form for answer in old}:
        facts += _fact_changes(dialect, mode, _framings(old), _framings(new))
    facts = [finding for finding in facts if not (finding.change == "terminator" and finding.old in new_kinds)]
    foreign = list(_unknown_documents(dialect, mode, old, new)) if operation == "generate" else []
    if foreign and any(answer.unknown and not answer.documents for answer in new):
        return foreign
    for cause in ("framing ending", "framing form", "framing undecodable"):  # all the rest follows from it
        if any(finding.key == cause for finding in facts):
            return [finding for finding in facts if finding.key == cause]
    return [*found, *foreign, *facts, *_order_changes(dialect, mode, old, new, bool(new_kinds & _tags_of_events(old)))]


def _unknown_documents(dialect: Dialect, mode: Mode, old: Sequence[Answer], new: Sequence[Answer]) -> Iterator[Finding]:
    """Yield documents that have no member of an answer, where the old answers had none such."""
    before, after = ([document for answer in answers for document in answer.unknown] for answers in (old, new))
    if after and not before:
        keys = ", ".join(sorted({key for document in after for key in obj(document)})) or "no members"
        is_whole = any(answer.unknown and not answer.documents for answer in new)
        is_read = is_whole or any(known.is_required for known in top_members(dialect).values())
        reason = "clients read the same members of every document" if is_read else "clients pass over what is unknown"
        yield Finding(
            "kind", "breaking" if is_read else "notable", dialect, (), "every document is one of an answer",
            f"a document with {keys}", reason, modes=(mode,), key=f"document {keys}",
        )  # fmt: skip


def _tags_of_events(answers: Iterable[Answer]) -> set[str]:
    return {str(obj(document).get("type")) for answer in answers for document in answer.documents}


def _sides(group: Group, old: Sequence[Answer], new: Sequence[Answer], known: Members | None) -> Sides:
    dialect, _, mode = group
    old_keys = {answer.request_key for answer in old}
    before = _observe(dialect, mode, old)
    return Sides(
        dialect,
        mode,
        before,
        _observe(dialect, mode, new),
        known or before,
        _whole(old),
        _whole(new),
        mode == "unary" or all(_asks_usage(answer) or answer.request_key in old_keys for answer in new),
    )


def _observe(dialect: Dialect, mode: Mode, answers: Iterable[Answer]) -> Members:
    return observe(
        dialect, mode, ((number, document) for number, answer in enumerate(answers) for document in answer.documents)
    )


def _whole(answers: Sequence[Answer]) -> frozenset[int]:
    return frozenset(number for number, answer in enumerate(answers) if answer.is_whole and answer.documents)


def _asks_usage(answer: Answer) -> bool:
    body = answer.request.body if answer.request is not None else {}
    return answer.dialect != "openai-chat" or obj(body.get("stream_options")).get("include_usage") is True


def _framings(answers: Sequence[Answer]) -> list[dict[str, str]]:
    return [framing_facts(answer) for answer in answers]


def _fact_changes(
    dialect: Dialect, mode: Mode, old: Sequence[dict[str, str]], new: Sequence[dict[str, str]]
) -> Iterator[Finding]:
    """Yield the facts that were the same in all old answers, and are another in a new one."""
    for name, rule in FACT_RULES.items():
        before = {facts[name] for facts in old if name in facts}
        after = sorted({facts[name] for facts in new if name in facts} - before)
        if len(before) == 1 and after:
            value = before.copy().pop()
            yield Finding(
                rule.change,
                _fact_severity(dialect, name, rule, value, after),
                dialect,
                (),
                f"{rule.title}: {value}" if rule.change != "terminator" else value,
                ", ".join(after),
                rule.reason,
                modes=(mode,),
                key=f"framing {name}",
            )


_FEWER: Final = frozenset({"none", "absent", "nothing", "complete", "one", "as they come"})
"""Values that no client minds."""


def _fact_severity(dialect: Dialect, name: str, rule: FactRule, old: str, new: Sequence[str]) -> Severity:
    is_less = set(new) <= _FEWER
    is_more = name == "end mark" and all(value.startswith(old) for value in new)
    if old == NOT_STATED:
        return "cosmetic"
    if is_more or (name in ("event names", "end mark") and old == "none"):
        return "breaking" if dialect == "gemini" else "notable"
    if name == "event names":
        return "breaking" if dialect == "anthropic" else "notable"
    if name in ("end mark", "form", "media type", "last event", "retry-after"):
        return "cosmetic" if name in ("last event", "retry-after") and new == ["present"] else rule.severity
    if is_less:
        return "cosmetic"
    return "breaking" if rule.gemini_breaks and dialect == "gemini" else rule.severity


def _order_changes(
    dialect: Dialect, mode: Mode, old: Sequence[Answer], new: Sequence[Answer], is_renamed: bool
) -> Iterator[Finding]:
    """Yield one finding for all facts of order that differ."""
    before, after = ([order_facts(answer) for answer in answers] for answers in (old, new))
    differing: list[tuple[str, str, str]] = []
    for name in dict.fromkeys(name for facts in before for name in facts):
        values = {facts[name] for facts in before if name in facts}
        fresh = sorted({facts[name] for facts in after if name in facts} - values)
        if len(values) == 1 and fresh and not is_renamed:
            differing.append((name, values.pop(), ", ".join(fresh)))
    if differing:
        names, olds, news = zip(*differing, strict=True)
        yield Finding(
            "order",
            "breaking",
            dialect,
            (),
            "; ".join(map(": ".join, zip(names, olds, strict=True))),
            "; ".join(news),
            "clients and converters put an answer together in this order",
            modes=(mode,),
            key=f"order {names[0]}",
        )


def _compare_errors(group: Group, side: _Side, equal: Sequence[tuple[Answer, Answer]]) -> Iterator[Finding]:
    """Yield what differs between the bodies of errors of one status, and between errors in streams."""
    dialect, _, mode = group
    statuses = sorted({answer.response.status for answer in side.old if answer.errors or answer.is_error})
    for status in statuses:
        old, new = (
            [answer for answer in answers if answer.response.status == status and (answer.errors or answer.is_error)]
            for answers in (side.old, side.new)
        )
        if not old or not new:
            continue
        is_equal = any(pair[0] in old and pair[1] in new for pair in equal)
        facts: list[Finding] = []
        if status >= ERROR_STATUS:
            facts += _fact_changes(
                dialect, mode, [framing_facts(answer) for answer in old], [framing_facts(answer) for answer in new]
            )
        yield from (replace(finding, change="error", key="error") if finding.is_drift else finding for finding in facts)
        if any(finding.is_drift for finding in facts):
            continue
        before, after = (
            observe(
                dialect,
                "unary",
                ((number, document) for number, answer in enumerate(answers) for document in answer.errors),
            )
            for answers in (old, new)
        )
        sides = Sides(dialect, mode, before, after, before, frozenset({0}), frozenset())
        for finding in find_member_changes(sides):
            yield _error_finding(finding, is_equal, before)
        if is_equal:
            yield from _error_word_changes(dialect, mode, before, after)


def _error_finding(finding: Finding, is_equal: bool, before: Members) -> Finding:
    """Return a finding about the body of an error as one: what clients read of it breaks them."""
    path = finding.paths[0]
    member = before.members.get(path)
    severity = finding.severity
    is_always = member is not None and member.filled == before.count(member.parent)
    if finding.change == "missing" and path in _ERROR_MEMBERS and is_always:
        severity = "breaking"
    elif severity == "cosmetic" and is_equal:
        severity = "notable"
    old, new = (text if finding.change == "renamed" else f"{path}: {text}" for text in (finding.old, finding.new))
    reason = "clients and converters read it" if severity == "breaking" else finding.reason
    if severity == "cosmetic":
        return replace(finding, key=f"error {finding.key}")
    return replace(finding, change="error", severity=severity, old=old, new=new, reason=reason, key="error")


def _error_word_changes(dialect: Dialect, mode: Mode, before: Members, after: Members) -> Iterator[Finding]:
    for path in sorted(_ERROR_WORDS):
        old, new = before.members.get(path), after.members.get(path)
        if old and new and old.tokens and new.tokens and not old.tokens.keys() & new.tokens.keys():
            yield Finding(
                "error",
                "notable",
                dialect,
                (path,),
                f"{path}: {', '.join(old.tokens)}",
                f"{path}: {', '.join(new.tokens)}",
                "another word for the same error of the same request",
                sdk=sdk_title(dialect),
                modes=(mode,),
                key="error",
            )
