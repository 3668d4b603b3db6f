"""Counting, embeddings and models through the gateway."""

import struct
from base64 import b64decode

import pytest

from bridgecheck_reference.generator.estimate import estimate_tokens

CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "hello world"}]}]}


@pytest.mark.row("S2.2")
@pytest.mark.proposal("ep-count-tokens")
@pytest.mark.parametrize("body", [CONTENTS, {"generateContentRequest": {"model": "models/m", **CONTENTS}}])
async def test_a_count_over_openai_is_a_documented_estimate(lab, body):
    async with lab.pair("openai-chat", lab.json({})) as pair:
        answer = await pair.post("/v1beta/models/m:countTokens", body)
        assert not pair.upstream.requests
    assert answer.json() == {"totalTokens": estimate_tokens(CONTENTS)} and answer.json()["totalTokens"] > 0
    assert answer.headers["x-bridgecheck-estimated"] == "true"


@pytest.mark.parametrize("form", ["float", "base64"])
async def test_openai_embeddings_over_gemini(lab, form):
    async with lab.pair("gemini", lab.json({"embeddings": [{"values": [0.5]}, {"values": [1.5]}]})) as pair:
        answer = await pair.post("/v1/embeddings", {"model": "e", "input": ["a", "b"], "encoding_format": form})
        (request_,) = pair.upstream.requests
    assert request_.path == "/v1beta/models/e:batchEmbedContents"
    assert [item["model"] for item in request_.body["requests"]] == ["models/e", "models/e"]
    vectors = [item["embedding"] for item in answer.json()["data"]]
    if form == "base64":
        vectors = [list(struct.unpack("<f", b64decode(vector))) for vector in vectors]
    assert vectors == [[0.5], [1.5]]


@pytest.mark.row("S2.2")
@pytest.mark.proposal("ep-embed-g2o")
@pytest.mark.parametrize("verb", ["embedContent", "batchEmbedContents"])
async def test_gemini_embeddings_over_openai(lab, verb):
    embed_request = {"content": {"parts": [{"text": "a"}]}, "outputDimensionality": 1}
    body = embed_request if verb == "embedContent" else {"requests": [embed_request]}
    script = lab.json({"data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 1}})
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.post(f"/v1/models/e:{verb}", body)
        (request_,) = pair.upstream.requests
    assert request_.path == "/v1/embeddings"
    assert request_.body == {"model": "e", "input": ["a"], "encoding_format": "float", "dimensions": 1}
    answered = answer.json()
    assert (answered["embedding"] if verb == "embedContent" else answered["embeddings"][0]) == {"values": [0.5]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1beta/models/e:embedContent", {"content": {"parts": [{"text": "a"}]}}),
        ("/v1/embeddings", {"model": "e", "input": "a"}),
    ],
)
async def test_anthropic_has_no_embeddings(lab, path, body):
    async with lab.pair("anthropic", lab.json({})) as pair:
        answer = await pair.post(path, body)
        assert not pair.upstream.requests
    assert answer.status_code == 501 and "embeddings" in answer.json()["error"]["message"]


LISTS = {
    "gemini": {"models": [{"name": "models/x"}]},
    "openai-chat": {"object": "list", "data": [{"id": "x", "object": "model", "created": 5, "owned_by": "o"}]},
    "anthropic": {"data": [{"type": "model", "id": "x", "display_name": "X", "created_at": "2025-01-01T00:00:00Z"}]},
}
CLIENTS = {
    "gemini": ({"x-goog-api-key": "k"}, lambda body: body["models"][0]["name"] == "models/x"),
    "openai-chat": (
        {"authorization": "Bearer k"},
        lambda body: body["data"][0]["id"] == "x" and body["object"] == "list",
    ),
    "anthropic": (
        {"authorization": "Bearer k", "anthropic-version": "2026-10-21"},
        lambda body: body["data"][0]["type"] == "model" and body["has_more"] is False,
    ),
}


@pytest.mark.row("S2.2")
@pytest.mark.proposal("ep-models-list")
@pytest.mark.parametrize("upstream", list(LISTS))
@pytest.mark.parametrize("client", list(CLIENTS))
async def test_one_path_three_lists_of_models(lab, client, upstream):
    headers, fits = CLIENTS[client]
    async with lab.pair(upstream, lab.json(LISTS[upstream] | {"has_more": False})) as pair:
        answer = await pair.client.get("/v1/models", headers=headers)
        (request_,) = pair.upstream.requests
    assert answer.status_code == 200 and fits(answer.json())
    own = {"gemini": "/v1beta/models", "openai-chat": "/v1/models", "anthropic": "/v1/models"}[upstream]
    assert request_.path.split("?")[0] in (own, "/v1/models")


@pytest.mark.parametrize("path", ["/v1beta/models", "/v1alpha/models", "/v1/models?key=k"])
async def test_other_model_paths_belong_to_gemini(lab, path):
    async with lab.pair("openai-chat", lab.json(LISTS["openai-chat"])) as pair:
        answer = await pair.client.get(path)
    assert answer.json()["models"][0]["name"] == "models/x"


@pytest.mark.parametrize("upstream", list(LISTS))
@pytest.mark.parametrize("client", list(CLIENTS))
async def test_one_model(lab, client, upstream):
    item = next(value for value in LISTS[upstream].values() if isinstance(value, list))[0]
    async with lab.pair(upstream, lab.json(item), models_mapping={"house": "x"}) as pair:
        answer = await pair.client.get("/v1/models/house", headers=CLIENTS[client][0])
        (request_,) = pair.upstream.requests
    assert request_.path.endswith("/models/x")
    named = answer.json()["name" if client == "gemini" else "id"]
    assert named == ("models/x" if client == "gemini" else "x")


async def test_an_unknown_model_is_the_upstreams_404(lab):
    body = {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}
    async with lab.pair("openai-chat", lab.json(body, status=404)) as pair:
        shown = await pair.client.get("/v1beta/models/nope")
        request_ = await pair.post("/v1beta/models/nope:generateContent", CONTENTS)
    for answer in (shown, request_):
        assert answer.status_code == 404 and answer.json()["error"]["status"] == "NOT_FOUND"
        assert answer.json()["error"]["message"] == "no such model"


async def test_all_pages_are_read(lab):
    pages = [{"models": [{"name": "models/a"}], "nextPageToken": "t/1"}, {"models": [{"name": "models/b"}]}]
    async with lab.pair("gemini", *map(lab.json, pages)) as pair:
        answer = await pair.client.get("/v1/models")
    assert [item["id"] for item in answer.json()["data"]] == ["a", "b"]
    assert pair.upstream.requests[1].path.endswith("&pageToken=t%2F1")
