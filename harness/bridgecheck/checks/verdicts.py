"""Making verdicts: a check that finds nothing passes, one that finds differences has the status of its level."""

from collections.abc import Iterable, Sequence

from bridgecheck.model.verdict import STATUS_OF_LEVEL, AppliedLoss, Difference, Level, Status, Verdict


def result(
    check: str,
    differences: Sequence[Difference] = (),
    *,
    level: Level = "MUST",
    message: str = "",
    rules: Iterable[str] = (),
    losses: Sequence[AppliedLoss] = (),
    turn: int = 0,
) -> Verdict:
    """PASS without differences, else FAIL, WARN or NOTE by level. The message is the first difference if none is
    given."""
    status: Status = STATUS_OF_LEVEL[level] if differences else "PASS"
    return verdict(check, status, differences, message=message, rules=rules, losses=losses, turn=turn)


def verdict(
    check: str,
    status: Status,
    differences: Sequence[Difference] = (),
    *,
    message: str = "",
    rules: Iterable[str] = (),
    losses: Sequence[AppliedLoss] = (),
    turn: int = 0,
) -> Verdict:
    """A verdict of a given status."""
    text = message or (sentence(differences[0]) if differences else "")
    named = tuple(dict.fromkeys(rule for rule in rules if rule))
    return Verdict(check, status, text, tuple(differences), named, tuple(losses), turn)


def sentence(difference: Difference) -> str:
    """A difference in one line."""
    note = f" ({difference.note})" if difference.note else ""
    return f"{difference.path}: expected {difference.expected}, got {difference.actual}{note}"


def silent(paths: Sequence[str], values: dict[str, str] | None = None) -> tuple[Difference, ...]:
    """Paths that were lost without a row in the table of losses."""
    shown = values or {}
    return tuple(Difference(path, shown.get(path, "kept"), "(absent)", "silent loss") for path in paths)
