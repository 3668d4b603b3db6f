"""Routes within one dialect. An adapter that passes documents on leaves them as they are; one that reads them into
types of its own and writes them anew makes its own times and wordings, and is right where it means the same. Which of
the two an adapter is cannot be seen from outside, so only what a conversion would not allow either is a FAIL there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Verdict

RULE: Final = "rewritten"


def as_conversion(evidence: Evidence) -> Evidence | None:
    """Return a case within one dialect as if that dialect were read and written anew; None for any other case."""
    key = evidence.key
    goes_straight = key.path == "bridged" and key.client == key.upstream and evidence.pivot is None
    return replace(evidence, pivot=key.client) if goes_straight else None


def lower_what_a_conversion_may_change(exact: Sequence[Verdict], of_conversion: list[Verdict]) -> list[Verdict]:
    """Return the verdicts of a check that failed where nothing may change: with a WARN in place of the FAIL, or those
    of the same case as a conversion if it fails as one too."""
    if any(verdict.status == "FAIL" for verdict in of_conversion):
        return of_conversion
    rules = [rule for verdict in of_conversion if verdict.status == "WARN" for rule in verdict.rules]
    return [
        replace(verdict, status="WARN", rules=tuple(dict.fromkeys((*verdict.rules, *rules, RULE))))
        if verdict.status == "FAIL"
        else verdict
        for verdict in exact
    ]
