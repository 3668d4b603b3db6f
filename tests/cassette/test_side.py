"""Side traffic: which requests count as such, and how they are answered."""

import json

import pytest

from bridgecheck.cassette import side_traffic
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.playback import CassetteAnswers
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.wire import DIALECTS, Dialect

MAGIC = {
    "png": b"\x89PNG\r\n\x1a\n",
    "gif": b"GIF89a",
    "jpg": b"\xff\xd8\xff",
    "webp": b"RIFF\x1a\x00\x00\x00WEBP",
    "wav": b"RIFF$\x00\x00\x00WAVE",
    "pdf": b"%PDF-1.1",
    "txt": b"words",
}


def side_answer(
    method: str, path: str, dialect: Dialect | None = None, *headers: tuple[str, str]
) -> RecordedInteraction | None:
    """Return the answer to a side request, None for a request that is no side traffic."""
    recorded = RecordedInteraction(
        HttpRequest("POST", "/v1/chat/completions", (), b'{"model": "m-1"}'), 200, (), (b"{}",)
    )
    answer = CassetteAnswers(Cassette({}, (recorded,)), dialect).answer_request(HttpRequest(method, path, headers), "h")
    return answer.answer if answer.kind == "side" else None


def side_document(
    method: str, path: str, dialect: Dialect | None = None, *headers: tuple[str, str]
) -> dict[str, object]:
    found = side_answer(method, path, dialect, *headers)
    assert found is not None
    assert found.status == 200
    assert found.headers[0] == ("content-type", "application/json")
    document: dict[str, object] = json.loads(found.body)
    return document


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_model_list_holds_the_models_of_the_cassette(dialect: Dialect) -> None:
    listed = side_document("GET", "/v1beta/models" if dialect == "gemini" else "/v1/models", dialect)
    (model,) = listed["models" if dialect == "gemini" else "data"]  # type: ignore[misc]
    assert "m-1" in (model.get("id"), model.get("name", "").removeprefix("models/"))


def test_a_single_model_is_described_by_name() -> None:
    assert side_document("GET", "/base/v1beta/models/g-2?key=k")["name"] == "models/g-2"
    assert side_document("GET", "/v1/models/gpt%2D5")["id"] == "gpt-5"


def test_a_header_may_select_the_dialect_of_the_model_list() -> None:
    assert "object" in side_document("GET", "/v1/models")
    assert "has_more" in side_document("GET", "/v1/models", None, ("anthropic-version", "2023-06-01"))
    assert "has_more" in side_document("GET", "/v1/models", "anthropic")


def test_token_counts_and_token_refreshes_are_answered() -> None:
    assert side_document("POST", "/v1beta/models/g:countTokens") == {"totalTokens": 1}
    assert side_document("POST", "/v1/messages/count_tokens") == {"input_tokens": 1}
    assert side_document("POST", "/oauth2/v4/token")["token_type"] == "Bearer"


@pytest.mark.parametrize("path", ["/", "/health", "/healthz/", "/ready?x=1", "/ping"])
def test_health_checks_are_answered(path: str) -> None:
    assert side_document("GET", path) == {"status": "ok"}
    assert side_answer("HEAD", path) is not None


@pytest.mark.parametrize("ending", sorted(MAGIC))
def test_files_are_fetched(ending: str) -> None:
    found = side_answer("GET", f"/a/b%20c.{ending.upper()}?size=1")
    assert found is not None
    assert found.body.startswith(MAGIC[ending])
    assert found.headers[0][1] == side_traffic.FETCHED_FILES[ending].media_type


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/"),
        ("POST", "/a.png"),
        ("GET", "/a.exe"),
        ("GET", "/v1/files"),
        ("POST", "/v1/responses"),
        ("POST", "/v1/embeddings"),
        ("POST", "/v1/messages"),
        ("DELETE", "/health"),
        ("GET", "/v1/chat/completions"),
    ],
)
def test_model_calls_are_no_side_traffic(method: str, path: str) -> None:
    assert side_answer(method, path) is None
