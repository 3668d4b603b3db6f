"""Recorded through the edge and replayed: bytes, borders, ends, attempts and conversations."""

import gzip
import json
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import pairwise
from pathlib import Path

import pytest
import trustme

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import load_cassette
from bridgecheck.model.exchange import End
from bridgecheck.record.folder import load_folder
from bridgecheck.record.summary import summary_lines

from .conftest import Start
from .raw_client import post
from .stand_in import JSON, SSE, Answer, StandIn, in_order, serve

CHAT = "/v1/chat/completions"
STREAM = 'data: {"t":"H\u00e9"}\n\ndata: {"t":"\U0001f600"}\n\ndata: [DONE]\n\n'.encode()
CUTS = [
    0,
    3,
    STREAM.index("\u00e9".encode()) + 1,
    STREAM.index("\U0001f600".encode()) + 2,
    len(STREAM) - 4,
    len(STREAM),
]
CHUNKS = [STREAM[start:stop] for start, stop in pairwise(CUTS)]
"""Borders inside a ``data:``, inside two characters and inside of an end."""


def ask(text: str, *history: str) -> bytes:
    turns = [*history, text]
    messages = [{"role": ("user", "assistant")[number % 2], "content": turn} for number, turn in enumerate(turns)]
    return json.dumps({"model": "m-1", "stream": True, "messages": messages}).encode()


def answer_of(text: str) -> Answer:
    message = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Answer([json.dumps({"object": "chat.completion", "choices": [message]}).encode()], headers=JSON, sized=True)


@pytest.fixture(params=["1.1", "2"])
def http(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def read_until_silence(origin: str) -> bytes:
    """Return what comes of an answer that then neither goes on nor ends."""
    connection = HTTPConnection(origin.removeprefix("http://"), timeout=1)
    connection.request("POST", CHAT, ask("hi"))
    response, received = connection.getresponse(), b""
    with pytest.raises(TimeoutError):
        while True:
            data = response.read1()
            assert data, "the answer has ended"
            received += data
    connection.close()
    return received


def only_cassette(folder: Path) -> Cassette:
    (path,) = folder.glob("*.yaml")
    return load_cassette(path)


def test_borders_are_recorded_and_replayed(start: Start, tmp_path: Path, authority: trustme.CA, http: str) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS)), http, authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            live = post(recorder.origin, CHAT, ask("hi"), (("authorization", "Bearer secret-of-the-client"),))
        assert recorder.result.exit_code == 0
    assert live.chunks == CHUNKS and live.end == "complete"
    assert ("authorization", "Bearer secret-of-the-client") in provider.requests[0].headers
    cassette = only_cassette(tmp_path / "out")
    assert cassette.interactions[0].chunks == tuple(CHUNKS)
    assert cassette.metadata["source"] == "live" and cassette.metadata["http"] == http
    assert "secret-of-the-client" not in next((tmp_path / "out").glob("*.yaml")).read_text()
    with start(mode="replay") as recorder:
        replayed = post(recorder.origin, CHAT, ask("hi"))
    assert (replayed.chunks, replayed.end) == (CHUNKS, "complete")
    assert recorder.result.exit_code == 0


def test_the_first_event_arrives_before_the_second_is_sent(start: Start, authority: trustme.CA, http: str) -> None:
    confirmed = threading.Semaphore(0)

    def wait(number: int) -> None:
        assert confirmed.acquire(timeout=10), f"chunk {number - 1} did not reach the client"

    import http.client as http_client

    with (
        serve(StandIn(in_order(Answer(CHUNKS)), http, authority, gate=wait)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        connection = http_client.HTTPConnection(recorder.origin.removeprefix("http://"))
        connection.request("POST", CHAT, ask("hi"))
        response = connection.getresponse()
        received = []
        for chunk in CHUNKS:
            received.append(response.read1())
            assert received[-1] == chunk
            confirmed.release()
        connection.close()


def test_a_chunk_longer_than_a_read_has_one_border(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    chunks = (b"a" * 300_000, b"b" * 10, b"c" * 200_000)
    with (
        serve(StandIn(in_order(Answer(chunks)), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        live = post(recorder.origin, CHAT, ask("hi"))
    assert b"".join(live.chunks) == b"".join(chunks)
    assert only_cassette(tmp_path / "out").interactions[0].chunks == chunks


@pytest.mark.parametrize("end", ["reset", "cut"])
def test_a_broken_stream_is_replayed_as_it_was(
    start: Start, tmp_path: Path, authority: trustme.CA, http: str, end: End
) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS[:3], end=end)), http, authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            live = post(recorder.origin, CHAT, ask("hi"))
        assert recorder.result.exit_code == 0 and len(recorder.result.counts.broken) == 1
    recorded = only_cassette(tmp_path / "out").interactions[0]
    assert (recorded.chunks, live.chunks) == (tuple(CHUNKS[:3]), CHUNKS[:3])
    assert recorded.end in ("reset", "cut") and (http == "2" or end == "cut" or recorded.end == "reset")
    assert live.end == recorded.end
    with start(mode="replay") as recorder:
        replayed = post(recorder.origin, CHAT, ask("hi"))
    assert (replayed.chunks, replayed.end) == (CHUNKS[:3], recorded.end)


def test_an_error_in_a_stream_is_replayed_as_it_was(
    start: Start, tmp_path: Path, authority: trustme.CA, http: str
) -> None:
    error = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    chunks = [CHUNKS[0], CHUNKS[1], error[:20], error[20:]]
    with (
        serve(StandIn(in_order(Answer(chunks)), http, authority)) as provider,
        start([f"anthropic={provider.url}"]) as recorder,
    ):
        live = post(recorder.origin, "/v1/messages", ask("hi"))
    recorded = only_cassette(tmp_path / "out").interactions[0]
    assert (recorded.chunks, recorded.end, recorded.status) == (tuple(chunks), "complete", 200)
    with start(mode="replay") as recorder:
        replayed = post(recorder.origin, "/v1/messages", ask("hi"))
    assert live.chunks == replayed.chunks == chunks and replayed.end == "complete"


def test_a_silent_provider_ends_as_a_timeout(start: Start, tmp_path: Path, authority: trustme.CA, http: str) -> None:
    with (
        serve(StandIn(in_order(Answer(CHUNKS[:2], end="timeout")), http, authority)) as provider,
        start([f"openai-chat={provider.url}"], timeout=0.3) as recorder,
    ):
        live = post(recorder.origin, CHAT, ask("hi"))
    assert live.chunks == CHUNKS[:2] and live.end == "cut"
    assert only_cassette(tmp_path / "out").interactions[0].end == "timeout"
    with start(mode="replay") as recorder:
        assert read_until_silence(recorder.origin) == b"".join(CHUNKS[:2])


def test_a_client_that_hangs_up_ends_the_request(
    start: Start, tmp_path: Path, authority: trustme.CA, http: str
) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS[:2], end="timeout")), http, authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            post(recorder.origin, CHAT, ask("hi"), leave_after=2)
            assert provider.hung_up.wait(5), "the provider still sends for nobody"
        assert recorder.result.exit_code == 0
    recorded = only_cassette(tmp_path / "out").interactions[0]
    assert (recorded.end, recorded.chunks) == ("client_closed", tuple(CHUNKS[:2]))
    with start(mode="replay") as recorder:
        assert read_until_silence(recorder.origin) == b"".join(CHUNKS[:2])


def test_what_is_under_way_at_the_end_is_not_recorded(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS[:2], end="timeout")), "1.1", authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            origin = recorder.origin
            client = threading.Thread(target=post, args=(origin, CHAT, ask("hi")))
            client.start()
            while not provider.requests:
                threading.Event().wait(0.01)
        client.join(5)
    assert not client.is_alive() and list((tmp_path / "out").iterdir()) == []


def test_gzip_is_decoded_in_the_cassette_and_made_again(
    start: Start, tmp_path: Path, authority: trustme.CA, http: str
) -> None:
    packer = zlib.compressobj(wbits=31)
    writes = [packer.compress(chunk) + packer.flush(zlib.Z_SYNC_FLUSH) for chunk in CHUNKS]
    writes[-1] += packer.flush()
    headers = (*SSE, ("content-encoding", "gzip"))
    accepts = (("accept-encoding", "gzip, br, zstd"),)
    with (
        serve(StandIn(in_order(Answer(writes, headers=headers)), http, authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        live = post(recorder.origin, CHAT, ask("hi"), accepts)
    assert live.chunks == writes and live.headers["content-encoding"] == "gzip"
    assert dict(provider.requests[0].headers)["accept-encoding"] == "gzip"
    recorded = only_cassette(tmp_path / "out").interactions[0]
    assert recorded.chunks == tuple(CHUNKS) and ("content-encoding", "gzip") in recorded.headers
    with start(mode="replay") as recorder:
        packed, plain = (post(recorder.origin, CHAT, ask("hi"), offer) for offer in (accepts, ()))
        assert plain.status == 599  # it was recorded once
    assert gzip.decompress(b"".join(packed.chunks)) == STREAM and len(packed.chunks) == len(CHUNKS)


def test_attempts_of_a_request_stand_behind_one_another(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    limited = Answer([b'{"error":{}}'], 429, (*JSON, ("retry-after", "0")), sized=True)
    with (
        serve(StandIn(in_order(limited, Answer(CHUNKS)), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        live = [post(recorder.origin, CHAT, ask("hi")).status for _ in range(2)]
    assert recorder.result.exit_code == 0
    cassette = only_cassette(tmp_path / "out")
    assert cassette.metadata["attempts"] == [1, 2]
    with start(mode="replay") as recorder:
        replayed = [post(recorder.origin, CHAT, ask("hi")) for _ in range(2)]
    assert live == [answer.status for answer in replayed] == [429, 200]
    assert replayed[0].headers["retry-after"] == "0"


def test_a_conversation_is_one_cassette_and_concurrent_ones_are_two(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    answers = (answer_of("left"), answer_of("right"), answer_of("left again"), answer_of("right again"))
    with (
        serve(StandIn(in_order(*answers), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        for body in (ask("hi"), ask("hi"), ask("more", "hi", "right"), ask("more", "hi", "left")):
            post(recorder.origin, CHAT, body)
    cassettes = load_folder(tmp_path / "out")
    bodies = sorted([recorded.request.body for recorded in cassette.interactions] for cassette in cassettes.values())
    assert bodies == sorted([[ask("hi"), ask("more", "hi", "left")], [ask("hi"), ask("more", "hi", "right")]])


def test_a_name_in_the_path_or_in_a_header_is_the_conversation_s(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    with serve(StandIn(in_order(Answer(CHUNKS)), "1.1", authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            post(recorder.origin, f"/~mine{CHAT}", ask("one"))
            post(recorder.origin, CHAT, ask("two"), (("x-bridgecheck-conversation", "mine"),))
            refused = post(recorder.origin, "/~no%20name" + CHAT, ask("three"))
        assert refused.status == 599 and recorder.result.exit_code == 3
    assert [request.path for request in provider.requests] == [CHAT, CHAT]
    assert all("x-bridgecheck-conversation" not in dict(request.headers) for request in provider.requests)
    cassette = load_cassette(tmp_path / "out" / "mine.openai-chat.yaml")
    assert [recorded.request.body for recorded in cassette.interactions] == [ask("one"), ask("two")]
    with start(mode="replay") as recorder:
        assert post(recorder.origin, f"/~another{CHAT}", ask("one")).status == 599
        assert post(recorder.origin, f"/~mine{CHAT}", ask("one")).status == 200


def test_new_records_what_is_missed_and_replays_the_rest(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with serve(StandIn(in_order(answer_of("a1"), answer_of("a2"), answer_of("b1")), "1.1", authority)) as provider:
        serving = [f"openai-chat={provider.url}"]
        with start(serving) as recorder:
            post(recorder.origin, CHAT, ask("a"))
        with start(serving, mode="new") as recorder:
            for body in (ask("a"), ask("and", "a", "a1"), ask("b")):
                post(recorder.origin, CHAT, body)
        assert (recorder.result.counts.replayed, recorder.result.counts.recorded) == (1, 2)
        assert len(provider.requests) == 3
    sizes = sorted(len(cassette.interactions) for cassette in load_folder(tmp_path / "out").values())
    assert sizes == [1, 2]
    with start(mode="replay", unplayed="fail") as recorder:
        assert [post(recorder.origin, CHAT, body).status for body in (ask("a"), ask("and", "a", "a1"))] == [200, 200]
    assert recorder.result.exit_code == 1 and len(recorder.result.unplayed) == 1


def test_live_passes_on_and_writes_nothing(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with (
        serve(StandIn(in_order(Answer(CHUNKS)), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"], mode="live") as recorder,
    ):
        assert post(recorder.origin, CHAT, ask("hi")).chunks == CHUNKS
    assert not (tmp_path / "out").exists() and recorder.result.exit_code == 0


def test_recording_anew_replaces_the_cassette(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    with serve(StandIn(in_order(answer_of("old"), answer_of("new")), "1.1", authority)) as provider:
        for _ in range(2):
            with start([f"openai-chat={provider.url}"]) as recorder:
                post(recorder.origin, CHAT, ask("hi"))
    (recorded,) = only_cassette(tmp_path / "out").interactions
    assert b"new" in recorded.body


@pytest.mark.parametrize("status", [401, 403, 429, 500, 529])
def test_a_failing_provider_replaces_no_cassette(
    start: Start, tmp_path: Path, authority: trustme.CA, status: int
) -> None:
    failed = Answer([b'{"error":{}}'], status, JSON, sized=True)
    with serve(StandIn(in_order(answer_of("old"), failed), "1.1", authority)) as provider:
        for expected in (0, 3):
            with start([f"openai-chat={provider.url}"]) as recorder:
                post(recorder.origin, CHAT, ask("hi"))
            assert recorder.result.exit_code == expected
    assert f"HTTP {status}" in next(iter(recorder.result.counts.failed.values()))
    (recorded,) = only_cassette(tmp_path / "out").interactions
    assert b"old" in recorded.body


def test_a_secret_is_passed_on_and_not_written(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    secret = "sk-" + "a1B2" * 10
    with (
        serve(StandIn(in_order(answer_of(secret)), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        answer = post(recorder.origin, CHAT, ask("hi"))
    assert secret.encode() in b"".join(answer.chunks)
    assert recorder.result.exit_code == 3 and "credential" in recorder.result.not_saved[0]
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


def test_concurrent_requests_stay_separate(start: Start, tmp_path: Path, authority: trustme.CA, http: str) -> None:
    def answer(request: object, number: int) -> Answer:
        text = json.loads(provider.requests[number].body)["messages"][0]["content"]
        return Answer([f"data: {text}-{part}\n\n".encode() for part in range(20)])

    with (
        serve(StandIn(answer, http, authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
        ThreadPoolExecutor(8) as pool,
    ):
        list(pool.map(lambda text: post(recorder.origin, CHAT, ask(text)), (f"t{number}" for number in range(24))))
    cassettes = load_folder(tmp_path / "out")
    assert len(cassettes) == 24
    for cassette in cassettes.values():
        (recorded,) = cassette.interactions
        text = json.loads(recorded.request.body)["messages"][0]["content"]
        assert recorded.chunks == tuple(f"data: {text}-{part}\n\n".encode() for part in range(20))


@pytest.fixture
def three_providers(authority: trustme.CA) -> Iterator[list[StandIn]]:
    with (
        serve(StandIn(in_order(answer_of("x")), "1.1", authority)) as first,
        serve(StandIn(in_order(answer_of("y")), "2", authority)) as second,
        serve(StandIn(in_order(answer_of("z")), "1.1", authority)) as third,
    ):
        yield [first, second, third]


def test_requests_go_to_the_provider_of_their_dialect(
    start: Start, tmp_path: Path, three_providers: list[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "the-real-key")
    urls = [provider.url for provider in three_providers]
    serving = [f"openai-chat={urls[0]}/api/v1", f"anthropic={urls[1]}", f"gemini={urls[2]}"]
    with start(serving, key_env=["gemini=TEST_KEY"]) as recorder:
        post(recorder.origin, CHAT, ask("a"))
        post(recorder.origin, "/v1/messages", ask("b"))
        post(recorder.origin, "/v1beta/models/g:generateContent?key=dummy", b"{}", (("x-goog-api-key", "dummy"),))
        unknown = post(recorder.origin, "/v9/what", b"{}")
    assert [provider.requests[0].path for provider in three_providers] == [
        "/api" + CHAT, "/v1/messages", "/v1beta/models/g:generateContent",
    ]  # fmt: skip
    keys = [value for name, value in three_providers[2].requests[0].headers if name == "x-goog-api-key"]
    assert keys == ["the-real-key"]
    assert unknown.status == 200, "what is of no dialect goes to the one that hosts of any name speak"
    assert len(load_folder(tmp_path / "out")) == 4


def test_a_key_that_is_named_is_in_no_file_and_no_message(
    start: Start, tmp_path: Path, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its form tells nothing, and it is short: only its name on the command line does."""
    key = "plum-tree"
    monkeypatch.setenv("FRUIT", key)
    answers = in_order(answer_of("fine"), answer_of(f"your key {key} is known"))
    with (
        serve(StandIn(answers, "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"], key_env=["FRUIT"]) as recorder,
    ):
        for text in ("one", "two"):
            post(recorder.origin, CHAT, ask(text))
    assert recorder.result.exit_code == 3 and "credential" in recorder.result.not_saved[0]
    assert [dict(request.headers)["authorization"] for request in provider.requests] == [f"Bearer {key}"] * 2
    assert key not in "".join(path.read_text() for path in (tmp_path / "out").glob("*.yaml"))
    assert key not in "\n".join(summary_lines(recorder.result))
