"""Laws of the reference over generated conversations and answers, in every client/upstream pair.

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

from .. import says

MODEL: Final = "scripted-model"
REFERENCE: Final[Driver] = resolve("python:bridgecheck_reference:adapter")
PAIRS: Final = [pytest.param(*route, id=f"{route[0]}>{route[1]}") for route in ROUTES]
MODES: Final[tuple[Mode, ...]] = ("unary", "stream")


def asked(dialect: Dialect, conversation: Conversation, mode: Mode) -> JsonObject:
    """The request as a client of this dialect writes it."""
    body = WRITERS[dialect].write_request(conversation)
    if dialect != "gemini":
        body = {"model": MODEL, **body, **({"stream": True} if mode == "stream" else {})}
    return (
        {**body, "stream_options": {"include_usage": True}} if mode == "stream" and dialect == "openai-chat" else body
    )


def answered(dialect: Dialect, said: says.ModelAnswer, mode: Mode, places: list[int]) -> tuple[JsonObject, ...]:
    if mode == "unary":
        return (says.unary(dialect, said),)
    return tuple(says.events(dialect, said, cut_at(places)))


def converted(
    client: Dialect, upstream: Dialect, documents: tuple[JsonObject, ...], mode: Mode, body: JsonObject
) -> tuple[JsonObject, ...]:
    """What the client gets."""
    if mode == "unary":
        _, document = adapter.from_upstream(
            documents[0], client=client, upstream=upstream, status=200, model=MODEL, request=body
        )
        return (document,)
    stream = adapter.stream(client=client, upstream=upstream, model=MODEL, request=body)
    return tuple(made for event in documents for made in stream.feed(event)) + tuple(stream.close())


def sent(client: Dialect, upstream: Dialect, body: JsonObject, mode: Mode) -> JsonObject:
    return adapter.to_upstream(body, client=client, upstream=upstream, mode=mode, model=MODEL)


def meaning(dialect: Dialect, mode: Mode, documents: tuple[JsonObject, ...]) -> object:
    """What a client would make of it, whatever it came in."""
    whole = documents if mode == "unary" else (normalise.fold(dialect, documents),)
    return normalise.response(Response(dialect, "unary", whole))


def failures(item: TrafficItem) -> Iterator[str]:
    """What the judge finds wrong with the reference over this interaction, in every pair it routes."""
    for case in traffic.plan(item, REFERENCE, Selection()):
        for verdict in traffic.run_case(case, item, REFERENCE).verdicts:
            if verdict.status in ("FAIL", "ERROR"):
                yield f"{case.key.client}>{case.key.upstream} {verdict.check}: {verdict.message}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dialect", DIALECTS)
@given(conversation=conversations(), said=model_answers(), places=cut_positions())
def test_the_judge_finds_nothing(
    dialect: Dialect, mode: Mode, conversation: Conversation, said: says.ModelAnswer, places: list[int]
) -> None:
    """Round trip of requests, fold square of streams, and every other check, over generated traffic."""
    asking = Request(dialect, mode, asked(dialect, conversation, mode), MODEL)
    answer = Response(dialect, mode, answered(dialect, said, mode, places))
    assert list(failures(TrafficItem("generated", "generated:1", Interaction(asking, answer)))) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations(), said=model_answers(), places=cut_positions())
def test_the_same_again_and_nothing_touched(
    client: Dialect,
    upstream: Dialect,
    mode: Mode,
    conversation: Conversation,
    said: says.ModelAnswer,
    places: list[int],
) -> None:
    """Determinism, down to the order of keys; and what is given is not written to."""
    body, documents = asked(client, conversation, mode), answered(upstream, said, mode, places)
    before = copy.deepcopy((body, documents))
    first = (sent(client, upstream, body, mode), converted(client, upstream, documents, mode, body))
    again = (sent(client, upstream, body, mode), converted(client, upstream, documents, mode, body))
    assert json.dumps(first) == json.dumps(again)
    assert json.dumps((body, documents)) == json.dumps(before)


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(said=model_answers(), places=cut_positions(), others=cut_positions())
def test_how_a_stream_is_cut_makes_no_difference(
    client: Dialect, upstream: Dialect, said: says.ModelAnswer, places: list[int], others: list[int]
) -> None:
    """Re-chunking; and the stream says what the unary answer says."""
    body = asked(client, Conversation("", (), "Hi.", None, None, ()), "stream")
    one, other = (
        meaning(client, "stream", converted(client, upstream, answered(upstream, said, "stream", cut), "stream", body))
        for cut in (places, others)
    )
    assert one == other


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations())
def test_the_second_hop_changes_nothing(client: Dialect, upstream: Dialect, conversation: Conversation) -> None:
    """Idempotence: what came back from the other dialect goes there again as it did."""
    there = sent(client, upstream, asked(client, conversation, "unary"), "unary")
    back = sent(upstream, client, there, "unary")
    assert sent(client, upstream, back, "unary") == there


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations())
def test_a_longer_history_keeps_its_prefix(client: Dialect, upstream: Dialect, conversation: Conversation) -> None:
    """What was sent for the turns before is sent again, or a provider's cache of prompts is of no use."""
    turns = "contents" if upstream == "gemini" else "messages"
    shorter = (
        replace(conversation, exchanges=conversation.exchanges[:-1], last=conversation.exchanges[-1].user)
        if conversation.exchanges
        else conversation
    )
    short, long = (
        sent(client, upstream, asked(client, each, "unary"), "unary")[turns] for each in (shorter, conversation)
    )
    assert isinstance(short, list) and isinstance(long, list)
    # The last message may have grown: an image, or results, beside the words.
    assert long[: len(short) - 1] == short[:-1]


@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@given(conversation=conversations(), said=model_answers(), data=st.data())
def test_what_is_written_is_of_the_dialect(
    client: Dialect, upstream: Dialect, conversation: Conversation, said: says.ModelAnswer, data: st.DataObject
) -> None:
    mode: Mode = data.draw(st.sampled_from(MODES))
    body = asked(client, conversation, mode)
    assert validate.request(upstream, sent(client, upstream, body, mode)) == []
    for document in converted(client, upstream, answered(upstream, said, mode, data.draw(cut_positions())), mode, body):
        assert validate.response(client, mode, document) == []
