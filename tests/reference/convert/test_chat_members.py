"""Members of Chat documents that no converter reads survive the way through Gemini's format and back."""

from collections.abc import Iterator

import pytest

from bridgecheck_reference import adapter

from .samples import Json

CHAT = "openai-chat"
FUNCTION: Json = {"name": "f", "arguments": "{}", "x_function": 1}
CALL: Json = {"id": "c1", "type": "function", "function": FUNCTION, "x_call": 1}
REQUEST: Json = {
    "model": "m",
    "x_top": 1,
    "messages": [
        {"role": "user", "content": "q", "x_user": 1},
        {"role": "assistant", "content": None, "tool_calls": [CALL], "x_assistant": 1},
        {"role": "tool", "tool_call_id": "c1", "content": "r", "x_tool_message": 1},
        {"role": "user", "content": [{"type": "text", "text": "z", "cache_control": {"x_cache": 1}}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {}, "x_declared": 1}, "x_tool": 1}],
}
USAGE: Json = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
RESPONSE: Json = {
    "id": "r",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "hi", "tool_calls": [CALL], "x_message": 1},
            "finish_reason": "tool_calls",
            "x_choice": 1,
        }
    ],
    "usage": USAGE,
}


def chunk(delta: Json, finish: str | None = None, **own: object) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, **own}
    return {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CHUNKS = (
    chunk({"role": "assistant", "content": "hi", "x_delta": 1}, x_choice=1),
    chunk({"tool_calls": [{"index": 0, **CALL}]}),
    chunk({}, "tool_calls", x_last=1),
)


def unknown(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from [key] if key.startswith("x_") else unknown(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from unknown(item)


def test_of_a_request() -> None:
    sent = adapter.to_upstream(REQUEST, client=CHAT, upstream=CHAT, mode="unary", model="m")
    assert sorted(unknown(sent)) == sorted(unknown(REQUEST))
    assert sent["messages"] == REQUEST["messages"]
    assert adapter.take_losses() == []


def test_of_a_response() -> None:
    status, received = adapter.from_upstream(
        RESPONSE, client=CHAT, upstream=CHAT, status=200, model="m", request=REQUEST
    )
    assert (status, sorted(unknown(received))) == (200, sorted(unknown(RESPONSE)))
    assert received["choices"] == RESPONSE["choices"]
    assert adapter.take_losses() == []


def test_of_a_stream() -> None:
    stream = adapter.stream(client=CHAT, upstream=CHAT, model="m", request=REQUEST)
    received = [made for item in CHUNKS for made in stream.feed(item)] + stream.close()
    assert sorted(unknown(received)) == sorted(unknown(CHUNKS))
    calls = [call for item in received for choice in item["choices"] for call in choice["delta"].get("tool_calls", ())]
    assert calls == [{"index": 0, **CALL}]
    assert stream.losses == []


@pytest.mark.parametrize(
    ("first", "second"), [("(still there?)", "And now?"), ([{"type": "text", "text": "(still there?)"}], "And now?")]
)
def test_where_two_messages_become_one_it_is_a_loss(first: object, second: object) -> None:
    messages = [{"role": "user", "content": first, "x_first": 1}, {"role": "user", "content": second}]
    adapter.to_upstream({"model": "m", "messages": messages}, client=CHAT, upstream=CHAT, mode="unary", model="m")
    assert "messages[].x_first" in [loss.path for loss in adapter.take_losses()]


def test_what_is_left_at_the_end_of_a_stream_is_a_loss() -> None:
    stream = adapter.stream(client=CHAT, upstream=CHAT, model="m", request=REQUEST)
    broken = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a'}, "x_call": 1}
    received = [made for item in (chunk({"tool_calls": [broken]}), chunk({}, "length")) for made in stream.feed(item)]
    received += stream.close()
    assert "x_call" not in list(unknown(received))
    assert "choices[].delta.tool_calls[].x_call" in [loss.path for loss in stream.losses]
