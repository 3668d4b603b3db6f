"""request.features: headers that switch something on, or say whom to bill.

Judged at sdk level, where an adapter is given the client's headers (``Session``) and those it sends are seen.
"""

from typing import Final

from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Difference, Verdict

CHECK: Final = "request.features"


def features(evidence: Evidence) -> list[Verdict]:
    """A beta, organisation or project header reaches a provider of the client's dialect; another provider has no use
    for it, and its loss is declared."""
    return [_features(view) for view in request_views(evidence) if view.expected.features]


def _features(view: RequestView) -> Verdict:
    missing = [one for one in view.expected.features if one not in view.actual.features]
    if view.expected.dialect == view.actual.dialect:
        rows = [Difference("headers", one, "(absent)", "a feature that is not switched on") for one in missing]
        return result(CHECK, rows, level="SHOULD", turn=view.turn)
    losses, unlisted = view.ends.split_losses(["features"] if missing else [])
    return result(CHECK, silent(unlisted), level="SHOULD", losses=losses, turn=view.turn)
