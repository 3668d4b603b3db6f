"""The official SDKs against the edge server and the in-process player: both must behave identically."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from bridgecheck.cassette import player, store
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.drivers import sdk_clients
from bridgecheck.drivers.sdk_result import DocumentsAndSdkError
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.scenario import ScriptedAnswer
from bridgecheck.upstream import wire_response
from bridgecheck.upstream.listener import AsyncScriptServer
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import MODES, Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS

from .conftest import Sample

KEY = "not-a-key"


async def on_a_socket(
    answer: WireResponse, dialect: Dialect, mode: Mode, body: JsonObject
) -> tuple[DocumentsAndSdkError, DocumentsAndSdkError, list[HttpRequest]]:
    async with AsyncScriptServer([answer, answer], urlsplit(RECORDS[dialect].base_url).path) as server:
        first = await sdk_clients.call_sdk(dialect, mode, server.base_url, KEY, body, "m")
        second = await asyncio.to_thread(sdk_clients.call_sdk_sync, dialect, mode, server.base_url, KEY, body, "m")
        return first, second, server.log


def play_in_child_process(
    answer: WireResponse, dialect: Dialect, mode: Mode, body: JsonObject, log: list[HttpRequest]
) -> list[DocumentsAndSdkError]:
    base = urlsplit(RECORDS[dialect].base_url)
    interactions = tuple(
        RecordedInteraction(
            sent, answer.status, answer.headers, answer.writes, answer.end, (), f"{base.scheme}://{base.netloc}"
        )
        for sent in log
    )
    cassette = store.parse_cassette(store.dump_cassette(Cassette({}, interactions)), "memory")
    with player.play_cassette(cassette) as playback:
        first = asyncio.run(sdk_clients.call_sdk(dialect, mode, RECORDS[dialect].base_url, KEY, body, "m"))
        second = sdk_clients.call_sdk_sync(dialect, mode, RECORDS[dialect].base_url, KEY, body, "m")
    assert (playback.misses, playback.interaction_numbers, playback.unused) == ([], (0, 1), 0)
    assert [sent.body for sent in playback.requests_without_side_traffic] == [sent.body for sent in log]
    return [first, second]


def without_error_text(answer: DocumentsAndSdkError) -> DocumentsAndSdkError:
    """Return the result without the error text, which differs between asynchronous and synchronous clients, and without
    the request as sent, which only the asynchronous client notes."""
    return replace(answer, sent_body=None, error=answer.error and replace(answer.error, message=""))


ANSWERS: dict[str, Callable[[Sample, Mode], ScriptedAnswer]] = {
    "complete": lambda sample, mode: sample.answer(mode),
    "cut": lambda sample, mode: replace(split_response(sample, mode), end="cut"),
    "reset": lambda sample, mode: replace(split_response(sample, mode), end="reset"),
    "429": lambda sample, mode: ScriptedAnswer(body=sample.error, status=429, headers=(("retry-after", "2"),)),
    "html": lambda sample, mode: ScriptedAnswer(raw=(b"<html>",), status=502, headers=(("content-type", "text/html"),)),
    "junk": lambda sample, mode: ScriptedAnswer(raw=(b'{"a"',)),
    "error event": lambda sample, mode: ScriptedAnswer(events=(sample.events[0], sample.error)),
    "seven bytes": lambda sample, mode: replace(sample.answer(mode), split="bytes7"),
    "torn characters": lambda sample, mode: replace(sample.answer(mode), split="mid-codepoint"),
}


def split_response(sample: Sample, mode: Mode) -> ScriptedAnswer:
    return ScriptedAnswer(events=sample.events[:-1]) if mode == "stream" else ScriptedAnswer(raw=(b'{"id"',))


# A unary answer has no events.
@pytest.mark.parametrize(
    ("kind", "mode"), [(kind, mode) for kind in ANSWERS for mode in MODES if (kind, mode) != ("error event", "unary")]
)
def test_socket_and_player_look_the_same(kind: str, dialect: Dialect, mode: Mode, sample: Sample) -> None:
    answer = wire_response.scripted_response(ANSWERS[kind](sample, mode), dialect, mode)
    body = sample.body(dialect, mode)
    first, second, log = asyncio.run(on_a_socket(answer, dialect, mode, body))
    assert len(log) == 2, "one request a call: retries are off"
    assert {repr(without_error_text(result)) for result in play_in_child_process(answer, dialect, mode, body, log)} == {
        repr(without_error_text(first))
    }
    assert without_error_text(second) == without_error_text(first)
    assert_expected(kind, first, mode, sample)


def assert_expected(kind: str, answer: DocumentsAndSdkError, mode: Mode, sample: Sample) -> None:
    response = answer.response("gemini", mode)
    if kind in ("complete", "seven bytes", "torn characters"):
        assert answer.error is None
        assert answer.documents == (sample.events if mode == "stream" else (sample.unary,))
    elif kind in ("cut", "reset"):
        assert response.end == kind
        assert len(answer.documents) == (len(sample.events) - 1 if mode == "stream" else 0)
    elif kind == "429":
        assert (response.status, response.documents, response.headers) == (
            429,
            (sample.error,),
            (("retry-after", "2"),),
        )
    elif kind == "html":
        assert (response.status, response.documents) == (502, ())
        assert response.text
    elif kind == "error event":
        assert response.status == 200
        assert response.documents == (sample.events[0], sample.error)


def test_bodies_of_openai_and_anthropic_are_sent_unchanged(dialect: Dialect, mode: Mode, sample: Sample) -> None:
    answer = wire_response.scripted_response(sample.answer(mode), dialect, mode)
    body = sample.body(dialect, mode)
    _, _, log = asyncio.run(on_a_socket(answer, dialect, mode, body))
    assert json.loads(log[0].body) == body


def _sent_by_gemini(body: JsonObject) -> JsonObject:
    _, _, log = asyncio.run(on_a_socket(WireResponse(200, (), (b"{}",)), "gemini", "unary", body))
    assert len(log) == 2
    sent: JsonObject = json.loads(log[0].body)
    return sent


def test_fields_unknown_to_google_genai_are_sent() -> None:
    body: JsonObject = {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "labels": {"team": "a"},
        "future": {"x": [1]},
        "generationConfig": {"temperature": 0.5, "futureSetting": True, "routingConfig": {"autoMode": {}}},
        "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}],
    }
    sent = _sent_by_gemini(body)
    assert sent["generationConfig"] == body["generationConfig"]
    assert {key: sent[key] for key in ("contents", "labels", "future")} == {
        key: body[key] for key in ("contents", "labels", "future")
    }


@pytest.mark.parametrize(
    "contents",
    [[], [{"role": "user", "parts": [{"futurePart": {"a": 1}}]}], [{"role": "user", "parts": [{"text": "a"}], "x": 1}]],
)
def test_contents_of_an_unknown_shape_bypass_the_types(contents: list[object]) -> None:
    assert _sent_by_gemini({"contents": contents})["contents"] == contents


def test_gemini_bytes_are_encoded_in_the_base64_of_the_api() -> None:
    part = {"inlineData": {"mimeType": "image/png", "data": "+/8="}, "thoughtSignature": "+/8="}
    call = {"functionCall": {"name": "f", "args": {"data": "a-b_c"}}}
    document = {"candidates": [{"content": {"role": "model", "parts": [part, call]}, "index": 0}]}
    answer = WireResponse(200, (), (json.dumps(document).encode(),))
    actual, _, _ = asyncio.run(on_a_socket(answer, "gemini", "unary", {"contents": [{"parts": [{"text": "x"}]}]}))
    assert actual.documents == (document,)


def test_environment_variables_do_not_redirect_requests(
    dialect: Dialect, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-from-environment")
    answer = wire_response.scripted_response(sample.answer("unary"), dialect, "unary")
    actual, _, log = asyncio.run(on_a_socket(answer, dialect, "unary", sample.request))
    assert actual.error is None
    assert len(log) == 2
    assert not any("environment" in value for _, value in log[0].headers)
