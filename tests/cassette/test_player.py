"""Playing a cassette to HTTP clients of this process."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from types import ModuleType

import httpx
import httpx2
import pytest

from bridgecheck.cassette import player
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.match_by_key import REPEATS
from bridgecheck.model.exchange import End

Make = Callable[..., RecordedInteraction]
Build = Callable[..., Cassette]

URL = "https://api.openai.com/v1/chat/completions"
ASK = {"model": "m", "stream": True}


@pytest.fixture(params=[httpx2, httpx], ids=["httpx2", "httpx"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    chosen: ModuleType = request.param
    return chosen


def test_chunks_come_as_recorded(library: ModuleType, chat: Make, cassette_of: Build) -> None:
    chunks = (b"da", b"ta: {}\n", b"\n")

    async def asynchronous() -> list[bytes]:
        async with library.AsyncClient() as client, client.stream("POST", URL, json=ASK) as answer:
            return [chunk async for chunk in answer.aiter_raw()]

    with player.play_cassette(cassette_of(chat(*chunks), chat(*chunks))) as playback:
        with library.Client() as client, client.stream("POST", URL, json=ASK) as answer:
            assert tuple(answer.iter_raw()) == chunks
        assert tuple(asyncio.run(asynchronous())) == chunks
    assert (playback.interaction_numbers, playback.misses, playback.unused) == ((0, 1), [], 0)


@pytest.mark.parametrize(
    ("end", "error"), [("reset", "ReadError"), ("cut", "RemoteProtocolError"), ("timeout", "ReadTimeout")]
)
def test_a_broken_stream_raises_after_its_recorded_chunks(
    library: ModuleType, end: End, error: str, chat: Make, cassette_of: Build
) -> None:
    received: list[bytes] = []

    async def asynchronous() -> None:
        async with library.AsyncClient() as client, client.stream("POST", URL, json=ASK) as answer:
            async for chunk in answer.aiter_raw():
                received.append(chunk)

    with player.play_cassette(cassette_of(chat(b"a", b"b", end=end), chat(b"c", end=end))):
        with library.Client() as client, client.stream("POST", URL, json=ASK) as answer:
            chunks = answer.iter_raw()
            received += [next(chunks), next(chunks)]
            with pytest.raises(getattr(library, error)):
                next(chunks)
        with pytest.raises(getattr(library, error)):
            asyncio.run(asynchronous())
    assert received == [b"a", b"b", b"c"]


def test_headers_status_and_content_encoding(chat: Make, cassette_of: Build) -> None:
    import gzip

    headers = (("content-type", "application/json"), ("content-encoding", "gzip"), ("content-length", "9999"))
    with player.play_cassette(cassette_of(chat(gzip.compress(b'{"a": 1}'), status=503, headers=headers))):
        answer = httpx2.post(URL, json=ASK)
    assert (answer.status_code, answer.json(), answer.reason_phrase) == (503, {"a": 1}, "Service Unavailable")
    assert "content-length" not in answer.headers


def test_requests_are_recorded_as_sent(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"x"))) as playback:
        httpx2.post(URL + "?a=b", content=b'{"stream": true}', headers={"X-Odd": "1", "authorization": "Bearer k"})
    (sent,) = playback.requests_without_side_traffic
    assert (sent.method, sent.path, sent.body) == ("POST", "/v1/chat/completions?a=b", b'{"stream": true}')
    assert {("x-odd", "1"), ("authorization", "Bearer k"), ("host", "api.openai.com")} <= set(sent.headers)


def test_exchanges_decode_with_the_request_that_was_sent(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b'data: {"a": 1}\n\n', b"data: [DONE]\n\n"))) as playback:
        httpx2.post(URL, json={**ASK, "prompt": "mine"})
    (interaction,) = playback.interactions()
    assert interaction.request is not None
    assert interaction.request.body == {**ASK, "prompt": "mine"}
    assert (interaction.response.documents, interaction.response.terminated) == (({"a": 1},), True)


def test_a_miss_is_an_error_response_and_is_recorded(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"x"))) as playback:
        unary = httpx2.post(URL, json={"model": "m"})
        gemini = httpx2.post("https://g/v1beta/models/m:generateContent", json={})
        claude = httpx2.post("https://a/v1/messages", json={})
        elsewhere = httpx2.get("https://example.org/moderations")
    assert [answer.status_code for answer in (unary, gemini, claude, elsewhere)] == [404] * 4
    assert unary.json()["error"]["code"] == "cassette_miss"
    assert gemini.json()["error"]["status"] == "NOT_FOUND"
    assert claude.json()["type"] == "error"
    assert len(playback.misses) == 4
    assert playback.misses[0].startswith("endpoint not modelled in this mode: openai-chat generate unary")
    assert "gemini generate unary" in playback.misses[1]
    assert "it holds openai-chat generate stream" in playback.misses[1]
    assert playback.misses[3].startswith("endpoint not modelled: GET example.org/moderations")
    assert playback.unmodelled == [playback.misses[0], playback.misses[3]]
    assert playback.interaction_numbers == (-1,) * 4
    assert playback.unused == 1
    assert playback.interactions()[3].request is None


def test_side_traffic_is_answered_and_listed_separately(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"x"))) as playback:
        listed = httpx2.get("https://api.openai.com/v1/models")
        counted = httpx2.post("https://g/v1beta/models/m:countTokens", json={})
    assert [model["id"] for model in listed.json()["data"]] == ["m"]
    assert counted.json() == {"totalTokens": 1}
    assert [sent.path for sent in playback.side_requests] == ["/v1/models", "/v1beta/models/m:countTokens"]
    assert (playback.requests_without_side_traffic, playback.misses) == ([], [])


def test_a_retried_error_repeats_up_to_a_limit(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"{}", status=429))) as playback:
        statuses = [httpx2.post(URL, json=ASK).status_code for _ in range(REPEATS + 2)]
    assert statuses == [429] * (REPEATS + 1) + [404]
    assert playback.repeats == REPEATS
    assert len(playback.misses) == 1


def test_outside_the_player_the_real_transport_runs(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"x"))):
        assert httpx2.post(URL, json=ASK).status_code == 200
    with pytest.raises(httpx2.ConnectError):
        httpx2.post("http://127.0.0.1:9/v1/chat/completions", json=ASK)


def test_a_mock_transport_of_the_user_is_not_patched(chat: Make, cassette_of: Build) -> None:
    mock = httpx2.MockTransport(lambda request: httpx2.Response(418))
    with player.play_cassette(cassette_of(chat(b"x"))) as playback, httpx2.Client(transport=mock) as client:
        assert client.post(URL, json=ASK).status_code == 418
    assert playback.unused == 1


def test_patching_twice_is_patching_once() -> None:
    player.patch_httpx_transports()
    first = httpx2.HTTPTransport.handle_request
    player.patch_httpx_transports()
    assert httpx2.HTTPTransport.handle_request is first


def test_cassettes_in_parallel_tasks_do_not_mix(chat: Make, cassette_of: Build) -> None:
    async def play_one(name: str, client: httpx2.AsyncClient) -> list[str]:
        received = []
        with player.play_cassette(cassette_of(*(chat(f"{name}{n}".encode()) for n in range(5)))) as playback:
            for _ in range(5):
                received.append((await client.post(URL, json=ASK)).text)
                await asyncio.sleep(0)
        assert playback.misses == []
        return received

    async def main() -> list[list[str]]:
        async with httpx2.AsyncClient() as client:
            return await asyncio.gather(*(play_one(name, client) for name in "abcdefgh"))

    assert asyncio.run(main()) == [[f"{name}{n}" for n in range(5)] for name in "abcdefgh"]


def test_cassettes_in_parallel_threads_do_not_mix(chat: Make, cassette_of: Build) -> None:
    received: dict[str, list[str]] = {}
    start = threading.Barrier(6)

    def play_one(name: str) -> None:
        with (
            player.play_cassette(cassette_of(*(chat(f"{name}{n}".encode()) for n in range(10)))),
            httpx2.Client() as client,
        ):
            start.wait(5)
            received[name] = [client.post(URL, json=ASK).text for _ in range(10)]

    threads = [threading.Thread(target=play_one, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert received == {name: [f"{name}{n}" for n in range(10)] for name in "abcdef"}


def test_a_nested_player_ends_and_the_outer_one_resumes(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(b"outer1"), chat(b"outer2"))):
        with player.play_cassette(cassette_of(chat(b"inner"))):
            assert httpx2.post(URL, json=ASK).text == "inner"
        assert httpx2.post(URL, json=ASK).text == "outer1"


def test_the_cost_of_a_call_does_not_grow_with_their_number(chat: Make, cassette_of: Build) -> None:
    body = json.dumps(ASK).encode()

    def per_call(count: int, calls: int) -> float:
        with player.play_cassette(cassette_of(*[chat(b"x")] * count)), httpx2.Client() as client:
            start = time.process_time()  # of this process: what else the machine does is not in it
            for _ in range(calls):
                client.post(URL, content=body)
            return (time.process_time() - start) / calls

    per_call(10, 10)
    small, large = (min(per_call(count, 60) for _ in range(3)) for count in (100, 3_000))
    assert large < 5 * small


def test_documents_are_available_without_http(chat: Make, cassette_of: Build) -> None:
    cassette = cassette_of(chat(b'data: {"a": 1}\n\ndata: [DONE]\n\n'), chat(b'data: {"b": ', end="cut"))
    first, second = (recorded.response("openai-chat", "stream") for recorded in cassette.interactions)
    assert (first.documents, first.terminated, first.end) == (({"a": 1},), True, "complete")
    assert (second.documents, second.terminated, second.end) == ((), False, "cut")
