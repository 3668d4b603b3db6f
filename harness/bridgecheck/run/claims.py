"""What an adapter could claim, from how its cases came out."""

from collections.abc import Iterable
from typing import Final

from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.verdict import CaseResult, Status

WORKS: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "WARN"})


def claimed(cases: Iterable[CaseResult]) -> frozenset[str]:
    """The capabilities whose detecting scenario came through in some direction and mode. Where it did not, that is a
    failure to accept and not a reason to look away."""
    works = {case.key.scenario for case in cases if case.key.path == "bridged" and case.status in WORKS}
    return frozenset(capability for capability, scenario in CAPABILITIES.items() if scenario in works)
