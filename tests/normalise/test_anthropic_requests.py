"""Anthropic requests in normal form."""

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Headers, Request
from bridgecheck.model.outcome import Media, ToolCall
from bridgecheck.model.prompt import (
    CallPart,
    MediaPart,
    OtherPart,
    Part,
    Prompt,
    ReasoningPart,
    ResponseFormat,
    ResultPart,
    TextPart,
    Thinking,
    Tool,
    ToolChoice,
    Turn,
)
from bridgecheck.normalise.media import media_from_text, sha256_hex
from bridgecheck.wire import JsonObject


def read_request(*messages: JsonObject, headers: Headers = (), **body: object) -> Prompt:
    document = {"model": "m", "messages": list(messages), **body}
    return normalise.request(Request("anthropic", "unary", document, headers=headers))


@pytest.mark.parametrize("system", ["one", [{"type": "text", "text": "one"}]])
def test_system_and_turns(system: object) -> None:
    made = read_request(
        {"role": "user", "content": "a"}, {"role": "assistant", "content": "{"}, system=system, max_tokens=9
    )
    assert (made.model, made.system, dict(made.settings)) == ("m", ("one",), {"max_tokens": 9})
    assert made.turns == (Turn("user", (TextPart("a"),)), Turn("assistant", (TextPart("{"),)))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "text", "text": "a"}, TextPart("a")),
        ({"type": "thinking", "thinking": "t", "signature": "S"}, ReasoningPart("t", "S")),
        ({"type": "redacted_thinking", "data": "D"}, ReasoningPart("", "", "D")),
        ({"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}, CallPart(ToolCall("f", {"a": 1}, "1"))),
        ({"type": "tool_result", "tool_use_id": "1", "content": "r"}, ResultPart("1", "", "r", (), False)),
        ({"type": "tool_result", "tool_use_id": "1", "is_error": True}, ResultPart("1", "", "", (), True)),
        (
            {
                "type": "tool_result",
                "tool_use_id": "1",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cA=="}},
                ],
            },
            ResultPart("1", "", "a", (Media("image/png", sha256_hex(b"p")),), False),
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://x/y"}},
            MediaPart(Media("image/*", uri="https://x/y")),
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}, "title": "T"},
            MediaPart(media_from_text("text/plain", "d"), '{"filename":"T"}'),
        ),
        (
            {"type": "document", "source": {"type": "file", "file_id": "f1"}},
            MediaPart(Media("", uri="f1")),
        ),
        (
            {"type": "server_tool_use", "id": "1"},
            OtherPart("server_tool_use", '{"id":"1","type":"server_tool_use"}'),
        ),
    ],
)
def test_blocks(block: JsonObject, expected: Part) -> None:
    made = read_request({"role": "user", "content": [block]})
    assert (made.turns[0].parts, made.other) == ((expected,), ())


def test_cache_control_is_found_at_any_location() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    made = read_request(
        {"role": "user", "content": [{"type": "text", "text": "a", **mark}]},
        system=[{"type": "text", "text": "s", **mark}],
        tools=[{"name": "f", "input_schema": {}, **mark}],
    )
    assert [path for path, _ in made.other] == [
        "messages[].content[].cache_control.type",
        "system[].cache_control.type",
        "tools[].cache_control.type",
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, Thinking(2000)),
        ({"thinking": {"type": "disabled"}}, Thinking(0)),
        ({"thinking": {"type": "adaptive", "display": "summarized"}}, Thinking(-1, None, True)),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}}, Thinking(-1, "xhigh")),
        ({"output_config": {"effort": "high"}}, Thinking(level="high")),
        ({}, None),
    ],
)
def test_thinking(body: JsonObject, expected: Thinking | None) -> None:
    made = read_request(**body)
    assert (made.thinking, made.other) == (expected, ())


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto"}, ToolChoice("auto")),
        ({"type": "any", "disable_parallel_tool_use": True}, ToolChoice("required", parallel=False)),
        ({"type": "none"}, ToolChoice("none")),
        ({"type": "tool", "name": "f"}, ToolChoice("named", ("f",))),
    ],
)
def test_tool_choice(choice: JsonObject, expected: ToolChoice) -> None:
    assert read_request(tool_choice=choice).tool_choice == expected


def test_tools_settings_and_format() -> None:
    made = read_request(
        tools=[
            {"name": "f", "description": "d", "input_schema": {"type": "object"}, "strict": True},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
        ],
        stop_sequences=["END"],
        top_k=3,
        metadata={"user_id": "u"},
        output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}},
    )
    assert made.tools == (
        Tool("f", "d", {"type": "object"}, strict=True),
        Tool("web_search_20250305", builtin='{"max_uses":2,"name":"web_search","type":"web_search_20250305"}'),
    )
    assert dict(made.settings) == {"stop": ("END",), "top_k": 3, "user": "u"}
    assert made.response_format == ResponseFormat("json_schema", {"type": "object"})
    assert made.other == ()


def test_each_beta_header_value_is_a_feature() -> None:
    made = read_request(headers=(("anthropic-beta", "b-2, a-1"), ("x-api-key", "secret")))
    assert made.features == ("anthropic-beta: a-1", "anthropic-beta: b-2")


def test_the_texts_of_search_results_are_read_next_to_the_result() -> None:
    found = {"type": "search_result", "source": "a.org", "title": "A", "content": [{"type": "text", "text": "It is."}]}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [found, {"type": "text", "text": "See above."}]}
    made = read_request(messages=[{"role": "user", "content": [result]}])
    assert made.turns[0].parts == (ResultPart("t1", "", "See above.", (), False, ("It is.",)),)
    assert made.other == ()
