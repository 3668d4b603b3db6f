"""Several scenarios in flight at once, distinguished by their markers."""

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPConnection
from typing import Final
from urllib.parse import urlsplit

import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec import sse
from bridgecheck.errors import HarnessError
from bridgecheck.upstream.edge import Edge, check_marker, new_marker
from bridgecheck.upstream.play import Play, PlaySettings

from .sockets import CHAT_BODY, CLOSE, EVENTS, PATH, cassette, exchange_bytes, record_chat, request

SCENARIOS: Final = 8
PIECES: Final = 6


@pytest.fixture(scope="module")
def edge() -> Iterator[Edge]:
    with Edge() as running:
        yield running


def playing(edge: Edge, marker: str) -> AbstractContextManager[Play]:
    return edge.play_cassette(cassette(record_chat(marker.encode() or b"none")), "openai-chat", "stream", marker=marker)


@pytest.mark.parametrize("path", ["path", "query", "header", "body", "packed", "escaped"])
def test_a_request_belongs_to_the_marker_it_carries(edge: Edge, path: str) -> None:
    packed = gzip.compress(b'{"stream": true, "messages": ["second"]}')
    sent = {
        "path": request("/second" + PATH, CHAT_BODY, CLOSE),
        "query": request(PATH + "?key=sk-second-1", CHAT_BODY, CLOSE),
        "header": request(PATH, CHAT_BODY, CLOSE, "Authorization: Bearer sk-second-1"),
        "body": request(PATH, {**CHAT_BODY, "user": "a\"second'"}, CLOSE),
        "packed": request(PATH, packed, CLOSE, "Content-Encoding: gzip"),
        "escaped": request("/%73econd" + PATH, CHAT_BODY, CLOSE),
    }[path]
    with playing(edge, "first-") as first, playing(edge, "second") as second:
        assert exchange_bytes(edge, sent).endswith(b"\r\n\r\nsecond")
    assert (len(first.requests_without_side_traffic), len(second.requests_without_side_traffic)) == (0, 1)


def test_a_request_without_a_marker_belongs_to_the_only_scenario(edge: Edge) -> None:
    with playing(edge, "alone-1") as play:
        assert exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE)).endswith(b"alone-1")
    assert play.misses == []


def test_an_ambiguous_request_belongs_to_no_scenario(edge: Edge) -> None:
    with playing(edge, "first-") as first, playing(edge, "second") as second:
        before = len(edge.strays)
        assert exchange_bytes(edge, request(PATH, CHAT_BODY, CLOSE)).startswith(b"HTTP/1.1 503 ")
    assert len(edge.strays) == before + 1
    assert first.requests_without_side_traffic == second.requests_without_side_traffic == []


def test_a_late_request_is_not_attributed_to_another_scenario(edge: Edge) -> None:
    with playing(edge, "is-over"):
        pass
    with playing(edge, "second") as second:
        late = request(PATH, CHAT_BODY, CLOSE, "Authorization: Bearer sk-is-over")
        assert exchange_bytes(edge, late).startswith(b"HTTP/1.1 503 ")
    assert second.requests_without_side_traffic == []


@pytest.mark.parametrize("marker", ["short", "with space", "slash/es", "ümlaut-1"])
def test_a_marker_that_may_not_survive_is_refused(edge: Edge, marker: str) -> None:
    with pytest.raises(HarnessError, match="no marker"), playing(edge, marker):
        pass


def test_generated_markers_are_valid() -> None:
    fresh = [new_marker() for _ in range(100)]
    for number, marker in enumerate(fresh):
        check_marker(marker, fresh[:number])


def test_eight_scenarios_at_once_through_a_gateway_do_not_mix(edge: Edge) -> None:
    """The streams are slow, so that all are in flight together."""
    start, strays = threading.Barrier(SCENARIOS), len(edge.strays)
    actual: dict[int, str] = {}
    plays: dict[int, Play] = {}

    def drive(number: int, port: int) -> None:
        marker = new_marker()
        keyed = number % 2 == 0
        manner = PlaySettings(pace=1)
        with edge.play_cassette(chat_stream(number), "openai-chat", "stream", marker=marker, settings=manner) as play:
            plays[number] = play
            start.wait(10)
            actual[number] = text_received(
                port, f"sk-{marker}" if keyed else "sk-1", f"Hello {number}" + (not keyed) * marker
            )

    with gateway(edge) as port:
        threads = [threading.Thread(target=drive, args=(number, port)) for number in range(SCENARIOS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert actual == {number: "".join(texts_of(number)) for number in range(SCENARIOS)}
    for number, play in plays.items():
        (sent,) = play.requests_without_side_traffic
        assert f"Hello {number}".encode() in sent.body
        assert play.misses == []
        assert "".join(play.arrivals) == "r" + "u" * (PIECES + 2) + "q"
    assert len(edge.strays) == strays


def texts_of(number: int) -> list[str]:
    return [f"{number}.{piece} " for piece in range(PIECES)]


def chat_stream(number: int) -> Cassette:
    """Return a Chat stream with 50 ms between its events."""
    choices = [[{"index": 0, "delta": {"content": word}, "finish_reason": None}] for word in texts_of(number)]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    chunks = [
        sse.frame_event("openai-chat", {"id": "x", "object": "chat.completion.chunk", "choices": each})
        for each in choices
    ]
    times = tuple(50 * at for at in range(len(chunks) + 1))
    made: RecordedInteraction = record_chat(*chunks, sse.terminator("openai-chat"), headers=EVENTS, t_ms=times)
    return cassette(made)


def text_received(port: int, key: str, prompt: str) -> str:
    """Return the text that a Gemini client receives."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    body = json.dumps({"contents": [{"role": "user", "parts": [{"text": prompt}]}]})
    path = "/v1beta/models/gpt-4o:streamGenerateContent?alt=sse"
    connection.request("POST", path, body, {"content-type": "application/json", "x-goog-api-key": key})
    answer = connection.getresponse().read().decode()
    connection.close()
    events = [json.loads(line.removeprefix("data: ")) for line in answer.splitlines() if line.startswith("data: ")]
    parts = [part for event in events for part in event["candidates"][0].get("content", {}).get("parts", [])]
    return "".join(part.get("text", "") for part in parts)


@contextmanager
def gateway(edge: Edge) -> Iterator[int]:
    """Start the reference gateway in its own process in front of the edge server and yield its port."""
    command = [sys.executable, "-m", "bridgecheck_reference.gateway.main", "serve", "--listen", "127.0.0.1:0"]
    command += ["--upstream", f"openai-chat={edge.base_url}/v1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), line
        yield urlsplit(line.removeprefix("listening on ").strip()).port or 0
    finally:
        process.terminate()
        process.wait(20)
