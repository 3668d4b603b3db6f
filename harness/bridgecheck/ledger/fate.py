"""What became of one leaf in one direction, from three runs: the base, the leaf with one value and with the other.

    refused, naming the leaf or its value                    rejected
    crashed, or refused without naming it                    failed
    a check fails that the base passed                       silent: what arrived is something else
    what of the normal form the leaf is, path by path:
        the far side says the same                           kept
        ... the same once canonical rewrites or class
            tables have levelled both, or a check passed it
            by a rule with a name, or it moved (``moves``)   transformed
        the far side is the same whichever value, or has not
            got it, and ``compare/losses`` has a row for it  declared
        no row, and the word itself is found there           transformed: carried
        else                                                 silent
    beside it, something arrived that nothing explains       invented

The worst of the paths is the fate of the leaf. Ids may be replaced: they only have to pair.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.compare.losses import Hop, find_declared_loss
from bridgecheck.ledger.base import ALPHA
from bridgecheck.ledger.features import CLASSED, FREE, UNLEVELLED, Features, differing, levelling
from bridgecheck.ledger.kinds import Side
from bridgecheck.ledger.moves import moves, under
from bridgecheck.ledger.probes import Probe
from bridgecheck.model.evidence import DeclaredLoss
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.verdict import Verdict

Fate: TypeAlias = Literal["kept", "transformed", "declared", "rejected", "silent", "invented", "failed"]
FATES: Final[tuple[Fate, ...]] = ("kept", "transformed", "declared", "rejected", "silent", "invented", "failed")
BAD: Final[frozenset[Fate]] = frozenset({"silent", "invented", "failed"})
"""Fates that fail the command."""

_WORD: Final = ALPHA.removeprefix("canary-")


@dataclass(frozen=True, slots=True)
class Run:
    """One document, played. ``far``: what arrived, as canonical JSON ("" if nothing did). ``near`` and ``seen``: what
    was said and what arrived, as features; ``near_level`` and ``seen_level``: both after canonical rewrites or in
    classes. ``text``: what was said, as JSON. ``refused``: the adapter's
    words, "" if it took the document; ``crash``: its traceback, or "". ``said_lost``: what it declared lost."""

    near: Features
    seen: Features
    near_level: Features
    seen_level: Features
    text: str
    far: str
    verdicts: tuple[Verdict, ...]
    refused: str = ""
    crash: str = ""
    said_lost: tuple[DeclaredLoss, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """``by``: rules of the transformation. ``losses``: rows of the table of losses. ``paths``: what of the normal form
    the leaf is. ``note``: one line, "" where the fate says it all."""

    fate: Fate
    by: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """One side of one direction. ``hops``: the conversions, () where documents pass untouched. ``needed``: paths that
    the far side's dialect cannot do without."""

    side: Side
    hops: tuple[Hop, ...]
    needed: frozenset[str] = frozenset()

    def loss(self, path: str) -> str:
        """The row of the table of losses that covers this path, "" if none does."""
        row = find_declared_loss("request" if self.side == "request" else "response", path, self.hops)
        return row.rule if row is not None else ""


def rule(probe: Probe, way: Way, base: Run, a: Run, b: Run) -> Ruling:
    """The fate of one leaf."""
    for run in (a, b):
        if run.crash or run.refused:
            return _given_up(probe, run)
    paths = differing(a.near, b.near)
    known = {(check, path) for check, path, _ in problems(base)}
    wrong = [one for run in (a, b) for one in problems(run) if one[:2] not in known]
    if wrong:
        check, path, what = wrong[0]
        return Ruling("silent", (check,), (), paths, f"{check}: {path} {what}")
    found = _told(way, base, a, b, paths)
    added = [] if found.fate in BAD else _added(way, base, a)
    if added:
        return Ruling("invented", (), (), paths, ", ".join(f"{path} {a.seen[path]}" for path in added))
    return found


def base_ruling(way: Way, base: Run) -> Ruling:
    """Of a base by itself: nothing in it is lost, nothing arrives that was not said."""
    if base.crash or base.refused:
        return Ruling("failed", note=_first(base.crash or base.refused))
    wrong = problems(base)
    if wrong:
        return Ruling("silent", note="; ".join(f"{check}: {path} {what}" for check, path, what in wrong[:2]))
    extra = _unsaid(way, base, list(base.near), list(base.seen))
    if extra:
        return Ruling("invented", note=", ".join(f"{path} {base.seen[path]}" for path in extra))
    return Ruling("kept")


def problems(run: Run) -> list[tuple[str, str, str]]:
    """(check, path, message) of everything that the checks found wrong."""
    return [
        (one.check, row.path, f"expected {row.expected}, got {row.actual}" + (f" ({row.note})" if row.note else ""))
        for one in run.verdicts
        if one.status in ("FAIL", "WARN", "ERROR")
        for row in one.differences
    ] + [
        (one.check, "", one.message)
        for one in run.verdicts
        if one.status in ("FAIL", "WARN", "ERROR") and not one.differences
    ]


def _given_up(probe: Probe, run: Run) -> Ruling:
    if run.crash:
        return Ruling("failed", note=_first(run.crash))
    words = run.refused.replace("_", "").lower()
    names = [step.strip("[]()").replace("_", "").lower() for step in probe.leaf.steps]
    if any(len(name) > 2 and name in words for name in names[-2:]) or _WORD in words:
        return Ruling("rejected", note=_first(run.refused))
    return Ruling("failed", note=f"refused without naming it: {_first(run.refused)}")


def _told(way: Way, base: Run, a: Run, b: Run, paths: tuple[str, ...]) -> Ruling:
    """Path by path: how what was said arrived. What is free to change counts only where it is all there is."""
    rules = (_rules(a) | _rules(b)) - _rules(base) if a.far != b.far else set[str]()
    by: list[str] = []
    losses: list[str] = []
    gone: list[str] = []
    for path in [path for path in paths if path not in FREE] or paths:
        if a.far != b.far and all(run.near.get(path) == run.seen.get(path) for run in (a, b)):
            continue
        found = _transformed(way, a, b, path, rules)
        loss = way.loss(path)
        if found:
            by += found
        elif loss:
            losses.append(loss)
        elif a.far != b.far and _WORD in a.far:
            by.append("carried")
        else:
            gone.append(path)
    fate: Fate = "silent" if gone else "transformed" if by else "declared" if losses else "kept"
    note = f"{'lost' if a.far == b.far else 'arrives as something else'}: {', '.join(gone)}" if gone else ""
    return Ruling(fate, tuple(dict.fromkeys(by)), tuple(dict.fromkeys(losses)), paths, note)


def _transformed(way: Way, a: Run, b: Run, path: str, rules: set[str]) -> list[str]:
    """The rules by which this path arrived in another form, [] if it did not."""
    if path in FREE:
        return ["id_bijection"] if path in a.seen or path in b.seen else []
    if path in CLASSED:
        return [CLASSED[path]]
    if _levelled(a, b, path):
        return [levelling(path)]
    if a.far == b.far:
        return []
    if rules:
        return sorted(rules)
    moved = [one.name for one in moves(way.side) if under(path, one.paths) and _differ(a, b, one.to)]
    return moved[:1]


def _levelled(a: Run, b: Run, path: str) -> bool:
    """Whether both runs arrived the same once both sides were levelled. Levelling may bring a path under another of its
    channel (what came with a result stands behind it); a signature it leaves out, so that it says nothing of one."""
    if path in UNLEVELLED:
        return False
    found = [path] if path in {*a.near_level, *b.near_level} else _moved_by_level(a, b, path)
    return bool(found) and all(run.near_level.get(one) == run.seen_level.get(one) for run in (a, b) for one in found)


def _moved_by_level(a: Run, b: Run, path: str) -> list[str]:
    return [one for one in differing(a.near_level, b.near_level) if _channel(one) == _channel(path)]


def _differ(a: Run, b: Run, starts: tuple[str, ...]) -> bool:
    return any(under(path, starts) for path in differing(a.seen, b.seen))


def _added(way: Way, base: Run, a: Run) -> list[str]:
    """What arrived with the leaf, in channels in which nothing was said, and holds nothing of it."""
    if base.crash or base.refused:
        return []
    said = list(differing(base.near, a.near))
    new = [path for path in differing(base.seen, a.seen) if path in a.seen and path not in base.seen]
    return _unsaid(way, a, said, new)


def _unsaid(way: Way, run: Run, said: list[str], new: list[str]) -> list[str]:
    """The new paths that nothing said explains: not the channel, no move, and not a word of the document itself."""
    channels = {_channel(path) for path in said}
    open_to = [one.to for one in moves(way.side) if any(under(path, one.paths) for path in said)]
    left = [path for path in new if _channel(path) not in channels and path not in way.needed]
    left = [path for path in left if not any(under(path, starts) for starts in open_to)]
    return [path for path in left if not _echoed(run, path)]


def _echoed(run: Run, path: str) -> bool:
    """Whether all words under a path stand in the document that was said."""
    words = re.findall(r"[A-Za-z0-9_./:-]{3,}", run.seen[path])
    return bool(words) and all(word in run.text for word in words)


def _channel(path: str) -> str:
    """Settings and leaves without a place each by itself, all else by the first word."""
    return path if path.startswith(("settings.", "other:")) else path.split(".")[0]


def _rules(run: Run) -> set[str]:
    return {rule for one in run.verdicts for rule in one.rules if one.status != "INHERITED"}


def _first(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def far_text(documents: Sequence[object]) -> str:
    """What arrived, as one canonical text."""
    return canonical(list(documents))
