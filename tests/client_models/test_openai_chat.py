"""The models of Chat clients: openai's against its own accumulator, the rest by what was read in their code."""

from collections.abc import Mapping
from typing import Any

import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bridgecheck.client_models import CLIENT_MODELS, Remembered
from bridgecheck.model.exchange import Response
from bridgecheck.wire import JsonObject

Delta = dict[str, Any]


def chunk(delta: Delta, finish: str | None = None) -> JsonObject:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763702400, "model": "gemini-3.5-flash"}
    return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(index: int, arguments: str, **head: object) -> Delta:
    return {"tool_calls": [{"index": index, **head, "function": {"arguments": arguments}}]}


def first(index: int, call_id: str, name: str = "gauge", **rest: object) -> Delta:
    function = {"name": name, "arguments": ""}
    return {"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function, **rest}]}


SIGNATURE = {"google": {"thought_signature": "U0lH"}}
START: Delta = {"role": "assistant", "content": None}
STREAMS: dict[str, list[Delta]] = {
    "text": [{"role": "assistant", "content": ""}, {"content": "Low "}, {"content": "water."}],
    "one call": [START, first(0, "call_1"), call(0, '{"harbour":'), call(0, '"Degerby"}')],
    "two calls": [START, first(0, "call_1"), call(0, "{}"), first(1, "call_2"), call(1, "{}")],
    "text and call": [{"role": "assistant", "content": "One moment."}, first(0, "call_1"), call(0, "{}")],
    "signed call": [START, first(0, "call_1", extra_content=SIGNATURE), call(0, "{}")],
    "reasoning": [{"role": "assistant", "reasoning_content": "Hm, "}, {"reasoning_content": "tide."}, {"content": "Low."}],
    "refusal": [{"role": "assistant", "refusal": "I "}, {"refusal": "cannot."}],
    "repeated id and name": [START, first(0, "call_1"), first(0, "call_1"), call(0, "{}")],
    "empty deltas": [START, {}, {"content": "Low."}, {"content": None}, {}],
    "index of -1": [{**START, **first(-1, "call_1")}, call(-1, "{}")],  # recorded: maruel-genai/0488
    "details without index": [{**START, "reasoning_details": [{"type": "a"}]}, {"reasoning_details": [{"type": "a"}]}],
    "details with index": [{**START, "reasoning_details": [{"index": 0, "text": "Hm, "}]},
                           {"reasoning_details": [{"index": 0, "text": "tide."}]}, {"content": "Low."}],
}  # fmt: skip


def stream(deltas: list[Delta]) -> tuple[JsonObject, ...]:
    return (*map(chunk, deltas), chunk({}, "stop"))


def remember(model: str, deltas: list[Delta]) -> Remembered:
    return CLIENT_MODELS[model].remember(Response("openai-chat", "stream", stream(deltas)))


def only_message(model: str, deltas: list[Delta]) -> JsonObject:
    (message,) = remember(model, deltas).messages
    return message


def without_parsed(value: object) -> object:
    """The helper adds what it has parsed, which is empty here."""
    if isinstance(value, Mapping):
        return {key: without_parsed(item) for key, item in value.items() if not key.startswith("parsed")}
    return [without_parsed(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", STREAMS)
def test_the_model_remembers_what_the_helper_of_openai_gives(name: str) -> None:
    state, error = ChatCompletionStreamState(), ""  # type: ignore[var-annotated]  # nothing is parsed
    try:
        for event in stream(STREAMS[name]):
            state.handle_chunk(ChatCompletionChunk.model_validate(event))
    except RuntimeError as raised:
        error = str(raised)
    remembered = remember("openai-python", STREAMS[name])
    assert bool(error) == (not remembered.messages)
    if not error:
        message = state.get_final_completion().choices[0].message
        expected = without_parsed(message.model_dump(mode="json", exclude_unset=True, warnings=False))
        assert isinstance(expected, dict)
        assert remembered.messages == (expected | {"role": "assistant"},)


def test_a_whole_message_goes_back_as_the_sdk_reads_it() -> None:
    message = {"role": "assistant", "content": "Low.", "refusal": None, "reasoning_content": "Hm."}
    document = {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}  # fmt: skip
    actual = ChatCompletion.model_validate(document).choices[0].message.model_dump(exclude_unset=True)
    assert CLIENT_MODELS["openai-python"].remember(Response("openai-chat", "unary", (document,))).messages == (actual,)


def test_node_keeps_the_last_piece_of_what_it_does_not_know() -> None:
    assert only_message("openai-node", STREAMS["reasoning"])["reasoning_content"] == "tide."
    assert only_message("openai-node", STREAMS["repeated id and name"])["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "gauge", "arguments": "{}"}}
    ]


NAMED: Delta = {"name": "gauge", "arguments": "{}"}
RAISING_IN_NODE: list[tuple[list[Delta], str]] = [
    ([{"content": "Low."}], "missing role for choice 0"),
    ([START, {"tool_calls": [{"index": 0, "id": "call_1", "function": NAMED}]}], "missing tool_calls[0].type"),
    ([START, {"tool_calls": [{"id": "call_1", "type": "function", "function": NAMED}]}], "a tool call has no index"),
]


@pytest.mark.parametrize(("deltas", "reason"), RAISING_IN_NODE)
def test_node_raises(deltas: list[Delta], reason: str) -> None:
    assert remember("openai-node", deltas) == Remembered(reason=f"the client raises: {reason}")


def test_node_gives_an_id_to_a_call_without_one() -> None:
    call_without_id: Delta = {"tool_calls": [{"index": 0, "type": "function", "function": NAMED}]}
    assert only_message("openai-node", [START, call_without_id])["tool_calls"] == [
        {"id": "call_0", "type": "function", "function": NAMED}
    ]


def calls_of(model: str, name: str) -> list[Any]:
    return list(only_message(model, STREAMS[name])["tool_calls"])  # type: ignore[call-overload]  # a list of calls


def test_who_keeps_the_signature_of_a_call() -> None:
    signed = {name: "extra_content" in calls_of(name, "signed call")[0] for name in CLIENT_MODELS if _is_chat(name)}
    assert {name for name, is_signed in signed.items() if is_signed} == {
        "openai-python", "openai-node", "openai-agents", "openai-agents-litellm", "pydantic-ai-openai",
        "vercel-openai-compatible", "opencode",
    }  # fmt: skip


def _is_chat(name: str) -> bool:
    return CLIENT_MODELS[name].dialect == "openai-chat"


def test_who_writes_arguments_anew() -> None:
    written = {name: calls_of(name, "one call")[0]["function"]["arguments"] for name in CLIENT_MODELS if _is_chat(name)}
    assert written.pop("langchain-openai") == '{"harbour": "Degerby"}'
    assert set(written.values()) == {'{"harbour":"Degerby"}'}


def test_frameworks_drop_a_refusal_or_take_it_for_text() -> None:
    refusal = STREAMS["refusal"]
    assert only_message("openai-agents", refusal) == {"role": "assistant", "refusal": "I cannot."}
    assert only_message("langchain-openai", refusal) == {"role": "assistant", "content": ""}
    assert only_message("vercel-openai-compatible", refusal) == {"role": "assistant", "content": "I cannot."}
    assert remember("pydantic-ai-openai", refusal).messages == ()


def test_one_call_a_message_keeps_results_behind_their_calls() -> None:
    history: list[JsonObject] = [
        {"role": "user", "content": "How high?"}, only_message("openai-agents", STREAMS["two calls"]),
        {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        {"role": "tool", "tool_call_id": "call_2", "content": "2"}, {"role": "user", "content": "And now?"},
    ]  # fmt: skip
    sent = CLIENT_MODELS["openai-agents-litellm"].resend(history)
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "tool", "user"]
    assert [message.get("tool_call_id") for message in sent] == [None, None, "call_1", None, "call_2", None]


def test_plain_ids_pair_as_before() -> None:
    calls = [{"id": "gauge:0|x", "type": "function", "function": {"name": "gauge", "arguments": "{}"}}]
    history: list[JsonObject] = [
        {"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": "gauge:0|x", "content": "1"},
    ]  # fmt: skip
    request, result = CLIENT_MODELS["opencode"].resend(history)
    assert request["tool_calls"][0]["id"] == result["tool_call_id"] == "gauge_0_x"  # type: ignore[index]  # a list
