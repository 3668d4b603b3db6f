"""import(export(cassette)) is the cassette, but for what the format cannot carry: over a sample of the corpus."""

from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from bridgecheck.cassette import store, traffic
from bridgecheck.cassette.formats.documents import recorded_or_encoded
from bridgecheck.cassette.formats.item import TrafficItem, item_of_bytes
from bridgecheck.cassette.formats.names import WritableName
from bridgecheck.cassette.formats.output import Written, items_of_cassette
from bridgecheck.cassette.formats.table import FORMATS
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec.body import decompress_body_if_possible

from .conftest import ROOT

CORPUS = sorted((ROOT / "cassettes").rglob("*.yaml"))
EVERY = {"vcrpy": 12, "har": 12, "gemini-cli": 8, "google-genai": 60}
"""One cassette of so many. What google-genai makes of an answer is asked of the SDK, which takes its time."""

BODY_HEADERS = {"content-encoding", "content-length", "transfer-encoding"}


def write(cassette: Cassette, name: WritableName) -> Written:
    writer = FORMATS[name].write
    assert writer is not None
    return writer(cassette)


def read(text: str, name: WritableName) -> list[TrafficItem]:
    items = list(FORMATS[name].read(BytesIO(text.encode("utf-8")), "file", "stem"))
    assert all(isinstance(item, TrafficItem) for item in items), items
    return [item for item in items if isinstance(item, TrafficItem)]


def in_one_chunk(recorded: RecordedInteraction) -> RecordedInteraction:
    """What neither vcrpy nor HAR carries is left out: chunks, times, and how a stream broke off."""
    return replace(recorded, chunks=(recorded.body,) if recorded.body else (), t_ms=(), end="complete")


def decode_body(recorded: RecordedInteraction) -> RecordedInteraction:
    """HAR holds bodies decoded."""
    body = decompress_body_if_possible(recorded.body, recorded.headers)
    if body == recorded.body:
        return recorded
    headers = tuple((name, value) for name, value in recorded.headers if name not in BODY_HEADERS)
    return replace(recorded, chunks=(body,), headers=headers)


def sample(name: str) -> list[Path]:
    chosen = CORPUS[:: EVERY[name]]
    assert len(chosen) >= 20
    return chosen


def test_vcrpy() -> None:
    for path in sample("vcrpy"):
        cassette = store.load_cassette(path)
        found = [item.recorded for item in read(write(cassette, "vcrpy").text, "vcrpy")]
        assert found == list(map(in_one_chunk, cassette.interactions)), path


def test_har() -> None:
    for path in sample("har"):
        cassette = store.load_cassette(path)
        found = [item.recorded for item in read(write(cassette, "har").text, "har")]
        assert found == [decode_body(in_one_chunk(recorded)) for recorded in cassette.interactions], path


@pytest.mark.parametrize("name", ["gemini-cli", "google-genai"])
def test_documents_of_gemini(name: WritableName) -> None:
    preserved = 0
    for path in sample(name):
        cassette = store.load_cassette(path)
        written = write(cassette, name)
        found = read(written.text, name)
        assert len(found) == written.preserved
        assert written.preserved + written.left_out.total() == len(cassette.interactions)
        if written.left_out:
            assert "gemini" not in path.name or not found or len(found) < len(cassette.interactions)
            continue
        preserved += written.preserved
        sources = [item for item in items_of_cassette(cassette) if isinstance(item, TrafficItem)]
        for source, item in zip(sources, found, strict=True):
            expected, actual = source.interaction, item.interaction
            assert actual.response.documents == expected.response.documents, path
            assert actual.response.mode == expected.response.mode
            if name == "google-genai":
                assert actual.request is not None and expected.request is not None
                assert actual.request.body == expected.request.body
                assert (actual.request.model, actual.response.status) == (
                    expected.request.model,
                    expected.response.status,
                )
    assert preserved >= 5


@pytest.mark.traffic
def test_json_lines_are_imported_with_all_their_documents(traffic_folder: Path) -> None:
    """Of requests that were not recorded only the mode is made up."""
    count = 0
    for item in traffic.read_traffic(traffic_folder):
        assert isinstance(item, TrafficItem)
        again = item_of_bytes(partial(recorded_or_encoded, item), item.where, item.id, "JSON lines")
        assert isinstance(again, TrafficItem), again
        expected, actual = item.interaction, again.interaction
        assert actual.response.documents == expected.response.documents, item.id
        assert (actual.response.dialect, actual.response.mode) == (expected.response.dialect, expected.response.mode)
        assert (actual.response.status, actual.response.text) == (expected.response.status, expected.response.text)
        assert expected.request is None or (actual.request and actual.request.body == expected.request.body)
        count += 1
    assert count > 2000
