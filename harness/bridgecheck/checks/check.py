"""What a check, a rule and a result are. Each check is one declaration, in the file of its topic."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from bridgecheck.compare.losses import LOCATIONS
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import STATUS_OF_LEVEL, AppliedLoss, Difference, Level, Status, Verdict
from bridgecheck.wire import Dialect

MOST_DIFFERENCES: Final = 1_000
"""Differences that a verdict keeps; of more it keeps the number."""

Side: TypeAlias = Literal["response", "request", "stream", "case", "expectation", "sdk", "law", "relation"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement on an adapter, in a sentence. ``id`` is stable; ``basis``: the source it rests on; ``check``: the
    id of the check that enforces it, filled in by ``table.RULES``."""

    id: str
    level: Level
    text: str
    basis: Basis
    check: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found in one turn. It becomes a verdict when ``Check.judge`` adds the check's id and level.

    ``status`` None: PASS without differences, else the status of ``level``; ``level`` None: the level of the check.
    ``message`` "": the first difference. ``rules``: names of the rules that were applied, "" for none."""

    differences: Sequence[Difference] = ()
    status: Status | None = None
    level: Level | None = None
    message: str = ""
    rules: Iterable[str] = ()
    losses: Sequence[AppliedLoss] = ()
    turn: int = 0

    def status_at(self, level: Level) -> Status:
        """Return the status of this result in a check of that level."""
        if self.status is not None:
            return self.status
        return STATUS_OF_LEVEL[self.level or level] if self.differences else "PASS"

    def verdict(self, check: str, level: Level) -> Verdict:
        """Return the verdict that this result is for the check of that id and level."""
        message = self.message or (describe_difference(self.differences[0]) if self.differences else "")
        rules = tuple(dict.fromkeys(rule for rule in self.rules if rule))
        status = self.status_at(level)
        differences = tuple(self.differences[:MOST_DIFFERENCES])
        if further := len(self.differences) - len(differences):
            differences += (Difference("(further differences)", "none", str(further)),)
        return Verdict(check, status, message, differences, rules, tuple(self.losses), self.turn)


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement that every case is judged by.

    ``id`` is stable and the same for pass and fail. ``level``: the level of its weightiest rule; the results of an
    expectation take the level of their scenario. ``basis`` and ``requirement``: source and sentence of the whole check.
    ``run``: returns at least one result per turn that it applies to and none elsewhere; a law or a relation needs a
    second play of the case, which ``run/`` makes, so it returns none here. ``rules``: the requirements in detail.

    ``blocked_by``: checks whose failure in the same case explains a failure of this one, so that one defect is one
    finding; the relation is transitive and has no cycles. ``version``: raised when the check begins to fail what it
    passed before; requirement sets name it."""

    id: str
    topic: str
    level: Level
    basis: Basis
    requirement: str
    run: Callable[[Evidence], Iterable[Result]]
    side: Side
    blocked_by: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    version: int = 1

    def judge(self, evidence: Evidence) -> list[Verdict]:
        """Return the verdicts of this check on one case."""
        results = (part for result in self.run(evidence) for part in _separate_expressible_losses(result))
        return [result.verdict(self.id, self.level) for result in results]


def _separate_expressible_losses(result: Result) -> Iterator[Result]:
    """Yield the result without the losses of what the target has room for, and these as a WARN of their own, unless
    something worse was found."""
    expressible = [loss for loss in result.losses if loss.rule in LOCATIONS]
    if not expressible:
        yield result
        return
    yield replace(result, losses=[loss for loss in result.losses if loss not in expressible])
    if not result.differences:
        rows = [Difference(loss.path, "kept", "(absent)", loss.reason) for loss in expressible]
        yield Result(rows, level="SHOULD", turn=result.turn)


def describe_difference(difference: Difference) -> str:
    """Return a difference as one line of text."""
    note = f" ({difference.note})" if difference.note else ""
    return f"{difference.path}: expected {difference.expected}, got {difference.actual}{note}"


_NAMES_SHOWN: Final = 8


def describe_undocumented(names: Sequence[str], dialect: Dialect) -> str:
    """Return how many and which of the names that a dialect does not document did not arrive, as one line."""
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_NAMES_SHOWN]) + (", ..." if len(distinct) > _NAMES_SHOWN else "")
    return f"{len(names)} values that {dialect} does not document did not arrive: {shown}"


def undocumented_difference(path: str, names: Sequence[str], dialect: Dialect) -> Difference:
    """Return the loss of these names as one difference: whichever they are, it is one fault."""
    return Difference(path, "what the sender adds", "(absent)", describe_undocumented(names, dialect))


def silent_losses(paths: Sequence[str], values: Mapping[str, str] | None = None) -> tuple[Difference, ...]:
    """Return one difference per path that was lost without a row in the table of losses. ``values``: path -> the value
    that was lost, where it is known."""
    shown = values or {}
    return tuple(Difference(path, shown.get(path, "kept"), "(absent)", "silent loss") for path in paths)
