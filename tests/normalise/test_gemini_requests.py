"""Gemini requests in normal form, in either spelling."""

import pytest

from bridgecheck import normalise, validate
from bridgecheck.accept import refusals
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
from bridgecheck.normalise.media import sha256_hex
from bridgecheck.wire import JsonObject


def read_request(headers: Headers = (), **body: object) -> Prompt:
    return normalise.request(Request("gemini", "unary", body, model="gemini-x", headers=headers))


def parts(*documents: JsonObject) -> tuple[Part, ...]:
    return read_request(contents=[{"role": "user", "parts": list(documents)}]).turns[0].parts


def test_system_turns_and_model() -> None:
    made = read_request(
        systemInstruction={"role": "user", "parts": [{"text": "one"}, {"text": "two"}]},
        contents=[{"parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}],
    )
    assert (made.model, made.system) == ("gemini-x", ("one", "two"))
    assert made.turns == (Turn("user", (TextPart("a"),)), Turn("assistant", (TextPart("b"),)))
    assert (made.tools, made.tool_choice, made.other) == (None, ToolChoice(), ())


def test_a_single_part_needs_no_list() -> None:
    made = read_request(system_instruction={"parts": {"text": "one"}}, contents=[{"parts": {"text": "a"}}])
    assert (made.system, made.turns) == (("one",), (Turn("user", (TextPart("a"),)),))
    assert made.other == ()


@pytest.mark.parametrize(
    "tools",
    [
        {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]},
        [{"function_declarations": {"name": "f", "parameters": {"type": "OBJECT"}}}],
    ],
)
def test_a_single_message_stands_for_a_list(tools: object) -> None:
    body: JsonObject = {"contents": {"parts": {"text": "Hi"}}, "tools": tools}
    read = normalise.request(Request("gemini", "unary", body, "m"))
    assert [tool.name for tool in read.tools or ()] == ["f"]
    assert read.turns[0].parts == (TextPart("Hi"),)
    assert read.other == ()
    assert validate.request("gemini", body) == []
    assert refusals("gemini", body) == []


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"text": "t", "thought": True, "thoughtSignature": "S"}, ReasoningPart("t", "S")),
        ({"text": "t", "thought_signature": "S"}, TextPart("t", "S")),
        ({"text": "", "thoughtSignature": "S"}, TextPart("", "S")),
        (
            {"functionCall": {"id": "1", "name": "f", "args": {"a_b": 1}}, "thoughtSignature": "S"},
            CallPart(ToolCall("f", {"a_b": 1}, "1", None, "S")),
        ),
        (
            {"functionResponse": {"id": "1", "name": "f", "response": {"out_put": [1]}}},
            ResultPart("1", "f", {"out_put": [1]}),
        ),
        (
            {
                "function_response": {
                    "name": "f",
                    "response": {},
                    "parts": [{"inline_data": {"mime_type": "image/png", "data": "cA=="}}],
                }
            },
            ResultPart("", "f", {}, (Media("image/png", sha256_hex(b"p")),)),
        ),
        ({"inlineData": {"mimeType": "image/png", "data": "cA=="}}, MediaPart(Media("image/png", sha256_hex(b"p")))),
        (
            {"file_data": {"mime_type": "video/mp4", "file_uri": "u"}, "video_metadata": {"fps": 2.0}},
            MediaPart(Media("video/mp4", uri="u"), '{"videoMetadata":{"fps":2}}'),
        ),
        (
            {"executableCode": {"code": "1"}, "thoughtSignature": "S"},
            OtherPart("executableCode", '{"executableCode":{"code":"1"},"thoughtSignature":"S"}'),
        ),
        ({"toolCall": {"id": "1"}}, OtherPart("toolCall", '{"toolCall":{"id":"1"}}')),
    ],
)
def test_parts(part: JsonObject, expected: Part) -> None:
    assert parts(part) == (expected,)


@pytest.mark.parametrize("part", [{}, {"text": ""}])
def test_empty_parts_are_ignored(part: JsonObject) -> None:
    assert parts(part) == ()


def test_the_order_of_parts_is_preserved() -> None:
    made = parts({"text": "a"}, {"fileData": {"fileUri": "u"}}, {"text": "b"})
    assert [type(part).__name__ for part in made] == ["TextPart", "MediaPart", "TextPart"]


def test_results_in_a_turn_of_the_model_are_turns_of_their_own() -> None:
    call = {"functionCall": {"id": "1", "name": "f", "args": {}}}
    result = {"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}
    together = read_request(contents=[{"role": "model", "parts": [call, result, {"text": "done"}]}])
    separate = read_request(
        contents=[
            {"role": "model", "parts": [call]},
            {"role": "user", "parts": [result]},
            {"role": "model", "parts": [{"text": "done"}]},
        ]
    )
    assert [turn.role for turn in together.turns] == ["assistant", "user", "assistant"]
    assert together == separate


def test_unknown_roles_and_keys_are_preserved() -> None:
    made = read_request(
        contents=[{"role": "narrator", "parts": [{"text": "a", "brandNew": 1}]}], labels={"team_x": "t"}
    )
    assert made.turns == (Turn("user", (TextPart("a"),)),)
    assert made.other == (
        ("contents[].parts[].brandNew", "1"),
        ("contents[].role", '"narrator"'),
        ("labels.team_x", '"t"'),
    )


def test_settings_have_one_name_in_all_dialects() -> None:
    made = read_request(
        generationConfig={
            "temperature": 0, "topP": 0.5, "top_k": 40, "maxOutputTokens": 9, "stopSequences": ["END"], "seed": 1,
            "candidateCount": 2, "presencePenalty": None, "responseLogprobs": True, "logprobs": 3,
            "responseModalities": ["TEXT", "Image"],
        }
    )  # fmt: skip
    assert dict(made.settings) == {
        "temperature": 0, "top_p": 0.5, "top_k": 40, "max_tokens": 9, "stop": ("END",), "seed": 1, "n": 2,
        "logprobs": True, "top_logprobs": 3, "modalities": ("text", "image"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"thinkingBudget": 0}, Thinking(0)),
        ({"thinking_budget": -1, "include_thoughts": True}, Thinking(-1, None, True)),
        ({"thinkingLevel": "HIGH"}, Thinking(None, "high")),
        ({"includeThoughts": False}, Thinking(include=False)),
        ({}, None),
    ],
)
def test_thinking(config: JsonObject, expected: Thinking | None) -> None:
    assert read_request(generationConfig={"thinkingConfig": config}).thinking == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"responseMimeType": "application/json"}, ResponseFormat("json_object")),
        ({"responseMimeType": "text/plain"}, ResponseFormat("text")),
        ({"response_schema": {"type": "OBJECT"}}, ResponseFormat("json_schema", {"type": "OBJECT"})),
        (
            {"responseMimeType": "application/json", "responseJsonSchema": {"properties": {"a_b": {}}}},
            ResponseFormat("json_schema", {"properties": {"a_b": {}}}),
        ),
        ({}, None),
    ],
)
def test_response_format(config: JsonObject, expected: ResponseFormat | None) -> None:
    made = read_request(generationConfig=config)
    assert (made.response_format, made.other) == (expected, ())


def test_tools_in_order_with_the_schema_as_sent() -> None:
    made = read_request(
        tools=[
            {"functionDeclarations": [{"name": "f", "description": "d", "parameters": {"type": "OBJECT"}}]},
            {"google_search": {}},
            {"function_declarations": [{"name": "g", "parameters_json_schema": {"properties": {"x_y": {}}}}]},
        ]
    )
    assert made.tools == (
        Tool("f", "d", {"type": "OBJECT"}),
        Tool("googleSearch", builtin='{"googleSearch":{}}'),
        Tool("g", "", {"properties": {"x_y": {}}}),
    )
    assert read_request(tools=[]).tools == ()


@pytest.mark.parametrize(
    ("calling", "expected"),
    [
        ({"mode": "AUTO"}, ToolChoice("auto")),
        ({"mode": "none"}, ToolChoice("none")),
        ({"mode": "ANY"}, ToolChoice("required")),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, ToolChoice("named", ("f",))),
        ({"mode": "ANY", "allowed_function_names": ["f", "g"]}, ToolChoice("allowed", ("f", "g"))),
        ({"mode": "VALIDATED"}, ToolChoice("validated")),
        ({}, ToolChoice()),
    ],
)
def test_tool_choice(calling: JsonObject, expected: ToolChoice) -> None:
    made = read_request(toolConfig={"functionCallingConfig": calling})
    assert (made.tool_choice, made.other) == (expected, ())


def test_features_and_further_fields() -> None:
    made = read_request(
        (("x-goog-user-project", "p"), ("x-goog-api-key", "secret")),
        cachedContent="cachedContents/c",
        safetySettings=[{"category": "C", "threshold": "BLOCK_NONE"}],
    )
    assert made.features == ("x-goog-user-project: p",)
    assert made.other == (
        ("cachedContent", '"cachedContents/c"'),
        ("safetySettings[].category", '"C"'),
        ("safetySettings[].threshold", '"BLOCK_NONE"'),
    )
