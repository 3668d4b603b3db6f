"""The intermediate representation is OpenAI's own: every document of it validates with the types of the openai SDK."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter, ValidationError

from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.errors import ConversionError

from .samples import Json, call, event, model, result, tool_call, user
from .test_recorded_traffic import events_of, read_recordings

PNG = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
REQUESTS: dict[str, Json] = {
    "text": {"contents": [user("hi")]},
    "everything": {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "look"}, PNG, {"inlineData": {"mimeType": "audio/wav", "data": "UklG"}}]},
            model({"text": "hm", "thought": True}, {"text": "let me"}, call("f", {"a": 1.0}), call("g")),
            {"role": "user", "parts": [result("f", {"output": "x"}), result("g", {"error": "y"}), {"text": "and?"}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}, {"name": "g"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f", "g"]}},
        "generationConfig": {
            "temperature": 0,
            "topP": 0.5,
            "maxOutputTokens": 9,
            "stopSequences": ["a"],
            "seed": 1,
            "responseJsonSchema": {"type": "object", "properties": {}},
            "thinkingConfig": {"thinkingBudget": 100},
        },
    },
}  # fmt: skip
USAGE = {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 2, "totalTokenCount": 9}
STREAMS: dict[str, list[Json]] = {
    "text": [event({"text": "a"}), event({"text": "b"}, finish="STOP", usageMetadata=USAGE, responseId="r")],
    "thought and calls": [
        event({"text": "hm", "thought": True}, {"text": "let me"}),
        event(call("f", {"a": "北京"}), call("g")),
        event(call("f"), finish="STOP", usageMetadata=USAGE),
    ],
    "candidates": [
        event({"text": "a"}),
        event({"text": "b"}, index=1),
        event(finish="MAX_TOKENS"),
        event(index=1, finish="STOP"),
    ],
    "blocked": [{"promptFeedback": {"blockReason": "SAFETY"}}],
}
"""As Gemini would send them; a chunk may have any of them."""


PARAMS: "TypeAdapter[Any]" = TypeAdapter(CompletionCreateParamsNonStreaming)


def as_params(document: Json) -> None:
    """Pydantic looks at the items of an Iterable when they are taken."""
    validated = PARAMS.validate_python(document)
    for key in ("messages", "tools"):
        list(validated.get(key, ()))


def chunks_of(events: list[Json], **more: Any) -> list[Json]:
    machine = GeminiToOpenAIStream(model="gemini-x", include_usage=True, **more)
    return [made for item in events for made in machine.feed(item)] + machine.close()


@pytest.mark.row("S1.2", "S1.13", "S1.14", "S1.21")
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=list(REQUESTS))
def test_requests(request_: Json) -> None:
    as_params(gemini_request_to_openai(request_, model="gpt-x").value)


@pytest.mark.row("S1.16", "S1.17", "S1.18", "S1.21")
@pytest.mark.parametrize("events", STREAMS.values(), ids=list(STREAMS))
def test_answers(events: list[Json]) -> None:
    for item in events:
        answer = gemini_response_to_openai(item, model="gemini-x").value
        if "error" not in answer:
            found = ChatCompletion.model_validate(answer)
            assert found.id and found.model and found.choices


@pytest.mark.row("S1.19", "S1.20", "S1.21")
@pytest.mark.parametrize("events", STREAMS.values(), ids=list(STREAMS))
def test_chunks(events: list[Json]) -> None:
    keep_the_rules([ChatCompletionChunk.model_validate(chunk) for chunk in chunks_of(events)])


def keep_the_rules(chunks: list[ChatCompletionChunk]) -> None:
    """One id, one finish a choice and in its last chunk, the role first and once, usage at the end only."""
    assert len({(chunk.id, chunk.model, chunk.object) for chunk in chunks}) == 1
    assert all(chunk.usage is None for chunk in chunks[:-1])
    for index in {choice.index for chunk in chunks for choice in chunk.choices}:
        own = [choice for chunk in chunks for choice in chunk.choices if choice.index == index]
        assert [choice.delta.role for choice in own] == ["assistant", *[None] * (len(own) - 1)]
        assert [bool(choice.finish_reason) for choice in own] == [*[False] * (len(own) - 1), True]
        fragments = [fragment for choice in own for fragment in choice.delta.tool_calls or ()]
        started = [fragment.index for fragment in fragments if fragment.id]
        assert started == list(range(len(started)))
        assert {fragment.index for fragment in fragments} == set(started)


@pytest.mark.traffic
@pytest.mark.row("S1.19", "S1.20", "S1.21")
def test_chunks_of_recorded_streams(traffic_folder: Path) -> None:
    count = 0
    for item in read_recordings(traffic_folder, "gemini"):
        chunks = chunks_of(events_of(item))
        if chunks and not any("error" in chunk for chunk in chunks):
            keep_the_rules([ChatCompletionChunk.model_validate(chunk) for chunk in chunks])
            count += 1
    assert count > 100


@pytest.mark.row("S1.21")
@pytest.mark.parametrize(
    ("validate", "document"),
    [
        (ChatCompletion.model_validate, {"id": "c", "model": "m", "choices": []}),
        (as_params, {"model": "m", "messages": [{"role": "tool", "content": "x"}]}),
    ],
)
def test_the_sdk_refuses_what_is_incomplete(validate: Callable[[object], object], document: Json) -> None:
    with pytest.raises(ValidationError):
        validate(document)


CALLS = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f", '{"x": 1}')]}


@pytest.mark.row("S1.9")
def test_messages_that_are_taken() -> None:
    converted = openai_request_to_gemini(
        {
            "model": "m",
            "messages": [
                {"role": "developer", "content": "be brief"},
                {"role": "user", "content": "hi"},
                CALLS,
                {"role": "tool", "tool_call_id": "a", "content": "1"},
                {"role": "assistant", "content": "done"},
            ],
        }
    ).value
    assert [content["role"] for content in converted["contents"]] == ["user", "model", "user", "model"]
    assert converted["systemInstruction"] == {"parts": [{"text": "be brief"}]}


@pytest.mark.row("S1.9")
@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([{"role": "user", "content": "hi"}, CALLS, {"role": "tool", "content": "1"}], "tool_call_id"),
        ([{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "a", "content": "1"}], "tool_call_id"),
        ([{"role": "wizard", "content": "hi"}], "role"),
        ([], "messages"),
    ],
    ids=["no id", "no call", "unknown role", "none"],
)
def test_messages_that_are_refused_by_field(messages: list[Json], field: str) -> None:
    with pytest.raises(ConversionError) as caught:
        openai_request_to_gemini({"model": "m", "messages": messages})
    assert field in caught.value.field


@pytest.mark.row("S1.10")
@pytest.mark.parametrize("args", [{}, None, {"a": {"b": [1, 2.0, None]}}, {"text": "北京 \u2028"}, {"n": 2**70}])
def test_arguments_are_always_text(args: Json | None) -> None:
    part = {"functionCall": {"name": "f", "args": args}}
    history = gemini_request_to_openai({"contents": [user("x"), model(part)]}, model="m").value
    answer = gemini_response_to_openai(event(part, finish="STOP"), model="m").value
    streamed = chunks_of([event(part, finish="STOP")])
    fragments = [
        delta for chunk in streamed for delta in chunk["choices"] for delta in delta["delta"].get("tool_calls", ())
    ]
    for made in (history["messages"][1], answer["choices"][0]["message"]):
        (found,) = made["tool_calls"]
        assert isinstance(found["function"]["arguments"], str)
    assert fragments and all(isinstance(fragment["function"].get("arguments", ""), str) for fragment in fragments)


@pytest.mark.row("S1.11")
def test_a_tool_needs_a_name_only_and_its_description_is_never_missing() -> None:
    declared = [{"name": "f"}, {"name": "g", "description": "G", "parametersJsonSchema": {"type": "object"}}]
    there = gemini_request_to_openai({"contents": "x", "tools": [{"functionDeclarations": declared}]}, model="m").value
    assert [tool["function"]["description"] for tool in there["tools"]] == ["", "G"]
    back = openai_request_to_gemini({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [
        {"type": "function", "function": {"name": "f"}}]}).value  # fmt: skip
    assert back["tools"] == [{"functionDeclarations": [{"name": "f"}]}]
