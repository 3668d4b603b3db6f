"""One change of a provider between two sets of recordings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import Dialect, JsonObject

Severity: TypeAlias = Literal["breaking", "notable", "cosmetic"]
SEVERITIES: Final[tuple[Severity, ...]] = ("breaking", "notable", "cosmetic")
"""Worst first."""

Change: TypeAlias = Literal[
    "missing", "new", "renamed", "moved", "spelling", "type", "value", "kind", "order", "framing", "terminator",
    "status", "error", "ending",
]  # fmt: skip

TITLES: Final[dict[Change, str]] = {
    "missing": "a member is missing", "new": "a new member", "renamed": "a member has another name",
    "moved": "a member stands elsewhere", "spelling": "members are spelled another way",
    "type": "a value of another type", "value": "a value never recorded before",
    "kind": "an event, block or part of a new type", "order": "events in another order",
    "framing": "another framing", "terminator": "the end mark of a stream", "status": "another HTTP status",
    "error": "another error body", "ending": "an answer that broke off",
}  # fmt: skip
"""Change -> its name in a report."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``paths``: where in the answer, several if one change shows in several places, () for one of the whole answer.
    ``old`` and ``new``: what the recordings show, in words; ``sdk`` and ``wire``: what the installed SDK's types and
    bridgecheck's own wire types know of it, "" where they say nothing about such a thing. ``reason``: why it has this
    severity. ``modes``: of the answers. ``recordings``: names of the recordings that show it, ``scenarios``, ``checks``
    and ``losses``: ids of those that it touches; () until ``touches.add_touches`` has filled them in."""

    change: Change
    severity: Severity
    dialect: Dialect
    paths: tuple[str, ...]
    old: str
    new: str
    reason: str
    sdk: str = ""
    wire: str = ""
    modes: tuple[str, ...] = ()
    recordings: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    key: str = ""
    """What two findings share that are one change: the name of the member, the fact that differs."""

    @property
    def is_drift(self) -> bool:
        """Whether it counts: a cosmetic finding does not."""
        return self.severity != "cosmetic"

    def as_json(self) -> JsonObject:
        return {
            "change": self.change, "severity": self.severity, "dialect": self.dialect, "modes": list(self.modes),
            "paths": list(self.paths), "old": self.old, "new": self.new, "sdk": self.sdk, "wire": self.wire,
            "reason": self.reason, "recordings": list(self.recordings), "scenarios": list(self.scenarios),
            "checks": list(self.checks), "losses": list(self.losses),
        }  # fmt: skip


def merge_findings(findings: list[Finding]) -> list[Finding]:
    """Return each change once, worst first: findings of one dialect, change and key are one, with the paths, modes and
    recordings of all and the worst severity."""
    merged: dict[tuple[str, str, str], Finding] = {}
    for finding in _fold_renames(findings):
        identity = (finding.dialect, finding.change, finding.key)
        merged[identity] = _join(merged[identity], finding) if identity in merged else finding
    return sorted(merged.values(), key=lambda finding: SEVERITIES.index(finding.severity))


def _fold_renames(findings: list[Finding]) -> Iterator[Finding]:
    """Yield the findings, with those about the old or the new name of a renamed member as part of that change: where a
    member is null, or one of two answers has it, a rename looks like one that is missing and one that is new."""
    names: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        if finding.change == "renamed":
            names |= {(finding.dialect, name): finding for name in finding.key.split()}
    for finding in findings:
        rename = names.get((finding.dialect, finding.key))
        if rename is None or finding.change not in ("missing", "new"):
            yield finding
        else:
            yield replace(rename, paths=finding.paths, modes=finding.modes, recordings=finding.recordings)


def _join(first: Finding, second: Finding) -> Finding:
    worst = min(first, second, key=lambda finding: SEVERITIES.index(finding.severity))
    is_error = first.change == "error"
    return replace(
        worst,
        old=_join_texts(first.old, second.old) if is_error else worst.old,
        new=_join_texts(first.new, second.new) if is_error else worst.new,
        paths=tuple(dict.fromkeys((*first.paths, *second.paths))),
        modes=tuple(dict.fromkeys((*first.modes, *second.modes))),
        recordings=tuple(dict.fromkeys((*first.recordings, *second.recordings))),
    )


def _join_texts(first: str, second: str) -> str:
    return first if second in first.split("; ") else f"{first}; {second}"
