"""Writing a cassette holds a few copies of the body at most, however it is spelt."""

import json
import tracemalloc
from functools import partial
from pathlib import Path

import pytest

from bridgecheck.cassette import stand_ins
from bridgecheck.cassette.store import load_cassette, save_cassette
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.record.assembly import extend_cassette
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.journal import end_entry, piece_entry, read_journal, request_entry, response_entry
from bridgecheck.secrets import mask
from bridgecheck.secrets.windows import windows

KEY = ConversationKey("long", "openai-chat")
CHUNKS = 8_000
MOST = 4.5
"""Peak bytes for each of the body: the pieces with their times, and the body while ids are replaced in it."""


def write_journal(path: Path) -> int:
    """Write the journal of a stream of events with escapes in them, and return how long its body is."""
    request = HttpRequest("POST", "/v1/chat/completions", (), b'{"stream": true}')
    size = 0
    with path.open("wb") as file:
        file.write(request_entry(request, "https://api.openai.com", {}))
        file.write(response_entry(200, (("content-type", "text/event-stream"),)))
        for number in range(CHUNKS):
            delta = {"index": 0, "delta": {"content": f'{number} "words" of an answer,\n\u00e9 {"and more " * 18}'}}
            data = b"data: %b\n\n" % json.dumps({"choices": [delta]}).encode()
            size += len(data)
            file.write(piece_entry(data, number))
        file.write(end_entry("complete"))
    return size


def assemble(journal: Path, cassette: Path) -> None:
    exchange = read_journal(journal.read_bytes())
    assert exchange is not None
    made = extend_cassette(KEY, None, [exchange])
    del exchange
    save_cassette(cassette, made)


def test_memory_is_a_few_times_the_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mask, stand_ins):
        monkeypatch.setattr(module, "windows", partial(windows, block=40_000, margin=4_000))
    size = write_journal(tmp_path / "journal")
    assemble(tmp_path / "journal", tmp_path / "warm.yaml")  # imports, and what is remembered of texts
    tracemalloc.start()
    try:
        assemble(tmp_path / "journal", tmp_path / "long.yaml")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST * size, f"{peak / size:.2f} times the body"
    assert len(load_cassette(tmp_path / "warm.yaml").interactions[0].chunks) == CHUNKS
    assert (tmp_path / "warm.yaml").read_bytes() == (tmp_path / "long.yaml").read_bytes()
