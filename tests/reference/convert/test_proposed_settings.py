"""Settings, tool choice, built-in tools and thinking as public bridges were seen to get them wrong."""

from typing import Any

import pytest

from bridgecheck_reference.conversion_profile import PIVOT, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.gemini.stream_from_openai import OpenAIToGeminiStream
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream

from .answers import case, outcome_of_chunks, outcome_of_events
from .samples import Json, call, chunk, event, model, paths, result, tool_call, user

HI: Json = {"role": "user", "content": "x"}
F: Json = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
G: Json = {"type": "function", "function": {"name": "g", "parameters": {"type": "object", "properties": {}}}}
DECLARED: Json = {"functionDeclarations": [{"name": "f"}, {"name": "g"}]}
FLASH = "gemini-2.5-flash"


def gemini(*, model: str = FLASH, **body: object) -> Any:
    return openai_request_to_gemini({"model": model, "messages": [HI], **body})


def config(**body: object) -> Any:
    return gemini(**body).value.get("generationConfig")


def openai(**body: object) -> Any:
    return gemini_request_to_openai({"contents": [user("x")], **body}, model="m")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        case("cfg-stop-string", {"stop": "END"}, {"stopSequences": ["END"]}),
        case("cfg-stop-string", {"stop": ["a", "b"]}, {"stopSequences": ["a", "b"]}),
        case("cfg-stop-string", {"stop": []}, None),
        case("cfg-max-tokens-aliases", {"max_tokens": 10}, {"maxOutputTokens": 10}),
        case("cfg-max-tokens-aliases", {"max_completion_tokens": 20}, {"maxOutputTokens": 20}),
        case("cfg-max-tokens-aliases", {"max_tokens": 10, "max_completion_tokens": 20}, {"maxOutputTokens": 20}),
        case("cfg-zero-and-null-values", {"temperature": 0, "seed": 0, "top_p": None, "stop": None},
             {"temperature": 0, "seed": 0}),
        case("cfg-zero-and-null-values", {"top_p": 0}, {"topP": 0}),
        case("cfg-logprobs", {"logprobs": True, "top_logprobs": 2}, {"responseLogprobs": True, "logprobs": 2}),
        case("think-no-knob-no-injection", {}, None),
        case("think-budget-zero-falsy",
             {"extra_body": {"google": {"thinking_config": {"thinking_budget": 0}}}},
             {"thinkingConfig": {"thinkingBudget": 0}}),
        case("think-budget-zero-falsy", {"google": {"thinking_config": {"thinking_budget": 0}}},
             {"thinkingConfig": {"thinkingBudget": 0}}),
        case("think-effort-to-level-3", {"model": "gemini-3-flash-preview", "reasoning_effort": "high"},
             {"thinkingConfig": {"thinkingLevel": "HIGH"}}),
        case("think-effort-none", {"model": FLASH, "reasoning_effort": "none"},
             {"thinkingConfig": {"thinkingBudget": 0}}),
        case("think-effort-none", {"model": "gemini-2.5-pro", "reasoning_effort": "none"},
             {"thinkingConfig": {"thinkingBudget": 128}}),
        case("think-effort-none", {"model": "gemini-3-flash-preview", "reasoning_effort": "none"},
             {"thinkingConfig": {"thinkingLevel": "MINIMAL"}}),
        case("think-effort-minimal", {"reasoning_effort": "minimal"}, {"thinkingConfig": {"thinkingBudget": 512}}),
    ],
)  # fmt: skip
def test_settings_towards_gemini(settings: Json, expected: Json | None) -> None:
    assert config(**settings) == expected


@pytest.mark.proposal("cfg-stop-string")
def test_more_stops_than_gemini_takes_are_noted() -> None:
    assert "stop" in paths(gemini(stop=list("123456")).losses)


@pytest.mark.proposal("think-budget-zero-falsy")
def test_googles_own_parameters_are_read_and_unknown_ones_named() -> None:
    original = {"cached_content": "cachedContents/1", "thinking_config": {"thinking_budget": -1, "include_thoughts": True},
             "safety": 1}  # fmt: skip
    converted = gemini(extra_body={"google": original, "other": 1}, reasoning_effort="low")
    assert converted.value["cachedContent"] == "cachedContents/1"
    assert converted.value["generationConfig"] == {"thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True}}
    assert paths(converted.losses) == {"extra_body.google.safety", "extra_body.other"}


@pytest.mark.proposal("cfg-json-schema")
@pytest.mark.parametrize("mode", ["json", "openapi"])
def test_a_schema_for_the_answer_goes_in_one_field_without_its_name(mode: Any) -> None:
    schema = {"type": "object", "additionalProperties": False, "properties": {"t": {"type": ["string", "null"]}},
              "required": ["t"]}  # fmt: skip
    response_format = {"type": "json_schema", "json_schema": {"name": "r", "strict": True, "schema": schema}}
    body: Json = {"model": "m", "messages": [HI], "response_format": response_format}
    made = openai_request_to_gemini(body, profile=Profile(schema_mode=mode)).value["generationConfig"]
    cleaned = {"type": "OBJECT", "properties": {"t": {"type": "STRING", "nullable": True}}, "required": ["t"]}
    expected = {"responseJsonSchema": schema} if mode == "json" else {"responseSchema": cleaned}
    assert made == {"responseMimeType": "application/json", **expected}


CLOSED: Json = {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"],
                "additionalProperties": False}  # fmt: skip


@pytest.mark.proposal("cfg-response-schema-g2o")
@pytest.mark.parametrize(
    ("settings", "schema", "strict"),
    [
        ({"responseMimeType": "application/json",
          "responseSchema": {"type": "OBJECT", "properties": {"t": {"type": "STRING"}}, "required": ["t"]}},
         {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]}, False),
        ({"response_mime_type": "application/json", "response_json_schema": CLOSED}, CLOSED, True),
    ],
)  # fmt: skip
def test_a_response_schema_is_strict_only_if_it_qualifies(settings: Json, schema: Json, strict: bool) -> None:
    made = openai(generationConfig=settings).value["response_format"]
    assert (made["type"], made["json_schema"]["schema"]) == ("json_schema", schema)
    assert made["json_schema"].get("strict", False) is strict


@pytest.mark.proposal("cfg-response-mime-enum", "cfg-safety-settings-g2o")
@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ({"generationConfig": {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING"}}},
         "generationConfig.responseMimeType"),
        ({"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]}, "safetySettings"),
        ({"cachedContent": "cachedContents/x"}, "cachedContent"),
        ({"labels": {"a": "b"}}, "labels"),
    ],
)  # fmt: skip
def test_members_unknown_to_openai_are_a_loss_and_not_sent(body: Json, lost: str) -> None:
    converted = openai(**body)
    assert converted.value == {"model": "m", "messages": [HI]}
    assert lost in paths(converted.losses)


@pytest.mark.proposal("tc-modes-o2g")
@pytest.mark.parametrize(("choice", "mode"), [("auto", "AUTO"), ("none", "NONE"), ("required", "ANY")])
def test_choices_stand_under_function_calling_config(choice: str, mode: str) -> None:
    made = gemini(tools=[F], tool_choice=choice).value
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": mode}}


@pytest.mark.proposal("tc-none-keeps-declarations", "tc-allowed-tools-empty")
@pytest.mark.parametrize("choice", ["none", {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}])
def test_no_call_allowed_keeps_the_declarations(choice: object) -> None:
    made = gemini(tools=[F], tool_choice=choice).value
    assert [item["name"] for item in made["tools"][0]["functionDeclarations"]] == ["f"]
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}


NAMED = [{"type": "function", "function": {"name": name}} for name in "fg"]


@pytest.mark.proposal("tc-modes-g2o")
@pytest.mark.parametrize(
    ("calling", "choice"),
    [
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "NONE"}, "none"),
        ({"mode": "ANY"}, "required"),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, NAMED[0]),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
         {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": NAMED}}),
        ({"mode": "VALIDATED"}, "auto"),
        (None, None),
    ],
)  # fmt: skip
def test_modes_as_choices(calling: Json | None, choice: object) -> None:
    made = openai(tools=[DECLARED], **({"toolConfig": {"functionCallingConfig": calling}} if calling else {})).value
    assert made.get("tool_choice") == choice
    assert [tool["function"]["name"] for tool in made["tools"]] == ["f", "g"]


@pytest.mark.proposal("tc-choice-without-tools")
def test_no_choice_without_tools() -> None:
    assert "tool_choice" not in openai(toolConfig={"functionCallingConfig": {"mode": "ANY"}}).value
    assert "toolConfig" not in gemini(tool_choice="required").value


@pytest.mark.proposal("tc-parallel-flag")
def test_parallel_calls_cannot_be_forbidden_to_gemini() -> None:
    converted = gemini(tools=[F], parallel_tool_calls=False)
    assert converted.value.keys() == {"contents", "tools"}
    assert "parallel_tool_calls" in paths(converted.losses)


@pytest.mark.proposal("bt-google-search-passthrough", "bt-search-plus-functions")
@pytest.mark.parametrize("spelling", ["google_search", "googleSearch"])
def test_a_google_search_tool_stands_next_to_the_functions(spelling: str) -> None:
    assert gemini(tools=[{spelling: {}}]).value["tools"] == [{"googleSearch": {}}]
    functions, search = gemini(tools=[{spelling: {}}, F]).value["tools"]
    assert [item["name"] for item in functions["functionDeclarations"]] == ["f"]
    assert search == {"googleSearch": {}}


@pytest.mark.proposal("bt-builtin-tools-g2o")
def test_built_in_tools_are_functions_or_losses_and_never_an_empty_tool() -> None:
    converted = openai(tools=[{"googleSearch": {}}, {"codeExecution": {}}, {"urlContext": {}}])
    assert [tool["function"]["name"] for tool in converted.value["tools"]] == ["google_search", "code_execution"]
    assert "tools[].urlContext" in paths(converted.losses)
    assert "tools" not in openai(tools=[{"urlContext": {}}]).value


@pytest.mark.proposal("usage-g2o-request-asks-for-it")
def test_a_stream_requests_its_usage() -> None:
    made = gemini_request_to_openai({"contents": [user("x")]}, model="m", stream=True).value
    assert (made["stream"], made["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.proposal("think-budget-g2o")
@pytest.mark.parametrize(
    ("thinking", "effort"),
    [
        ({"thinkingBudget": 0}, "none"),
        ({"thinkingBudget": 512}, "low"),
        ({"thinkingBudget": 8192}, "medium"),
        ({"thinkingBudget": 24576}, "high"),
        ({"thinkingBudget": -1}, "high"),  # "dynamic" has no word in OpenAI; row R-24
        ({"thinkingLevel": "LOW"}, "low"),
    ],
)
def test_thinking_as_effort(thinking: Json, effort: str) -> None:
    made = openai(generationConfig={"thinkingConfig": thinking}).value
    assert made == {"model": "m", "messages": [HI], "reasoning_effort": effort}


@pytest.mark.proposal("think-snake-and-camel-config")
def test_both_spellings_of_thinking_are_equal() -> None:
    snake = {"thinking_config": {"thinking_budget": 1024, "include_thoughts": True}}
    camel = {"thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True}}
    assert openai(generation_config=snake) == openai(generationConfig=camel)
    assert openai(generationConfig=camel).value["reasoning_effort"] == "low"


@pytest.mark.proposal("think-g2o-reasoning-field-alias")
def test_reasoning_in_two_fields_counts_once() -> None:
    content = outcome_of_events(chunk({"reasoning": "a", "reasoning_content": "a"}), chunk({"content": "Hi"}, "stop"))
    assert (content["reasoning"], content["text"]) == ("a", "Hi")


@pytest.mark.proposal("think-stream-with-tools")
def test_thoughts_survive_before_a_streamed_call() -> None:
    content = outcome_of_chunks(
        event({"text": "t1", "thought": True}),
        event({**call("f", {"q": "1"}), "thoughtSignature": "c2ln"}),
        {"candidates": [{"index": 0, "finishReason": "STOP"}]},
        request={"model": "m", "messages": [HI], "tools": [F], "reasoning_effort": "low"},
    )
    assert (content["reasoning"], content["calls"], content["finish"]) == ("t1", [["f", {"q": "1"}]], "tool_calls")


@pytest.mark.proposal("think-history-reasoning-content-o2g")
def test_reasoning_of_the_history_is_a_thought_and_no_text() -> None:
    converted = {"role": "assistant", "content": "A", "reasoning_content": "R"}
    contents = openai_request_to_gemini({"model": "m", "messages": [HI, converted, HI]}).value["contents"]
    assert contents[1] == model({"text": "R", "thought": True}, {"text": "A"})


SIGNED = {**call("f", {"q": "1"}, id="c1"), "thoughtSignature": "U0lHMQ=="}


@pytest.mark.proposal("sig-extra-content-shape")
def test_a_signature_travels_where_google_puts_it() -> None:
    stream = GeminiToOpenAIStream()
    [first, *_] = stream.feed(event(SIGNED, finish="STOP"))
    [made] = first["choices"][0]["delta"]["tool_calls"]
    assert made["extra_content"] == {"google": {"thought_signature": "U0lHMQ=="}}


@pytest.mark.proposal("sig-client-drops-extra-content", "sig-sentinel-only-gemini3")
@pytest.mark.parametrize(
    ("name", "extra", "signature"),
    [
        ("gemini-3-pro-preview", {}, "skip_thought_signature_validator"),
        ("gemini-3-pro-preview", {"extra_content": {"google": {"thought_signature": "U0lH"}}}, "U0lH"),
        (FLASH, {}, None),
    ],
)
def test_a_placeholder_only_where_gemini_3_would_miss_a_signature(name: str, extra: Json, signature: object) -> None:
    requested = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f", **extra)]}
    messages = [HI, requested, {"role": "tool", "tool_call_id": "a", "content": "1"}]
    contents = openai_request_to_gemini({"model": name, "messages": messages}).value["contents"]
    assert contents[1]["parts"][0].get("thoughtSignature") == signature


@pytest.mark.proposal("sig-text-part-nonstream", "sig-base64-untouched")
@pytest.mark.parametrize("signature", ["VFhU", "ab+/cd==", "ab-_cd"])
def test_a_signature_on_text_comes_back_sign_by_sign(signature: str) -> None:
    part = {"text": "A", "thoughtSignature": signature}
    message = gemini_response_to_openai(event(part, finish="STOP")).value["choices"][0]["message"]
    assert message["extra_content"]["google"]["thought_signature"] == signature
    contents = openai_request_to_gemini({"model": FLASH, "messages": [HI, message, HI]}).value["contents"]
    assert contents[1]["parts"] == [part]


@pytest.mark.proposal("sig-signed-parts-not-merged", "par-double-conversion-idempotent")
def test_parts_stay_separate_in_the_round_trip() -> None:
    contents = [user("x"), model({"text": "a", "thoughtSignature": "UzE="}, {"text": "b"}), user("y"),
                model({"text": "t"}, {**call("f", {"q": "1"}), "thoughtSignature": "U0lH"}),
                {"role": "user", "parts": [result("f", {"r": 1})]}]  # fmt: skip
    request: Json = {"systemInstruction": {"parts": [{"text": "S"}]}, "contents": contents,
                     "generationConfig": {"topK": 40, "temperature": 0}}  # fmt: skip
    there = gemini_request_to_openai(request, model="m", profile=PIVOT)
    assert openai_request_to_gemini(there.value, profile=PIVOT).value == request


@pytest.mark.proposal("sig-cross-provider-strip")
@pytest.mark.parametrize(("signatures", "is_sent"), [("carry", True), ("drop", False)])
def test_a_signature_reaches_openai_only_in_extra_content(signatures: Any, is_sent: bool) -> None:
    turns = [user("x"), model({**call("f"), "thoughtSignature": "U0lH"}),
             {"role": "user", "parts": [result("f", {})]}]  # fmt: skip
    converted = gemini_request_to_openai({"contents": turns}, model="m", profile=Profile(signatures=signatures))
    assert "thoughtSignature" not in str(converted.value)
    assert ("U0lH" in str(converted.value)) is is_sent
    [made] = converted.value["messages"][1]["tool_calls"]
    assert ("extra_content" in made) is is_sent


@pytest.mark.proposal("par-concurrent-streams-isolated")
def test_two_streams_in_turns_do_not_mix() -> None:
    pieces = {"A": ('{"x":', "1}", "f"), "B": ('{"y":', "2}", "g")}
    streams = {name: OpenAIToGeminiStream() for name in pieces}
    received: dict[str, list[Json]] = {name: [] for name in pieces}
    for step in range(3):
        for name, (head, tail, function) in pieces.items():
            deltas = [
                chunk({"tool_calls": [tool_call(name, function, head, index=0)]}),
                chunk({"tool_calls": [{"index": 0, "function": {"arguments": tail}}]}),
                chunk({}, "tool_calls"),
            ]
            received[name] += streams[name].feed(deltas[step])
    made = {name: received[name] + streams[name].close() for name in pieces}
    calls = {name: made[name][-1]["candidates"][0]["content"]["parts"] for name in pieces}
    assert calls == {"A": [call("f", {"x": 1}, id="A")], "B": [call("g", {"y": 2}, id="B")]}


def test_an_answer_that_goes_on_in_the_next_request_keeps_its_token() -> None:
    event_with_token = {
        "candidates": [
            {
                "content": {"parts": [{"text": "Day 1. "}], "role": "model"},
                "finishReason": "CONTINUATION",
                "continuationToken": "Q29udA==",
                "index": 0,
            }
        ]
    }
    choice = gemini_response_to_openai(event_with_token).value["choices"][0]
    assert choice["finish_reason"] == "length"
    assert choice["extra_content"]["google"] == {"finish_reason": "CONTINUATION", "continuation_token": "Q29udA=="}
    again = gemini(extra_body={"google": {"continuation_token": "Q29udA=="}}).value
    assert again["continuationToken"] == "Q29udA=="
    assert "continuationToken" not in gemini().value


def test_a_result_in_the_turn_of_the_model_answers_its_call() -> None:
    turn = {
        "role": "model",
        "parts": [
            {"functionCall": {"name": "f", "args": {"a": 1}}},
            {"functionResponse": {"name": "f", "response": {"output": "x"}}},
            {"text": "done"},
        ],
    }
    messages = openai(contents=[user("q"), turn, user("more")], tools=[DECLARED]).value["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]
    assert (messages[2]["content"], messages[3]["content"]) == ("x", "done")
