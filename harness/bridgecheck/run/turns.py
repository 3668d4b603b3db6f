"""The turns of a scenario for one case: requests with their placeholders, answers from the cassette."""

from collections.abc import Sequence

from bridgecheck.errors import MissingRecording
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.scenario import ClientRequest, Scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import Ask, NotPlayable, Turn
from bridgecheck.upstream import outcome_request, relay
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS


def turns(scenario: Scenario, key: CaseKey, recorded: Sequence[Response]) -> list[Turn]:
    """Raises MissingRecording if the cassette holds fewer answers than the scripts, and NotPlayable if the requests
    cannot be said in documents of ``outcome``."""
    found: list[Turn] = []
    start = 0
    stated_in = _stated_in(scenario, key)
    for turn in scenario.turns:
        end = start + len(turn.upstream[key.upstream][key.mode])
        if end > len(recorded):
            raise MissingRecording(
                f"the cassette of {scenario.id} holds {len(recorded)} answers, the script has more",
                f"{key.upstream}.{key.mode}.yaml",
                "one interaction per scripted answer",
                f"bridgecheck regenerate {scenario.id}",
            )
        found.append(Turn(_ask(turn.client[stated_in], stated_in, key), tuple(recorded[start:end]), turn.leaves_after))
        start = end
    return found


def _stated_in(scenario: Scenario, key: CaseKey) -> Dialect:
    """The dialect whose requests are played: the client's own, and of ``outcome``, which no scenario is written in, the
    one that its requests are made from."""
    if key.client != "outcome":
        return key.client
    try:
        return outcome_request.source(scenario.turns)
    except outcome_request.NoWords as no_words:
        raise NotPlayable(no_words.what) from no_words


def _ask(stated: ClientRequest, dialect: Dialect, key: CaseKey) -> Ask:
    def ask(received: Sequence[Response]) -> Request:
        if key.client == "outcome":
            return _own(stated, dialect, key, received)
        body = RECORDS[key.client].body_in_mode(relay.resolve(stated.body, received), key.mode)
        return Request(key.client, key.mode, body, _model(stated, body), stated.headers)

    return ask


def _own(stated: ClientRequest, dialect: Dialect, key: CaseKey, received: Sequence[Response]) -> Request:
    """The request as a document of ``outcome``, with what it was made from."""
    body = RECORDS[dialect].body_in_mode(outcome_request.marked(stated.body, dialect), key.mode)
    made_from = Request(dialect, key.mode, body, _model(stated, body), stated.headers)
    document = relay.resolve(outcome_request.written(made_from), received)
    return Request("outcome", key.mode, document, made_from.model, made_from=made_from)


def _model(stated: ClientRequest, body: JsonObject) -> str:
    named = body.get("model")
    return stated.model or (named if isinstance(named, str) else "")
