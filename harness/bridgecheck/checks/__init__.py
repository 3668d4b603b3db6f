"""The requirements: one table of checks, one small file a topic, and ``judge``, which runs them all over one case."""

import traceback
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from bridgecheck.checks.check import Check
from bridgecheck.checks.relay import expected_calls
from bridgecheck.checks.table import CHECKS
from bridgecheck.checks.verdicts import verdict
from bridgecheck.checks.view import called_only_unmodelled_endpoints
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Verdict

__all__ = ["CHECKS", "Check", "judge"]

_OWN_LEVEL: Final = "expectation"


def judge(evidence: Evidence) -> tuple[Verdict, ...]:
    """All verdicts on one case, in the order of the table. A check that fails by itself gives ERROR and does not stop
    the others. A crash, a refusal or a call that was not recorded blocks the checks that it explains; where the adapter
    asked for what is not modelled, only that is said."""
    checks = (
        [check for check in CHECKS if check.run is expected_calls]
        if called_only_unmodelled_endpoints(evidence)
        else CHECKS
    )
    return tuple(found for check in checks for found in _levelled(check, evidence, _run(check, evidence)))


def _run(check: Check, evidence: Evidence) -> list[Verdict]:
    try:
        return check.run(evidence)
    except Exception:  # a fault of the judge must not end the run, and must not pass for a verdict on the adapter
        return [verdict(check.id, "ERROR", message=f"the check itself failed:\n{traceback.format_exc()}")]


def _levelled(check: Check, evidence: Evidence, found: Iterable[Verdict]) -> list[Verdict]:
    """In a scenario of robustness (MAY) nothing weighs more than a NOTE: no provider is known to send such bytes."""
    scenario = evidence.scenario
    if scenario is None or scenario.level != "MAY" or check.side == _OWN_LEVEL:
        return list(found)
    return [replace(one, status="NOTE") if one.status in ("FAIL", "WARN") else one for one in found]
