"""Values of another type, words that no enumeration has, and kinds of events and blocks that no side knows."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.finding import Finding, Severity
from bridgecheck.drift.knowledge import Kind, Knowledge, wire_knowledge
from bridgecheck.drift.sdk_types import sdk_knowledge
from bridgecheck.drift.sides import Sides, is_documented_member, make_finding
from bridgecheck.normalise import finish
from bridgecheck.wire import Dialect

_FINISH_WORDS: Final[dict[Dialect, frozenset[str]]] = {
    "gemini": frozenset(finish.GEMINI),
    "openai-chat": frozenset(finish.OPENAI),
    "anthropic": frozenset(finish.ANTHROPIC),
}
_FINISH_KEYS: Final = frozenset({"finishreason", "stopreason"})
_ROLES: Final[dict[Dialect, frozenset[str]]] = {"gemini": frozenset({"model", "user", "function"})}
_NUMBERS: Final = frozenset[Kind]({"integer", "number"})
_ALIKE: Final = 0.5
"""Least likeness of two names, or of what two objects hold, for one to be the other under a new name."""
_SECONDS: Final = (1e9, 1e10)
_MILLISECONDS: Final = (1e12, 1e13)


def tag_changes(sides: Sides) -> Iterator[Finding]:
    for base, tags in sides.new.tags.items():
        before = sides.old.tags.get(base)
        if not before:
            continue
        vanished = [tag for tag in before if tag not in tags]
        for tag in tags:
            if tag in before or tag in sides.all_old.tags.get(base, ()) or _is_known_tag(sides, base, tag):
                continue
            is_event = base == ""
            old = next((name for name in vanished if _is_like(sides, base, name, tag)), "")
            path = f"{base or 'type'}" if base else "type"
            if old:
                yield make_finding(
                    sides,
                    "kind",
                    "breaking",
                    path,
                    f"{old}",
                    f"{tag}",
                    "clients read it by its type, which has another name now",
                    f"{old} {tag}",
                )
            else:
                reason = (
                    "clients pass over events of types that they do not know"
                    if is_event
                    else "clients pass over what they do not know, or lose it"
                )
                yield make_finding(sides, "kind", "notable", path, f"none of type {tag}", f"{tag}", reason, tag)
    for base, tags in sides.old.tags.items():
        untagged = base if base else ""
        if tags and not sides.new.tags.get(base) and sides.new.count(untagged):
            yield make_finding(
                sides,
                "missing",
                "breaking",
                f"{base}.type".removeprefix("."),
                "in all that need it",
                f"in none of {sides.new.count(untagged)}",
                "clients tell kinds apart by it",
                "type",
            )


def _tag_path(base: str, tag: str) -> str:
    if not base:
        return f"[{tag}]"
    return f"{base[:-1]}{tag}]" if base.endswith("[]") else f"{base}({tag})"


def _is_known_tag(sides: Sides, base: str, tag: str) -> bool:
    path = f"{_tag_path(base, tag)}.type".removeprefix(".")
    known = (wire_knowledge(sides.dialect, path), sdk_knowledge(sides.dialect, path))
    return any(entry is not None and tag in entry.values for entry in known)


def _is_like(sides: Sides, base: str, old: str, new: str) -> bool:
    """Whether what has the new tag holds what had the old one."""
    before, after = sides.old.children(_tag_path(base, old)), sides.new.children(_tag_path(base, new))
    return bool(before | after) and len(before & after) / len(before | after) >= _ALIKE


def type_changes(sides: Sides) -> Iterator[Finding]:
    for path, member in sides.new.members.items():
        before = sides.old.members.get(path)
        if before is None or not before.filled or not member.filled:
            continue
        wire = wire_knowledge(sides.dialect, path)
        elsewhere = sides.all_old.members.get(path)
        recorded = {*before.kinds, *(elsewhere.kinds if elsewhere else ())}
        fresh = _fresh_kinds(member.kinds.keys() - recorded, recorded, wire)
        if not fresh:
            continue
        old, new = (" or ".join(sorted(side.kinds)) for side in (before, member))
        severity, reason = _rate_type(sides, path, recorded, fresh)
        key = f"{path.rpartition('.')[2]} {' '.join(sorted(fresh))}"
        yield make_finding(sides, "type", severity, path, old, new, reason, key)
    for path, member in sides.new.members.items():
        before = sides.old.members.get(path)
        if (
            before
            and _SECONDS[0] <= before.largest < _SECONDS[1]
            and (_MILLISECONDS[0] <= member.largest < _MILLISECONDS[1])
        ):
            yield make_finding(sides, "value", "notable", path, "seconds", "milliseconds", "clients read it as seconds")


def _rate_type(sides: Sides, path: str, recorded: set[Kind], fresh: set[Kind]) -> tuple[Severity, str]:
    """Return the severity of a new type, and why."""
    if not is_documented_member(sides, path):
        return "notable", "no type documents it"
    wire = wire_knowledge(sides.dialect, path)
    allowed = wire.kinds if wire is not None else frozenset[Kind]()
    if allowed >= fresh and not allowed & (recorded - {"null"}):
        return "cosmetic", "the documented type; the old answers had another"
    return "breaking", "clients that read it expect its old type"


def _fresh_kinds(fresh: set[Kind], recorded: set[Kind], wire: Knowledge | None) -> set[Kind]:
    """Return the kinds that are news: null only where no type allows it, a fraction only where integers are due."""
    allowed = wire.kinds if wire is not None else frozenset[Kind]()
    if "null" in fresh and (not allowed or "null" in allowed):
        fresh = fresh - {"null"}
    if fresh <= _NUMBERS and recorded & _NUMBERS and (not allowed or "number" in allowed or fresh == {"integer"}):
        return set()
    return set(fresh)


def value_changes(sides: Sides) -> Iterator[Finding]:
    for path, member in sides.new.members.items():
        before, elsewhere = sides.old.members.get(path), sides.all_old.members.get(path)
        if before is None or not before.tokens:
            continue
        recorded = {*before.tokens, *(elsewhere.tokens if elsewhere else ())}
        fresh = sorted(word for word in member.tokens if word not in recorded)
        known = _known_words(sides, path) if fresh else frozenset[str]()
        fresh = [word for word in fresh if known and word not in known]
        if path.rpartition(".")[2] in ("type", "@type") and _is_tag(sides, member.parent):
            continue
        if not fresh:
            continue
        wire = wire_knowledge(sides.dialect, path)
        is_read = path_keys(path)[-1] in _FINISH_KEYS or path_keys(path)[-1] == "role" or bool(wire and wire.values)
        yield make_finding(
            sides,
            "value",
            "breaking" if is_read else "notable",
            path,
            ", ".join(sorted(before.tokens)),
            ", ".join(fresh),
            "clients and converters decide by it" if is_read else "a word that the SDK does not know",
            f"{path.rpartition('.')[2]} {' '.join(fresh)}",
        )


def _is_tag(sides: Sides, parent: str) -> bool:
    return any(parent in (_tag_path(base, tag) for tag in tags) for base, tags in sides.new.tags.items())


def _known_words(sides: Sides, path: str) -> frozenset[str]:
    """Return the words of an enumeration, empty for a member that is none."""
    last = path_keys(path)[-1]
    if last in _FINISH_KEYS:
        sdk = sdk_knowledge(sides.dialect, path)
        return _FINISH_WORDS.get(sides.dialect, frozenset()) | (sdk.values if sdk else frozenset())
    if last == "role" and sides.dialect in _ROLES:
        return _ROLES[sides.dialect]
    known = (wire_knowledge(sides.dialect, path), sdk_knowledge(sides.dialect, path))
    return frozenset[str]().union(*(entry.values for entry in known if entry is not None))
