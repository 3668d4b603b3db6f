"""Upstreams that answer what no API answers: each client gets an error of its dialect, and no key is repeated."""

import json

import pytest

HI = {"role": "user", "content": "hi"}
REQUESTS = {
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
    "openai-chat": {"model": "m", "messages": [HI]},
    "anthropic": {"model": "m", "max_tokens": 9, "messages": [HI]},
}
PATHS = {
    "gemini": "/v1beta/models/m:generateContent",
    "openai-chat": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}
DIALECTS = tuple(PATHS)
OTHER_DIALECT = {"gemini": "anthropic", "openai-chat": "gemini", "anthropic": "openai-chat"}
STREAM = "/v1beta/models/m:streamGenerateContent?alt=sse"
OWN_KEY = "own-SECRET-key"

clients = pytest.mark.parametrize("client", DIALECTS)
both_routes = pytest.mark.parametrize("same", [False, True], ids=["converted", "passed"])


async def ask(pair, client, stream=False):
    headers = {"authorization": "Bearer client-SECRET-key"}
    if client == "gemini":
        return await pair.post(STREAM if stream else PATHS[client], REQUESTS[client], **headers)
    return await pair.post(PATHS[client], REQUESTS[client] | {"stream": stream}, **headers)


def error_message_of(answer, client):
    """The message of an error document of that dialect."""
    document = answer.json()
    error = document["error"]
    assert isinstance(error["message"], str) and error["message"]
    if client == "gemini":
        assert error["code"] == answer.status_code and error["status"]
    elif client == "anthropic":
        assert document["type"] == "error" and error["type"]
    else:
        assert error["type"] and "param" in error
    return error["message"]


@clients
@both_routes
async def test_a_page_that_repeats_a_key_is_not_quoted_with_it(lab, caplog, client, same):
    caplog.set_level("DEBUG", "bridgecheck_reference.gateway")
    page = lab.Answer([f"<html>{OWN_KEY} client-SECRET-key</html>".encode()], content_type="text/html")
    async with lab.pair(client if same else OTHER_DIALECT[client], page, key=OWN_KEY) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == 502 and "[redacted]" in error_message_of(answer, client)
    assert "SECRET" not in answer.text + str(answer.headers) + caplog.text


@clients
@both_routes
async def test_a_redirect_is_an_error_and_its_address_stays_here(lab, client, same):
    moved = lab.Answer(status=302, headers=[("location", "http://10.0.0.1/inside")])
    async with lab.pair(client if same else OTHER_DIALECT[client], moved) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == 502 and "302" in error_message_of(answer, client)
    assert "location" not in answer.headers and "10.0.0.1" not in answer.text


@clients
@pytest.mark.parametrize(("same", "status"), [(False, 200), (False, 400), (True, 400)])
async def test_a_body_with_a_wrong_content_encoding(lab, client, same, status):
    lying = lab.Answer([b"plain text"], status=status, headers=[("content-encoding", "gzip")])
    async with lab.pair(client if same else OTHER_DIALECT[client], lying) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == 502 and "DecodingError" in error_message_of(answer, client)


@clients
@both_routes
@pytest.mark.parametrize("status", [200, 400])
async def test_headers_in_any_letters_go_through(lab, client, same, status):
    body = {"error": {"message": "no"}} if status == 400 else {"x": 1}
    script = lab.json(body, status=status, headers=[("x-name", "日本")])
    async with lab.pair(client if same else OTHER_DIALECT[client], script) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == (502 if status == 200 and not same else status)
    assert ("日本".encode() in dict(answer.headers.raw).get(b"x-name", b"")) == same


@clients
@both_routes
async def test_an_answer_of_any_depth(lab, caplog, client, same):
    rows = [(depth, status) for depth in (700, 990, 5000) for status in (200, 400)]
    deep = [lab.Answer([b'{"error":' * depth + b"1" + b"}" * depth], status=status) for depth, status in rows]
    failures = []
    async with lab.pair(client if same else OTHER_DIALECT[client], *deep) as pair:
        for depth, status in rows:
            code = (await ask(pair, client)).status_code
            possible = {200: (200,) if same else (200, 500, 502), 400: (400, 502)}[status]
            if code not in possible:
                failures.append((depth, status, code))
    assert not failures
    assert "unexpected" not in caplog.text


@clients
@pytest.mark.parametrize("body", [b"", b"data: {}\n\n", b'data: {"type": "unknown.event"}\n\n', b": comment\n\n"])
async def test_an_empty_stream_is_a_bad_gateway(lab, client, body):
    script = lab.Answer([body] if body else [], content_type="text/event-stream")
    async with lab.pair(OTHER_DIALECT[client], script) as pair:
        answer = await ask(pair, client, stream=True)
    assert answer.status_code == 502 and error_message_of(answer, client)


@pytest.mark.parametrize("client", ["openai-chat", "anthropic"])
async def test_an_answer_no_converter_can_read_is_not_the_clients_fault(lab, client):
    piece = {"stringValue": "a", "willContinue": True}
    calls = [{"name": "f", "willContinue": True, "partialArgs": [piece]}, {"partialArgs": [piece]}]
    events = [{"candidates": [{"index": 0, "content": {"parts": [{"functionCall": call}]}}]} for call in calls]
    async with lab.pair("gemini", lab.sse(*events)) as pair:
        answer = await ask(pair, client, stream=True)
    text = answer.content.decode()
    assert "cannot be converted" in text and "invalid_request" not in text


@clients
@pytest.mark.parametrize("wait", ["1e400", "-1", "NaN"])
async def test_an_impossible_retry_delay_is_not_sent(lab, client, wait):
    body = json.dumps({"error": {"message": "slow", "metadata": {"retry_after_seconds": 0}}}).replace("0}", wait + "}")
    async with lab.pair(OTHER_DIALECT[client], lab.Answer([body.encode()], status=429)) as pair:
        answer = await ask(pair, client)
    assert (
        answer.status_code == 429 and error_message_of(answer, client) == "slow" and "retry-after" not in answer.headers
    )


@clients
async def test_a_clients_headers_do_not_go_along_with_a_converted_request(lab, client):
    async with lab.pair(OTHER_DIALECT[client], lab.json({})) as pair:
        await pair.post(PATHS[client], REQUESTS[client], anthropic_beta="b-1", x_own="1", openai_organization="o")
        (request_,) = pair.upstream.requests
    assert not {"anthropic-beta", "x-own", "openai-organization"} & request_.headers.keys()
    assert request_.headers.get("anthropic-version") == ("2023-06-01" if OTHER_DIALECT[client] == "anthropic" else None)
