"""Properties of the reference over generated conversations and answers, in every client/upstream pair.

``make deep`` tries each with 2,000 examples, `make test` with fewer (HYPOTHESIS_PROFILE; tests/conftest.py).
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck import normalise, validate
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.codec.rechunk import cut_at
from bridgecheck.drivers import Driver, resolve
from bridgecheck.fuzz.conversation import Conversation, conversations, cut_positions, model_answers
from bridgecheck.fuzz.scenario import WRITERS
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.run import traffic
from bridgecheck.run.plan import Selection
from bridgecheck.wire import DIALECTS, Dialect, JsonObject, Mode
from bridgecheck_reference import adapter
from bridgecheck_reference.routes import ROUTES

from .. import scripted_answers

MODEL: Final = "scripted-model"
REFERENCE: Final[Driver] = resolve("python:bridgecheck_reference:adapter")
PAIRS: Final = [pytest.param(*route, id=f"{route[0]}>{route[1]}") for route in ROUTES]
MODES: Final[tuple[Mode, ...]] = ("unary", "stream")


def write_request(dialect: Dialect, conversation: Conversation, mode: Mode) -> JsonObject:
    """Write the request as a client of this dialect does."""
    body = WRITERS[dialect].write_request(conversation)
    if dialect != "gemini":
        body = {"model": MODEL, **body, **({"stream": True} if mode == "stream" else {})}
    return (
        {**body, "stream_options": {"include_usage": True}} if mode == "stream" and dialect == "openai-chat" else body
    )


def write_answer(
    dialect: Dialect, model_answer: scripted_answers.ModelAnswer, mode: Mode, cuts: list[int]
) -> tuple[JsonObject, ...]:
    if mode == "unary":
        return (scripted_answers.unary(dialect, model_answer),)
    return tuple(scripted_answers.events(dialect, model_answer, cut_at(cuts)))


def convert_answer(
    client: Dialect, upstream: Dialect, documents: tuple[JsonObject, ...], mode: Mode, body: JsonObject
) -> tuple[JsonObject, ...]:
    """Convert an answer, or the events of a stream, for the client."""
    if mode == "unary":
        _, document = adapter.from_upstream(
            documents[0], client=client, upstream=upstream, status=200, model=MODEL, request=body
        )
        return (document,)
    stream = adapter.stream(client=client, upstream=upstream, model=MODEL, request=body)
    return tuple(made for event in documents for made in stream.feed(event)) + tuple(stream.close())


def convert_request(client: Dialect, upstream: Dialect, body: JsonObject, mode: Mode) -> JsonObject:
    return adapter.to_upstream(body, client=client, upstream=upstream, mode=mode, model=MODEL)


def meaning(dialect: Dialect, mode: Mode, documents: tuple[JsonObject, ...]) -> object:
    """Normalise a response; a stream gives the same as the unary answer it folds into."""
    whole = documents if mode == "unary" else (normalise.fold(dialect, documents),)
    return normalise.response(Response(dialect, "unary", whole))


def failures(item: TrafficItem) -> Iterator[str]:
    """Yield what the judge finds wrong with the reference over this interaction, in every pair that it routes."""
    for case in traffic.plan(item, REFERENCE, Selection()):
        for verdict in traffic.run_case(case, item, REFERENCE).verdicts:
            if verdict.status in ("FAIL", "ERROR"):
                yield f"{case.key.client}>{case.key.upstream} {verdict.check}: {verdict.message}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dialect", DIALECTS)
@given(conversation=conversations(), model_answer=model_answers(), cuts=cut_positions())
def test_every_check_passes_on_generated_traffic(
    dialect: Dialect,
    mode: Mode,
    conversation: Conversation,
    model_answer: scripted_answers.ModelAnswer,
    cuts: list[int],
) -> None:
    """Round trip of requests, fold square of streams, and every other check, over generated traffic."""
    request = Request(dialect, mode, write_request(dialect, conversation, mode), MODEL)
    answer = Response(dialect, mode, write_answer(dialect, model_answer, mode, cuts))
    assert list(failures(TrafficItem("generated", "generated:1", Interaction(request, answer)))) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations(), model_answer=model_answers(), cuts=cut_positions())
def test_conversion_is_deterministic_and_leaves_its_input_unchanged(
    client: Dialect,
    upstream: Dialect,
    mode: Mode,
    conversation: Conversation,
    model_answer: scripted_answers.ModelAnswer,
    cuts: list[int],
) -> None:
    """The output is the same down to the order of keys."""
    body, documents = write_request(client, conversation, mode), write_answer(upstream, model_answer, mode, cuts)
    original = copy.deepcopy((body, documents))
    first = (convert_request(client, upstream, body, mode), convert_answer(client, upstream, documents, mode, body))
    repeated = (convert_request(client, upstream, body, mode), convert_answer(client, upstream, documents, mode, body))
    assert json.dumps(first) == json.dumps(repeated)
    assert json.dumps((body, documents)) == json.dumps(original)


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(model_answer=model_answers(), cuts=cut_positions(), other_cuts=cut_positions())
def test_where_a_stream_is_cut_makes_no_difference(
    client: Dialect,
    upstream: Dialect,
    model_answer: scripted_answers.ModelAnswer,
    cuts: list[int],
    other_cuts: list[int],
) -> None:
    """Two ways to cut the same answer into chunks give the client the same response."""
    body = write_request(client, Conversation("", (), "Hi.", None, None, ()), "stream")
    first, second = (
        meaning(
            client,
            "stream",
            convert_answer(client, upstream, write_answer(upstream, model_answer, "stream", cut), "stream", body),
        )
        for cut in (cuts, other_cuts)
    )
    assert first == second


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations())
def test_a_request_converted_back_and_again_is_the_same(
    client: Dialect, upstream: Dialect, conversation: Conversation
) -> None:
    """Conversion is idempotent: client dialect to upstream dialect, back, and again."""
    upstream_request = convert_request(client, upstream, write_request(client, conversation, "unary"), "unary")
    client_request = convert_request(upstream, client, upstream_request, "unary")
    assert convert_request(client, upstream, client_request, "unary") == upstream_request


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations())
def test_a_longer_history_keeps_its_prefix(client: Dialect, upstream: Dialect, conversation: Conversation) -> None:
    """The turns before are sent as they were sent before; otherwise a provider's prompt cache is of no use."""
    turns = "contents" if upstream == "gemini" else "messages"
    shorter = (
        replace(conversation, exchanges=conversation.exchanges[:-1], last=conversation.exchanges[-1].user)
        if conversation.exchanges
        else conversation
    )
    shorter_turns, longer_turns = (
        convert_request(client, upstream, write_request(client, history, "unary"), "unary")[turns]
        for history in (shorter, conversation)
    )
    assert isinstance(shorter_turns, list) and isinstance(longer_turns, list)
    # The last message may have grown: an image or results after the text.
    assert longer_turns[: len(shorter_turns) - 1] == shorter_turns[:-1]


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations(), model_answer=model_answers(), data=st.data())
def test_converted_documents_are_valid(
    client: Dialect,
    upstream: Dialect,
    conversation: Conversation,
    model_answer: scripted_answers.ModelAnswer,
    data: st.DataObject,
) -> None:
    mode: Mode = data.draw(st.sampled_from(MODES))
    body = write_request(client, conversation, mode)
    assert validate.request(upstream, convert_request(client, upstream, body, mode)) == []
    for document in convert_answer(
        client, upstream, write_answer(upstream, model_answer, mode, data.draw(cut_positions())), mode, body
    ):
        assert validate.response(client, mode, document) == []
