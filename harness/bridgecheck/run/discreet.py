"""No credential leaves a case: what traffic or an adapter's exception holds of one is taken out of the result."""

from dataclasses import replace

from bridgecheck.cassette.redact import masked
from bridgecheck.model.verdict import CaseResult, Difference, Verdict


def discreet(case: CaseResult) -> CaseResult:
    """The case with its words masked: messages, differences, traceback and documents. Passing verdicts hold none."""
    if not case.crash and not case.views and all(_silent(verdict) for verdict in case.verdicts):
        return case
    return replace(
        case,
        verdicts=tuple(verdict if _silent(verdict) else _verdict(verdict) for verdict in case.verdicts),
        crash=masked(case.crash),
        views={name: masked(text) for name, text in case.views.items()},
    )


def _silent(verdict: Verdict) -> bool:
    return not verdict.message and not verdict.differences


def _verdict(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        message=masked(verdict.message),
        differences=tuple(_difference(difference) for difference in verdict.differences),
    )


def _difference(difference: Difference) -> Difference:
    return replace(
        difference,
        path=masked(difference.path),
        expected=masked(difference.expected),
        got=masked(difference.got),
        note=masked(difference.note),
    )
