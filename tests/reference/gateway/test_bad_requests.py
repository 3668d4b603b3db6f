"""A client's error is reported in its dialect with the field, and no upstream gets a request."""

import asyncio
import gzip
import json
import zlib

import pytest

from bridgecheck_reference.gateway.errors import GatewayError

GEMINI = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
OPENAI = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
PATHS = {
    "gemini": "/v1beta/models/m:generateContent",
    "openai-chat": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}
OTHER_DIALECT = {"gemini": "openai-chat", "openai-chat": "gemini"}
EVENT = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "so"}]}, "finishReason": "STOP"}]}

BAD = [
    ("openai-chat", {"messages": []}, "model"),
    ("openai-chat", {"model": 5, "messages": [{"role": "user", "content": "x"}]}, "model"),
    ("openai-chat", {"model": "m"}, "messages"),
    ("openai-chat", {"model": "m", "messages": []}, "messages"),
    ("openai-chat", {"model": "m", "messages": "hi"}, "messages"),
    ("openai-chat", {"model": "m", "messages": ["hi"]}, "messages[0]"),
    ("openai-chat", {"model": "m", "messages": [{"role": "king", "content": "x"}]}, "messages[].role"),
    ("openai-chat", {"model": "m", "messages": [{"role": {}, "content": "x"}]}, "messages[].role"),
    ("openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": "yes"}, "stream"),
    ("openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": 1}, "tools"),
    ("gemini", {}, "contents"),
    ("gemini", {"contents": []}, "contents"),
    ("gemini", {"contents": [{"role": "king", "parts": [{"text": "x"}]}]}, "contents[].role"),
    ("gemini", {"contents": [{"parts": [{"text": "x"}]}], "generationConfig": 3}, "generationConfig"),
    ("anthropic", {"messages": [{"role": "user", "content": "x"}], "max_tokens": 5}, "model"),
    ("anthropic", {"model": "m", "messages": [{"role": "user", "content": "x"}]}, "max_tokens"),
    ("anthropic", {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 0}, "max_tokens"),
    ("anthropic", {"model": "m", "messages": [], "max_tokens": 5}, "messages"),
]


def field_of(client, answer):
    error = answer.json()["error"]
    if client == "gemini":
        (detail,) = [item for item in error["details"] if "fieldViolations" in item]
        return detail["fieldViolations"][0]["field"]
    return error["param"] if client == "openai-chat" else error["message"].split(":")[0]


@pytest.mark.parametrize("client", ["gemini", "openai-chat", "anthropic"])
async def test_a_request_that_is_not_allowed_names_its_field(lab, client):
    failures = []
    async with lab.pair("gemini" if client == "openai-chat" else "openai-chat", lab.json({})) as pair:
        for dialect, body, field in BAD:
            answer = await pair.post(PATHS[client], body) if dialect == client else None
            if answer is None:
                continue
            named = answer.status_code == 400 and field_of(client, answer) == field
            if not named or field not in answer.json()["error"]["message"]:
                failures.append((body, field, answer.text))
        assert not pair.upstream.requests
    assert not failures


UNREADABLE = [
    (b"{half", {}, 400),
    (b"", {}, 400),
    (b"[1]", {}, 400),
    (b'"x"', {}, 400),
    (b"\xff\xfe{}", {}, 400),
    (b"[" * 200_000, {}, 400),
    (b"{}", {"content-encoding": "br"}, 415),
    (b"{}", {"content-encoding": "gzip"}, 400),
    (gzip.compress(b"{}", mtime=0)[:-9], {"content-encoding": "gzip"}, 400),
    (gzip.compress(b"[" + b" " * 100_000, mtime=0), {"content-encoding": "gzip"}, 413),
    (zlib.compress(b" " * 100_000), {"content-encoding": "deflate"}, 413),
    (b" " * 20_000, {}, 413),
]
KINDS = {400: "invalid_request_error", 413: "request_too_large", 415: "invalid_request_error"}


def is_body_error(client, answer, status):
    """Whether it is an error of that status in the client's dialect."""
    document = answer.json()
    error = document["error"]
    if answer.status_code != status or not error["message"]:
        return False
    if client == "anthropic":
        return document["type"] == "error" and error["type"] == KINDS[status]
    return client != "gemini" or error["code"] == status


@pytest.mark.parametrize("client", ["gemini", "openai-chat", "anthropic"])
async def test_a_body_that_cannot_be_read(lab, client):
    failures = []
    async with (
        lab.pair("gemini", lab.json({}), max_body_bytes=10_000) as pair,
        lab.pair("gemini", lab.json({})) as unlimited,
    ):
        for body, headers, status in UNREADABLE:
            http = unlimited.client if body.startswith(b"[[") else pair.client
            answer = await http.post(PATHS[client], content=body, headers=headers)
            if not is_body_error(client, answer, status):
                failures.append((body[:40], status, answer.text))
        assert not pair.upstream.requests and not unlimited.upstream.requests
    assert not failures


async def test_a_large_body_without_a_length_gets_an_error_response(lab):
    async def pieces():
        for _ in range(40):
            yield b" " * 65536

    async with lab.pair("gemini", lab.json({}), max_body_bytes=1_000_000) as pair:
        answer = await pair.client.post(PATHS["openai-chat"], content=pieces())
    assert answer.status_code == 413 and "1000000 bytes" in answer.json()["error"]["message"]


async def test_a_body_of_the_limit_is_taken(lab):
    body = json.dumps(OPENAI).encode()
    padded = body + b" " * (10_000 - len(body))
    async with lab.pair("gemini", lab.json(EVENT), max_body_bytes=10_000) as pair:
        assert (await pair.client.post(PATHS["openai-chat"], content=padded)).status_code == 200
        assert (await pair.client.post(PATHS["openai-chat"], content=padded + b" ")).status_code == 413


@pytest.mark.proposal("uni-lone-surrogate-request")
@pytest.mark.parametrize("client", ["gemini", "openai-chat"])
async def test_half_a_surrogate_pair_is_a_clean_400(lab, client):
    body = json.dumps(GEMINI if client == "gemini" else OPENAI).replace("hi", "x\\ud800y").encode()
    async with lab.pair(OTHER_DIALECT[client], lab.json({})) as pair:
        answer = await pair.client.post(PATHS[client], content=body)
        assert not pair.upstream.requests
    assert answer.status_code == 400 and "surrogate" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status", "dialect"),
    [
        ("POST", "/v1beta/models/m:explode", 404, "gemini"),
        ("POST", "/v1/models/m:explode", 404, "gemini"),
        ("POST", "/v1beta/files", 404, "gemini"),
        ("POST", "/v1/completions", 404, "openai-chat"),
        ("GET", "/", 404, "openai-chat"),
        ("POST", "/v1/messages/batches", 404, "anthropic"),
        ("GET", "/v1/chat/completions", 405, "openai-chat"),
        ("GET", "/v1/messages", 405, "anthropic"),
        ("DELETE", "/v1beta/models/m:generateContent", 405, "gemini"),
        ("POST", "/v1beta/models", 405, "gemini"),
    ],
)
async def test_unknown_paths(lab, method, path, status, dialect):
    async with lab.pair("gemini", lab.json({})) as pair:
        answer = await pair.client.request(method, path, json={} if method == "POST" else None)
        assert not pair.upstream.requests
    assert answer.status_code == status and ("allow" in answer.headers) == (status == 405)
    error = answer.json()["error"]
    if dialect == "gemini":
        assert error["code"] == status
    elif dialect == "anthropic":
        assert answer.json()["type"] == "error"
    else:
        assert "param" in error


@pytest.mark.parametrize("model", ["../../x", "a/../b", "", "a\ud800"])
async def test_a_model_name_cannot_leave_its_path_segment(lab, model):
    async with lab.pair("gemini", lab.json({})) as pair:
        answer = await pair.client.post(PATHS["openai-chat"], content=json.dumps(OPENAI | {"model": model}))
        assert not pair.upstream.requests
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "model"


async def test_a_query_in_a_models_name_is_quoted(lab):
    async with lab.pair("gemini", lab.json(EVENT)) as pair:
        await pair.post(PATHS["openai-chat"], OPENAI | {"model": "m?key=x#y"})
        assert pair.upstream.requests[0].path == "/v1beta/models/m%3Fkey%3Dx%23y:generateContent"


@pytest.mark.parametrize("dialect", ["gemini", "openai-chat", "anthropic"])
def test_no_document_and_header_of_an_error_is_empty(dialect):
    error = GatewayError(429, "slow", field="x", wait=1.2)
    document = error.error_document(dialect)
    assert "slow" in json.dumps(document) and error.all_headers() == [("retry-after", "2")]


@pytest.mark.parametrize("client", ["gemini", "openai-chat", "anthropic"])
async def test_a_body_that_never_ends_is_given_up(lab, client):
    async with lab.pair("gemini", lab.json({}), read_timeout_s=0.2) as pair:
        reader, writer = await asyncio.open_connection("127.0.0.1", pair.client.base_url.port)
        writer.write(f"POST {PATHS[client]} HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{{".encode())
        answer = await asyncio.wait_for(reader.read(), 20)  # ends, for the gateway hangs up
        writer.close()
    head, body = answer.split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ") and "did not arrive in time" in json.loads(body)["error"]["message"]


async def test_silent_connections_do_not_block_other_clients(lab):
    async with lab.pair("gemini", lab.json(EVENT)) as pair:
        port = pair.client.base_url.port
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
        for _, writer in idle:
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-slow: ")
        answer = await pair.post(PATHS["openai-chat"], OPENAI)
        for _, writer in idle:
            writer.transport.abort()
    assert answer.status_code == 200
