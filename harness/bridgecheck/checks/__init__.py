"""The requirements: ``CHECKS``, their ``RULES``, and ``judge``, which applies all checks to one case. Each check is
declared with its rules in the file of its topic; ``table`` lists them in order."""

import traceback
from dataclasses import replace
from typing import Final

from bridgecheck.checks.adapter import EXPECTED_CALLS
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import has_only_unmodelled_misses
from bridgecheck.checks.table import CHECKS, NOTICES, RULES, find_contradictions, rules_of
from bridgecheck.checks.unrequested import lower_unrequested
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Verdict

__all__ = ["CHECKS", "NOTICES", "RULES", "Check", "Rule", "find_contradictions", "judge", "rules_of"]

_OWN_LEVEL: Final = "expectation"


def judge(evidence: Evidence) -> tuple[Verdict, ...]:
    """Return all verdicts on one case, in the order of the table.

    A check that raises gives ERROR and does not stop the others. A crash, a refusal or a call that was not recorded
    blocks the checks that it explains; where the adapter called only endpoints that are not modelled, only
    ``relay.expected_calls`` is judged."""
    checks = (EXPECTED_CALLS,) if has_only_unmodelled_misses(evidence) else CHECKS
    return tuple(verdict for check in checks for verdict in _run_check(check, evidence))


def _run_check(check: Check, evidence: Evidence) -> list[Verdict]:
    try:
        verdicts = check.judge(evidence)
    except Exception:  # a fault of the judge must not end the run, and must not pass for a verdict on the adapter
        failure = Result(status="ERROR", message=f"the check itself failed:\n{traceback.format_exc()}")
        verdicts = [failure.verdict(check.id, check.level)]
    if _is_failure_only_a_note(check, evidence):
        return [replace(item, status="NOTE") if item.status in ("FAIL", "WARN") else item for item in verdicts]
    if _rests_on_convention(evidence):
        return [replace(item, status="WARN") if item.status == "FAIL" else item for item in verdicts]
    return lower_unrequested(check, verdicts, evidence)


def _is_failure_only_a_note(check: Check, evidence: Evidence) -> bool:
    """Return whether the scenario is one of robustness (MAY), where no provider is known to send such bytes. What a
    scenario itself expects has the level of the scenario already."""
    scenario = evidence.scenario
    return scenario is not None and scenario.level == "MAY" and check.side != _OWN_LEVEL


def _rests_on_convention(evidence: Evidence) -> bool:
    """Return whether the scenario is a SHOULD that rests on convention: clients or providers are reported to send such
    bytes, and no document or recording has them. No check makes a MUST of what becomes of them."""
    scenario = evidence.scenario
    return scenario is not None and scenario.level == "SHOULD" and scenario.basis.kind == "convention"
