"""Recorded traffic of real providers, through the edge, by the official SDKs: each event before the next is sent; then
replayed with the same bytes and borders.

The events are those of the recordings, written as their provider writes them; where chunks end is drawn by a seed, with
some borders inside a character and inside of a ``data:``.
"""

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
import trustme

from bridgecheck.codec.sse import DONE_MARKER, SseDecoder, frame_event, terminator
from bridgecheck.drivers.sdk_clients import import_sdk
from bridgecheck.drivers.sdk_result import Connection
from bridgecheck.record.folder import load_folder
from bridgecheck.secrets import find_secret_kinds
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS, base_url

from .conftest import Start
from .stand_in import Answer, StandIn, in_order, serve

Call = Literal["sync", "async"]
PROVIDERS: dict[Dialect, str] = {"gemini": "gemini", "openai-chat": "openai", "anthropic": "anthropic"}
WAIT_S = 60
REFUSED: dict[Dialect, list[str]] = {"anthropic": ["mirascope-ts/0177"]}
"""Of the streams that are drawn those that hold a password: a model calls a tool with ``{"password": "radiance"}``."""


@dataclass(frozen=True)
class Stream:
    id: str
    model: str
    body: dict[str, Any]
    chunks: tuple[bytes, ...]


def streams(folder: Path, dialect: Dialect, seed: int, count: int) -> list[Stream]:
    """Return some recorded streams of a provider, with borders of their own."""
    drawn = random.Random(f"{dialect} {seed}")
    rows = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")]
    usable = [row for row in rows if is_usable(row, dialect)]
    return [
        Stream(row["id"], row["model"], row["request_body"], draw_chunks(row["sse_chunks"], dialect, drawn))
        for row in drawn.sample(usable, min(count, len(usable)))
    ]


def is_usable(row: dict[str, Any], dialect: Dialect) -> bool:
    path = {"gemini": ":streamGenerateContent", "openai-chat": "/chat/completions", "anthropic": "/v1/messages"}[
        dialect
    ]
    events = row.get("sse_chunks")
    return (
        row["provider"] == PROVIDERS[dialect] and row["status"] == 200 and path in row["url_path"]
        and isinstance(row["request_body"], dict) and isinstance(events, list) and 2 < len(events) < 60
        and all(isinstance(event, dict) for event in events) and not any("error" in event for event in events)
    )  # fmt: skip


def draw_chunks(events: list[object], dialect: Dialect, drawn: random.Random) -> tuple[bytes, ...]:
    body = b"".join(frame_event(dialect, event) for event in events) + terminator(dialect)
    inside_characters = [at for at, byte in enumerate(body) if 0x80 <= byte < 0xC0]
    inside_data = [at + 3 for at in range(len(body)) if body.startswith(b"data:", at)]
    anywhere = drawn.sample(range(1, len(body)), min(len(events), len(body) - 1))
    edges = {*anywhere, *drawn.sample(inside_characters, min(2, len(inside_characters))), *drawn.sample(inside_data, 2)}
    return tuple(body[start:stop] for start, stop in pairwise([0, *sorted(edges), len(body)]))


class Gate:
    """Lets a chunk leave when the client has received every event that is whole in those before it."""

    def __init__(self, chunks: tuple[bytes, ...]) -> None:
        decoder = SseDecoder()
        self._whole = [sum(map(shows, decoder.feed(chunk))) for chunk in chunks]
        self._received = 0
        self._changed = threading.Condition()

    def receive(self) -> None:
        with self._changed:
            self._received += 1
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        due = sum(self._whole[:number])
        with self._changed:
            came = self._changed.wait_for(lambda: self._received >= due, WAIT_S)
        assert came, f"chunk {number} waits for event {due}, the client has {self._received}"


def shows(event: Any) -> bool:
    """Whether SDKs give this event to their caller."""
    return event.data.strip() != DONE_MARKER and json.loads(event.data).get("type") != "ping"


def documents(call: Call, dialect: Dialect, origin: str, stream: Stream, gate: Gate) -> list[object]:
    """Return the events that the SDK of a dialect gives, with each one noted as it comes."""
    sdk = import_sdk(dialect)
    connection = Connection(base_url(dialect, origin), "not-a-key", ())
    body = RECORDS[dialect].body_in_mode(stream.body, "stream")

    def run() -> Iterator[object]:
        for document in sdk.request_documents(connection, "stream", body, stream.model):
            gate.receive()
            yield document
        connection.close_sync_client()

    async def run_async() -> list[object]:
        received: list[object] = []
        async for document in sdk.request_documents_async(connection, "stream", body, stream.model):
            gate.receive()
            received.append(document)
        await connection.aclose_both_clients()
        return received

    return list(run()) if call == "sync" else asyncio.run(run_async())


def check(
    start: Start, authority: trustme.CA, folder: Path, dialect: Dialect, call: Call, http: str, stream: Stream
) -> None:
    out, gate = folder / stream.id.replace("/", "-"), Gate(stream.chunks)
    with serve(StandIn(in_order(Answer(stream.chunks)), http, authority, gate=gate.wait)) as provider:
        with start([f"{dialect}={provider.url}"], out=out) as recorder:
            live = documents(call, dialect, recorder.origin, stream, gate)
        assert recorder.result.exit_code == 0, recorder.result
    (cassette,) = load_folder(out).values()
    assert cassette.interactions[0].chunks == stream.chunks
    assert cassette.interactions[0].end == "complete"
    assert cassette.interactions[0].request.body == provider.requests[0].body
    with start(mode="replay", out=out, unplayed="fail") as recorder:
        replayed = documents(call, dialect, recorder.origin, stream, gate)
    assert recorder.result.exit_code == 0, recorder.result
    assert live == replayed and live


def check_refused(
    start: Start, authority: trustme.CA, folder: Path, dialect: Dialect, call: Call, http: str, stream: Stream
) -> None:
    """What the scanner refuses reaches its client event by event, and no file."""
    out, gate = folder / stream.id.replace("/", "-"), Gate(stream.chunks)
    with (
        serve(StandIn(in_order(Answer(stream.chunks)), http, authority, gate=gate.wait)) as provider,
        start([f"{dialect}={provider.url}"], out=out) as recorder,
    ):
        assert documents(call, dialect, recorder.origin, stream, gate)
    assert recorder.result.exit_code == 3
    (why,) = recorder.result.not_saved
    assert "value of a credential's member" in why
    assert load_folder(out) == {}


KINDS = [(dialect, call) for dialect in PROVIDERS for call in ("sync", "async")]


@pytest.mark.traffic
@pytest.mark.parametrize(("dialect", "call"), KINDS)
def test_real_streams_are_recorded_and_replayed(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path, dialect: Dialect, call: Call
) -> None:
    (stream,) = streams(traffic_folder, dialect, seed=3, count=1)
    check(start, authority, tmp_path, dialect, call, "2" if call == "sync" else "1.1", stream)


@pytest.mark.slow
@pytest.mark.traffic
@pytest.mark.parametrize("http", ["1.1", "2"])
@pytest.mark.parametrize(("dialect", "call"), KINDS)
def test_many_real_streams_are_recorded_and_replayed(
    start: Start, authority: trustme.CA, tmp_path: Path, traffic_folder: Path, dialect: Dialect, call: Call, http: str
) -> None:
    drawn = streams(traffic_folder, dialect, seed=7, count=25)
    refused = [stream for stream in drawn if find_secret_kinds(b"".join(stream.chunks))]
    assert [stream.id for stream in refused] == REFUSED.get(dialect, [])
    for stream in drawn:
        if stream in refused:
            check_refused(start, authority, tmp_path, dialect, call, http, stream)
        else:
            check(start, authority, tmp_path, dialect, call, http, stream)
