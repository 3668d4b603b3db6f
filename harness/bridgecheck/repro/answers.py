"""The provider's answers in a fault, as a script plays them: where a relation broke, sent in its way."""

from dataclasses import replace
from itertools import zip_longest
from typing import Final

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.model.transcript import Transcript
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.repro.fault import Fault
from bridgecheck.run.relations import varied
from bridgecheck.run.relations_sdk import recorded_otherwise
from bridgecheck.wire import JsonObject

HEADERS: Final = frozenset({"content-encoding", "content-type", "retry-after", "retry-after-ms"})
"""Those of a recorded answer that mean something to who reads it."""


def documents(fault: Fault) -> list[JsonObject]:
    """For a converter: one answer a turn, for it does not retry."""
    relation = relation_of(fault)
    answers = [one.response for one in fault.cassette.decoded(fault.key.upstream, fault.key.mode)]
    found: list[JsonObject] = []
    start = 0
    for turn in fault.scenario.turns:
        answer = answers[start]
        answer = (varied(relation, answer) if relation else None) or answer
        found.append({"status": answer.status, "documents": list(answer.documents)})
        start += len(turn.upstream[fault.key.upstream][fault.key.mode])
    return found


def recordings(fault: Fault) -> list[Recorded]:
    """For an adapter with an HTTP client: all of them in order, as bytes."""
    relation = relation_of(fault)
    found = [
        recorded_otherwise(relation, one, fault.key.upstream) if relation else one
        for one in fault.cassette.interactions
    ]
    return [replace(one, headers=tuple(pair for pair in one.headers if pair[0] in HEADERS)) for one in found]


def relation_of(fault: Fault) -> Relation | None:
    """The one that the finding is of, None for any other finding."""
    return next((one for one in RELATIONS if one.check == fault.finding.check), None)


def transcript(fault: Fault, shown: JsonObject) -> Transcript:
    """What a script saw, as the checks take it. Each call to the provider is taken to have had the next answer."""
    key = fault.key
    answers = [one.response for one in fault.cassette.decoded(key.upstream, key.mode)]
    sent = [Request(key.upstream, key.mode, obj(body)) for body in arr(shown["sent"])]
    turns = zip_longest(arr(shown["asked"]), arr(shown["received"]), arr(shown["status"]))  # a crash answers nothing
    return Transcript(
        client=tuple(
            Interaction(
                Request(key.client, key.mode, obj(asked)),
                Response(key.client, key.mode, tuple(arr(received)), integer(status) or 200),
            )
            for asked, received, status in turns
        ),
        upstream=tuple(Interaction(request, answer) for request, answer in zip(sent, answers, strict=False)),
        crash=text(shown["raised"]),
    )
