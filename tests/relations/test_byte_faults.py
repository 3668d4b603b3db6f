"""The relations on bytes find readers of server-sent events that would fail on real networks."""

import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import cassettes_root
from bridgecheck.model.exchange import HttpRequest, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.relations import RELATIONS, Documents
from bridgecheck.relations.choice import RelationChoice
from bridgecheck.run import play_sdk
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import HangCount
from bridgecheck.run.record import Turn, build_evidence
from bridgecheck.run.relations import frame_stream, relate_on_sdk
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.run.turns import minimal_request
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

from .streams import STREAMS

TRUST = ssl.create_default_context()

Chunks = AsyncIterator[bytes]
Reader = Callable[[Chunks], AsyncIterator[str]]
"""What a client makes of a body: the data of its events."""


def data_of(events: Iterable[str]) -> Iterable[str]:
    for event in events:
        lines = [line for line in event.splitlines() if line.startswith("data:")]
        if lines:
            yield lines[0].removeprefix("data:").strip()


async def read_with_buffer(chunks: Chunks) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        rest += chunk
        whole = rest.replace(b"\r\n", b"\n")
        if b"\n\n" in whole and not rest.endswith(b"\r"):
            *events, rest = whole.split(b"\n\n")
            for data in data_of(event.decode() for event in events):
                yield data


async def chunks_are_events(chunks: Chunks) -> AsyncIterator[str]:
    """No buffer. Reported by a user of several hosts: https://github.com/windingwind/zotero-pdf-translate/pull/806."""
    async for chunk in chunks:
        for data in data_of(chunk.decode().replace("\r\n", "\n").split("\n\n")):
            yield data


async def one_event_a_chunk(chunks: Chunks) -> AsyncIterator[str]:
    """What follows the first event of a chunk is lost."""
    rest = b""
    async for chunk in chunks:
        rest += chunk.replace(b"\r\n", b"\n")
        if b"\n\n" in rest:
            for data in data_of([rest.split(b"\n\n")[0].decode()]):
                yield data
            rest = b""


async def chunks_are_text(chunks: Chunks) -> AsyncIterator[str]:
    """Each chunk is decoded by itself."""
    rest = ""
    async for chunk in chunks:
        rest = (rest + chunk.decode(errors="replace")).replace("\r\n", "\n")
        *events, rest = rest.split("\n\n")
        for data in data_of(events):
            yield data


async def lines_end_in_lf(chunks: Chunks) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        *events, rest = (rest + chunk).split(b"\n\n")
        for data in data_of(event.decode() for event in events):
            yield data


async def line_ends_are_in_one_chunk(chunks: Chunks) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        *events, rest = (rest + chunk.replace(b"\r\n", b"\n")).split(b"\n\n")
        for data in data_of(event.decode() for event in events):
            yield data


async def every_event_is_data(chunks: Chunks) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        *events, rest = (rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        for event in events:
            assert event.startswith(b"data:"), event
            yield event.decode().removeprefix("data:").strip()


@dataclass
class Connection:
    """``keeps``: an event is held until the next one arrives, in a buffer shared by all streams."""

    base_url: str
    client: Dialect
    reader: Reader
    keeps: bool = False
    held: list[JsonObject] = field(default_factory=list)

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[JsonObject]:
        path = RECORDS[self.client].full_path_template("stream").format(model=model)
        base = self.base_url.removesuffix("/v1")
        async with httpx2.AsyncClient(verify=TRUST) as http, http.stream("POST", base + path, json=body) as answer:
            async for data in self.reader(answer.aiter_bytes()):
                if data != "[DONE]":
                    held = self.held if self.keeps else []
                    held.append(json.loads(data))
                    yield held.pop(0) if len(held) > self.keeps else {}
            while self.held:
                yield self.held.pop(0)

    async def close(self) -> None:
        """Each call has its own client."""


class Adapter:
    name = "careless with bytes"
    routes = tuple((dialect, dialect) for dialect in STREAMS)

    def __init__(self, reader: Reader, keeps: bool = False) -> None:
        self.reader, self.keeps = reader, keeps

    def connect(self, *, client: Dialect, base_url: str, **rest: object) -> Connection:
        return Connection(base_url, client, self.reader, self.keeps)


def play_recording(dialect: Dialect, driver: Driver, documents: Documents) -> dict[str, str]:
    """Return relation -> status, over a recording of these documents."""
    request = minimal_request(dialect, "stream", "m")
    answer = Response(dialect, "stream", documents, terminated=True)
    path = RECORDS[dialect].full_path_template("stream").format(model="m")
    sent = HttpRequest("POST", path, (("content-type", "application/json"),), json.dumps(request.body).encode())
    kind = (("content-type", "text/event-stream"),)
    recorded = RecordedInteraction(
        sent, 200, kind, frame_stream(answer), origin=RECORDS[dialect].base_url.removesuffix("/v1")
    )
    cassette, plays = Cassette({}, (recorded,)), [Turn(lambda received: request, (answer,))]
    key = CaseKey("t/1", "bridged", dialect, dialect, "stream", "sdk")
    found = build_evidence(key, play_sdk.play(driver, key, plays, cassette), None, driver)
    assert found.transcript.crash == ""
    assert found.upstream_outcomes == found.client_outcomes
    again = choose_strategy_above_wire(driver, key, plays, Library(cassettes_root()), in_step=False)
    verdicts = relate_on_sdk(found, plays, cassette, driver, RelationChoice("all"), again, HangCount())
    return {verdict.check.removeprefix("relation."): verdict.status for verdict in verdicts}


def failed_relations(dialect: Dialect, reader: Reader, *, keeps: bool = False) -> set[str]:
    statuses = play_recording(dialect, describe_adapter("python:x:y", Adapter(reader, keeps)), STREAMS[dialect])
    return {relation for relation, status in statuses.items() if status == "FAIL"}


FAULTS: tuple[tuple[Reader, Dialect, set[str]], ...] = (
    (chunks_are_events, "openai-chat", {"bytes_1", "bytes_7", "mid_codepoint"}),
    (one_event_a_chunk, "openai-chat", {"one_write"}),
    (chunks_are_text, "openai-chat", {"bytes_1", "mid_codepoint"}),
    (lines_end_in_lf, "openai-chat", {"crlf"}),
    (line_ends_are_in_one_chunk, "gemini", {"bytes_1", "mid_crlf"}),
    (every_event_is_data, "openai-chat", {"heartbeats"}),
)


@pytest.mark.parametrize(("reader", "dialect", "expected"), FAULTS, ids=[fault[0].__name__ for fault in FAULTS])
def test_a_careless_reader_is_found(reader: Reader, dialect: Dialect, expected: set[str]) -> None:
    found = failed_relations(dialect, reader)
    assert expected <= found
    assert found < {relation.id for relation in RELATIONS}


@pytest.mark.parametrize("dialect", STREAMS)
def test_a_careful_reader_passes(dialect: Dialect) -> None:
    statuses = play_recording(dialect, describe_adapter("python:x:y", Adapter(read_with_buffer)), STREAMS[dialect])
    assert set(statuses.values()) == {"PASS"}
    assert {"bytes_1", "bytes_7", "mid_codepoint", "mid_crlf", "one_write", "two_streams"} <= statuses.keys()


def test_every_relation_on_bytes_has_a_fault() -> None:
    named = {relation for _, _, expected in FAULTS for relation in expected}
    assert {relation.id for relation in RELATIONS if relation.chunks} <= named


def test_calls_that_share_a_buffer_are_found() -> None:
    wrong: Any = play_recording(
        "gemini", describe_adapter("python:x:y", Adapter(read_with_buffer, keeps=True)), STREAMS["gemini"][:1] * 2
    )
    assert wrong["two_streams"] == "FAIL"
