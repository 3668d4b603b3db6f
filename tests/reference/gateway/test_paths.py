"""Which operation a path is, and in which dialect: the table, without a network."""

import pytest

from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.paths import PathTarget, resolve, resource_path

POSTS = {
    "/v1/models/m:generateContent": PathTarget(
        "gemini", "generate", "/v1/{model}:generateContent", "m", "generateContent"
    ),
    "/v1beta/models/a/b:countTokens": PathTarget(
        "gemini", "count", "/v1beta/{model}:countTokens", "a/b", "countTokens"
    ),
    "/v1alpha/tunedModels/t:embedContent": PathTarget(
        "gemini", "embed", "/v1alpha/{model}:embedContent", "tunedModels/t", "embedContent"
    ),
    "/v1beta/models/ft:gpt:x:generateContent": PathTarget(
        "gemini", "generate", "/v1beta/{model}:generateContent", "ft:gpt:x", "generateContent"
    ),
    "/v1/chat/completions": PathTarget("openai-chat", "generate", "/chat/completions"),
    "/v1/chat/completions/": PathTarget("openai-chat", "generate", "/chat/completions"),
    "/v1beta/openai/chat/completions": PathTarget("openai-chat", "generate", "/chat/completions"),
    "/v1/embeddings": PathTarget("openai-chat", "embed", "/embeddings"),
    "/v1/messages": PathTarget("anthropic", "generate", "/v1/messages"),
    "/v1/messages/count_tokens": PathTarget("anthropic", "count", "/v1/messages/count_tokens"),
}
GETS = [
    ("/v1/models", {}, PathTarget("openai-chat", "models", "/models")),
    ("/v1/models", {"x-goog-api-key": "k"}, PathTarget("gemini", "models", "/v1/models")),
    ("/v1/models", {"anthropic-version": "x"}, PathTarget("anthropic", "models", "/v1/models")),
    ("/v1/models/ft:a", {}, PathTarget("openai-chat", "model", "/models/{model}", "ft:a")),
    ("/v1/models/a/b", {}, PathTarget("openai-chat", "model", "/models/{model}", "a/b")),
    ("/v1/models/m", {"x-goog-api-key": "k"}, PathTarget("gemini", "model", "/v1/{model}", "m")),
    ("/v1/models/m", {"anthropic-version": "x"}, PathTarget("anthropic", "model", "/v1/models/{model}", "m")),
    ("/v1beta/models", {}, PathTarget("gemini", "models", "/v1beta/models")),
    ("/v1beta/tunedModels", {}, PathTarget("gemini", "models", "/v1beta/tunedModels")),
    ("/v1beta/tunedModels/t", {}, PathTarget("gemini", "model", "/v1beta/{model}", "tunedModels/t")),
    ("/v1beta/openai/models/m", {}, PathTarget("openai-chat", "model", "/models/{model}", "m")),
]


@pytest.mark.parametrize("path", list(POSTS))
def test_posts(path):
    assert resolve("POST", path, {}, {}) == POSTS[path]


@pytest.mark.parametrize(("path", "headers", "target"), GETS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_gets(method, path, headers, target):
    assert resolve(method, path, headers, {}) == target


@pytest.mark.parametrize(
    ("model", "name"),
    [("m", "models/m"), ("models/m", "models/m"), ("tunedModels/t", "tunedModels/t"), ("a b?", "models/a%20b%3F")],
)
def test_resource_names(model, name):
    assert resource_path(model) == name


@pytest.mark.parametrize("model", ["", "..", "a/../b", "a//b", "./a"])
def test_invalid_model_names(model):
    with pytest.raises(GatewayError) as error:
        resource_path(model)
    assert (error.value.status, error.value.field) == (400, "model")
