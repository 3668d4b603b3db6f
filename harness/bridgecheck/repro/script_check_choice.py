"""How a script can tell, without a judge, whether a finding still shows.

still_raises          the adapter broke: whether it still does
is_expectation_unmet  the scenario expects something literally of the wire: whether that is not so
is_unchanged          anything else: whether what comes out is what came out when the script was written

For the last one ``watched_paths`` finds the paths of the documents on which the verdict depends: each is removed in
turn and the check runs again. Where it no longer reports the same, what surrounds the path matters, absent members
included; whatever else an adapter changes later does not. What it reports on top comes from the removal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.checks.check import Check, Side
from bridgecheck.errors import BadTarget
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.fingerprint import lost_added_or_differs
from bridgecheck.repro.parts.verdicts import leaves
from bridgecheck.repro.replay import LITERAL, ReplayedCase
from bridgecheck.run.record import Record, build_evidence
from bridgecheck.wire import JsonObject

OracleKind: TypeAlias = Literal["still_raises", "is_expectation_unmet", "is_unchanged"]
"""The function of ``parts/verdicts`` that decides."""

COMPLETES: Final = "adapter.completes"

NOT_IN_DOCUMENTS: Final = ("relay.cancel", "request.deterministic", "client.no_secret", "relation.two_streams")
"""Checks of what does not stand in the documents of one exchange: who leaves, what a second time gives, keys."""

OTHER_MEMBERS: Final[dict[str, tuple[str, ...]]] = {
    "stream.incremental": ("steps",), "client.framing": ("raw",), "relay.expected_calls": ("sent",),
}  # fmt: skip
"""Checks of what surrounds the documents, and the members of what a script keeps that show it: how many events left
with each that arrived, the bytes, the calls."""

SENT: Final = "sent"
RECEIVED: Final = "received"
BOTH_ENDS: Final = (SENT, RECEIVED, "status")
CLIENT_END: Final = (RECEIVED, "status")
WATCHED_MEMBERS: Final[dict[Side, tuple[str, ...]]] = {
    "request": (SENT,), "response": CLIENT_END, "stream": CLIENT_END, "sdk": CLIENT_END, "law": CLIENT_END,
    "relation": CLIENT_END,
}  # fmt: skip
"""The members that matter for a check of this side; both ends for any other."""

DOCUMENT_SIDES: Final = frozenset({"request", "response", "stream"})
"""Checks of these sides depend on nothing but the documents of both ends."""

MOST_PATHS: Final = 200
"""A case with more paths is watched as a whole."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """``expected``: what is shown as expected, in the shape that the function of ``kind`` reads. ``watched``: members
    or paths of what went over the wire, for ``is_unchanged``."""

    kind: OracleKind
    expected: tuple[JsonObject, ...] = ()
    watched: tuple[str, ...] = ()


def choose_oracle(replayed: ReplayedCase) -> Oracle:
    """Choose how a script tells whether it shows. Raises BadTarget for a finding that one exchange does not show."""
    cause = replayed.verdicts[0]
    key = replayed.key
    if cause.check in NOT_IN_DOCUMENTS or (cause.check == "stream.incremental" and key.layer != "wire"):
        what = f"{cause.check} is not about documents, so no exchange of documents shows it"
        raise BadTarget(what, str(key), "another finding", replayed.finding.command_line)
    if cause.turn > min(replayed.transcript.unanswered, default=cause.turn):
        what = f"turn {cause.turn} has a recorded history, since the adapter gave no answer before"
        raise BadTarget(what, str(key), "a finding of a turn that a script can play", replayed.finding.command_line)
    if cause.check == COMPLETES and (replayed.transcript.crash or replayed.transcript.refused):
        return Oracle("still_raises")
    if any(verdict.check == LITERAL for verdict in replayed.verdicts):
        unmet = tuple(map(_expectation_row, _unmet_expectations(replayed)))
        if unmet:
            return Oracle("is_expectation_unmet", unmet)
    if cause.check in OTHER_MEMBERS:
        return Oracle("is_unchanged", _difference_rows_or_message_row(cause), OTHER_MEMBERS[cause.check])
    side = next((check.side for check in CHECKS if check.id == cause.check), None)
    members = WATCHED_MEMBERS.get(side, BOTH_ENDS) if side else BOTH_ENDS
    paths = tuple(f"{path}." for path in watched_paths(replayed))
    return Oracle("is_unchanged", _difference_rows_or_message_row(cause), paths or members)


def _difference_rows_or_message_row(cause: Verdict) -> tuple[JsonObject, ...]:
    message = cause.message.partition("\n")[0]
    row: JsonObject = {"path": cause.check, "expected": "what its rule requires", "actual": message}
    return tuple(dict(asdict(difference)) for difference in cause.differences) or (row,)


def _unmet_expectations(replayed: ReplayedCase) -> Iterator[WireDocumentPredicate]:
    """Yield the literal expectations that fail; of those that bind a name, all of that name if one fails."""
    check = next(check for check in CHECKS if check.id == LITERAL)
    scenario, expectations = replayed.scenario, replayed.scenario.expect.wire
    for expectation in expectations:
        judged = [expectation]
        if expectation.operator == "bind":
            judged = [row for row in expectations if (row.operator, row.operand) == ("bind", expectation.operand)]
        alone = replace(scenario, expect=replace(scenario.expect, wire=tuple(judged)))
        if _applies(expectation, replayed) and _failures(check, replayed, replayed.transcript, alone):
            yield expectation


def _applies(expectation: WireDocumentPredicate, replayed: ReplayedCase) -> bool:
    """Return whether the expectation is of the dialect and the mode of this case."""
    key = replayed.key
    dialect = key.upstream if expectation.on == "upstream_request" else key.client
    mode = {"client_events": "stream", "client_response": "unary"}.get(expectation.on, key.mode)
    return expectation.dialect in (None, dialect) and expectation.mode in (None, key.mode) and mode == key.mode


def _expectation_row(expectation: WireDocumentPredicate) -> JsonObject:
    index = expectation.index if expectation.on == "upstream_request" else expectation.turn
    return {
        "on": expectation.on, "index": index, "path": expectation.path, "operator": expectation.operator,
        "operand": expectation.operand,
    }  # fmt: skip


def still_fails(replayed: ReplayedCase) -> bool | None:
    """Return whether the check of the finding fails on the transcript; None for one that needs more than documents."""
    check = _finding_check_if_documents_suffice(replayed)
    return None if check is None else bool(_failures(check, replayed, replayed.transcript))


def watched_paths(replayed: ReplayedCase) -> tuple[str, ...]:
    """Return the paths, as ``parts/verdicts`` writes them, below which the finding shows; () where none can be told."""
    check = _finding_check_if_documents_suffice(replayed)
    if check is None:
        return ()
    rows = _differences(_failures(check, replayed, replayed.transcript))
    if any(lost_added_or_differs(row) == "lost" for row in rows):
        return ()  # what a repaired adapter adds will stand where nothing stands now
    paths = list(dict.fromkeys(path for path, _ in _sent_and_received_leaves(replayed.transcript)))
    if not rows or len(paths) > MOST_PATHS:
        return ()
    parents = {
        path.rpartition(".")[0] or path
        for path in paths
        if not rows <= _differences(_failures(check, replayed, _without_path(replayed.transcript, path)))
    }
    below = tuple(f"{parent}{mark}" for parent in parents for mark in ".[")
    return tuple(sorted(path for path in parents if not path.startswith(below)))


def _finding_check_if_documents_suffice(replayed: ReplayedCase) -> Check | None:
    check = next((check for check in CHECKS if check.id == replayed.verdicts[0].check), None)
    complete = len(replayed.transcript.client) == len(replayed.transcript.upstream)
    return check if check is not None and check.side in DOCUMENT_SIDES and complete else None


def _failures(
    check: Check, replayed: ReplayedCase, transcript: CaseTranscript, scenario: Scenario | None = None
) -> list[Verdict]:
    """Return the failed verdicts of the check on this transcript. ``scenario`` None: the one of the case."""
    record = Record(
        client=list(transcript.client), upstream=list(transcript.upstream),
        answered_by=list(range(len(transcript.upstream))), arrivals=list(transcript.arrivals),
        repeats=list(transcript.repeated_bodies), unanswered=set(transcript.unanswered),
    )  # fmt: skip
    verdicts = check.judge(build_evidence(replayed.key, record, scenario or replayed.scenario, replayed.driver))
    return [verdict for verdict in verdicts if verdict.status in ("FAIL", "WARN")]


def _differences(verdicts: Sequence[Verdict]) -> frozenset[Difference]:
    return frozenset(row for verdict in verdicts for row in verdict.differences)


def _sent_and_received_leaves(transcript: CaseTranscript) -> Iterator[tuple[str, object]]:
    for call in transcript.upstream:
        if call.request is not None:
            yield from leaves(call.request.body, f"{SENT}[]")
    for turn in transcript.client:
        yield from leaves(list(turn.response.documents), f"{RECEIVED}[]")


def _without_path(transcript: CaseTranscript, path: str) -> CaseTranscript:
    """Return the transcript with nothing at this path."""
    if path.startswith(SENT):
        return replace(transcript, upstream=tuple(_prune_request(call, path) for call in transcript.upstream))
    turns: list[Interaction] = []
    for turn in transcript.client:
        documents = tuple(_prune(document, f"{RECEIVED}[][]", path) for document in turn.response.documents)
        turns.append(replace(turn, response=replace(turn.response, documents=documents)))
    return replace(transcript, client=tuple(turns))


def _prune_request(call: Interaction, path: str) -> Interaction:
    if call.request is None:
        return call
    return replace(call, request=replace(call.request, body=obj(_prune(call.request.body, f"{SENT}[]", path))))


def _prune(value: object, location: str, path: str) -> object:
    """Return the value, which stands at ``location``, without what stands at ``path``."""
    if not path.startswith(location):
        return value
    if isinstance(value, dict):
        items = ((key, item, f"{location}.{key}") for key, item in value.items())
        return {key: _prune(item, inner, path) for key, item, inner in items if inner != path}
    if isinstance(value, list):
        inner = f"{location}[]"
        return [] if path == location else [_prune(item, inner, path) for item in value if inner != path]
    return value
