"""Anthropic clients over Gemini and Gemini clients over Anthropic: what public bridges were seen to get wrong."""

import json
from typing import Any

import pytest

from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.anthropic.responses import openai_response_to_anthropic
from bridgecheck_reference.convert.anthropic.stream_from_openai import OpenAIToAnthropicStream
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai

from .answers import chunks_of, completion_of
from .samples import Json, call, chunk, event, model, result, tool_call, user


def stream_to_anthropic(*chunks: Json) -> list[Any]:
    """The events of an Anthropic stream that these chunks become."""
    stream = OpenAIToAnthropicStream(model="m")
    return [made for item in chunks for made in stream.feed(item)] + stream.close()


def request_to_anthropic(**body: object) -> Any:
    """The request to Anthropic that a Gemini request becomes."""
    chat = gemini_request_to_openai({"contents": [user("x")], **body}, model="claude-sonnet-4-5").value
    return openai_request_to_anthropic(chat).value


def of_kind(events: list[Any], kind: str) -> list[Any]:
    return [item for item in events if item["type"] == kind]


@pytest.mark.proposal("an-gemini-to-anthropic-input-delta")
def test_arguments_of_gemini_reach_an_anthropic_client_as_input_deltas() -> None:
    signed = {**call("add", {"a": 17, "b": 25}), "thoughtSignature": "c2ln"}
    events = stream_to_anthropic(*chunks_of(event(signed), {"candidates": [{"index": 0, "finishReason": "STOP"}]}))
    [block_start] = [
        item for item in of_kind(events, "content_block_start") if item["content_block"]["type"] == "tool_use"
    ]
    assert (block_start["content_block"]["name"], block_start["content_block"]["input"]) == ("add", {})
    own = [item for item in events if item.get("index") == block_start["index"]]
    written = "".join(item["delta"]["partial_json"] for item in own if item["type"] == "content_block_delta")
    assert json.loads(written) == {"a": 17, "b": 25}
    assert [item["type"] for item in own].count("content_block_stop") == 1
    assert of_kind(events, "message_delta")[-1]["delta"]["stop_reason"] == "tool_use"


@pytest.mark.proposal("an-one-stop-per-block")
@pytest.mark.parametrize("before", [[], [chunk({"content": "I will read."})], [chunk({"reasoning_content": "hm"})]])
def test_every_block_that_starts_stops_once(before: list[Json]) -> None:
    pieces = [chunk({"tool_calls": [tool_call("a", "Read", '{"p":"x"}', index=0)]}),
              chunk({"tool_calls": [tool_call("b", "Read", '{"p":"y"}', index=1)]})]  # fmt: skip
    events = stream_to_anthropic(*before, *pieces, chunk({}, "tool_calls"))
    starts = [item["index"] for item in of_kind(events, "content_block_start")]
    assert starts == [item["index"] for item in of_kind(events, "content_block_stop")] == list(range(len(before) + 2))
    open_: set[int] = set()
    for item in events:
        if item["type"] == "content_block_start":
            assert not open_
            open_.add(item["index"])
        elif item["type"] == "content_block_delta":
            assert item["index"] in open_
        elif item["type"] == "content_block_stop":
            open_.remove(item["index"])


@pytest.mark.proposal("an-refusal-stop-reason")
@pytest.mark.parametrize(
    "response",
    [
        {"candidates": [{"finishReason": "PROHIBITED_CONTENT", "index": 0}]},
        {"promptFeedback": {"blockReason": "SAFETY"}},
    ],
)
def test_an_answer_that_policy_stopped_is_a_refusal(response: Json) -> None:
    whole = openai_response_to_anthropic(completion_of(response)).value
    assert (whole["type"], whole["stop_reason"]) == ("message", "refusal")
    assert of_kind(stream_to_anthropic(*chunks_of(response)), "message_delta")[-1]["delta"]["stop_reason"] == "refusal"


@pytest.mark.proposal("an-gemini-client-tool-ids")
def test_a_call_without_an_id_and_its_result_name_one_another() -> None:
    turns = [user("x"), model(call("f")), {"role": "user", "parts": [result("f", {})]}]
    _, content, answered = request_to_anthropic(contents=turns)["messages"]
    [use], [tool_result] = content["content"], answered["content"]
    assert (use["type"], tool_result["type"]) == ("tool_use", "tool_result")
    assert use["id"] == tool_result["tool_use_id"] != ""


@pytest.mark.proposal("an-parameters-json-schema")
def test_a_schema_of_a_gemini_function_is_the_input_schema() -> None:
    schema = {"type": "object", "properties": {"d": {"type": "string"}}}
    [tool] = request_to_anthropic(tools=[{"functionDeclarations": [{"name": "ls", "parametersJsonSchema": schema}]}])[
        "tools"
    ]
    assert (tool["name"], tool["input_schema"]) == ("ls", schema)


@pytest.mark.proposal("an-usage-message-delta")
def test_input_is_counted_without_what_the_cache_gave_and_output_with_thoughts() -> None:
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 7, "totalTokenCount": 112,
              "cachedContentTokenCount": 80}  # fmt: skip
    events = stream_to_anthropic(*chunks_of(event({"text": "a"}, finish="STOP", usageMetadata=counts)))
    usage = of_kind(events, "message_delta")[-1]["usage"]
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (20, 80, 12)


@pytest.mark.proposal("an-max-tokens-vs-budget")
@pytest.mark.parametrize(("limit", "thinks"), [(1000, False), (2000, True), (8000, True), (32000, True)])
def test_the_budget_of_thinking_is_below_the_limit_or_there_is_none(limit: int, thinks: bool) -> None:
    made = request_to_anthropic(
        generationConfig={"maxOutputTokens": limit, "thinkingConfig": {"thinkingBudget": 24576}}
    )
    assert (made["max_tokens"], made["thinking"]["type"]) == (limit, "enabled" if thinks else "disabled")
    assert not thinks or 1024 <= made["thinking"]["budget_tokens"] < limit
