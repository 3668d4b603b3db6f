"""A result that a client sends twice is left out with a loss; one that answers no call is refused by name."""

import json
from typing import Any, Final

import pytest

from bridgecheck.wire import Dialect
from bridgecheck_reference import adapter
from bridgecheck_reference.errors import Refusal

Turns = list[tuple[str, str]]
"""(id of the call, text of the result), in the order in which they are sent, to the calls a and b of one name."""

UPSTREAMS: Final[dict[Dialect, list[Dialect]]] = {
    "gemini": ["openai-chat", "anthropic"], "openai-chat": ["gemini", "anthropic"], "anthropic": ["gemini", "openai-chat"],
}  # fmt: skip
ROUTES: Final = [(client, upstream) for client, upstreams in UPSTREAMS.items() for upstream in upstreams]


def gemini_request(results: Turns) -> dict[str, Any]:
    calls = [{"functionCall": {"id": id, "name": "f", "args": {}}} for id in "ab"]
    answers = [{"functionResponse": {"id": id, "name": "f", "response": {"output": text}}} for id, text in results]
    turns = [("user", [{"text": "go"}]), ("model", calls), ("user", answers), ("user", [{"text": "on"}])]
    return {"contents": [{"role": role, "parts": parts} for role, parts in turns]}


def chat_request(results: Turns) -> dict[str, Any]:
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in "ab"]
    answers = [{"role": "tool", "tool_call_id": id, "content": text} for id, text in results]
    messages = [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": calls}, *answers,
        {"role": "user", "content": "on"},
    ]  # fmt: skip
    return {"model": "m", "messages": messages}


def anthropic_request(results: Turns) -> dict[str, Any]:
    calls = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "ab"]
    answers = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in results]
    turns = [("user", "go"), ("assistant", calls), ("user", [*answers, {"type": "text", "text": "on"}])]
    return {"model": "m", "max_tokens": 9, "messages": [{"role": role, "content": content} for role, content in turns]}


REQUESTS: Final = {"gemini": gemini_request, "openai-chat": chat_request, "anthropic": anthropic_request}


def convert(client: Dialect, upstream: Dialect, results: Turns) -> str:
    request = REQUESTS[client](results)
    return json.dumps(
        adapter.to_upstream(request, client=client, upstream=upstream, mode="unary", model="m"), sort_keys=True
    )


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
@pytest.mark.parametrize("order", ["aabb", "abab", "abba"])
def test_a_repeated_result_is_left_out(client: Dialect, upstream: Dialect, order: str) -> None:
    texts = {"a": "six", "b": "seven"}
    once = convert(client, upstream, [("a", "six"), ("b", "seven")])
    assert convert(client, upstream, [(id, texts[id]) for id in order]) == once


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
@pytest.mark.parametrize("extra", [("c", "six"), ("a", "other")])
def test_a_result_that_answers_no_call_is_refused_by_name(
    client: Dialect, upstream: Dialect, extra: tuple[str, str]
) -> None:
    with pytest.raises(Refusal, match="answers no call"):
        convert(client, upstream, [("a", "six"), ("b", "seven"), extra])


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_equal_results_to_two_calls_both_stay(client: Dialect, upstream: Dialect) -> None:
    assert convert(client, upstream, [("a", "six"), ("b", "six")]).count("six") == 2
