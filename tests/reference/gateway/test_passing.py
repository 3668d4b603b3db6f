"""Same dialect on both sides: nothing is changed but what belongs to a connection, the key and a mapped model."""

import gzip
import json
import logging
import zlib

import httpx
import pytest

from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey

UNUSUAL_JSON = b'{ "model":"m",  "messages":[{"role":"user","content":"\\u00e9\xc3\xa9"}],"n":1.0,"big":123456789012345678901234567890}'
GEMINI = b'{"contents":[{"parts":[{"text":"x"}]}],  "unknown_field":1e2}'

PATHS = [
    ("gemini", "/v1beta/models/m:generateContent", GEMINI),
    ("gemini", "/v1/models/m:streamGenerateContent?alt=sse&x=1", GEMINI),
    ("gemini", "/v1alpha/models/m:countTokens", GEMINI),
    ("gemini", "/v1beta/tunedModels/t-1:generateContent", GEMINI),
    ("gemini", "/v1beta/models/m:embedContent", GEMINI),
    ("gemini", "/v1beta/models/m:batchEmbedContents", GEMINI),
    ("openai-chat", "/v1/chat/completions", UNUSUAL_JSON),
    ("openai-chat", "/v1/embeddings", UNUSUAL_JSON),
    ("anthropic", "/v1/messages?beta=true", UNUSUAL_JSON),
    ("anthropic", "/v1/messages/count_tokens", UNUSUAL_JSON),
]


@pytest.mark.row("S2.2")
@pytest.mark.parametrize(("dialect", "path", "body"), PATHS)
async def test_bytes_go_through_untouched(lab, dialect, path, body):
    reply = b'{ "odd" :\t1.0, "x": "\\u2028\xe2\x80\xa8" }'
    headers = [("x-request-id", "r-1"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("keep-alive", "timeout=5")]
    async with lab.pair(dialect, lab.Answer([reply], headers=headers)) as pair:
        answer = await pair.client.post(path, content=body, headers={"anthropic-beta": "b1", "x-own": "1", "te": "x"})
        (request_,) = pair.upstream.requests
    assert (request_.path, request_.raw) == (path, body)
    assert (
        request_.headers["anthropic-beta"] == "b1" and request_.headers["x-own"] == "1" and "te" not in request_.headers
    )
    assert request_.headers["host"] in pair.upstream.url
    assert answer.content == reply and answer.headers["x-request-id"] == "r-1"
    assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"] and "keep-alive" not in answer.headers


async def test_a_stream_goes_through_untouched(lab):
    writes = [b": hello\n\n", b"id: 1\nevent: x\ndata: {", b"not json\n", b"\ndata: [DONE]\n\n"]
    async with lab.pair("openai-chat", lab.Answer(writes, content_type="text/event-stream; x=y")) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert answer.content == b"".join(writes) and answer.headers["content-type"] == "text/event-stream; x=y"


async def test_a_packed_answer_stays_packed(lab):
    packed = gzip.compress(b'{"a": 1}')
    script = lab.Answer([packed], headers=[("content-encoding", "gzip")])
    async with (
        lab.pair("openai-chat", script) as pair,
        pair.client.stream(
            "POST", "/v1/chat/completions", content=UNUSUAL_JSON, headers={"accept-encoding": "br, gzip"}
        ) as answer,
    ):
        assert b"".join([piece async for piece in answer.aiter_raw()]) == packed
        assert answer.headers["content-encoding"] == "gzip"
    assert pair.upstream.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_compressed_request_passes_through_unchanged(lab, name, pack):
    packed = pack(UNUSUAL_JSON)
    async with lab.pair("openai-chat", lab.json({})) as pair:
        await pair.client.post("/v1/chat/completions", content=packed, headers={"content-encoding": name})
        (request_,) = pair.upstream.requests
    assert request_.raw == packed and request_.headers["content-encoding"] == name


@pytest.mark.row("S2.84")
@pytest.mark.parametrize(
    ("dialect", "path", "body", "asked_path", "asked_body"),
    [
        (
            "openai-chat",
            "/v1/chat/completions",
            {"model": "a", "n": 1.0},
            "/v1/chat/completions",
            {"model": "b", "n": 1.0},
        ),
        ("anthropic", "/v1/messages", {"model": "a"}, "/v1/messages", {"model": "b"}),
        ("gemini", "/v1/models/a:generateContent", {"x": 1}, "/v1/models/b:generateContent", {"x": 1}),
        (
            "gemini",
            "/v1beta/models/a:batchEmbedContents",
            {"requests": [{"model": "models/a", "content": {}}]},
            "/v1beta/models/b:batchEmbedContents",
            {"requests": [{"model": "models/b", "content": {}}]},
        ),
        (
            "gemini",
            "/v1beta/models/a:countTokens",
            {"generateContentRequest": {"model": "models/a"}},
            "/v1beta/models/b:countTokens",
            {"generateContentRequest": {"model": "models/b"}},
        ),
    ],
)
async def test_a_mapped_model_is_all_that_changes(lab, caplog, dialect, path, body, asked_path, asked_body):
    caplog.set_level(logging.INFO, "bridgecheck_reference.gateway")
    async with lab.pair(dialect, lab.json({}), models_mapping={"a": "b"}) as pair:
        await pair.post(path, body)
        (request_,) = pair.upstream.requests
    assert (request_.path, request_.body) == (asked_path, asked_body)
    assert "Applying model mapping: a -> b" in caplog.messages


@pytest.mark.proposal("ep-model-prefix")
@pytest.mark.parametrize("name", ["models/gemini-x", "models/models/gemini-x", "publishers/google/models/gemini-x"])
async def test_the_models_prefix_is_optional(lab, name):
    async with lab.pair("gemini", lab.json({})) as pair:
        await pair.post(f"/v1beta/{name}:generateContent", {"contents": []})
        assert pair.upstream.requests[0].path == "/v1beta/models/gemini-x:generateContent"


REQUESTS = [
    ("gemini", "/v1beta/models/m:generateContent", {"contents": [{"parts": [{"text": "x"}]}]}),
    ("openai-chat", "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "x"}]}),
]
KEY_HEADERS = ("x-goog-api-key", "x-api-key", "authorization")


@pytest.mark.proposal("ep-auth-forms")
@pytest.mark.parametrize("upstream", ["gemini", "openai-chat"])
@pytest.mark.parametrize("own", ["", "the-gateways-own-key"])
async def test_every_form_of_a_key_is_taken_and_passed_on(lab, upstream, own):
    key = own or "the-clients-key"
    native_form = {"x-goog-api-key": key} if upstream == "gemini" else {"authorization": f"Bearer {key}"}
    failures = []
    async with lab.pair(upstream, lab.json({}), key=own) as pair:
        for form in (*KEY_HEADERS, "query"):
            value = "Bearer the-clients-key" if form == "authorization" else "the-clients-key"
            headers = {} if form == "query" else {form.replace("-", "_"): value}
            for client, path, body in REQUESTS:
                await pair.post(path + ("?key=the-clients-key" if form == "query" else ""), body, **headers)
                request_ = pair.upstream.requests[-1]
                sent = {name: request_.headers[name] for name in KEY_HEADERS if name in request_.headers}
                untouched = client == upstream and not own and form != "query"
                if sent != ({form: value} if untouched else native_form) or "key=" in request_.path:
                    failures.append((form, client, sent, request_.path))
        assert len(pair.upstream.requests) == 8
    assert not failures


async def test_which_upstream_serves_a_model(lab):
    async with lab.upstream(lab.json({"a": 1})) as gemini, lab.upstream(lab.json({"b": 2})) as openai:
        config = GatewayConfig(
            (UpstreamUrlAndKey("gemini", gemini.url), UpstreamUrlAndKey("openai-chat", f"{openai.url}/v1")),
            models={"gpt-*": "openai-chat", "gpt-like": "gemini", "gemini-on-openai": "openai-chat"},
            models_mapping={"house": "gpt-house"},
        )
        async with lab.gateway(config) as client:
            for model in ("gemini-x", "gpt-like", "gpt-5", "gemini-on-openai", "house"):
                request = {"contents": [{"parts": [{"text": "x"}]}]}
                await client.post(f"/v1beta/models/{model}:generateContent", json=request)
            for model in ("gpt-5", "gpt-like", "anything"):
                request = {"model": model, "messages": [{"role": "user", "content": "x"}]}
                await client.post("/v1/chat/completions", json=request)
            await client.get("/v1/models", headers={"anthropic-version": "2023-06-01"})
    assert [request_.path.split("/")[-1] for request_ in gemini.requests] == [
        "gemini-x:generateContent",
        "gpt-like:generateContent",
        "gpt-like:generateContent",
        "models?pageSize=1000",  # nothing says otherwise: the first upstream
    ]
    assert [request_.body["model"] for request_ in openai.requests] == [
        "gpt-5",
        "gemini-on-openai",
        "gpt-house",
        "gpt-5",
        "anything",
    ]


async def test_errors_pass_through_too(lab):
    body = b'{ "error": {"message": "slow down"} }'
    headers = [("retry-after", "7"), ("x-ratelimit-remaining", "0")]
    async with lab.pair("openai-chat", lab.Answer([body], status=429, headers=headers)) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert (answer.status_code, answer.content) == (429, body)
    assert answer.headers["retry-after"] == "7" and answer.headers["x-ratelimit-remaining"] == "0"


@pytest.mark.proposal("err-no-secret-leak")
@pytest.mark.parametrize("packed", [False, True])
async def test_a_key_that_an_upstream_repeats_is_taken_out(lab, packed):
    body = json.dumps({"error": {"message": "bad key the-gateways-own-key"}}).encode()
    headers = [("content-encoding", "gzip")] if packed else []
    script = lab.Answer([gzip.compress(body) if packed else body], status=401, headers=headers)
    async with lab.pair("openai-chat", script, key="the-gateways-own-key") as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert answer.status_code == 401 and answer.json()["error"]["message"] == "bad key [redacted]"


@pytest.mark.parametrize(("status", "expected"), [(502, 502), (200, 502), (404, 404)])
async def test_an_html_page_is_an_error_of_the_dialect(lab, status, expected):
    script = lab.Answer([b"<html>Bad Gateway</html>"], status=status, content_type="text/html")
    async with lab.pair("openai-chat", script) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert answer.status_code == expected and "Bad Gateway" in answer.json()["error"]["message"]


async def test_json_that_claims_to_be_a_page_goes_through(lab):
    async with lab.pair("openai-chat", lab.Answer([b'{"a":  1}'], content_type="text/html")) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert (answer.status_code, answer.content) == (200, b'{"a":  1}')


async def test_a_stalled_stream_ends_in_an_error_event_at_an_events_end(lab):
    script = lab.sse({"choices": []}, end="stall")
    async with lab.pair("openai-chat", script, read_timeout_s=0.3) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    first, error = lab.events(answer.content)
    assert first == {"choices": []} and error["error"]["code"] == "timeout"


async def test_a_stream_cut_inside_an_event_is_cut_for_the_client_too(lab):
    script = lab.Answer([b'data: {"a": 1}\n\n', b'data: {"b'], content_type="text/event-stream", end="cut")
    async with lab.pair("openai-chat", script) as pair:
        with pytest.raises(httpx.RemoteProtocolError):
            await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)


async def test_an_answer_that_never_begins_has_its_status(lab):
    async with lab.pair("openai-chat", lab.Answer(end="stall"), read_timeout_s=0.3) as pair:
        answer = await pair.client.post("/v1/chat/completions", content=UNUSUAL_JSON)
    assert answer.status_code == 504 and answer.json()["error"]["code"] == "timeout"
