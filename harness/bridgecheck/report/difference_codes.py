"""Codes of differences: what an accepted failure is known by, so that another one of the same kind is told from it.

A fingerprint names a kind of failure and leaves out what varies from case to case. Within one case nothing varies: the
recording is the same, so the same failure has the same status, message, location and value. A code hashes these, the
check and the turn; ``model/volatile`` takes out what two runs of one adapter do not share. What is fixed takes codes
away, what breaks adds one.
"""

import hashlib
from typing import Final

from bridgecheck.model.evidence import TRACEBACK, exception_line
from bridgecheck.model.verdict import CaseResult, Verdict
from bridgecheck.model.volatile import mask_volatile
from bridgecheck.report.fingerprint import (
    RELATIONS,
    crash_location,
    lost_added_or_differs,
    path_shape,
    repeats_a_difference,
)

CODE_LENGTH: Final = 6
"""Hex digits. A new difference has the code of one of ten accepted ones once in a million times."""

_RECORDED_VIEWS: Final = ("client_request", "upstream_response")
"""The documents of a case that are the same in every run."""


def difference_codes(case: CaseResult, verdict: Verdict) -> frozenset[str]:
    """Return the code of each difference, and of the message where it says more than they do."""
    return frozenset(_code(verdict, *texts) for texts in _compared_texts(case, verdict))


def _compared_texts(case: CaseResult, verdict: Verdict) -> list[tuple[str, ...]]:
    if verdict.check.startswith(RELATIONS):  # how a stream is varied is drawn anew in every run
        shapes: list[tuple[str, ...]] = [
            (path_shape(row.path), lost_added_or_differs(row)) for row in verdict.differences
        ]
        return shapes or [("",)]
    recorded = "\n".join(case.views.get(name, "") for name in _RECORDED_VIEWS)
    rows = [
        tuple(mask_volatile(text, recorded) for text in (row.path, row.expected, row.actual, row.note))
        for row in verdict.differences
    ]
    if repeats_a_difference(verdict):
        return [*rows]
    return [*rows, (mask_volatile(_own_words(case, verdict), recorded),)]


def _own_words(case: CaseResult, verdict: Verdict) -> str:
    """Return the message; of a traceback what was raised, and in which function."""
    message = verdict.message
    if TRACEBACK in message:
        message = f"{message.partition(TRACEBACK)[0]}{exception_line(message)}"
    is_of_crash = verdict.check == "adapter.completes" and case.crash
    return f"{message}\n{exception_line(case.crash)}\n{crash_location(case.crash)}" if is_of_crash else message


def _code(verdict: Verdict, *texts: str) -> str:
    text = "\n".join((verdict.check, str(verdict.turn), *texts))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:CODE_LENGTH]
