"""Two sides of a comparison of members, and findings about one of them."""

from dataclasses import dataclass

from bridgecheck.drift.finding import Change, Finding, Severity
from bridgecheck.drift.knowledge import Knowledge, wire_knowledge
from bridgecheck.drift.members import Members
from bridgecheck.drift.sdk_types import sdk_knowledge, sdk_title
from bridgecheck.wire import Dialect, Mode


@dataclass(frozen=True, slots=True)
class Sides:
    """``old`` and ``new``: what the compared answers hold. ``all_old``: what all old recordings hold, those of other
    answers too: what stands there is no news. ``old_whole`` and ``new_whole``: numbers of the answers that came to
    their end. ``asks_usage``: whether all requests ask for token counts."""

    dialect: Dialect
    mode: Mode
    old: Members
    new: Members
    all_old: Members
    old_whole: frozenset[int]
    new_whole: frozenset[int]
    asks_usage: bool = True


def make_finding(
    sides: Sides, change: Change, severity: Severity, path: str, old: str, new: str, reason: str, key: str = ""
) -> Finding:
    """Return a finding about one member, with what SDK and wire types know of it."""
    known, wire = sdk_knowledge(sides.dialect, path), wire_knowledge(sides.dialect, path)
    return Finding(
        change,
        severity,
        sides.dialect,
        (path,),
        old,
        new,
        reason,
        sdk=f"{sdk_title(sides.dialect)}: {_describe(known)}" if sdk_title(sides.dialect) else "",
        wire=_describe(wire),
        modes=(sides.mode,),
        key=key or f"{path.rpartition('.')[2]} {new}",
    )


def _describe(known: Knowledge | None) -> str:
    if known is None:
        return "does not know it"
    kinds = " or ".join(sorted(kind for kind in known.kinds)) or "anything"
    few = f", one of {', '.join(sorted(known.values))}" if 0 < len(known.values) <= 4 else ""
    many = f", one of {len(known.values)} words" if len(known.values) > 4 else ""
    return f"{kinds}{few}{many}{', required' if known.is_required else ''}"


def is_documented_member(sides: Sides, path: str) -> bool:
    return wire_knowledge(sides.dialect, path) is not None or sdk_knowledge(sides.dialect, path) is not None
