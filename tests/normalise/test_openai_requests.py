"""Chat requests in normal form."""

import pytest

from bridgecheck import normalise
from bridgecheck.model.exchange import Request
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
from bridgecheck.normalise.media import sha256_hex
from bridgecheck.wire import JsonObject


def read_request(*messages: JsonObject, **body: object) -> Prompt:
    return normalise.request(Request("openai-chat", "unary", {"model": "m", "messages": list(messages), **body}))


def parts(content: object, role: str = "user", **message: object) -> tuple[Part, ...]:
    return read_request({"role": role, "content": content, **message}).turns[0].parts


def test_system_at_the_head_and_in_the_middle() -> None:
    made = read_request(
        {"role": "system", "content": "one"},
        {"role": "developer", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": "three"}]},
        {"role": "user", "content": "a", "name": "ann"},
        {"role": "system", "content": "later"},
    )
    assert (made.model, made.system) == ("m", ("one", "two", "three"))
    assert made.turns == (Turn("user", (TextPart("a"),), "ann"), Turn("system", (TextPart("later"),)))
    assert made.other == ()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "text", "text": "a"}, TextPart("a")),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,cA==", "detail": "low"}},
            MediaPart(Media("image/png", sha256_hex(b"p")), '{"detail":"low"}'),
        ),
        ({"type": "image_url", "image_url": {"url": "https://x/y"}}, MediaPart(Media("image/*", uri="https://x/y"))),
        ({"type": "image_url", "image_url": "https://x/y"}, MediaPart(Media("image/*", uri="https://x/y"))),
        (
            {"type": "input_audio", "input_audio": {"data": "cA==", "format": "mp3"}},
            MediaPart(Media("audio/mpeg", sha256_hex(b"p"))),
        ),
        (
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,cA==", "filename": "a.pdf"}},
            MediaPart(Media("application/pdf", sha256_hex(b"p")), '{"filename":"a.pdf"}'),
        ),
        ({"type": "file", "file": {"file_id": "file-1"}}, MediaPart(Media("", uri="file-1"))),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}, ReasoningPart("t")),
        ({"type": "brand_new", "x": 1}, OtherPart("brand_new", '{"type":"brand_new","x":1}')),
    ],
)
def test_content_parts(part: JsonObject, expected: Part) -> None:
    made = read_request({"role": "user", "content": [part]})
    assert (made.turns[0].parts, made.other) == ((expected,), ())


@pytest.mark.parametrize("content", ["", None, [], [{"type": "text", "text": ""}]])
def test_empty_content_is_ignored(content: object) -> None:
    assert parts(content) == ()


def test_calls_and_their_results() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    made = read_request(
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"x": 2}'},
        {
            "role": "tool",
            "tool_call_id": "2",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        },
    )
    assert made.turns == (
        Turn("assistant", (CallPart(ToolCall("f", {"a": 1}, "1")),)),
        Turn("user", (ResultPart("1", "", '{"x": 2}'),)),
        Turn("user", (ResultPart("2", "", "ab"),)),
    )


def test_the_deprecated_functions() -> None:
    made = read_request(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
        functions=[{"name": "f", "parameters": {"type": "object"}}],
        function_call={"name": "f"},
    )
    assert made.turns[0].parts == (CallPart(ToolCall("f")),)
    assert made.turns[1].parts == (ResultPart("", "f", "r"),)
    assert made.tools == (Tool("f", "", {"type": "object"}),)
    assert made.tool_choice == ToolChoice("named", ("f",))
    assert "legacy_function_call" in made.notes


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"reasoning_content": "t"}, (ReasoningPart("t"), TextPart("a"))),
        ({"reasoning": "t"}, (ReasoningPart("t"), TextPart("a"))),
        (
            {"reasoning_details": [{"type": "reasoning.text", "text": "t", "signature": "S"}]},
            (ReasoningPart("t", "S"), TextPart("a")),
        ),
        (
            {"reasoning_details": [{"type": "reasoning.encrypted", "data": "D"}]},
            (ReasoningPart("", "", "D"), TextPart("a")),
        ),
        ({"extra_content": {"google": {"thought_signature": "S"}}}, (TextPart("a", "S"),)),
        ({"refusal": "No."}, (TextPart("a"), TextPart("No."))),
        ({"audio": {"id": "au"}}, (TextPart("a"), OtherPart("audio", '{"id":"au"}'))),
        (
            {"images": [{"type": "image_url", "index": 0, "image_url": {"url": "https://x/y"}}]},
            (TextPart("a"), MediaPart(Media("image/*", uri="https://x/y"))),
        ),
        (
            {"images": [{"image_url": "https://x/y", "extra_content": {"google": {"thought_signature": "S"}}}]},
            (TextPart("a"), MediaPart(Media("image/*", uri="https://x/y"))),
        ),
    ],
)
def test_assistant_history(message: JsonObject, expected: tuple[Part, ...]) -> None:
    made = read_request({"role": "assistant", "content": "a", **message})
    assert (made.turns[0].parts, made.other) == (expected, ())


def test_a_signature_on_a_replayed_call() -> None:
    call = {
        "id": "1",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "S"}},
    }
    made = read_request({"role": "assistant", "tool_calls": [call]})
    assert made.turns[0].parts == (CallPart(ToolCall("f", {}, "1", None, "S")),)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"temperature": 0}, {"temperature": 0}),
        ({"temperature": None}, {}),
        ({"max_tokens": 5}, {"max_tokens": 5}),
        ({"max_completion_tokens": 5}, {"max_tokens": 5}),
        ({"stop": "END"}, {"stop": ("END",)}),
        ({"stop": ["A", "B"]}, {"stop": ("A", "B")}),
        ({"stream_options": {"include_usage": True}}, {"include_usage": True}),
        ({"n": 2, "seed": 1, "user": "u", "logprobs": True}, {"n": 2, "seed": 1, "user": "u", "logprobs": True}),
    ],
)
def test_settings(body: JsonObject, expected: JsonObject) -> None:
    made = read_request(**body)
    assert (dict(made.settings), made.other) == (expected, ())


def test_two_fields_for_one_setting() -> None:
    made = read_request(max_tokens=5, max_completion_tokens=9)
    assert (dict(made.settings), made.other) == ({"max_tokens": 9}, (("max_tokens", "5"),))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"reasoning_effort": "high"}, Thinking(level="high")),
        ({"reasoning_effort": "none"}, Thinking(0)),
        ({"reasoning": {"effort": "low", "exclude": True}}, Thinking(level="low", include=False)),
        ({"reasoning": {"max_tokens": 2000}}, Thinking(2000)),
        ({"reasoning": {"enabled": False}}, Thinking(0)),
        ({"reasoning": {"enabled": True}}, Thinking(-1)),
        ({"thinking": {"type": "disabled"}}, Thinking(0)),
        ({"thinking": {"type": "enabled", "budget_tokens": 9}}, Thinking(9)),
        ({"enable_thinking": False}, Thinking(0)),
        (
            {"extra_body": {"google": {"thinking_config": {"thinking_budget": 7, "include_thoughts": True}}}},
            Thinking(7, None, True),
        ),
        ({}, None),
    ],
)
def test_thinking(body: JsonObject, expected: Thinking | None) -> None:
    made = read_request(**body)
    assert (made.thinking, made.other) == (expected, ())


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", ToolChoice("auto")),
        ("none", ToolChoice("none")),
        ("required", ToolChoice("required")),
        ("any", ToolChoice("required")),
        ({"type": "function", "function": {"name": "f"}}, ToolChoice("named", ("f",))),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "f"}}]},
            },
            ToolChoice("allowed", ("f",)),
        ),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "name": "f"}]}},
            ToolChoice("auto", ("f",)),
        ),
        (None, ToolChoice()),
    ],
)
def test_tool_choice(choice: object, expected: ToolChoice) -> None:
    made = read_request(tool_choice=choice)
    assert (made.tool_choice, made.other) == (expected, ())


def test_an_unknown_tool_choice_is_preserved_and_parallel_is_a_separate_field() -> None:
    made = read_request(tool_choice="sometimes", parallel_tool_calls=False)
    assert made.tool_choice == ToolChoice(parallel=False)
    assert made.other == (("tool_choice", '"sometimes"'),)


def test_tools() -> None:
    function = {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True}
    search = {"type": "web_search", "size": 1}
    made = read_request(tools=[{"type": "function", "function": function}, search, {"google_search": {}}])
    assert made.tools == (
        Tool("f", "d", {"type": "object"}, strict=True),
        Tool("web_search", builtin='{"size":1,"type":"web_search"}'),
        Tool("google_search", builtin='{"google_search":{}}'),
    )
    assert read_request().tools is None
    assert read_request(tools=[]).tools == ()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"type": "text"}, ResponseFormat("text")),
        ({"type": "json_object"}, ResponseFormat("json_object")),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": {"type": "object"}}},
            ResponseFormat("json_schema", {"type": "object"}, "n", True),
        ),
    ],
)
def test_response_format(document: JsonObject, expected: ResponseFormat) -> None:
    made = read_request(response_format=document)
    assert (made.response_format, made.other) == (expected, ())


def test_every_other_field_is_preserved() -> None:
    made = read_request({"role": "narrator", "content": "a"}, service_tier="flex", metadata={"k": "v"}, stream=True)
    assert made.other == (("messages[].role", '"narrator"'), ("metadata.k", '"v"'), ("service_tier", '"flex"'))
