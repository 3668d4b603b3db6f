"""response.other and request.other: leaves that have no place in the normal form. None may vanish in silence."""

from collections import Counter
from collections.abc import Sequence

from bridgecheck.checks.text import DECODED
from bridgecheck.checks.verdicts import result, silent
from bridgecheck.checks.view import RequestView, ResponseView, request_views, response_views
from bridgecheck.compare.project import Ends
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Verdict
from bridgecheck.normalise import UNDECODABLE

Leaves = Sequence[tuple[str, str]]


def response_other(evidence: Evidence) -> list[Verdict]:
    """A leaf that the client's dialect has no place for is in the table of losses; in its own dialect it arrives.

    What an official SDK shows is not judged: google-genai drops the keys it does not know, no SDK shows a broken
    event."""
    if evidence.through_sdk:
        return []
    return [
        found
        for view in response_views(evidence)
        if not view.is_broken
        for found in _other("response.other", _told(view, evidence), view.actual.other, view.ends, view.turn)
    ]


def _told(view: ResponseView, evidence: Evidence) -> Leaves:
    """What the adapter was told. Half an event that the connection broke in is nothing that it could pass on, and no
    bytes reach a converter."""
    leaves = _untold(view)
    if evidence.key.layer != "wire" and view.upstream_response.end == "complete":
        return leaves
    return [(path, value) for path, value in leaves if path != UNDECODABLE or evidence.key.path == "native"]


def request_other(evidence: Evidence) -> list[Verdict]:
    """A leaf of the request that the provider's dialect has no place for is in the table of losses.

    But for what a client only gives back of the adapter's earlier answers: between dialects that is a carrier of the
    adapter's own, and what has to come of it is judged by the relay checks."""
    return [
        found
        for view in request_views(evidence)
        for found in _other("request.other", _own(view, evidence), view.actual.other, view.ends, view.turn)
    ]


def _own(view: RequestView, evidence: Evidence) -> Leaves:
    """The client's leaves, but for those that it was given: the same key with the same value."""
    if view.ends.same_dialect or not view.turn:
        return view.expected.other
    before = (answer.actual.other for answer in response_views(evidence) if answer.turn < view.turn)
    given = {(_key(path), value) for leaves in before for path, value in leaves}
    return [(path, value) for path, value in view.expected.other if (_key(path), value) not in given]


def _key(path: str) -> str:
    return path.rpartition(".")[2]


def _untold(view: ResponseView) -> Leaves:
    """The provider's leaves, but for those of decoded content that the client got as text."""
    if view.ends.same_dialect:
        return view.expected.other
    text = view.actual.first.joined_text
    return [
        (path, value)
        for path, value in view.expected.other
        if not (path.startswith(DECODED) and value.strip('"') in text)
    ]


def _other(check: str, ours: Leaves, theirs: Leaves, ends: Ends, turn: int) -> list[Verdict]:
    if not ours:
        return []
    missing = Counter(ours) - Counter(theirs)
    if ends.same_dialect:
        gone = {f"other:{path}": value for path, value in missing}
        return [result(check, silent(tuple(gone), gone), turn=turn)]
    carried = {value for _, value in theirs} - _COMMON
    gone = {f"other:{path}": value for path, value in missing if value not in carried and value not in _NOTHING}
    losses, unlisted = ends.split_losses(gone)
    return [result(check, silent(unlisted, gone), losses=losses, turn=turn)]


_NOTHING = frozenset({"null", '""', "[]", "{}"})
"""Between dialects these say as much as their absence."""


def says_nothing(value: str) -> bool:
    """Whether a leaf, in JSON, says as much as its absence."""
    return value in _NOTHING


_COMMON = frozenset({"0", "1", "false", "true", *_NOTHING})
"""Too common to be recognised when they turn up under another path."""
