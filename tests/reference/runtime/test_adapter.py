"""The default adapter has the shape of the judge's protocol, at wire level and with real SDK clients."""

import asyncio
import importlib
import inspect

import pytest

from bridgecheck.model.adapter import CAPABILITIES, Connects, Converter, Session, Stream
from bridgecheck_reference import adapter
from bridgecheck_reference.errors import ProviderError, UnknownFormatError

GEMINI_REQUEST = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {"topK": 3}}
OPENAI_REQUEST = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
GEMINI_ANSWER = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "ok"}]},
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [{"category": "c", "probability": "LOW"}],
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    "modelVersion": "m",
    "responseId": "r",
}
OPENAI_ANSWER = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
ANTHROPIC_REQUEST = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}], "top_k": 3}
ANTHROPIC_ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "ok", "citations": None}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1, "service_tier": "standard"},
}
ANTHROPIC_EVENTS = [
    {"type": "message_start", "message": {**ANTHROPIC_ANSWER, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
NATIVE_CODES = {"gemini": 429, "openai-chat": "rate_limit_exceeded", "anthropic": "rate_limit_error"}
"""What a client of each dialect knows a 429 by."""
REQUESTS = {"gemini": GEMINI_REQUEST, "openai-chat": OPENAI_REQUEST, "anthropic": ANTHROPIC_REQUEST}
ANSWERS = {"gemini": GEMINI_ANSWER, "openai-chat": OPENAI_ANSWER, "anthropic": ANTHROPIC_ANSWER}
LIMITED = {
    "anthropic": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
    "gemini": {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
    "openai-chat": {
        "error": {"message": "slow", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}
    },
}


def text_of(document: dict[str, object]) -> str:
    if "candidates" in document:
        return "".join(part["text"] for part in document["candidates"][0]["content"]["parts"])
    if document.get("type") == "message":
        return "".join(block["text"] for block in document["content"])
    return document["choices"][0]["message"]["content"]


def shape(protocol: type, name: str) -> list[tuple[str, object]]:
    return [(item.name, item.kind) for item in inspect.signature(getattr(protocol, name)).parameters.values()]


@pytest.mark.parametrize(
    ("protocol", "made"),
    [
        (Converter, lambda: adapter),
        (Connects, lambda: adapter),
        (Stream, lambda: adapter.stream(client="gemini", upstream="gemini", model="m", request={})),
        (
            Session,
            lambda: adapter.connect(client="gemini", upstream="openai-chat", base_url="http://x/v1", api_key="k"),
        ),
    ],
    ids=["converter", "connects", "stream", "session"],
)
def test_the_adapter_satisfies_the_protocol(protocol: type, made) -> None:
    found = type(made())
    members = [name for name in vars(protocol) if not name.startswith("_")]
    assert members
    for name in members:
        assert shape(found, name) == shape(protocol, name)
    for name in protocol.__annotations__:
        assert hasattr(found, name)


def test_claims_pivots_and_sessions_are_known() -> None:
    assert set(adapter.capabilities) <= set(CAPABILITIES)
    assert set(adapter.pivots) <= set(adapter.routes)
    assert set(adapter.sessions) < set(adapter.routes)


def test_the_lazy_name_is_the_object_in_any_import_order() -> None:
    module = importlib.import_module("bridgecheck_reference.default_adapter")
    assert importlib.import_module("bridgecheck_reference").adapter is module.adapter is adapter


@pytest.mark.parametrize("route", adapter.routes, ids="->".join)
def test_requests_and_answers_on_every_route(route: tuple[str, str]) -> None:
    client, upstream = route
    sent = adapter.to_upstream(REQUESTS[client], client=client, upstream=upstream, mode="unary", model="m")
    assert ("contents" if upstream == "gemini" else "messages") in sent
    status, received = adapter.from_upstream(
        ANSWERS[upstream], client=client, upstream=upstream, status=200, model="m", request=REQUESTS[client]
    )
    assert status == 200
    assert text_of(received) == "ok"
    assert {"gemini": "candidates", "openai-chat": "choices", "anthropic": "stop_reason"}[client] in received


@pytest.mark.parametrize("dialect", ["gemini", "anthropic"])
def test_through_the_pivot_and_back_nothing_is_lost(dialect: str) -> None:
    through = {"client": dialect, "upstream": dialect, "model": "m"}
    request_, answer = REQUESTS[dialect], ANSWERS[dialect]
    assert adapter.to_upstream(request_, mode="unary", **through) == request_
    assert adapter.from_upstream(answer, status=200, request=request_, **through) == (200, answer)


def test_what_both_can_express_survives_between_gemini_and_anthropic() -> None:
    sent = adapter.to_upstream(ANTHROPIC_REQUEST, client="anthropic", upstream="gemini", mode="unary", model="m")
    assert sent["generationConfig"]["topK"] == 3


def test_losses_are_those_of_the_last_conversion_and_taken_once() -> None:
    to = {"client": "gemini", "upstream": "openai-chat", "mode": "unary", "model": "m"}
    adapter.to_upstream(GEMINI_REQUEST, **to)
    assert [loss.path for loss in adapter.take_losses()] == ["generationConfig.topK"]
    assert adapter.take_losses() == []
    adapter.to_upstream({"contents": GEMINI_REQUEST["contents"]}, **to)
    assert adapter.take_losses() == []


@pytest.mark.parametrize("route", adapter.routes, ids="->".join)
def test_errors_keep_their_status_on_every_route(route: tuple[str, str]) -> None:
    client, upstream = route
    status, document = adapter.from_upstream(
        LIMITED[upstream], client=client, upstream=upstream, status=429, model="m", request=REQUESTS[client]
    )
    assert status == 429
    assert document["error"]["message"] == "slow"
    key = "type" if client == "anthropic" else "code"
    assert document["error"][key] == NATIVE_CODES[client]


@pytest.mark.parametrize("route", adapter.routes, ids="->".join)
def test_streams_end_only_once_and_never_cleanly_unfinished(route: tuple[str, str]) -> None:
    client, upstream = route
    make = {"client": client, "upstream": upstream, "model": "m", "request": REQUESTS[client]}
    choice = {"index": 0, "delta": {"content": "ok"}, "finish_reason": None}
    event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    last = {**event, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    half = {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]}}]}
    upstream_events = {
        "gemini": [half, GEMINI_ANSWER],
        "openai-chat": [event, last],
        "anthropic": ANTHROPIC_EVENTS,
    }[upstream]
    word = {"gemini": "'STOP'", "openai-chat": "'stop'", "anthropic": "'end_turn'"}[client]

    whole = adapter.stream(**make)
    events = [made for item in upstream_events for made in whole.feed(item)] + whole.close()
    assert str([{**event, "extra_content": None} for event in events]).count(word) == 1
    assert "error" not in events[-1]

    cut = adapter.stream(**make)
    events = cut.feed(upstream_events[0]) + cut.close()
    assert events[-1]["error"]["message"]
    assert word not in str(events)


def test_an_inexpressible_request_is_refused_by_field() -> None:
    with pytest.raises(NotImplementedError, match="contents"):
        adapter.to_upstream({"contents": []}, client="gemini", upstream="openai-chat", mode="unary", model="m")
    session = adapter.connect(client="gemini", upstream="openai-chat", base_url="http://127.0.0.1:9", api_key="k")
    with pytest.raises(NotImplementedError, match="contents"):
        asyncio.run(session.stream({"contents": []}, model="m"))
    asyncio.run(session.close())


def test_a_pair_that_is_not_routed_is_named() -> None:
    with pytest.raises(UnknownFormatError, match="klingon to gemini"):
        adapter.to_upstream({}, client="klingon", upstream="gemini", mode="unary", model="m")
    with pytest.raises(NotImplementedError, match="a session from openai-chat to openai-chat"):
        adapter.connect(client="openai-chat", upstream="openai-chat", base_url="http://x", api_key="k")


@pytest.mark.row("S1.23", "S1.34", "S1.50")
@pytest.mark.parametrize("route", adapter.sessions, ids="->".join)
def test_sessions_answer_stream_and_fail_in_the_clients_dialect(lab, route: tuple[str, str]) -> None:
    client, upstream = route
    choice = {"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    streams = {
        "gemini": lab.gemini(GEMINI_ANSWER),
        "openai-chat": lab.openai(chunk),
        "anthropic": lab.anthropic(*ANTHROPIC_EVENTS),
    }

    async def main() -> None:
        limited = lab.json(LIMITED[upstream], status=429, headers=[("retry-after", "2")])
        async with lab.serving(lab.json(ANSWERS[upstream]), streams[upstream], limited) as server:
            url = f"{server.url}/v1" if upstream == "openai-chat" else server.url
            session = adapter.connect(client=client, upstream=upstream, base_url=url, api_key="k")
            assert text_of(await session.generate(REQUESTS[client], model="m")) == "ok"
            events = await lab.collect(await session.stream(REQUESTS[client], model="m"))
            assert "'ok'" in str(events)
            with pytest.raises(ProviderError) as caught:
                await session.stream(REQUESTS[client], model="m")
            assert (caught.value.status, caught.value.retry_after) == (429, 2.0)
            error = caught.value.body["error"]
            assert NATIVE_CODES[client] in (error.get("code"), error["type"] if client == "anthropic" else None)
            assert error["message"] == "slow"
            await session.close()

    asyncio.run(main())
