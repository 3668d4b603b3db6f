"""What goes wrong, in the client's dialect and with its status: refusals, broken and lying upstreams."""

import json

import pytest

from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.reply import encode_ascii_json

GEMINI = ("gemini", "/v1beta/models/m:{verb}", {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
OPENAI = ("openai-chat", "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]})
OTHER_DIALECT = {"gemini": "openai-chat", "openai-chat": "gemini"}

CHUNK = {
    "id": "c",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "half "}, "finish_reason": None}],
}
EVENT = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "half "}]}}]}
WHOLE = {"candidates": [EVENT["candidates"][0] | {"finishReason": "STOP"}]}
FIRST = {"openai-chat": CHUNK, "gemini": EVENT}


async def ask(pair, client, *, stream=False):
    """One generation, as that client asks for it."""
    if client == "gemini":
        path = GEMINI[1].format(verb="streamGenerateContent?alt=sse" if stream else "generateContent")
        return await pair.post(path, GEMINI[2])
    return await pair.post(OPENAI[1], OPENAI[2] | ({"stream": True} if stream else {}))


def error_message(client, answer):
    """(status in the document where it says one, code word, message)."""
    error = answer.json()["error"]
    return (error["code"], error["status"]) if client == "gemini" else (answer.status_code, error["type"])


both = pytest.mark.parametrize("client", ["gemini", "openai-chat"])
modes = pytest.mark.parametrize("stream", [False, True], ids=["unary", "stream"])


@pytest.mark.proposal("err-gemini-to-openai-table", "err-openai-to-gemini-envelope")
@modes
@both
@pytest.mark.parametrize(
    ("status", "word", "kind"),
    [
        (400, "INVALID_ARGUMENT", "invalid_request_error"),
        (401, "UNAUTHENTICATED", "authentication_error"),
        (403, "PERMISSION_DENIED", "permission_error"),
        (404, "NOT_FOUND", "not_found_error"),
        (429, "RESOURCE_EXHAUSTED", "rate_limit_error"),
        (500, "INTERNAL", "server_error"),
        (503, "UNAVAILABLE", "server_error"),
    ],
)
async def test_an_upstream_error_keeps_its_status_and_message(lab, client, stream, status, word, kind):
    body = {"error": {"code": status, "message": "its own words", "status": word, "type": kind}}
    async with lab.pair(OTHER_DIALECT[client], lab.json(body, status=status)) as pair:
        answer = await ask(pair, client, stream=stream)
    assert answer.status_code == status and answer.json()["error"]["message"] == "its own words"
    assert error_message(client, answer) == ((status, word) if client == "gemini" else (status, kind))


@modes
async def test_retry_after_reaches_a_gemini_client_as_header_and_retry_info(lab, stream):
    body = {"error": {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}
    async with lab.pair("openai-chat", lab.json(body, status=429, headers=[("retry-after", "7")])) as pair:
        answer = await ask(pair, "gemini", stream=stream)
    assert answer.status_code == 429 and answer.headers["retry-after"] == "7"
    (info,) = [item for item in answer.json()["error"]["details"] if item["@type"].endswith("RetryInfo")]
    assert info["retryDelay"] == "7s"


@pytest.mark.proposal("err-retryinfo-to-header", "err-body-array")
@pytest.mark.parametrize("listed", [False, True])
async def test_retry_info_reaches_an_openai_client_as_header(lab, listed):
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.837906927s"}
    body = {"error": {"code": 429, "message": "q", "status": "RESOURCE_EXHAUSTED", "details": [detail]}}
    async with lab.pair("gemini", lab.json([body] if listed else body, status=429)) as pair:
        answer = await ask(pair, "openai-chat")
    assert answer.status_code == 429 and answer.headers["retry-after"] == "46"
    assert answer.json()["error"]["message"] == "q"
    assert answer.json()["error"]["metadata"]["retry_after_seconds"] == pytest.approx(45.838, abs=0.01)


@pytest.mark.proposal("err-no-secret-leak")
@both
@modes
async def test_no_error_repeats_a_key(lab, caplog, client, stream):
    caplog.set_level("DEBUG", "bridgecheck_reference.gateway")
    body = {"error": {"message": "bad key own-SECRET-1 or client-SECRET-2", "code": 400}}
    async with lab.pair(OTHER_DIALECT[client], lab.json(body, status=400), key="own-SECRET-1") as pair:
        path = GEMINI[1].format(verb="generateContent") + "?key=client-SECRET-2"
        answer = await (
            pair.post(path, GEMINI[2])
            if client == "gemini"
            else pair.post(OPENAI[1], OPENAI[2], authorization="Bearer client-SECRET-2")
        )
    assert answer.json()["error"]["message"] == "bad key [redacted] or [redacted]"
    assert "SECRET" not in answer.text and "SECRET" not in caplog.text and "losses=" in caplog.text


@both
@modes
async def test_an_upstream_that_is_not_there(lab, client, stream):
    async with lab.pair(OTHER_DIALECT[client], lab.json({})) as pair:
        pair.upstream.close()
        config = lab.config(OTHER_DIALECT[client], pair.upstream)
    async with lab.gateway(config) as http:
        pair.client = http
        answer = await ask(pair, client, stream=stream)
    assert answer.status_code == 503 and "cannot be reached" in answer.json()["error"]["message"]
    assert "127.0.0.1" not in answer.text


@both
@modes
async def test_an_upstream_that_never_answers(lab, client, stream):
    async with lab.pair(OTHER_DIALECT[client], lab.Answer(end="stall"), read_timeout_s=0.3) as pair:
        answer = await ask(pair, client, stream=stream)
    assert answer.status_code == 504
    assert error_message(client, answer) == (
        (504, "DEADLINE_EXCEEDED") if client == "gemini" else (504, "timeout_error")
    )


NONSENSE = [
    (b"<html><h1>502 Bad Gateway</h1></html>", "text/html", 502, 502),
    (b"<html>login</html>", "text/html", 200, 502),
    (b"<html>login</html>", "application/json", 200, 502),
    (b"", "application/json", 200, 502),
    (b"", "text/event-stream", 200, 502),
    (b"null", "application/json", 200, 502),
    (b"[1]", "application/json", 200, 502),
    (b"data: {half\n\n", "text/event-stream", 200, 502),
    (b"moved", "text/plain", 302, 502),
]
"""Body, content type and status of an upstream, and the status that its client gets."""


@both
@modes
async def test_an_upstream_that_answers_nonsense(lab, client, stream):
    answers = [lab.Answer([row[0]] if row[0] else [], status=row[2], content_type=row[1]) for row in NONSENSE]
    failures = []
    async with lab.pair(OTHER_DIALECT[client], *answers) as pair:
        for body, kind, status, expected in NONSENSE:
            answer = await ask(pair, client, stream=stream)
            is_json = answer.headers["content-type"].startswith("application/json")
            is_told = is_json and answer.json()["error"]["message"] and error_message(client, answer)[0] == expected
            if answer.status_code != expected or not is_told:
                failures.append((body, kind, status, answer.status_code, answer.text))
    assert not failures


@both
@pytest.mark.parametrize("kind", ["text/html", "text/plain", ""])
async def test_an_answer_under_a_wrong_content_type_is_read(lab, client, kind):
    whole = {
        "openai-chat": CHUNK
        | {"choices": [{"index": 0, "message": {"role": "assistant", "content": "half "}, "finish_reason": "stop"}]},
        "gemini": {"candidates": [EVENT["candidates"][0] | {"finishReason": "STOP"}]},
    }
    async with lab.pair(OTHER_DIALECT[client], lab.json(whole[OTHER_DIALECT[client]], content_type=kind)) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == 200 and "half " in answer.text


@both
@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
async def test_a_stream_under_a_wrong_content_type_is_read(lab, client, kind):
    end = {
        "openai-chat": CHUNK | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        "gemini": {"candidates": [{"finishReason": "STOP"}]},
    }
    async with lab.pair(
        OTHER_DIALECT[client], lab.sse(FIRST[OTHER_DIALECT[client]], end[OTHER_DIALECT[client]], content_type=kind)
    ) as pair:
        answer = await ask(pair, client, stream=True)
    assert answer.status_code == 200 and b"half " in answer.content and b'"error"' not in answer.content


@pytest.mark.proposal("err-200-json-instead-of-sse")
@both
async def test_a_whole_answer_to_a_stream_request_is_streamed(lab, client):
    whole = {
        "openai-chat": {
            "id": "c",
            "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}],
        },
        "gemini": {"candidates": [{"content": {"parts": [{"text": "whole"}]}, "finishReason": "STOP"}]},
    }
    async with lab.pair(OTHER_DIALECT[client], lab.json(whole[OTHER_DIALECT[client]])) as pair:
        answer = await ask(pair, client, stream=True)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
    assert b"whole" in answer.content and b'"error"' not in answer.content


@both
async def test_a_stream_in_answer_to_a_unary_request_is_an_error(lab, client):
    async with lab.pair(OTHER_DIALECT[client], lab.sse(FIRST[OTHER_DIALECT[client]])) as pair:
        answer = await ask(pair, client)
    assert answer.status_code == 502 and "text/event-stream" in answer.json()["error"]["message"]


async def test_a_gemini_array_in_place_of_a_stream_is_read(lab):
    body = json.dumps([EVENT, {"candidates": [{"finishReason": "STOP"}]}]).encode()
    async with lab.pair("gemini", lab.Answer([body])) as pair:
        answer = await ask(pair, "openai-chat", stream=True)
    assert b"half " in answer.content and answer.content.endswith(b"[DONE]\n\n")


@pytest.mark.proposal("err-midstream-gemini", "err-midstream-openai")
@both
@pytest.mark.parametrize(
    "breaks",
    [
        {"writes": [b'data: {"error": {"code": 503, "message": "high demand", "status": "UNAVAILABLE"}}\n\n']},
        {"writes": [b"data: {half\n\n"]},
        {"writes": [b"data: [1]\n\n"]},
        {"writes": [b'data: {"candi'], "end": "cut"},
        {"writes": [b'data: {"candi']},
        {"end": "cut"},
        {"end": "reset"},
        {"end": "stall"},
        {},
    ],
    ids=["error event", "no json", "no object", "cut in event", "ends in event", "cut", "reset", "stall", "no finish"],
)
async def test_text_before_a_break_stays_and_the_end_is_an_error(lab, client, breaks):
    script = lab.sse(FIRST[OTHER_DIALECT[client]], end=breaks.get("end", "complete"))
    script.writes = [*script.writes, *breaks.get("writes", [])]
    async with lab.pair(OTHER_DIALECT[client], script, read_timeout_s=0.5) as pair:
        answer = await ask(pair, client, stream=True)
    first, *_, last = lab.events(answer.content)
    assert answer.status_code == 200 and "half " in json.dumps(first) and last["error"]["message"]
    assert b"DONE" not in answer.content and b"STOP" not in answer.content and b'"stop"' not in answer.content


@pytest.mark.proposal("err-cut-mid-event", "err-cut-no-finish", "err-cut-openai-no-done", "err-reasoning-only-eof")
async def test_good_events_in_the_same_piece_as_a_bad_one_are_delivered(lab):
    body = b"data: " + json.dumps(CHUNK).encode() + b"\n\ndata: {half\n\n"
    async with lab.pair("openai-chat", lab.Answer([body], content_type="text/event-stream")) as pair:
        answer = await ask(pair, "gemini", stream=True)
    first, last = lab.events(answer.content)
    assert "half " in json.dumps(first) and last["error"]["code"] == 502


async def test_an_error_in_an_array_stream_closes_the_array(lab):
    async with lab.pair("openai-chat", lab.sse(CHUNK, end="cut")) as pair:
        answer = await pair.post("/v1beta/models/m:streamGenerateContent", GEMINI[2])
    first, last = answer.json()
    assert "half " in json.dumps(first) and last["error"]["code"] == 502


@both
@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_event_first_is_a_failed_call(lab, client, stream):
    body = {"error": {"code": 429, "message": "quota; try again in 3s", "type": "rate_limit_error"}}
    script = lab.sse(body) if stream else lab.json(body)
    async with lab.pair(OTHER_DIALECT[client], script) as pair:
        answer = await ask(pair, client, stream=stream)
    assert answer.status_code == 429 and answer.headers["retry-after"] == "3"
    assert answer.json()["error"]["message"].startswith("quota")


@pytest.mark.proposal("payload-nan-infinity")
@modes
async def test_nan_in_arguments_is_never_sent_bare(lab, stream):
    call = {"id": "a", "index": 0, "type": "function", "function": {"name": "f", "arguments": '{"x": NaN}'}}
    role = "delta" if stream else "message"
    chunk = {
        "id": "c",
        "choices": [{"index": 0, role: {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}],
    }
    async with lab.pair("openai-chat", lab.sse(chunk, terminator=True) if stream else lab.json(chunk)) as pair:
        answer = await ask(pair, "gemini", stream=stream)
    (event,) = lab.events(answer.content) if stream else [answer.json()]
    (candidate,) = event["candidates"]
    assert candidate["finishReason"] == "MALFORMED_FUNCTION_CALL" and "functionCall" not in json.dumps(event)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_outside_json_is_an_error(number):
    with pytest.raises(GatewayError, match="NaN or Infinity"):
        encode_ascii_json({"x": [number]})


@both
@modes
async def test_an_upstream_that_sends_too_much(lab, client, stream):
    big = json.dumps({"x": "y" * 300_000}).encode()
    script = lab.Answer([b"data: " + big + b"\n\n" if stream else big])
    async with lab.pair(OTHER_DIALECT[client], script, max_answer_bytes=100_000) as pair:
        answer = await ask(pair, client, stream=stream)
    assert answer.status_code == 502 and "100000 bytes" in answer.json()["error"]["message"]
