"""The facts that a path holds about a request."""

import pytest

from bridgecheck.wire import DIALECTS, MODES
from bridgecheck.wire.facts import RECORDS, Endpoint, endpoint

PROJECT = "/v1beta1/projects/p/locations/us-central1/publishers/google/models"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/v1/models/g:generateContent", Endpoint("gemini", "generate", "g", "unary")),
        ("/v1alpha/models/g:streamGenerateContent", Endpoint("gemini", "generate", "g", "stream")),
        ("/v1beta/models/g%3AgenerateContent", Endpoint("gemini", "generate", "g", "unary")),
        ("/prefix/v1beta/models/g:countTokens?key=x", Endpoint("gemini", "count_tokens", "g")),
        (f"{PROJECT}/gemini-2.5-flash:generateContent", Endpoint("gemini", "generate", "gemini-2.5-flash", "unary")),
        ("/v1beta/models/e:batchEmbedContents", Endpoint("gemini", "embed", "e")),
        ("/v1beta/models/veo:predictLongRunning", Endpoint("gemini", "other", "veo")),
        ("/v1beta/models", Endpoint("gemini", "models")),
        ("/v1/chat/completions", Endpoint("openai-chat", "generate")),
        ("/chat/completions", Endpoint("openai-chat", "generate")),
        ("/v1beta/openai/chat/completions", Endpoint("openai-chat", "generate")),
        ("//openai/deployments/d/chat/completions?api-version=1", Endpoint("openai-chat", "generate", "d")),
        ("/v1/embeddings", Endpoint("openai-chat", "embed")),
        ("/v1/responses", Endpoint("openai-chat", "other")),
        ("/v1/messages?beta=true", Endpoint("anthropic", "generate")),
        ("/router/anthropic/v1/messages", Endpoint("anthropic", "generate")),
        ("/v1/messages/count_tokens", Endpoint("anthropic", "count_tokens")),
        ("/health", None),
    ],
)
def test_paths(path: str, expected: Endpoint | None) -> None:
    assert endpoint(path) == expected


@pytest.mark.parametrize(
    ("host", "dialect"),
    [
        ("generativelanguage.googleapis.com", "gemini"),
        ("api.openai.com", "openai-chat"),
        ("api.anthropic.com", "anthropic"),
    ],
)
def test_the_host_decides_the_dialect_of_the_shared_models_path(host: str, dialect: str) -> None:
    assert endpoint("/v1/models", host) == Endpoint(dialect, "models")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_canonical_paths_are_recognised(dialect: str) -> None:
    for mode in MODES:
        found = endpoint(RECORDS[dialect].full_path_template(mode).format(model="m"), RECORDS[dialect].host)
        assert found is not None
        assert (found.dialect, found.operation, found.mode or mode) == (dialect, "generate", mode)
    assert RECORDS[dialect].host in RECORDS[dialect].base_url
