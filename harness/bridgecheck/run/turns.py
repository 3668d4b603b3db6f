"""The turns of a scenario for one case: requests with their placeholders, answers from the cassette."""

from collections.abc import Sequence
from typing import Final

from bridgecheck.errors import MissingRecording
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.scenario import ClientRequest, Scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import Ask, Turn
from bridgecheck.upstream import relay
from bridgecheck.wire import Dialect, JsonObject, Mode

STREAM_IN_BODY: Final[frozenset[Dialect]] = frozenset({"openai-chat", "anthropic"})
"""Dialects whose body says whether the answer is to be streamed; Gemini's path does."""


def turns(scenario: Scenario, key: CaseKey, recorded: Sequence[Response]) -> list[Turn]:
    """Raises MissingRecording if the cassette holds fewer answers than the scripts."""
    found: list[Turn] = []
    start = 0
    for turn in scenario.turns:
        end = start + len(turn.upstream[key.upstream][key.mode])
        if end > len(recorded):
            raise MissingRecording(
                f"the cassette of {scenario.id} holds {len(recorded)} answers, the script has more",
                f"{key.upstream}.{key.mode}.yaml",
                "one interaction per scripted answer",
                f"bridgecheck regenerate {scenario.id}",
            )
        found.append(Turn(_ask(turn.client[key.client], key), tuple(recorded[start:end]), turn.leaves_after))
        start = end
    return found


def _ask(stated: ClientRequest, key: CaseKey) -> Ask:
    def ask(received: Sequence[Response]) -> Request:
        body = in_mode(relay.resolve(stated.body, received), key.client, key.mode)
        named = body.get("model")
        model = stated.model or (named if isinstance(named, str) else "")
        return Request(key.client, key.mode, body, model, stated.headers)

    return ask


def in_mode(body: JsonObject, dialect: Dialect, mode: Mode) -> JsonObject:
    """The same request in this mode. A scenario states a body once: ``stream`` is set or taken out where the dialect
    has it in the body, with ``stream_options``, which is refused without it.

    Source: https://platform.openai.com/docs/api-reference/chat/create (stream_options: only with stream).
    """
    if dialect not in STREAM_IN_BODY:
        return body
    if mode == "stream":
        return body | {"stream": True}
    return {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
