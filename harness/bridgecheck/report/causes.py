"""Which failure of a case explains which: ``blocked_by`` of the checks, followed to its roots.

One defect trips several checks: usage that got lost fails ``response.usage``, and the scenario's own expectation of it,
and the law that folding a stream changes nothing. Only the first is its cause; the others follow.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.model.verdict import STATUSES, CaseResult, Status, Verdict

EXPLAINING: Final[frozenset[Status]] = frozenset({"FAIL", "WARN"})
"""What can explain something. An ERROR says nothing of the adapter."""

_BLOCKED_BY: Final = {check.id: check.blocked_by for check in CHECKS}


def causes(case: CaseResult, verdict: Verdict) -> tuple[Verdict, ...]:
    """The verdicts of the case that explain this one and are explained by none themselves; () if it stands alone.

    What is only a warning explains no failure."""
    if verdict.status not in EXPLAINING:
        return ()
    found = [one for one in case.verdicts if one.check in blockers(verdict.check) and _as_bad(one, verdict)]
    return tuple(one for one in found if not any(other.check in blockers(one.check) for other in found))


@cache
def blockers(check: str) -> frozenset[str]:
    """The ids of all checks whose failure explains this one's, directly or by another; none for a check not known."""
    return frozenset(_closed(_BLOCKED_BY.get(check, ())))


def _closed(direct: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for check in direct:
        found |= {check, *blockers(check)}
    return found


def _as_bad(one: Verdict, other: Verdict) -> bool:
    return one.status in EXPLAINING and STATUSES.index(one.status) <= STATUSES.index(other.status)
