"""Right transcripts of a case in which an adapter fails: what the oracle of a script has to find without fault.

First those of adapters that pass: the reference in this direction, the identity adapter at either end, the reference
in another direction with an end in common; the other end stays that of the faulty one. Then the faulty one with the
expected put in place of what was found: the outcome that the provider's answer is, nothing where something was added,
the expected value where another stands. The check of the finding decides whether one of them is right.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from bridgecheck import normalise
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.drivers.resolve import AdapterSelection
from bridgecheck.errors import BridgecheckError
from bridgecheck.files import cassettes_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.runtime import leaves
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.wire import JsonObject

SENT: Final = "sent"
RECEIVED: Final = "received"
_MOST_EDITS: Final = 120


class Candidate(NamedTuple):
    """``edited``: it is the faulty one with something changed, of which the check has to say that it is right; of what
    an adapter made that passes, it is enough that the check finds nothing."""

    transcript: CaseTranscript
    edited: bool


def right_transcripts(replayed: ReplayedCase) -> Iterator[Candidate]:
    """Yield candidates, the best first; the check of the finding has not judged them."""
    yield from (Candidate(transcript, False) for transcript in _made_by_others(replayed))
    yield from (Candidate(transcript, True) for transcript in _make_edits(replayed))


def _made_by_others(replayed: ReplayedCase) -> Iterator[CaseTranscript]:
    faulty = replayed.transcript
    for transcript in _played_by_others(replayed):
        if len(transcript.client) == len(faulty.client) and len(transcript.upstream) == len(faulty.upstream):
            key = replayed.key
            client, upstream = transcript.client[0].response.dialect, transcript.upstream[0].response.dialect
            if (client, upstream) == (key.client, key.upstream):
                yield transcript
            if upstream == key.upstream:
                yield _with_requests_of(faulty, transcript)
            if client == key.client:
                yield _with_responses_of(faulty, transcript)
    if replayed.key.client == "outcome":
        yield _with_written_outcomes(faulty)


def _played_by_others(replayed: ReplayedCase) -> Iterator[CaseTranscript]:
    """Yield this scenario as the reference and the identity adapter play it, with an end in common."""
    key, library = replayed.key, Library(cassettes_root())
    reference = AdapterSelection().driver()
    routes = [
        (reference, f"bridged-{key.client}-to-{key.upstream}"), (IDENTITY, f"native-{key.upstream}-to-{key.upstream}"),
        (IDENTITY, f"native-{key.client}-to-{key.client}"), (reference, f"bridged-*-to-{key.upstream}"),
        (reference, f"bridged-{key.client}-to-*"),
    ]  # fmt: skip
    for driver, route in routes:
        yield from _play(replayed, driver, f"{key.scenario}::{route}-{key.mode}-wire", library)


def _play(replayed: ReplayedCase, driver: Driver, address: str, library: Library) -> Iterator[CaseTranscript]:
    for case in plan.plan(replayed.scenario, driver, plan.Selection(addresses=(address,))):
        if case.why_not:
            continue
        try:
            result, transcript, _ = run_with_transcript(case, replayed.scenario, driver, library)
        except BridgecheckError:
            continue
        failing = {verdict.check for verdict in result.verdicts if verdict.status in ("FAIL", "WARN", "ERROR")}
        broken = transcript is None or transcript.crash or transcript.refused or not transcript.client
        if transcript is not None and not broken and transcript.upstream and replayed.verdicts[0].check not in failing:
            yield transcript


def _with_requests_of(faulty: CaseTranscript, right: CaseTranscript) -> CaseTranscript:
    pairs = zip(faulty.upstream, right.upstream, strict=True)
    return replace(faulty, upstream=tuple(replace(call, request=right_call.request) for call, right_call in pairs))


def _with_responses_of(faulty: CaseTranscript, right: CaseTranscript) -> CaseTranscript:
    pairs = zip(faulty.client, right.client, strict=True)
    return replace(faulty, client=tuple(replace(turn, response=right_turn.response) for turn, right_turn in pairs))


def _with_written_outcomes(faulty: CaseTranscript) -> CaseTranscript:
    """Return the transcript with what the provider's answers say in documents of ``outcome``."""
    turns: list[Interaction] = []
    for turn, call in zip(faulty.client, faulty.upstream, strict=False):
        document = write_outcome(normalise.response(call.response))
        turns.append(replace(turn, response=Response("outcome", turn.response.mode, (document,))))
    return replace(faulty, client=(*turns, *faulty.client[len(turns) :]))


def write_outcome(outcome: Outcome) -> JsonObject:
    """Return what an answer says as a document of ``outcome``; as the only event, of a stream too."""
    if outcome.error is not None:
        error = outcome.error
        known: JsonObject = {"message": error.message, "status": error.status, "retry_after": error.retry_after}
        known |= {"kind": error.kind} if error.status is None else {}
        return {"error": {name: value for name, value in known.items() if value not in (None, "")}}
    document: JsonObject = {}
    if len(outcome.choices) == 1:
        document |= _write_choice(outcome.first)
    else:
        document["choices"] = [{"index": choice.index, **_write_choice(choice)} for choice in outcome.choices]
    if outcome.usage is not None:
        counts = {name: getattr(outcome.usage, name) for name in outcome.usage.__slots__}
        document["usage"] = {name: value for name, value in counts.items() if value is not None}
    return document


def _write_choice(choice: Choice) -> JsonObject:
    signatures = dict(choice.signatures)

    def with_signature(part: JsonObject, where: str) -> JsonObject:
        return {**part, "signature": signatures[where]} if where in signatures else part

    parts: list[JsonObject] = []
    for channel, position in choice.order:
        if channel in ("text", "reasoning"):
            value = (choice.text if channel == "text" else choice.reasoning)[position]
            parts.append(with_signature({channel: value}, f"{channel}:{position}"))
        elif channel == "call":
            call = choice.tool_calls[position]
            written: JsonObject = {"index": position, "name": call.name, "args": call.args}
            written |= {"id": call.id} if call.id else {}
            signature = {"signature": call.signature} if call.signature else {}
            parts.append({"tool_call": written, **signature})
        elif channel == "code":
            kind, value = choice.code[position]
            parts.append(with_signature({"code": {"kind": kind, "text": value}}, f"code:{position}"))
    document: JsonObject = {"parts": list(parts)}
    if choice.refusal:
        document["refusal"] = choice.refusal
    if choice.finish.kind not in ("incomplete", "other"):  # the class alone: nothing that says it twice
        document["finish"] = choice.finish.kind
    elif choice.finish.native:
        document |= {"finish": choice.finish.kind, "finish_native": choice.finish.native}
    return document


def _make_edits(replayed: ReplayedCase) -> Iterator[CaseTranscript]:
    """Yield the faulty transcript with one thing taken out, or with an expected value in place of one found."""
    faulty = replayed.transcript
    values = [(_json_or_text(row.expected), _json_or_text(row.actual)) for row in replayed.verdicts[0].differences]
    for expected, actual in values:
        yield map_documents(faulty, lambda value, _, e=expected, a=actual: e if value == a else value)  # type: ignore[misc]
    paths = list(dict.fromkeys(path for path, _ in sent_and_received_leaves(faulty)))[:_MOST_EDITS]
    above = dict.fromkeys(path[:position] for path in paths for position in _joints(path))
    for path in [*paths, *list(above)[:_MOST_EDITS]]:
        yield without_path(faulty, path)
    calls = len(faulty.client)
    if len(faulty.upstream) > calls:
        yield replace(faulty, upstream=faulty.upstream[:calls])


def _joints(path: str) -> Iterator[int]:
    return (position for position, char in enumerate(path) if char == "." and position > len(RECEIVED) + 4)


def _json_or_text(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return value


def sent_and_received_leaves(transcript: CaseTranscript) -> Iterator[tuple[str, object]]:
    """Yield (path, value) of both ends, as ``runtime`` writes paths."""
    for call in transcript.upstream:
        if call.request is not None:
            yield from leaves(call.request.body, f"{SENT}[]")
    for turn in transcript.client:
        yield from leaves(list(turn.response.documents), f"{RECEIVED}[]")


Change = Callable[[object, str], object]
"""(value, path) -> the value to put there; Ellipsis takes it out."""


def without_path(transcript: CaseTranscript, path: str) -> CaseTranscript:
    """Return the transcript with nothing at this path."""
    return map_documents(transcript, lambda value, at: ... if at == path else value)


def with_values(transcript: CaseTranscript, path: str, values: Sequence[object]) -> CaseTranscript:
    """Return the transcript with these values, one after the other, at this path."""
    rest = iter(values)
    return map_documents(transcript, lambda value, at: next(rest, value) if at == path else value)


def map_documents(transcript: CaseTranscript, change: Change) -> CaseTranscript:
    """Return the transcript with every value at both ends changed, from the outside in."""
    upstream = tuple(
        call if call.request is None else replace(call, request=_change_request(call.request, change))
        for call in transcript.upstream
    )
    client: list[Interaction] = []
    for turn in transcript.client:
        documents = _change_value(list(turn.response.documents), f"{RECEIVED}[]", change)
        found = tuple(documents) if isinstance(documents, list) else ()
        client.append(replace(turn, response=replace(turn.response, documents=found)))
    return replace(transcript, upstream=upstream, client=tuple(client))


def _change_request(request: Request, change: Change) -> Request:
    return replace(request, body=obj(_change_value(request.body, f"{SENT}[]", change)))


def _change_value(value: object, path: str, change: Change) -> object:
    value = change(value, path)
    if isinstance(value, dict):
        pairs = [(key, _change_value(item, f"{path}.{key}", change)) for key, item in value.items()]
        return {key: item for key, item in pairs if item is not ...}
    if isinstance(value, list):
        return [item for item in (_change_value(item, f"{path}[]", change) for item in value) if item is not ...]
    return value
