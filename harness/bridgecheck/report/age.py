"""How long a report is good for. Adapters and providers move on: an old verdict says nothing of today."""

from datetime import date, timedelta
from typing import Final

from bridgecheck.report.model import RunInfo

GOOD_FOR: Final = timedelta(days=90)


def good_until(info: RunInfo) -> date | None:
    """The last day on which it says something; None for a run that does not say when it was."""
    return info.today + GOOD_FOR if info.started else None


def expired(info: RunInfo, today: date) -> bool:
    """Whether the run is too old, or does not say when it was."""
    until = good_until(info)
    return until is None or today > until
