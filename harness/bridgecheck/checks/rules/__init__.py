"""RULES: what is required of an adapter, sentence by sentence, with level and basis. Each names the check that enforces
it; ``lint`` sees to it that none is without the other. docs/rules.md is written from here.

A check that is made from a table of its own (relations) is its own rule.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.check import Check
from bridgecheck.checks.rules.relay import RELAY_RULES
from bridgecheck.checks.rules.request import REQUEST_RULES
from bridgecheck.checks.rules.response import RESPONSE_RULES
from bridgecheck.checks.rules.rule import Rule
from bridgecheck.checks.table import CHECKS
from bridgecheck.model.scenario import STRONG_BASES
from bridgecheck.model.verdict import Level

__all__ = ["RULES", "Rule", "contradictions", "rules_of"]

_WRITTEN: Final[tuple[Rule, ...]] = (*RESPONSE_RULES, *REQUEST_RULES, *RELAY_RULES)
_ORDER: Final[tuple[Level, ...]] = ("MUST", "SHOULD", "MAY")


def _own(check: Check) -> Rule:
    return Rule(check.id, check.id, check.level, check.rule, check.basis)


RULES: Final[tuple[Rule, ...]] = (*_WRITTEN, *(_own(check) for check in CHECKS if check.side == "relation"))


def rules_of(check: str) -> tuple[Rule, ...]:
    """What this check enforces."""
    return tuple(rule for rule in RULES if rule.check == check)


def contradictions(rules: tuple[Rule, ...] = RULES, checks: tuple[Check, ...] = CHECKS) -> Iterator[str]:
    """What is wrong with the two tables, in words: a rule that no check enforces, a check without a rule, a MUST that
    rests on too little, a check of another level than the weightiest of its rules, an id twice."""
    known = {check.id: check for check in checks}
    seen = set[str]()
    for rule in rules:
        if rule.check not in known:
            yield f"the rule {rule.id} is enforced by {rule.check}, which is no check"
        if rule.id in seen:
            yield f"the rule {rule.id} stands there twice"
        if not rule.basis.ref:
            yield f"the rule {rule.id} cites nothing"
        if rule.level == "MUST" and rule.basis.kind not in STRONG_BASES:
            yield f"the rule {rule.id} is a MUST and rests on {rule.basis.kind}"
        seen.add(rule.id)
    for check in checks:
        levels = [rule.level for rule in rules if rule.check == check.id]
        if not levels:
            yield f"the check {check.id} enforces no rule"
        elif check.level != min(levels, key=_ORDER.index):
            yield f"the check {check.id} is {check.level}, its rules are {', '.join(levels)}"
