"""Streams at the sdk level: order of events, second requests, client disconnects, the adapter's own framing."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files import cassettes_root, load_scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.regenerate import regenerate
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case
from bridgecheck.wire import JsonObject

Judged = Callable[..., dict[str, str]]

WHERE = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
WHOLE = "/v1beta/models/gemini-2.5-flash:generateContent"
TEXTS = ("One", " two", " three", " four", " five", " six")


class TransparentStream:
    """Passes each event on as it comes."""

    def __init__(self, base_url: str) -> None:
        self.client = httpx2.AsyncClient(base_url=base_url)

    async def stream(self, body: JsonObject, *, model: str) -> AsyncIterator[Any]:
        return self.events(body)

    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        async with self.client.stream("POST", WHERE, json=body) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))

    async def close(self) -> None:
        await self.client.aclose()


class BuffersEvents(TransparentStream):
    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        for event in [event async for event in super().events(body)]:
            yield event


class CallsTwice(TransparentStream):
    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        async for event in super().events(body):
            yield event
            break
        async for event in super().events(body):
            yield event


class FakesStream(TransparentStream):
    """Requests the unary response and returns it as a stream of one event."""

    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        yield (await self.client.post(WHOLE, json=body)).json()


class IgnoresDisconnect(TransparentStream):
    """Reads to the end although the client disconnected, for example to count tokens."""

    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        async with self.client.stream("POST", WHERE, json=body) as answer:
            lines = answer.aiter_lines()
            try:
                async for line in lines:
                    if line.startswith("data: "):
                        yield json.loads(line.removeprefix("data: "))
            finally:
                async for _ in lines:
                    pass


class FramesEvents(TransparentStream):
    tail = b""

    async def events(self, body: JsonObject) -> AsyncIterator[Any]:
        async for event in super().events(body):
            yield b"data: " + json.dumps(event).encode() + b"\r\n\r\n"
        if self.tail:
            yield self.tail


class FramesEventsWrongly(FramesEvents):
    tail = b"data: [DONE]\n\n"


class Adapter:
    name, version = "streaming", "1"
    routes = (("gemini", "gemini"),)

    def __init__(self, session: Callable[[str], Any]) -> None:
        self.session = session

    def connect(self, *, base_url: str, **rest: object) -> Any:
        return self.session(base_url)


@pytest.fixture
def judge_streams(put: Callable[[dict[str, Any]], Path], document: dict[str, Any]) -> Judged:
    """Return the statuses of a streamed case by check. ``answers``: how often the script answers."""

    def judge(session: Callable[[str], Any], *, leaves_after: int = 0, answers: int = 1) -> dict[str, str]:
        events = [
            {"candidates": [{"content": {"role": "model", "parts": [{"text": word}]}, "index": 0}]} for word in TEXTS
        ]
        events[-1]["candidates"][0]["finishReason"] = "STOP"  # type: ignore[index]
        document["upstream"] = {"gemini": {"stream": [{"events": events}] * answers}}
        answered = {"on": "client_events", "path": "[]", "present": True}
        document.update(modes=["stream"], expect={"wire": [answered]}, leaves_after=leaves_after)
        scenario = load_scenario(put(document))
        regenerate([scenario], cassettes_root())
        key = CaseKey("messages/plain", "bridged", "gemini", "gemini", "stream", "sdk")
        driver = replace(describe_adapter("python:x:y", Adapter(session)), timeout=20.0)
        result = run_case(Case(key), scenario, driver, Library(cassettes_root()))
        return {verdict.check: verdict.status for verdict in result.verdicts}

    return judge


@pytest.mark.parametrize(("session", "expected"), [(TransparentStream, "PASS"), (BuffersEvents, "WARN")])
def test_buffered_events_are_noticed(judge_streams: Judged, session: Any, expected: str) -> None:
    found = judge_streams(session)
    assert found["stream.incremental"] == expected
    assert found["response.text"] == found["relay.one_call"] == "PASS"
    assert "relay.cancel" not in found


def test_a_faked_stream_fails_only_incremental_delivery(judge_streams: Judged) -> None:
    found = judge_streams(FakesStream)
    assert {check for check, status in found.items() if status != "PASS"} == {"stream.incremental"}
    assert found["stream.incremental"] == "WARN"
    assert found["relay.expected_calls"] == found["response.text"] == "PASS"


def test_a_second_request_after_the_first_event_fails(judge_streams: Judged) -> None:
    found = judge_streams(CallsTwice, answers=2)
    assert found["relay.one_call"] == "FAIL"
    assert found["relay.expected_calls"] == "PASS"


@pytest.mark.parametrize(
    ("session", "expected"), [(TransparentStream, "PASS"), (BuffersEvents, "WARN"), (IgnoresDisconnect, "WARN")]
)
def test_a_client_disconnect_ends_the_upstream_response(judge_streams: Judged, session: Any, expected: str) -> None:
    found = judge_streams(session, leaves_after=1)
    assert found["relay.cancel"] == expected
    assert "response.text" not in found


@pytest.mark.parametrize(("session", "expected"), [(FramesEvents, "PASS"), (FramesEventsWrongly, "FAIL")])
def test_an_adapter_that_frames_its_events_is_judged_by_the_bytes(
    judge_streams: Judged, session: Any, expected: str
) -> None:
    found = judge_streams(session)
    assert found["client.framing"] == expected
    assert found["response.text"] == "PASS"
