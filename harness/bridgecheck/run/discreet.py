"""No credential leaves a case, nor a path of the machine: what traffic or an adapter's exception holds of them is taken
out of the result. Of a long traceback the end is kept, which tells where it was raised."""

from dataclasses import replace

from bridgecheck.cassette.redact import masked
from bridgecheck.model.crash import shortened
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.run.placeless import placeless


def discreet(case: CaseResult) -> CaseResult:
    """The case with its words masked: messages, differences, traceback and documents. Passing verdicts hold none."""
    if not case.crash and not case.views and all(_silent(verdict) for verdict in case.verdicts):
        return case
    return replace(
        case,
        verdicts=tuple(verdict if _silent(verdict) else _verdict(verdict) for verdict in case.verdicts),
        crash=_told(case.crash),
        views={name: _clean(text) for name, text in case.views.items()},
    )


def _silent(verdict: Verdict) -> bool:
    return not verdict.message and not verdict.differences


def _verdict(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        message=_told(verdict.message),
        differences=tuple(_difference(difference) for difference in verdict.differences),
    )


def _difference(difference: Difference) -> Difference:
    return replace(
        difference,
        path=_clean(difference.path),
        expected=_clean(difference.expected),
        actual=_clean(difference.actual),
        note=_clean(difference.note),
    )


def _told(text: str) -> str:
    return shortened(_clean(text))


def _clean(text: str) -> str:
    return masked(placeless(text))
