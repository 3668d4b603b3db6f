"""What differs between the members of old and of new answers of one form.

A member is compared where both sides have the object that it stands in; so a change is found where it begins, and not
again in all that stands below it. What may come with some answers and not with others is cosmetic.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.finding import Finding, Severity
from bridgecheck.drift.knowledge import Kind, wire_knowledge
from bridgecheck.drift.members import Member, Members
from bridgecheck.drift.read_members import READ_MEMBERS, ReadMember
from bridgecheck.drift.sides import Sides, is_documented_member, make_finding
from bridgecheck.drift.value_changes import tag_changes, type_changes, value_changes
from bridgecheck.model.counts import plural

ENOUGH: Final = 3
"""Answers on both sides after which an optional member that all had and none has is more than chance."""

_REPLACED: Final = 0.1
_CORE: Final = frozenset(
    {
        "candidates", "candidates[].content", "candidates[].content.parts", "usageMetadata", "choices", "usage",
        "choices[].message", "choices[].message.content", "choices[].delta", "content",
    }
)  # fmt: skip
"""Members in whose place another one, of whatever type, holds what they held."""
_ALIKE: Final = 0.5
"""Least likeness of two names, or of what two objects hold, for one to be the other under a new name."""


def find_member_changes(sides: Sides) -> list[Finding]:
    """Return what differs, each change once in each place."""
    missing = {path: member for path, member in sides.old.members.items() if _is_missing(sides, path, member)}
    added = {path: member for path, member in sides.new.members.items() if _is_new(sides, path, member)}
    tags = list(tag_changes(sides))
    renames = list(_renames(sides, missing, added))
    for rename in renames:
        for path in rename.paths:
            missing.pop(path, None)
            added.pop(path, None)
    due = list(_missing_read_members(sides, renames))
    in_due = {path for finding in due for path in finding.paths}
    return [
        *tags,
        *renames,
        *due,
        *(_missing_finding(sides, path, member) for path, member in missing.items() if path not in in_due),
        *_partly_missing(sides, in_due | missing.keys()),
        *(_new_finding(sides, path, member) for path, member in added.items()),
        *type_changes(sides),
        *value_changes(sides),
    ]


def _is_missing(sides: Sides, path: str, member: Member) -> bool:
    """Whether the new answers have objects that should hold it, and none does, or none but null."""
    if path.endswith("]") or not sides.new.count(member.parent):
        return False
    current = sides.new.members.get(path)
    return current is None or (member.filled > 0 and current.filled == 0)


def _is_new(sides: Sides, path: str, member: Member) -> bool:
    if path.endswith("]") or not sides.old.count(member.parent):
        return False
    before = sides.old.members.get(path)
    return before is None or (before.filled == 0 and member.filled > 0)


def _share(members: Members, member: Member) -> str:
    return f"in {member.present} of {members.count(member.parent)}"


def _missing_finding(sides: Sides, path: str, member: Member) -> Finding:
    known, count = wire_knowledge(sides.dialect, path), sides.new.count(member.parent)
    is_always = member.present == sides.old.count(member.parent)
    current = sides.new.members.get(path)
    actual = f"null in {count}" if current is not None else f"in none of {count}"
    severity: Severity = "cosmetic"
    reason = "optional: it comes with some answers and not with others"
    if known is not None and known.is_required and is_always:
        severity, reason = "breaking", "the wire types require it"
    elif (
        is_always
        and member.filled == member.present
        and len(member.answers) >= ENOUGH
        and len(sides.new.objects[member.parent]) >= ENOUGH
    ):
        severity, reason = (
            "notable",
            f"optional, but in all of {plural(len(member.answers), 'old answer')} and in no new one",
        )
    return make_finding(
        sides, "missing", severity, path, _share(sides.old, member), actual, reason, f"{path.rpartition('.')[2]}"
    )


def _partly_missing(sides: Sides, reported: set[str]) -> Iterator[Finding]:
    """Yield required members that every old object had and some new ones lack."""
    for path, member in sides.old.members.items():
        known, current = wire_knowledge(sides.dialect, path), sides.new.members.get(path)
        if path in reported or current is None or known is None or not known.is_required or path.endswith("]"):
            continue
        if member.present == sides.old.count(member.parent) and current.present < sides.new.count(member.parent):
            yield make_finding(
                sides,
                "missing",
                "breaking",
                path,
                _share(sides.old, member),
                _share(sides.new, current),
                "the wire types require it",
                path.rpartition(".")[2],
            )


def _missing_read_members(sides: Sides, renames: Sequence[Finding]) -> Iterator[Finding]:
    """Yield what every whole old answer had, clients read, and some whole new answer lacks."""
    explained = {path for rename in renames for path in rename.paths}
    for row in READ_MEMBERS:
        is_due = row.dialect == sides.dialect and row.mode in (None, sides.mode) and row.path not in explained
        if not is_due or explained & set(row.unless) or (row.needs_usage and not sides.asks_usage):
            continue
        old, new = (
            _lacking(row, members, whole)
            for members, whole in ((sides.old, sides.old_whole), (sides.new, sides.new_whole))
        )
        if new and not old and _answers_with(sides.old, row.path):
            before = f"in all of {plural(len(sides.old_whole), 'answer')}"
            after = (
                f"in none of {plural(len(new), 'answer')}"
                if len(new) == len(sides.new_whole)
                else f"not in {len(new)} of {plural(len(sides.new_whole), 'answer')}"
            )
            yield make_finding(
                sides, "missing", row.severity, row.path, before, after, row.reason, row.path.rpartition(".")[2]
            )


def _lacking(row: ReadMember, members: Members, whole: frozenset[int]) -> set[int]:
    """Return the whole answers in which the member is due and missing."""
    due = whole & frozenset(members.objects.get(row.within, ())) if row.within else whole
    if row.condition:
        due &= _answers_with(members, row.condition)
    excused = frozenset[int]().union(*(_answers_with(members, path) for path in row.unless))
    return set(due) - _answers_with(members, row.path) - excused


def _answers_with(members: Members, path: str) -> frozenset[int]:
    """Return the answers that have a member, not null, or an object at this path."""
    in_members = members.members[path].answers if path in members.members else set()
    return frozenset(in_members) | frozenset(members.objects.get(path, ()))


def _new_finding(sides: Sides, path: str, member: Member) -> Finding:
    share, before = _share(sides.new, member), f"in none of {sides.old.count(member.parent)}"
    severity: Severity = "notable"
    reason = "neither the SDK nor bridgecheck knows it"
    if is_documented_member(sides, path):
        severity, reason = "cosmetic", "a documented member, which comes with some answers"
    elif path in sides.all_old.members:
        severity, reason = "cosmetic", "other old recordings have it"
        before = "in other recordings"
    elif not sides.old_whole:
        severity, reason = "cosmetic", "no old answer came to its end: it may have had it there"
    elif member.filled == 0:
        reason = "neither the SDK nor bridgecheck knows it; it is null"
    return make_finding(sides, "new", severity, path, before, share, reason, path.rpartition(".")[2])


def _renames(sides: Sides, missing: dict[str, Member], added: dict[str, Member]) -> Iterator[Finding]:
    """Yield members whose value stands under another name, or in another object."""
    keys = {path_keys(path) for path in missing}
    unknown = {
        path: member
        for path, member in added.items()
        if member.filled
        and path not in sides.all_old.members
        and (not is_documented_member(sides, path) or path_keys(path) in keys)
    }
    spelled: list[tuple[str, str]] = []
    for path, member in missing.items():
        candidates = [(likeness, new) for new in unknown if (likeness := _likeness(sides, path, member, new))]
        if not candidates or not member.filled:
            continue
        new = max(candidates)[1]
        if unknown[new].parent == member.parent and path_keys(path) == path_keys(new):
            spelled.append((path, new))
            continue
        del unknown[new]
        is_same_place = sides.new.members[new].parent == member.parent
        is_read = is_documented_member(sides, path)
        name = new.rpartition(".")[2] if is_same_place else new
        finding = make_finding(
            sides,
            "renamed" if is_same_place else "moved",
            "breaking" if is_read else "notable",
            path,
            path,
            new,
            "clients read it by its name and place" if is_read else "no type documents it",
            f"{path.rpartition('.')[2]} {name.rpartition('.')[2]}",
        )
        yield _with_paths(finding, (path, new))
    if spelled:
        old, new = spelled[0]
        finding = make_finding(
            sides,
            "spelling",
            "breaking",
            old,
            old.rpartition(".")[2],
            new.rpartition(".")[2],
            "clients read members by their exact names",
            "spelling",
        )
        yield _with_paths(finding, tuple(path for pair in spelled for path in pair))


def _with_paths(finding: Finding, paths: tuple[str, ...]) -> Finding:
    return replace(finding, paths=paths)


def _likeness(sides: Sides, path: str, member: Member, new: str) -> float:
    """Return how well a new member fits a missing one, 0 for not at all: same types, and a name or contents alike. In
    another object only under the same name."""
    current = sides.new.members[new]
    kinds, new_kinds = ({kind for kind in side.kinds if kind != "null"} for side in (member, current))
    was_always, is_always = (
        side.filled == members.count(side.parent) for side, members in ((member, sides.old), (current, sides.new))
    )
    if kinds and current.parent == member.parent and _is_nested(sides, path, kinds, new):
        return 1
    if not kinds or kinds != new_kinds:
        is_replaced = current.parent == member.parent and path in _CORE and was_always and is_always
        return _REPLACED if is_replaced else 0
    name, new_name = (full.rpartition(".")[2] for full in (path, new))
    if current.parent != member.parent:
        return 0.5 if path_keys(name) == path_keys(new_name) and name not in ("id", "type", "index") else 0
    if path_keys(path) == path_keys(new):
        return 3
    names = SequenceMatcher(None, name.lower(), new_name.lower()).ratio()
    old_children, new_children = sides.old.children(path), sides.new.children(new)
    inside = len(old_children & new_children) / len(old_children | new_children) if old_children | new_children else 0
    shares = [side.filled / members.count(side.parent) for side, members in ((member, sides.old), (current, sides.new))]
    is_like = max(names, inside) >= _ALIKE or shares[0] == shares[1] or member.tokens.keys() & current.tokens.keys()
    return 1 + names + inside if is_like else 0


def _is_nested(sides: Sides, path: str, kinds: AbstractSet[Kind], new: str) -> bool:
    """Whether a new object has what is missing beside it, its name cut in two: ``a_b`` as ``a: {b: ...}``."""
    for name in sides.new.children(new):
        member = sides.new.members[f"{new}.{name}"]
        if "".join(path_keys(f"{new}.{name}")) == "".join(path_keys(path)) and kinds == set(member.kinds) - {"null"}:
            return True
    return False
