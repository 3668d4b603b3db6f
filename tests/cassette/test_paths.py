"""The player answers at the paths that an API has, and at no others: a provider would answer 404 there too."""

import json
from collections.abc import Callable
from dataclasses import replace

import httpx2
import pytest

from bridgecheck.cassette import player
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.playback import Playback
from bridgecheck.model.evidence import NO_SUCH_PATH
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import endpoint, is_served_path

PROJECT = "projects/p/locations/us-central1"

SERVED: dict[Dialect, tuple[str, ...]] = {
    "gemini": (
        "/v1beta/models/m:generateContent", "/v1/models/m:streamGenerateContent?alt=sse",
        "/v1alpha/models/m:generateContent", "/v1beta/tunedModels/m:generateContent",
        f"/v1beta1/{PROJECT}/publishers/google/models/m:generateContent", f"/v1/{PROJECT}/endpoints/7:generateContent",
        "/v1/publishers/google/models/m:generateContent", "/bc12345678/v1beta/models/m:generateContent",
    ),
    "openai-chat": (
        "/v1/chat/completions", "/api/v1/chat/completions", "/openai/v1/chat/completions",
        "/compatible-mode/v1/chat/completions", "/v1beta/openai/chat/completions", "//v1/chat/completions",
        "/openai/deployments/d/chat/completions?api-version=1", f"/v1/{PROJECT}/endpoints/openapi/chat/completions",
    ),
    "anthropic": ("/v1/messages", "/v1/messages?beta=true", "/proxy/anthropic/v1/messages"),
}  # fmt: skip

NOT_SERVED: dict[Dialect, tuple[str, ...]] = {
    "gemini": (
        "/v1beta/v1beta/models/m:generateContent", "/v1/v1beta/models/m:streamGenerateContent?alt=sse",
        "/models/m:generateContent", "/v1beta/models/models/m:generateContent",
        f"/{PROJECT}/publishers/google/models/m:generateContent",
    ),
    "openai-chat": (
        "/v1/v1/chat/completions", "/chat/completions", "/v1/chat/completions/chat/completions",
        "/v1/chat/completions/v1/chat/completions", "/v1beta/v1beta/openai/chat/completions", "/openai/chat/completions",
    ),
    "anthropic": ("/v1/v1/messages", "/v1/messages/v1/messages"),
}  # fmt: skip


@pytest.mark.parametrize(("dialect", "path"), [(name, path) for name, paths in SERVED.items() for path in paths])
def test_a_path_of_the_api_is_served(dialect: Dialect, path: str) -> None:
    assert is_served_path(dialect, path)


@pytest.mark.parametrize(("dialect", "path"), [(name, path) for name, paths in NOT_SERVED.items() for path in paths])
def test_a_doubled_or_missing_part_is_a_miss(
    dialect: Dialect, path: str, chat: Callable[..., RecordedInteraction]
) -> None:
    assert not is_served_path(dialect, path)
    found = endpoint(path)
    assert found is not None
    recorded = chat(b"{}")
    recorded = replace(recorded, request=replace(recorded.request, path=SERVED[dialect][0]))
    with player.play_cassette(Cassette({}, (recorded,))) as playback:
        answer = httpx2.post(f"https://host{path}", json={"stream": "stream" in path, "model": "m"})
    assert answer.status_code == 404
    assert json.loads(answer.content)
    (miss,) = playback.misses
    assert miss.startswith(f"{NO_SUCH_PATH}: POST host{path.partition('?')[0]} (expected /v1")
    assert playback.unused == 1


def test_a_host_has_the_paths_that_were_recorded_there(chat: Callable[..., RecordedInteraction]) -> None:
    recorded = chat(b"{}")
    recorded = replace(recorded, request=replace(recorded.request, path="/chat/completions"))
    with player.play_cassette(Cassette({}, (recorded,))) as playback:
        httpx2.post("https://api.deepseek.com/chat/completions", json={"stream": True, "model": "m"})
    assert playback.misses == []


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        (b'{"model": "m", "messages": []}', True),
        (b"nonsense", False),
        (b"[]", False),
        (b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", False),
    ],
)
def test_a_request_that_is_no_json_object_is_a_miss(
    body: bytes, is_read: bool, chat: Callable[..., RecordedInteraction]
) -> None:
    playback = Playback(Cassette({}, (chat(b"{}", stream=False),)))
    answer = playback.answer(HttpRequest("POST", "/v1/chat/completions", (), body), "https://api.openai.com/v1")
    assert (answer.status, not playback.misses) == ((200, True) if is_read else (400, False))
