"""The requirements: ``CHECKS``, their ``RULES``, and ``judge``, which applies all checks to one case. Each check is
declared with its rules in the file of its topic; ``table`` lists them in order."""

import traceback
from dataclasses import replace

from bridgecheck.checks.adapter import COMPLETES, EXPECTED_CALLS, NEXT_TURN
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.conversations import CHAT_CHECKS
from bridgecheck.checks.on_request import lower_what_was_not_requested
from bridgecheck.checks.request_and_response_pairs import has_only_unmodelled_misses
from bridgecheck.checks.same_duty import lower_expectations_of_the_same_duty
from bridgecheck.checks.table import CHECKS, NOTICES, RULES, find_contradictions, rules_of
from bridgecheck.checks.within_one_dialect import as_conversion, lower_what_a_conversion_may_change
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import STATUS_OF_LEVEL, Verdict

__all__ = ["CHECKS", "NOTICES", "RULES", "Check", "Rule", "cap_at_level", "find_contradictions", "judge", "rules_of"]


CHECKS_OF_CONVERSATIONS = (COMPLETES, EXPECTED_CALLS, NEXT_TURN, *CHAT_CHECKS)
"""What a case at chat level is judged by: a chat shows and keeps less of an answer than its provider sent."""


def judge(evidence: Evidence) -> tuple[Verdict, ...]:
    """Return all verdicts on one case, in the order of the table.

    A check that raises gives ERROR and does not stop the others. A crash, a refusal or a call that was not recorded
    blocks the checks that it explains; where the adapter called only endpoints that are not modelled, only
    ``relay.expected_calls`` is judged."""
    of_layer = CHECKS_OF_CONVERSATIONS if evidence.key.layer == "chat" else CHECKS
    checks = (EXPECTED_CALLS,) if has_only_unmodelled_misses(evidence) else of_layer
    conversion = as_conversion(evidence)
    verdicts = [verdict for check in checks for verdict in _run_check(check, evidence, conversion)]
    return lower_expectations_of_the_same_duty(evidence.key.client, verdicts)


def _run_check(check: Check, evidence: Evidence, conversion: Evidence | None) -> list[Verdict]:
    verdicts = _judge_by(check, evidence)
    if conversion is None or all(verdict.status != "FAIL" for verdict in verdicts):
        return verdicts
    return lower_what_a_conversion_may_change(verdicts, _judge_by(check, conversion))


def _judge_by(check: Check, evidence: Evidence) -> list[Verdict]:
    try:
        verdicts = check.judge(evidence)
    except Exception:  # a fault of the judge must not end the run, and must not pass for a verdict on the adapter
        failure = Result(status="ERROR", message=f"the check itself failed:\n{traceback.format_exc()}")
        verdicts = [failure.verdict(check.id, check.level)]
    return [cap_at_level(verdict, evidence) for verdict in lower_what_was_not_requested(check, verdicts, evidence)]


def cap_at_level(verdict: Verdict, evidence: Evidence) -> Verdict:
    """Return the verdict, no worse than its scenario's level allows: in traffic that is rare (SHOULD) a failure of any
    check is a WARN, in traffic that no provider is known to send (MAY) a NOTE."""
    cap = STATUS_OF_LEVEL[evidence.scenario.level] if evidence.scenario is not None else "FAIL"
    statuses = ("FAIL", "WARN", "NOTE")
    if verdict.status not in statuses:
        return verdict
    return replace(verdict, status=max(verdict.status, cap, key=statuses.index))
