"""Which rule was enforced how often, and where it stands: rule -> check -> source, with the run's counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from bridgecheck.checks.rules import RULES, Rule
from bridgecheck.model.verdict import Status


@dataclass(frozen=True, slots=True)
class Trace:
    """``counts``: verdicts of the rule's check in this run, by status; {} if it had nothing to say."""

    rule: Rule
    counts: Mapping[Status, int]


def traces(checks: Mapping[str, Mapping[Status, int]]) -> tuple[Trace, ...]:
    """``checks``: check id -> status -> verdicts. One row a rule, also of those that nothing was judged by."""
    return tuple(Trace(rule, checks.get(rule.check, {})) for rule in RULES)
