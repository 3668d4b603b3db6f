"""Routes within one dialect. An adapter that passes documents on leaves them as they are; one that reads them into
types of its own and writes them anew makes its own times and wordings, and is right where it means the same. Which of
the two an adapter is cannot be seen from outside, so only what a conversion would not allow either is a FAIL there."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Verdict

RULE: Final = "rewritten"


def lower_what_a_conversion_may_change(
    verdicts: Sequence[Verdict], evidence: Evidence, judge: Callable[[Evidence], Sequence[Verdict]]
) -> Sequence[Verdict]:
    """Return the verdicts of a case within one dialect, judged once more as if that dialect were read and written
    anew: a check that fails only where nothing may change is a WARN. ``judge``: judges a case by all checks."""
    key = evidence.key
    goes_straight = key.path == "bridged" and key.client == key.upstream and evidence.pivot is None
    if not goes_straight or all(verdict.status != "FAIL" for verdict in verdicts):
        return verdicts
    of_conversion = judge(replace(evidence, pivot=key.client))
    failed = {verdict.check for verdict in of_conversion if verdict.status == "FAIL"}
    exact = [
        replace(verdict, status="WARN", rules=(*verdict.rules, RULE)) if verdict.status == "FAIL" else verdict
        for verdict in verdicts
        if verdict.check not in failed
    ]
    return (*exact, *(verdict for verdict in of_conversion if verdict.check in failed))
