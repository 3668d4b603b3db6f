"""How bytes are varied, and that the judge decodes every variation identically."""

from pathlib import Path

import pytest

from bridgecheck.cassette import traffic
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.codec.body import decode_response
from bridgecheck.model.exchange import Response
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.relations.transport import COMMENT, add_comments
from bridgecheck.run.relations import frame_stream
from bridgecheck.wire import DIALECTS, Dialect

from .streams import STREAMS

BYTES = [relation for relation in RELATIONS if relation.chunks]


def read(dialect: Dialect, chunks: tuple[bytes, ...]) -> tuple[object, ...]:
    response = decode_response(dialect, "stream", 200, (("content-type", "text/event-stream"),), chunks, "complete")
    return (response.documents, response.terminated, response.text)


@pytest.mark.parametrize("relation", BYTES, ids=[relation.id for relation in BYTES])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_variation_decodes_to_the_same_events(dialect: Dialect, relation: Relation) -> None:
    chunks = frame_stream(Response(dialect, "stream", STREAMS[dialect], terminated=True))
    recut = relation.chunks.get(dialect)
    if recut is not None:
        assert read(dialect, recut(chunks)) == read(dialect, chunks)


def test_every_variation_of_recorded_traffic_decodes_to_the_same_events(traffic_folder: Path) -> None:
    items = [item for item in traffic.read_traffic(traffic_folder / "mirascope.jsonl") if isinstance(item, TrafficItem)]
    streams = [item.interaction.response for item in items if item.interaction.response.mode == "stream"]
    assert len(streams) > 50
    for response in streams[::7]:
        chunks = frame_stream(response)
        for relation in BYTES:
            recut = relation.chunks.get(response.dialect)
            if recut is not None and chunks:
                assert read(response.dialect, recut(chunks)) == read(response.dialect, chunks), relation.id


def test_comments_are_between_events_for_any_line_ending() -> None:
    assert add_comments((b"data: 1\n\ndata: 2\r\n", b"\r\n")) == (
        COMMENT,
        b"data: 1\n\n",
        COMMENT,
        b"data: 2\r\n\r\n",
    )
    assert add_comments((b"data: 1\n\n: own\n\n",)) == (COMMENT, b"data: 1\n\n", COMMENT, b": own\n\n")


def test_a_truncated_event_is_not_split() -> None:
    assert add_comments((b'data: 1\n\ndata: {"a', b'": 1')) == (COMMENT, b"data: 1\n\n", COMMENT, b'data: {"a": 1')


def test_no_comments_among_events_with_ids() -> None:
    chunks = (b"id: 1\ndata: 1\n\n", b"data: 2\n\n")
    assert add_comments(chunks) == chunks


def test_line_ends_become_crlf_exactly_once() -> None:
    crlf = next(relation for relation in BYTES if relation.id == "crlf").chunks["openai-chat"]
    assert crlf((b"data: 1\n\n", b"data: 2\r\n\r\n")) == (b"data: 1\r\n\r\n", b"data: 2\r\n\r\n")
    assert crlf((b"data: 1\r", b"\n\n")) == (b"data: 1\r\n\r\n",)
