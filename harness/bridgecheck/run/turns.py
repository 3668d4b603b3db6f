"""The turns of a case: client requests with their placeholders filled in, and recorded answers from the cassette; and
the smallest complete request and answer of each dialect, for the side of a case that recorded traffic does not
state."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Final

from bridgecheck import normalise
from bridgecheck.client_models import CLIENT_MODELS, ClientModel
from bridgecheck.errors import MissingRecording
from bridgecheck.model.counts import plural
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import objs
from bridgecheck.model.scenario import ClientRequest, Scenario, TurnRequestsAndScripts
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, RequestMaker, Turn
from bridgecheck.upstream import relay, wire_to_outcome_request
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS


def scenario_turns(
    scenario: Scenario,
    key: CaseKey,
    recorded: Sequence[Response],
    load_own_provider: Callable[[], Sequence[Response]] = lambda: (),
) -> list[Turn]:
    """Return the turns of a scenario as this case plays them. ``load_own_provider``: loads the recorded answers in the
    client's dialect, for histories whose answers the adapter lost.

    Raises MissingRecording if the cassette holds fewer answers than the scripts, and NotPlayable if the requests cannot
    be expressed in documents of ``outcome``.
    """
    turns: list[Turn] = []
    start = 0
    source = _request_dialect(scenario, key)
    own_provider_answers = cache(load_own_provider)
    for turn in scenario.turns:
        end = start + len(turn.upstream[key.upstream][key.mode])
        if end > len(recorded):
            what = f"the cassette of {scenario.id} holds {plural(len(recorded), 'answer')}, the script has more"
            where, next_step = f"{key.upstream}.{key.mode}.yaml", f"bridgecheck regenerate {scenario.id}"
            raise MissingRecording(what, where, "one interaction per scripted answer", next_step)
        maker = _request_maker(turn, source, key, recorded[start:end], CLIENT_MODELS.get(scenario.client_model))
        find_recorded = partial(_find_last_answer_of_turn, scenario, key, len(turns), own_provider_answers)
        turns.append(Turn(maker, tuple(recorded[start:end]), turn.leaves_after, find_recorded))
        start = end
    return turns


CHAT_DIALECT: Final[Dialect] = "gemini"
"""What a chat's client speaks: its parts are the messages."""


def is_conversation_of_one_chat(scenario: Scenario) -> bool:
    """Return whether one chat can hold this conversation: several turns of a Gemini client that stays, each of which
    adds a message of the user's to what the turn before sent and received, and changes nothing else."""
    stated = [turn.client.get(CHAT_DIALECT) for turn in scenario.turns]
    if len(stated) < 2 or scenario.client_model or any(turn.leaves_after for turn in scenario.turns):
        return False
    return all(
        before is not None and after is not None and _goes_on(before, after, number)
        for number, (before, after) in enumerate(pairwise(stated))
    )


def _goes_on(before: ClientRequest, after: ClientRequest, number: int) -> bool:
    earlier, contents = (list(objs(request.body.get("contents"))) for request in (before, after))
    rest = contents[len(earlier) :]
    is_answer_next = bool(rest) and rest[0].get("$received") == number
    from_user = [content.get("role", "user") == "user" for content in rest[1:]]
    same_members = {**before.body, "contents": []} == {**after.body, "contents": []} and before.model == after.model
    is_continued = contents[: len(earlier)] == earlier and is_answer_next
    return is_continued and same_members and bool(from_user) and all(from_user)


def _find_last_answer_of_turn(
    scenario: Scenario, key: CaseKey, turn: int, load_answers: Callable[[], Sequence[Response]]
) -> Response | None:
    """Return the answer in the client's dialect that ends the turn with that number; None if none is recorded."""
    scripts = [played.upstream.get(key.client, {}).get(key.mode) for played in scenario.turns[: turn + 1]]
    if not all(scripts):
        return None
    answers = load_answers()
    last = sum(len(script) for script in scripts if script) - 1
    return answers[last] if last < len(answers) else None


def _request_dialect(scenario: Scenario, key: CaseKey) -> Dialect:
    """Return the dialect whose requests are played: the client's own; of ``outcome``, which no scenario is written in,
    the one that its requests are made from."""
    if key.client != "outcome":
        return key.client
    try:
        return wire_to_outcome_request.first_expressible_dialect(scenario.turns)
    except wire_to_outcome_request.InexpressibleRequest as error:
        raise NotPlayable(error.what) from error


def _request_maker(
    turn: TurnRequestsAndScripts, dialect: Dialect, key: CaseKey, recorded: Sequence[Response],
    client_model: ClientModel | None,
) -> RequestMaker:  # fmt: skip
    stated = turn.client[dialect]

    def make_request(received: Sequence[Response]) -> Request:
        if key.client == "outcome":
            model = _find_model_of_provider(stated, turn, key, recorded)
            return _to_outcome_request(stated, model, dialect, key, received)
        resolve = partial(relay.resolve_as_client, model=client_model) if client_model else relay.resolve_placeholders
        body = RECORDS[key.client].body_in_mode(resolve(stated.body, received), key.mode)
        return Request(key.client, key.mode, body, _model(stated, body), stated.headers)

    return make_request


def _to_outcome_request(
    stated: ClientRequest, model: str, source: Dialect, key: CaseKey, received: Sequence[Response]
) -> Request:
    """Return the request as a document of ``outcome`` for this model, with what it was made from."""
    marked = wire_to_outcome_request.write_placeholders_as_text(stated.body, source)
    body = RECORDS[source].body_in_mode(marked, key.mode)
    made_from = Request(source, key.mode, body, _model(stated, body), stated.headers)
    document = wire_to_outcome_request.write_outcome_request(made_from) | {"model": model}
    return Request("outcome", key.mode, relay.resolve_placeholders(document, received), model, made_from=made_from)


def _find_model_of_provider(
    stated: ClientRequest, turn: TurnRequestsAndScripts, key: CaseKey, recorded: Sequence[Response]
) -> str:
    """Return the model that the caller of a library names to this provider: the one stated, where it is the provider's;
    else the one of the request in the provider's own dialect, else that of the recorded answers."""
    requests = (stated, turn.client.get(key.upstream))
    named = [_model(request, request.body) for request in requests if request is not None]
    named += [normalise.response(response).model for response in recorded]
    return next((model for model in named if _serves(key.upstream, model)), RECORDS[key.upstream].example_model)


def _serves(dialect: Dialect, model: str) -> bool:
    """Return whether the provider of a dialect serves a model of that name: hosts of the most spoken one have models of
    every maker but of those that have a dialect of their own."""
    makers = {name: record.example_model.partition("-")[0] for name, record in RECORDS.items()}
    rest = [maker for name, maker in makers.items() if maker and name != MOST_SPOKEN]
    return not any(maker in model for maker in rest) if dialect == MOST_SPOKEN else makers[dialect] in model


def _model(stated: ClientRequest, body: JsonObject) -> str:
    in_body = body.get("model")
    return stated.model or (in_body if isinstance(in_body, str) else "")


_GEMINI_ANSWER: Final[JsonObject] = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    "modelVersion": "canned-model",
    "responseId": "canned-response",
}

_CHAT: Final[JsonObject] = {"id": "chatcmpl-canned", "created": 1700000000, "model": "canned-model"}
_CHAT_USAGE: Final[JsonObject] = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
_CHAT_MESSAGE: Final[JsonObject] = {"role": "assistant", "content": "Hi."}

_ANTHROPIC_MESSAGE: Final[JsonObject] = {
    "id": "msg_canned", "type": "message", "role": "assistant", "model": "canned-model", "stop_sequence": None,
}  # fmt: skip


def _chat_chunk(delta: JsonObject, finish: str | None) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _CHAT | {"object": "chat.completion.chunk", "choices": [choice]}


_MINIMAL: Final[dict[tuple[Dialect, Mode], tuple[JsonObject, ...]]] = {
    ("gemini", "unary"): (_GEMINI_ANSWER,),
    ("gemini", "stream"): (_GEMINI_ANSWER,),
    ("openai-chat", "unary"): (
        _CHAT | {"object": "chat.completion", "usage": _CHAT_USAGE,
                 "choices": [{"index": 0, "message": _CHAT_MESSAGE, "finish_reason": "stop"}]},
    ),
    ("openai-chat", "stream"): (
        _chat_chunk(_CHAT_MESSAGE, None),
        _chat_chunk({}, "stop"),
        _CHAT | {"object": "chat.completion.chunk", "choices": [], "usage": _CHAT_USAGE},
    ),
    ("anthropic", "unary"): (
        _ANTHROPIC_MESSAGE | {"content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn",
                              "usage": {"input_tokens": 3, "output_tokens": 2}},
    ),
    ("anthropic", "stream"): (
        {"type": "message_start", "message": _ANTHROPIC_MESSAGE | {
            "content": [], "stop_reason": None, "usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ),
}  # fmt: skip


def minimal_request(dialect: Dialect, mode: Mode, model: str) -> Request:
    """Return ``Hello`` to this model; a Chat stream requests its usage. Any request serves to receive an answer."""
    record = RECORDS[dialect]
    body = record.body_with_model(record.smallest_request | record.usage_members, model)
    return Request(dialect, mode, record.body_in_mode(body, mode), model)


def minimal_response(dialect: Dialect, mode: Mode) -> Response:
    """Return ``Hi.``, finished, with usage. Any answer serves to send a request."""
    return Response(dialect, mode, _MINIMAL[dialect, mode])
