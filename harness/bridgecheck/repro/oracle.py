"""How a script can tell, without a judge, whether the finding shows.

raises      the adapter broke: the same exception with the same message
literal     the finding is that the scenario expects something literally of the wire: exactly these expectations
difference  anything else: the places in the documents on which the finding depends, with what stands there in the
            faulty transcript and what stands there in a right one (``comparison``)
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from bridgecheck.checks import CHECKS
from bridgecheck.checks.check import Side
from bridgecheck.checks.expect_wire import EXPECT_WIRE, applies, predicate_location
from bridgecheck.errors import BadTarget, BridgecheckError
from bridgecheck.model.evidence import CaseTranscript, own_traceback
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import arr, canonical
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.model.verdict import Difference
from bridgecheck.repro import runtime
from bridgecheck.repro.comparison import Comparison, Traffic, judged_again, may_be_masked, passes
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.right import RECEIVED, SENT, right_transcripts
from bridgecheck.run.record import Record, build_evidence
from bridgecheck.run.relations import frame_stream
from bridgecheck.wire import JsonObject

COMPLETES: Final = "adapter.completes"

NOT_IN_DOCUMENTS: Final = ("relay.cancel", "request.deterministic", "client.no_secret", "relation.two_streams")
"""Checks of what does not stand in the documents of one exchange: who leaves, what a second time gives, keys."""

OTHER_MEMBERS: Final[dict[str, str]] = {
    "stream.incremental": "steps", "client.framing": "raw", "relay.expected_calls": "sent", "relay.one_call": "sent",
}  # fmt: skip
"""Checks of what surrounds the documents, and the member of the traffic that shows it: how many events left with each
that arrived, the bytes, the calls."""

JUDGED_ON_DOCUMENTS: Final[frozenset[Side]] = frozenset({"request", "response", "stream", "expectation"})
"""Checks of these sides depend on nothing but the documents of both ends and the scenario."""

BY_PATTERN: Final = ("bind", "distinct")
"""Operators for which it counts which values are equal, not which values they are."""


class NotProven(BridgecheckError):
    """The script does not show what bridgecheck found."""

    code = "not-reproduced"


class OracleAndRight(NamedTuple):
    """``oracle``: as ``runtime`` reads it. ``right``: traffic in which the finding does not show."""

    oracle: JsonObject
    right: Traffic


def choose_oracle(replayed: ReplayedCase, found: Traffic, varying: Collection[str] = ()) -> OracleAndRight:
    """Choose how a script tells whether it shows. ``found``: the traffic in which it does; ``varying``: paths in it
    whose values differ from run to run. Raises BadTarget for a finding that one exchange does not show, NotProven where
    no right transcript is known."""
    _refuse_what_no_exchange_shows(replayed)
    cause, transcript = replayed.verdicts[0], replayed.transcript
    received = _answered_turns(found)
    base: JsonObject = {
        "asks": len(arr(found["sent"])), "raised": runtime.describe_exception(str(found["raised"])),
        "silent": not any(received), "errors": runtime.is_any_error(received),
    }  # fmt: skip
    if cause.check == COMPLETES and (transcript.crash or transcript.refused):
        return OracleAndRight({"kind": "raises", **base}, _make_answered(found))
    if cause.check == EXPECT_WIRE.id:
        return _literal_oracle(replayed, found, base)
    return _difference_oracle(replayed, found, base, varying)


def _refuse_what_no_exchange_shows(replayed: ReplayedCase) -> None:
    cause, key, transcript = replayed.verdicts[0], replayed.key, replayed.transcript
    if cause.check in NOT_IN_DOCUMENTS or (cause.check == "stream.incremental" and key.layer != "wire"):
        what = f"{cause.check} is not about documents, so no exchange of documents shows it"
        raise BadTarget(what, str(key), "another finding", replayed.finding.command_line)
    if transcript.crash_kind == "hung":
        what = "the adapter hangs, which a script cannot tell from a slow machine"
        raise BadTarget(what, str(key), "another finding", replayed.finding.command_line)
    if cause.turn > min(transcript.unanswered, default=cause.turn):
        what = f"turn {cause.turn} has a recorded history, since the adapter gave no answer before"
        raise BadTarget(what, str(key), "a finding of a turn that a script can play", replayed.finding.command_line)


def _no_right_transcript(replayed: ReplayedCase) -> NotProven:
    what = f"no transcript of this case is known that passes {replayed.verdicts[0].check}"
    expected = "one of the reference, the identity adapter, or with the expected side put in place"
    return NotProven(what, str(replayed.key), expected, replayed.finding.command_line)


def _answered_turns(found: Traffic) -> list[object]:
    """Return what the client received, but an error of the adapter's own, which counts as an exception."""
    received = arr(found["received"])
    return received[:-1] if found["raised"] and runtime.is_any_error(received[-1:]) else received


def _make_answered(found: Traffic) -> Traffic:
    """Return the traffic in which the provider is asked and the client receives a response."""
    sent = arr(found["sent"]) or [{"a": "request"}]
    return {**found, "sent": sent, "received": [*_answered_turns(found), [{"a": "response"}]], "raised": ""}


def to_traffic(transcript: CaseTranscript, *, reached: bool = True) -> Traffic:
    """Return a transcript as the traffic of a script. ``reached``: whether the plain turn reached the provider."""
    answered = [turn for number, turn in enumerate(transcript.client) if number not in transcript.unanswered]
    raised = own_traceback(transcript.crash) or (f"refused: {transcript.refused}" if transcript.refused else "")
    responses = [turn.response for turn in answered]
    raw = [b"".join(frame_stream(item) if item.chunks is None else item.chunks) for item in responses]
    return {
        "requested": [turn.request.body for turn in transcript.client if turn.request is not None],
        "sent": [call.request.body for call in transcript.upstream if call.request is not None],
        "received": [list(item.documents) or ([item.text] if item.text else []) for item in responses],
        "status": [item.status for item in responses],
        "steps": [list(map(len, _steps(arrivals))) for arrivals in transcript.arrivals if "u" in arrivals],
        "raw": [body.decode("latin-1") for body in raw], "raised": raised, "plain": "reached" if reached else "",
    }  # fmt: skip


def _steps(arrivals: str) -> list[str]:
    """Return the events that left with each that arrived."""
    return ["".join(char for char in part if char == "c") for part in arrivals.split("u")[1:]]


# Literal expectations.


def _literal_oracle(replayed: ReplayedCase, found: Traffic, base: JsonObject) -> OracleAndRight:
    own = _unmet_expectations(replayed)
    scenario = replace(replayed.scenario, expect=replace(replayed.scenario.expect, wire=own))
    candidates = right_transcripts(replayed)
    right = next((item.transcript for item in candidates if passes(EXPECT_WIRE, replayed, *item, scenario)), None)
    if not own or right is None:
        raise _no_right_transcript(replayed)
    bound: dict[str, str] = {}
    rows: list[JsonObject] = []
    for expectation in own:
        index = expectation.index if expectation.on == "upstream_request" else expectation.turn
        row: JsonObject = {
            "on": expectation.on, "index": index, "path": expectation.path, "operator": expectation.operator,
            "operand": expectation.operand, "pattern": expectation.operator in BY_PATTERN,
        }  # fmt: skip
        row |= {"found": runtime.literal_values(row, found), "unmet": not runtime.is_met(row, found, bound)}
        rows.append(row)
    return OracleAndRight({"kind": "literal", **base, "literals": rows}, to_traffic(right))


def _unmet_expectations(replayed: ReplayedCase) -> tuple[WireDocumentPredicate, ...]:
    """Return the expectations that the finding is about: on its side, at its path, with its operand; of those that bind
    a name all of that name."""
    differences = replayed.verdicts[0].differences
    expectations = [item for item in replayed.scenario.expect.wire if _applies(item, replayed)]
    names = {item.operand for item in expectations if item.operator == "bind" and _is_about(item, differences)}
    return tuple(
        item for item in expectations
        if (item.operand in names if item.operator == "bind" else _is_about(item, differences))
    )  # fmt: skip


def _is_about(expectation: WireDocumentPredicate, differences: Sequence[Difference]) -> bool:
    expected = f"{expectation.operator} {canonical(expectation.operand)}"
    is_binding = expectation.operator == "bind"
    location = predicate_location(expectation)
    return any(row.path == location and (is_binding or row.expected == expected) for row in differences)


def _applies(expectation: WireDocumentPredicate, replayed: ReplayedCase) -> bool:
    return applies(expectation, build_evidence(replayed.key, Record(), replayed.scenario, replayed.driver))


# Differences.


def _difference_oracle(
    replayed: ReplayedCase, found: Traffic, base: JsonObject, varying: Collection[str]
) -> OracleAndRight:
    cause = replayed.verdicts[0]
    check = next((check for check in CHECKS if check.id == cause.check), None)
    if cause.check in OTHER_MEMBERS:
        return _surroundings_oracle(replayed, found, base, OTHER_MEMBERS[cause.check])
    candidates = right_transcripts(replayed)
    if check is None or check.side not in JUDGED_ON_DOCUMENTS:
        right = next(candidates, None)  # it passed in a play of its own
        if right is None:
            raise _no_right_transcript(replayed)
        return _whole_oracle(replayed, found, to_traffic(right.transcript), base)
    rows = judged_again(check, replayed, replayed.transcript)
    if not rows:
        what = f"judged again, the transcript does not show what {cause.check} found"
        raise NotProven(what, str(replayed.key), "the same differences", replayed.finding.command_line)
    right = next((item for item in candidates if passes(check, replayed, *item)), None)
    if right is None:
        raise _no_right_transcript(replayed)
    traffic = to_traffic(right.transcript)
    compared = Comparison(check, replayed, right.transcript, found, traffic, frozenset(varying), rows)
    watched = compared.watched_rows()
    if not watched:
        return _whole_oracle(replayed, found, traffic, base)
    ends = tuple({str(row["path"]).partition("[")[0] for row in watched})
    paths = {str(row["path"]) for row in watched}
    oracle: JsonObject = {
        "kind": "difference", **base, "watched": watched,
        "shape": sorted({path for path, _ in runtime.all_leaves(found) if path.startswith(ends)}),
        "witness": list(_shared_texts(found, traffic, ends, paths)),
    }  # fmt: skip
    return OracleAndRight(oracle, traffic)


def _shared_texts(found: Traffic, right: Traffic, ends: Sequence[str], watched: set[str]) -> Iterator[list[object]]:
    """Yield for each end that is watched up to three texts that both hold there, as (path, text): without any of them
    it is another exchange."""
    for end in sorted({SENT, RECEIVED}.intersection(ends)):
        there = [list(leaf) for leaf in runtime.leaves(right[end], end)]
        shared: list[object] = [
            [path, value]
            for path, value in runtime.leaves(found[end], end)
            if isinstance(value, str) and len(value) > 2 and path not in watched and [path, value] in there
            if not may_be_masked(value)
        ]
        if shared:
            yield shared[:3]


def _whole_oracle(replayed: ReplayedCase, found: Traffic, right: Traffic, base: JsonObject) -> OracleAndRight:
    """Watch all documents of the ends that differ, where no single place shows the finding."""
    rows: list[JsonObject] = []
    for end in (SENT, RECEIVED):
        row: JsonObject = {"path": end, "how": "digest"}
        sides = {name: runtime.watched_values({}, side, row) for name, side in (("found", found), ("right", right))}
        rows += [{**row, **sides}] if sides["found"] != sides["right"] else []
    if not rows:
        raise _no_right_transcript(replayed)
    return OracleAndRight({"kind": "difference", **base, "watched": rows}, right)


def _surroundings_oracle(replayed: ReplayedCase, found: Traffic, base: JsonObject, member: str) -> OracleAndRight:
    """Watch what surrounds the documents: the calls, the bytes, or what left with each event."""
    if member == "sent":
        row: JsonObject = {"path": "sent[]", "how": "calls"}
        right: Traffic = {**found, "sent": arr(found["sent"])[: len(arr(found["requested"]))]}
    elif member == "raw":
        row = {"path": "raw", "how": "framing"}
        right = {**found, "raw": [_frame_response(turn.response) for turn in replayed.transcript.client]}
    else:
        row = {"path": "steps[][]", "how": "held"}
        right = {**found, "steps": [[1] * len(arr(steps)) for steps in arr(found["steps"])]}
    sides = {name: runtime.watched_values({}, side, row) for name, side in (("found", found), ("right", right))}
    if sides["found"] == sides["right"]:
        raise _no_right_transcript(replayed)
    return OracleAndRight({"kind": "difference", **base, "watched": [{**row, **sides}]}, right)


def _frame_response(response: Response) -> str:
    return b"".join(frame_stream(response)).decode("latin-1")
