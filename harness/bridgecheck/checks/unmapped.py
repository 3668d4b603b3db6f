"""response.other and request.other: leaves that have no field in the normal form. None may be dropped silently."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from bridgecheck.checks.bases import ANSWERED, CHAT, GEMINI, PLAYED
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.text import DECODED
from bridgecheck.checks.view import RequestView, ResponseView, request_views, response_views
from bridgecheck.compare.losses import Ends
from bridgecheck.model.evidence import Evidence
from bridgecheck.normalise import UNDECODABLE

Leaves: TypeAlias = Sequence[tuple[str, str]]
"""(path, value as JSON) in document order."""

_EMPTY_VALUES: Final = frozenset({"null", '""', "[]", "{}"})
_COMMON_VALUES: Final = frozenset({"0", "1", "false", "true", *_EMPTY_VALUES})
"""Too common to be recognised under another path."""


def check_response_other(evidence: Evidence) -> Iterator[Result]:
    """A leaf that the client's dialect has no place for is in the table of losses; in its own dialect it arrives.

    What an official SDK shows is not judged: google-genai drops the keys it does not know, no SDK shows a broken
    event."""
    if evidence.through_sdk:
        return
    for view in response_views(evidence):
        if not view.is_broken:
            yield from _judge_leaves(_leaves_to_pass_on(view, evidence), view.actual.other, view.ends, view.turn)


RESPONSE_OTHER: Final = Check(
    "response.other", "losses", "MUST", GEMINI, "What has no place in the client's dialect is a declared loss.",
    check_response_other, "response", ANSWERED,
    rules=(
        Rule("other.declared", "MUST",
            "A leaf with no place in the client's dialect is a declared loss; none is dropped silently.", GEMINI),
    ),
)  # fmt: skip


def _leaves_to_pass_on(view: ResponseView, evidence: Evidence) -> Leaves:
    """Return the leaves that the adapter could pass on. It cannot pass on half an event in which the connection broke;
    at wire level a converter receives no bytes."""
    leaves = _leaves_of_provider(view)
    if evidence.key.layer != "wire" and view.upstream_response.end == "complete":
        return leaves
    return [(path, value) for path, value in leaves if path != UNDECODABLE or evidence.key.path == "native"]


def _leaves_of_provider(view: ResponseView) -> Leaves:
    """Return the provider's leaves without those of decoded content that the client received as text."""
    if view.ends.same_dialect:
        return view.expected.other
    text = view.actual.first.joined_text
    return [
        (path, value)
        for path, value in view.expected.other
        if not (path.startswith(DECODED) and value.strip('"') in text)
    ]


def check_request_other(evidence: Evidence) -> Iterator[Result]:
    """A leaf of the request that the provider's dialect has no place for is in the table of losses.

    Leaves that the client only returns from the adapter's earlier responses are not judged: between dialects that is a
    carrier of the adapter's own, and what has to come of it is judged by the relay checks."""
    for view in request_views(evidence):
        yield from _judge_leaves(_leaves_of_client(view, evidence), view.actual.other, view.ends, view.turn)


REQUEST_OTHER: Final = Check(
    "request.other", "losses", "MUST", CHAT,
    "What has no place in the provider's dialect is a declared loss.",
    check_request_other, "request", PLAYED,
    rules=(Rule("asked.declared", "MUST", "A leaf with no place at the provider is a declared loss.", CHAT),),
)  # fmt: skip


def _leaves_of_client(view: RequestView, evidence: Evidence) -> Leaves:
    """Return the client's leaves without those it received before: the same key with the same value."""
    if view.ends.same_dialect or not view.turn:
        return view.expected.other
    earlier = (response.actual.other for response in response_views(evidence) if response.turn < view.turn)
    received = {(_last_key(path), value) for leaves in earlier for path, value in leaves}
    return [(path, value) for path, value in view.expected.other if (_last_key(path), value) not in received]


def _last_key(path: str) -> str:
    return path.rpartition(".")[2]


def _judge_leaves(expected: Leaves, actual: Leaves, ends: Ends, turn: int) -> Iterator[Result]:
    """Yield a result where there are leaves: what is missing has to be a declared loss. Between dialects a leaf that
    arrived under another path is not missing, nor is an empty one."""
    if not expected:
        return
    missing = Counter(expected) - Counter(actual)
    if ends.same_dialect:
        lost = {f"other:{path}": value for path, value in missing}
        yield Result(silent_losses(tuple(lost), lost), turn=turn)
        return
    moved = {value for _, value in actual} - _COMMON_VALUES
    lost = {f"other:{path}": value for path, value in missing if value not in moved and not is_empty_leaf(value)}
    losses, unlisted = ends.split_losses(lost)
    yield Result(silent_losses(unlisted, lost), losses=losses, turn=turn)


def is_empty_leaf(value: str) -> bool:
    """Return whether a leaf, as JSON, means the same as its absence between dialects."""
    return value in _EMPTY_VALUES
