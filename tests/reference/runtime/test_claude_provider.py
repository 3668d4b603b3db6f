"""ClaudeProvider on the real SDK: what it asks, what it answers, and every way of failing."""

import asyncio
import json
from dataclasses import replace

import pytest

from bridgecheck_reference.config import ProviderConfig, load_config
from bridgecheck_reference.conversion_profile import SIGNED_IDS
from bridgecheck_reference.errors import ConfigError, NotSupportedError, ProviderError
from bridgecheck_reference.providers.claude import ClaudeProvider
from bridgecheck_reference.providers.protocol import create_provider

KEY = "sk-ant-a-key-that-must-not-show"
PARAMS = {
    "model": "claude-x",
    "max_tokens": 50,
    "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi 北京"}],
}
ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x-1",
    "content": [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "北京"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 0},
}


def block(index: int, start: dict[str, object], *deltas: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


MESSAGE = {**ANSWER, "content": [], "stop_reason": None, "usage": {**ANSWER["usage"], "output_tokens": 1}}
EVENTS = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "ping"},
    *block(
        0,
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "Let me "},
        {"type": "text_delta", "text": "look."},
    ),
    *block(
        1,
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"city": "北'},
        {"type": "input_json_delta", "partial_json": '京"}'},
    ),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 7},
    },
    {"type": "message_stop"},
]


def claude(url: str, **more: object) -> ClaudeProvider:
    return ClaudeProvider(ProviderConfig(api_key=KEY, base_url=url, **more))


def text(chunks: list[dict[str, object]]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


def arguments(chunks: list[dict[str, object]]) -> str:
    return "".join(
        call["function"].get("arguments", "")
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", ())
    )


@pytest.mark.row("S1.23", "S1.50", "S2.91")
def test_a_whole_answer(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(ANSWER)) as server:
            provider = claude(server.url)
            answer = await provider.generate({**PARAMS, "stream": True, "stream_options": {"include_usage": True}})
            (request_,) = server.requests
            assert request_.path == "/v1/messages"
            assert KEY in (
                request_.headers.get("x-api-key"),
                request_.headers.get("authorization", "").removeprefix("Bearer "),
            )
            assert request_.headers["anthropic-version"] == "2023-06-01"  # the SDK's own refuses temperature
            assert "anthropic-beta" not in request_.headers
            assert request_.body == {
                "model": "claude-x",
                "max_tokens": 50,
                "system": "be brief",
                "messages": [{"role": "user", "content": "hi 北京"}],
            }
            (choice,) = answer["choices"]
            assert choice["message"]["content"] == "Let me look."
            assert json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"]) == {"city": "北京"}
            assert choice["finish_reason"] == "tool_calls"
            assert (answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) == (7, 7)
            await provider.close()

    asyncio.run(main())


@pytest.mark.row("S1.4", "S1.24", "S1.50", "S2.91")
def test_a_stream_as_it_arrives(lab) -> None:
    async def main() -> None:
        gate = asyncio.Event()
        async with lab.serving(lab.anthropic(*EVENTS, gates={4: gate})) as server:
            provider = claude(server.url)
            stream = await provider.generate_stream({**PARAMS, "stream_options": {"include_usage": True}})
            first = [await anext(stream), await anext(stream)]
            assert text(first) == "Let me "
            assert not server.finished.is_set()
            gate.set()
            chunks = [*first, *await lab.collect(stream)]
            assert server.requests[0].body["stream"] is True
            assert text(chunks) == "Let me look."
            assert json.loads(arguments(chunks)) == {"city": "北京"}
            assert [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]][-1] == "tool_calls"
            assert chunks[-1]["usage"]["completion_tokens"] == 7
            await provider.close()

    asyncio.run(main())


@pytest.mark.row("S1.50")
def test_betas_go_with_every_call(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(ANSWER), lab.anthropic(*EVENTS), lab.json({"input_tokens": 3})) as server:
            provider = claude(server.url, options={"betas": ["context-1m-2025-08-07", "other-2026-01-01"]})
            await provider.generate(PARAMS)
            await lab.collect(await provider.generate_stream(PARAMS))
            await provider.count_tokens(PARAMS["messages"], "claude-x")
            assert {request_.headers["anthropic-beta"] for request_ in server.requests} == {
                "context-1m-2025-08-07,other-2026-01-01"
            }
            await provider.close()

    asyncio.run(main())
    with pytest.raises(ConfigError, match="option 'betas'"):
        claude("http://127.0.0.1:9", options={"betas": "one"})


def test_a_call_may_bring_headers_of_its_own(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json(ANSWER), lab.anthropic(*EVENTS)) as server:
            provider = claude(server.url, options={"betas": ["context-1m-2025-08-07"]})
            params = {**PARAMS, "extra_headers": {"anthropic-beta": "other-2026-01-01"}}
            await provider.generate(params)
            await lab.collect(await provider.generate_stream(params))
            betas = [request_.headers["anthropic-beta"] for request_ in server.requests]
            assert betas == ["context-1m-2025-08-07,other-2026-01-01"] * 2
            assert not any("extra_headers" in request_.body for request_ in server.requests)
            await provider.close()

    asyncio.run(main())


@pytest.mark.row("S2.83")
@pytest.mark.parametrize(
    ("name", "client"), [("native", "gemini"), ("signed-ids", "gemini"), ("native", "openai-chat")]
)
def test_the_chosen_profile_holds_for_every_other_dialect(name: str, client: str) -> None:
    settings = {"provider": "claude", "profile": name}
    config = load_config(settings, {"ANTHROPIC_MAX_TOKENS": "77"}).for_provider("claude")
    provider = create_provider("claude", config)
    found = provider.for_client(client).profile
    assert found == replace(provider.profile, extended=client == "gemini")
    assert (found.name, found.anthropic_max_tokens) == (name, 77)
    asyncio.run(provider.close())


def test_one_dialect_on_both_sides_carries_everything_unless_a_profile_was_chosen() -> None:
    plain = claude("http://127.0.0.1:9")
    assert plain.for_client("anthropic").profile.carries_anthropic
    provider = create_provider("claude", ProviderConfig(api_key=KEY, profile=SIGNED_IDS))
    assert provider.for_client("anthropic") is provider
    for client in (plain, provider):
        asyncio.run(client.close())


LIMITED = {
    "type": "error",
    "error": {"type": "rate_limit_error", "message": f"slow down, {KEY}"},
    "request_id": "req_1",
}


@pytest.mark.row("S1.50")
@pytest.mark.parametrize("method", ["generate", "generate_stream"])
@pytest.mark.parametrize(
    ("make", "status", "wait"),
    [
        (lambda lab: lab.json(LIMITED, status=429, headers=[("retry-after", "3")]), 429, 3.0),
        (
            lambda lab: lab.json({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, status=529),
            529,
            None,
        ),
        (lambda lab: lab.Answer([b"<html>no</html>"], status=502, content_type="text/html"), 502, None),
    ],
    ids=["limited", "overloaded", "html"],
)
def test_a_refusal_is_raised_by_the_call_itself(lab, method: str, make, status: int, wait: float | None) -> None:
    async def main() -> None:
        async with lab.serving(make(lab)) as server:
            provider = claude(server.url)
            with pytest.raises(ProviderError) as caught:
                await getattr(provider, method)(PARAMS)
            error = caught.value
            assert (error.status, error.retry_after, error.dialect) == (status, wait, "openai-chat")
            assert error.body["error"]["message"]
            assert KEY not in f"{error!r} {error} {error.body} {error.native}"
            assert len(server.requests) == 1, "the SDK must not retry"
            await provider.close()

    asyncio.run(main())


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}


@pytest.mark.row("S1.58")
@pytest.mark.parametrize(
    ("make", "status", "code"),
    [
        (lambda lab: lab.anthropic(*EVENTS[:4], OVERLOADED), 529, None),
        (lambda lab: lab.anthropic(*EVENTS[:4]), 502, "stream_truncated"),
        (lambda lab: lab.anthropic(*EVENTS[:4], end="cut"), 502, "stream_truncated"),
        (lambda lab: lab.anthropic(*EVENTS[:4], end="reset"), 502, "stream_truncated"),
    ],
    ids=["error-event", "eof", "cut", "reset"],
)
def test_no_stream_ends_cleanly_unfinished(lab, make, status: int, code: str | None) -> None:
    async def main() -> None:
        async with lab.serving(make(lab)) as server:
            provider = claude(server.url)
            stream = await provider.generate_stream(PARAMS)
            events = [await anext(stream), await anext(stream)]
            assert text(events) == "Let me "
            with pytest.raises(ProviderError) as caught:
                await lab.collect(stream)
            error = caught.value
            assert error.dialect == "openai-chat"
            assert error.body["error"]["message"]
            assert code is None or error.code == code
            assert error.status in (None, status)
            await provider.close()

    asyncio.run(main())


@pytest.mark.parametrize("raw", [b"{nonsense", b'"text"'])
def test_an_event_that_is_no_document(lab, raw: bytes) -> None:
    async def main() -> None:
        answer = lab.Answer([b"event: message_start\ndata: " + raw + b"\n\n"], content_type="text/event-stream")
        async with lab.serving(answer) as server:
            provider = claude(server.url)
            stream = await provider.generate_stream(PARAMS)
            with pytest.raises(ProviderError) as caught:
                await anext(stream)
            assert caught.value.code == "invalid_response"
            assert caught.value.dialect == "openai-chat"
            await provider.close()

    asyncio.run(main())


def test_a_timeout_differs_from_other_failures(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.anthropic(*EVENTS, gates={4: asyncio.Event()})) as server:
            provider = claude(server.url, timeout_s=1.0)
            stream = await provider.generate_stream(PARAMS)
            with pytest.raises(ProviderError) as caught:
                await lab.collect(stream)
            assert (caught.value.status, caught.value.code, caught.value.dialect) == (504, "timeout", "openai-chat")
            await provider.close()

    asyncio.run(main())


@pytest.mark.row("S1.25", "S1.26")
def test_counting_and_unsupported_operations(lab) -> None:
    async def main() -> None:
        async with lab.serving(lab.json({"input_tokens": 12}), lab.json({})) as server:
            provider = claude(server.url)
            assert (provider.supports("count_tokens"), provider.supports("embed_content")) == (True, False)
            assert await provider.count_tokens(PARAMS["messages"], "claude-x") == 12
            assert server.requests[0].path == "/v1/messages/count_tokens"
            assert server.requests[0].body == {
                "model": "claude-x",
                "system": "be brief",
                "messages": [{"role": "user", "content": "hi 北京"}],
            }
            with pytest.raises(ProviderError, match="without input_tokens"):
                await provider.count_tokens(PARAMS["messages"], "claude-x")
            with pytest.raises(NotSupportedError, match="embed_content is not supported by claude"):
                await provider.embed_content(["x"], "m")
            await provider.close()
            await provider.close()

    asyncio.run(main())


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anthropic", None)
    with pytest.raises(ConfigError, match=r"pip install 'bridgecheck\[anthropic\]'"):
        claude("http://127.0.0.1:9")
