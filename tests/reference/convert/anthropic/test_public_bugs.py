"""Faults of public gateways between Anthropic and the other two dialects, each tested here with its report."""

import json

import pytest

from bridgecheck import validate
from bridgecheck.wire import JsonObject
from bridgecheck_reference.default_adapter import ReferenceAdapter
from bridgecheck_reference.loss import Loss
from bridgecheck_reference.routes import convert_request

from ..samples import paths
from .dialogue import Json, assistant, image, request_body, result, text, thinking, tool, use, user

UPSTREAMS = ("openai-chat", "gemini")
LONG = "mcp__server.of/names-" + "z" * 60
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
both_upstreams = pytest.mark.parametrize("upstream", UPSTREAMS)


def convert_messages(upstream: str, *messages: Json, **rest: object) -> tuple[JsonObject, tuple[Loss, ...]]:
    made = convert_request("anthropic", upstream, request_body(*messages, **rest), "m", stream=False)
    assert validate.request(upstream, made.value) == []
    return made.value, made.losses


def chunk(delta: Json | None = None, finish: str | None = None, **rest: object) -> Json:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **rest}


def piece(index: int | None = 0, id: str | None = None, name: str | None = None, arguments: str | None = None) -> Json:
    named = {"name": name, "arguments": arguments}
    function = {key: value for key, value in named.items() if value is not None}
    fragments = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {"tool_calls": [{**fragments, "type": "function", "function": function}]}


def stream_to_anthropic(*chunks: Json) -> list[JsonObject]:
    """The events an Anthropic client gets, each allowed by its dialect."""
    machine = ReferenceAdapter().stream(
        client="anthropic", upstream="openai-chat", model="m", request={**request_body(user("hi")), "stream": True}
    )
    events = [event for entry in chunks for event in machine.feed(entry)] + machine.close()
    assert [found for event in events for found in validate.response("anthropic", "stream", event)] == []
    return events


def blocks(events: list[JsonObject]) -> list[tuple[str, str]]:
    """(type, text or input) of each block, as an SDK collects them. Blocks do not overlap, indices count up."""
    made: list[list[str]] = []
    for event in events:
        if event["type"] == "content_block_start":
            assert event["index"] == len(made)
            made.append([event["content_block"]["type"], ""])
        elif event["type"] == "content_block_delta":
            assert event["index"] == len(made) - 1
            delta = event["delta"]
            made[-1][1] += delta.get("text") or delta.get("partial_json") or delta.get("thinking") or ""
    return [(kind, content) for kind, content in made]


def stop(events: list[JsonObject]) -> tuple[object, JsonObject]:
    """(stop_reason, usage) of the one message_delta, which stands before the one message_stop at the end."""
    (delta,) = [event for event in events if event["type"] == "message_delta"]
    assert [event["type"] for event in events[-2:]] == ["message_delta", "message_stop"]
    return delta["delta"]["stop_reason"], delta["usage"]


@both_upstreams
def test_a_choice_of_none_is_sent(upstream: str) -> None:
    """BerriAI/litellm#24443."""
    made, _ = convert_messages(upstream, user("x"), tools=[tool()], tool_choice={"type": "none"})
    content = made["tool_choice"] if upstream == "openai-chat" else made["toolConfig"]["functionCallingConfig"]["mode"]
    assert content.lower() == "none"


@both_upstreams
def test_a_forced_tool_reaches_gemini_too(upstream: str) -> None:
    """router-for-me/CLIProxyAPI#1135."""
    made, _ = convert_messages(
        upstream, user("x"), tools=[tool("f"), tool("g")], tool_choice={"type": "tool", "name": "g"}
    )
    if upstream == "gemini":
        assert made["toolConfig"]["functionCallingConfig"] == {"mode": "ANY", "allowedFunctionNames": ["g"]}
    else:
        assert made["tool_choice"] == {"type": "function", "function": {"name": "g"}}


@both_upstreams
@pytest.mark.parametrize("extra_tools", [[], [tool()]])
def test_a_choice_of_a_tool_that_is_not_sent_is_a_loss(upstream: str, extra_tools: list[Json]) -> None:
    """BerriAI/litellm#25477: the server's own web search, forced, and the upstream has none."""
    search = {"type": "web_search_20250305", "name": "web_search"}
    made, losses = convert_messages(
        upstream, user("x"), tools=[*extra_tools, search], tool_choice={"type": "tool", "name": "web_search"}
    )
    assert "tool_choice" not in made and "toolConfig" not in made and "tool_choice" in paths(losses)
    assert ("tools" in made) == bool(extra_tools)


def test_an_impossible_choice_keeps_the_parallel_setting() -> None:
    choice = {"type": "tool", "name": "gone", "disable_parallel_tool_use": True}
    made, _ = convert_messages("openai-chat", user("x"), tools=[tool()], tool_choice=choice)
    assert made["parallel_tool_calls"] is False and "tool_choice" not in made


@both_upstreams
def test_empty_texts_between_thinking_and_calls_are_not_sent(upstream: str) -> None:
    """router-for-me/CLIProxyAPI#3485, #1293: Gemini refuses such a part."""
    turn = assistant(thinking("r"), text(""), use("a"))
    made, losses = convert_messages(upstream, user("x"), turn, user(result("a"), text("")), tools=[tool()])
    assert '"text": ""' not in json.dumps(made) and '"content": ""' not in json.dumps(made)
    assert "messages[].content[]" not in paths(losses)


@both_upstreams
@pytest.mark.parametrize("content", ["", [], [text("")]])
def test_an_empty_assistant_message_is_dropped(upstream: str, content: object) -> None:
    """router-for-me/CLIProxyAPI#1292, coasys/ad4m#996."""
    made, _ = convert_messages(upstream, user("x"), {"role": "assistant", "content": content}, user("y"))
    roles = [item["role"] for item in made.get("messages", made.get("contents"))]
    assert "assistant" not in roles and "model" not in roles and '""' not in json.dumps(made)


def test_a_user_longer_than_openai_allows_is_dropped() -> None:
    """maximhq/bifrost#1000, ujisati/claude-code-provider-proxy#11: Claude Code's are about 150 characters."""
    made, losses = convert_messages("openai-chat", user("x"), metadata={"user_id": "u" * 65})
    assert "user" not in made and "metadata.user_id" in paths(losses)
    made, losses = convert_messages("openai-chat", user("x"), metadata={"user_id": "u" * 64})
    assert made["user"] == "u" * 64 and losses == ()


def test_only_openai_is_limited_to_four_stop_sequences() -> None:
    content = ["a", "b", "c", "d", "e"]
    made, losses = convert_messages("gemini", user("x"), stop_sequences=content)
    assert made["generationConfig"]["stopSequences"] == content and losses == ()
    assert paths(convert_messages("openai-chat", user("x"), stop_sequences=content)[1]) == {"stop_sequences"}


def test_stop_sequences_have_openais_name() -> None:
    """BerriAI/litellm#33075."""
    made, _ = convert_messages("openai-chat", user("x"), stop_sequences=["end"])
    assert made["stop"] == ["end"] and "stop_sequences" not in made


@both_upstreams
def test_images_of_a_tools_result_arrive(upstream: str) -> None:
    """BerriAI/litellm#23814."""
    made, _ = convert_messages(
        upstream, user("x"), assistant(use("a")), user(result("a", [text("t"), image()])), tools=[tool()]
    )
    assert image()["source"]["data"] in json.dumps(made)


@both_upstreams
def test_a_tools_name_of_any_letters_and_length_is_made_to_fit_and_comes_back(upstream: str) -> None:
    request = request_body(user("x"), assistant(use("a", LONG)), user(result("a")), tools=[tool(LONG)])
    made = convert_request("anthropic", upstream, request, "m", stream=False).value
    if upstream == "gemini":
        name = made["tools"][0]["functionDeclarations"][0]["name"]
        call = {"functionCall": {"id": "b", "name": name, "args": {}}}
        body = {"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}]}
    else:
        name = made["tools"][0]["function"]["name"]
        call = {"id": "b", "type": "function", "function": {"name": name, "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        body = {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    assert len(name) <= 64 and "." not in name and json.dumps(made).count(f'"{name}"') >= 2
    _, converted = ReferenceAdapter().from_upstream(
        body, client="anthropic", upstream=upstream, status=200, model="m", request=request
    )
    assert converted["content"] == [{"type": "tool_use", "id": "b", "name": LONG, "input": {}}]


def test_an_empty_list_of_calls_is_no_call() -> None:
    """BerriAI/litellm#29286."""
    events = stream_to_anthropic(
        chunk({"content": "a", "tool_calls": []}), chunk({"content": "b", "tool_calls": []}), chunk({}, "stop")
    )
    assert blocks(events) == [("text", "ab")] and stop(events)[0] == "end_turn"


def test_a_call_first_is_the_first_block_and_no_empty_delta_is_sent() -> None:
    """BerriAI/litellm#31561, #25852."""
    events = stream_to_anthropic(
        chunk({"role": "assistant", "content": None, **piece(0, "a", "f", "")}), chunk({}, "tool_calls")
    )
    assert blocks(events) == [("tool_use", "")]
    assert not [event for event in events if event["type"] == "content_block_delta"]


def test_arguments_without_id_and_name_are_arguments() -> None:
    """BerriAI/litellm#13638, #25321, AntSeed/antseed#15."""
    events = stream_to_anthropic(
        chunk(piece(0, "a", "f", '{"x"')), chunk(piece(0, None, None, ": 1}")), chunk({}, "tool_calls")
    )
    assert blocks(events) == [("tool_use", '{"x": 1}')]
    start = next(event for event in events if event["type"] == "content_block_start")
    assert start["content_block"] == {"type": "tool_use", "id": "a", "name": "f", "input": {}}


@pytest.mark.parametrize(
    "fragments",
    [
        [(0, "a"), (1, "b"), (0, None), (1, None)],  # in turn
        [(0, "a"), (0, "a"), (1, "b"), (1, "b")],  # the id in every piece
        [(0, "a"), (0, ""), (1, "b"), (1, "")],  # an empty id in later pieces
        [(None, "a"), (None, None), (None, "b"), (None, None)],  # no index
        [(0, "a"), (0, None), (0, "b"), (0, None)],  # one index for all
    ],
)
def test_two_calls_at_once_are_two_blocks(fragments: list[tuple[int | None, str | None]]) -> None:
    halves = {"a": ['{"x":', "1}"], "b": ['{"y":', "2}"]}
    chunks = []
    last = {}
    current = ""
    for index, id in fragments:
        current = id or (last[index] if index is not None else current)
        last[index] = current
        name = "f" if len(halves[current]) == 2 else None
        chunks.append(chunk(piece(index, id, name, halves[current].pop(0))))
    made = blocks(stream_to_anthropic(*chunks, chunk({}, "tool_calls")))
    assert [(kind, json.loads(content)) for kind, content in made] == [("tool_use", {"x": 1}), ("tool_use", {"y": 2})]


def test_a_call_without_id_has_one() -> None:
    events = stream_to_anthropic(chunk(piece(0, None, "f", "{}")), chunk({}, "stop"))
    start = next(event for event in events if event["type"] == "content_block_start")
    assert start["content_block"]["id"] and stop(events)[0] == "tool_use"  # finished with "stop", as some hosts do


def test_thinking_has_its_signature_member_and_ends_before_the_text() -> None:
    """diegosouzapw/OmniRoute#8943."""
    events = stream_to_anthropic(chunk({"reasoning": "r", "content": ""}), chunk({"content": "a"}), chunk({}, "stop"))
    assert blocks(events) == [("thinking", "r"), ("text", "a")]
    assert events[1]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}


@pytest.mark.parametrize("late", [True, False])
def test_counts_arrive_from_any_chunk(late: bool) -> None:
    """continuedev/continue#4809."""
    end = [chunk({}, "stop"), chunk(usage=USAGE)] if late else [chunk(usage=USAGE), chunk({}, "stop")]
    events = stream_to_anthropic(chunk({"content": "a"}), *end)
    assert stop(events) == ("end_turn", {"input_tokens": 3, "output_tokens": 2})
    assert events[0]["message"]["usage"] == {"input_tokens": 0, "output_tokens": 0}


def test_a_first_chunk_without_choices_starts_and_ends_nothing() -> None:
    first = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": []}
    events = stream_to_anthropic(first, {"id": "c", "choices": None}, chunk({"content": "a"}), chunk({}, "stop"))
    assert [event["type"] for event in events].count("message_start") == 1 and blocks(events) == [("text", "a")]


def test_a_call_cut_by_the_limit_ends_with_max_tokens() -> None:
    events = stream_to_anthropic(chunk(piece(0, "a", "f", '{"x":')), chunk({}, "length"))
    assert stop(events)[0] == "max_tokens"


def test_arguments_that_are_no_object_never_look_like_a_good_end() -> None:
    events = stream_to_anthropic(chunk(piece(0, "a", "f", '{"x":')), chunk({}, "tool_calls"))
    assert events[-1]["type"] == "error" and "message_stop" not in [event["type"] for event in events]
