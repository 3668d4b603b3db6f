"""Cassette files: written by this project, readable by vcrpy."""

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
import vcr
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgecheck.cassette import store
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.errors import BadCassette

Make = Callable[..., RecordedInteraction]
EVENTS = (b'data: {"a": "h\xc3\xa9\xe2\x80\xa8"}\r\n\r\n', b"data: [DONE]\n\n")


def test_path_is_scenario_dialect_and_mode() -> None:
    path = store.cassette_path(Path("cassettes"), "tools/parallel", "openai-chat", "stream")
    assert path.as_posix() == "cassettes/tools/parallel/openai-chat.stream.yaml"


def test_round_trip_keeps_chunks_headers_and_ending(
    tmp_path: Path, chat: Make, cassette_of: Callable[..., Cassette]
) -> None:
    cassette = cassette_of(chat(*EVENTS, end="reset"), chat(b"\x1f\x8b\xff", status=429), chat(), scenario="a/b")
    assert store.save_cassette(tmp_path / "x" / "c.yaml", cassette)
    assert store.load_cassette(tmp_path / "x" / "c.yaml") == cassette


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=30), max_size=5))
def test_any_chunks_survive(chunks: list[bytes]) -> None:
    from bridgecheck.model.exchange import HttpRequest

    body = b"".join(chunks)
    recorded = RecordedInteraction(
        HttpRequest("POST", "/p?q=1", (), body), 200, (("x", "y"),), tuple(chunks), "cut", (), "http://h"
    )
    assert store.parse_cassette(store.dump_cassette(Cassette({}, (recorded,))), "here").interactions == (recorded,)


def test_saving_the_same_cassette_again_changes_nothing(
    tmp_path: Path, chat: Make, cassette_of: Callable[..., Cassette]
) -> None:
    path = tmp_path / "c.yaml"
    assert store.save_cassette(path, cassette_of(chat(*EVENTS)))
    before = path.stat()
    assert not store.save_cassette(path, cassette_of(chat(*EVENTS)))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert store.save_cassette(path, cassette_of(chat(*EVENTS), scenario="other"))
    assert [file.name for file in tmp_path.iterdir()] == ["c.yaml"], "a draft was left behind"


def test_plain_vcrpy_plays_our_cassettes(tmp_path: Path, chat: Make, cassette_of: Callable[..., Cassette]) -> None:
    path = tmp_path / "c.yaml"
    recorded = chat(*EVENTS)
    store.save_cassette(path, cassette_of(recorded))
    with vcr.use_cassette(str(path), record_mode="none") as tape:
        answer = httpx2.post("https://api.openai.com/v1/chat/completions", content=recorded.request.body)
    assert answer.content == b"".join(EVENTS)
    assert answer.headers["content-type"] == "text/event-stream"
    assert tape.all_played


def test_a_cassette_written_by_plain_vcrpy_is_read(tmp_path: Path) -> None:
    """No stream mapping, capital header names, headers as single strings, no request body."""
    path = tmp_path / "c.yaml"
    interaction = {
        "request": {"method": "GET", "uri": "https://h/v1/models?x=1", "body": None, "headers": {"Accept": ["*/*"]}},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": "application/json"},
            "body": {"string": "{}"},
        },
    }
    path.write_text(yaml.dump({"version": 1, "interactions": [interaction]}))
    cassette = store.load_cassette(path)
    (recorded,) = cassette.interactions
    assert (recorded.request.path, recorded.request.body) == ("/v1/models?x=1", b"")
    assert recorded.request.headers == (("accept", "*/*"),)
    assert (recorded.headers, recorded.chunks, recorded.end) == (
        (("content-type", "application/json"),),
        (b"{}",),
        "complete",
    )
    assert cassette.source == "imported"


GOOD = """version: 1
interactions:
- request: {method: POST, uri: https://h/p, headers: {}, body: null}
  response:
    status: {code: 200, message: OK}
    headers: {}
    body: {string: abc}
    stream: {ends: [1, 3], t_ms: [0, 0], end: complete}
"""


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        (GOOD.replace("[1, 3]", "[1, 2]"), "c.yaml: interactions[0]", "3 bytes"),
        (GOOD.replace("end: complete", "end: maybe"), "c.yaml: interactions[0]", "maybe"),
        (GOOD.replace("code: 200", "code: no"), "c.yaml: interactions[0]", "status.code"),
        (GOOD.replace("method: POST, ", ""), "c.yaml: interactions[0]", "request.method"),
        (GOOD + '  "x', "c.yaml:9", "broken YAML"),
        ("- 1", "c.yaml", "no cassette"),
        ("interactions: 3", "c.yaml", "no cassette"),
        ("interactions: [3]", "c.yaml: interactions[0]", "request and a response"),
        ("a: !!python/object:os.system {}", "c.yaml:1", "broken YAML"),
    ],
)
def test_the_error_for_a_broken_cassette_names_the_location(tmp_path: Path, text: str, where: str, what: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(BadCassette, match="regenerate") as caught:
        store.load_cassette(path)
    assert caught.value.where.endswith(where)
    assert what in caught.value.what


def test_a_missing_cassette_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadCassette, match="not there"):
        store.load_cassette(tmp_path / "none.yaml")


def test_loading_uses_the_fast_loader(
    tmp_path: Path, chat: Make, cassette_of: Callable[..., Cassette], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.yaml"
    store.save_cassette(path, cassette_of(chat(*EVENTS)))
    monkeypatch.setattr(yaml.SafeLoader, "__init__", lambda *_: pytest.fail("the slow loader was used"))
    assert store.load_cassette(path).interactions[0].chunks == EVENTS
