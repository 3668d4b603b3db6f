"""generateContent requests -> Chat Completions requests."""

import copy

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai
from bridgecheck_reference.convert.older_mappings.profiles import LETTER
from bridgecheck_reference.errors import ConversionError

from .samples import Json, call, model, paths, result, user


def messages(*contents: object, **rest: object) -> list[Json]:
    converted = gemini_request_to_openai({"contents": list(contents), **rest}, model="m").value["messages"]
    assert isinstance(converted, list)
    return converted


def value(**body: object) -> Json:
    return gemini_request_to_openai({"contents": "hi", **body}, model="m").value


@pytest.mark.row("S1.42")
@pytest.mark.parametrize(
    "contents",
    [
        "hi",
        ["hi"],
        {"text": "hi"},
        [{"text": "hi"}],
        {"parts": [{"text": "hi"}]},
        [{"parts": [{"text": "hi"}], "role": "user"}],
        [{"parts": [{"text": "hi"}], "role": ""}],
    ],
)
def test_contents_in_every_form_that_sdks_allow(contents: object) -> None:
    converted = gemini_request_to_openai({"contents": contents}, model="m").value
    assert converted == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize(
    "instruction",
    [
        "You are A.Be brief.",
        {"parts": [{"text": "You are A."}, {"text": "Be brief."}]},
        {"role": "system", "parts": [{"text": "You are A.Be brief."}]},
        [{"text": "You are A."}, {"text": "Be brief."}],
    ],
)
@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
def test_system_instruction_in_every_form(instruction: object, key: str) -> None:
    assert value(**{key: instruction})["messages"][0] == {"role": "system", "content": "You are A.Be brief."}


def test_no_system_message_without_text() -> None:
    assert value(systemInstruction={"parts": [{"text": " "}]})["messages"] == [{"role": "user", "content": "hi"}]


@pytest.mark.row("S2.9", "S2.19")
def test_a_tool_round_with_generated_ids() -> None:
    converted = messages(
        user("weather?"), model(call("get_weather", {"location": "Beijing"})), user_results := model_results()
    )
    assert user_results["role"] == "user"
    assert converted[1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_get_weather_0001",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"location":"Beijing"}'},
            }
        ],
    }
    assert converted[2] == {"role": "tool", "tool_call_id": "call_get_weather_0001", "content": "sunny"}


def model_results() -> Json:
    return {"role": "user", "parts": [result("get_weather", {"output": "sunny"})]}


@pytest.mark.row("S2.10")
def test_parallel_calls_of_one_function_pair_by_order() -> None:
    answers = {"role": "function", "parts": [result("f", {"output": "a"}), result("f", {"output": "b"})]}
    converted = messages(user("x"), model(call("f", {"n": 1}), call("f", {"n": 2})), answers)
    ids = [made["id"] for made in converted[1]["tool_calls"]]
    assert [(m["tool_call_id"], m["content"]) for m in converted[2:]] == [(ids[0], "a"), (ids[1], "b")]
    assert len(set(ids)) == 2


@pytest.mark.row("S2.10")
def test_results_with_ids_pair_in_any_order() -> None:
    answers = {
        "role": "user",
        "parts": [result("f", {"output": "b"}, id="id-b"), result("f", {"output": "a"}, id="id-a")],
    }
    converted = messages(user("x"), model(call("f", id="id-a"), call("f", id="id-b")), answers)
    assert {m["tool_call_id"]: m["content"] for m in converted[2:]} == {"id-a": "a", "id-b": "b"}


@pytest.mark.row("S2.16")
def test_parts_next_to_results_follow_as_a_user_message() -> None:
    mixed = {"role": "user", "parts": [{"text": "and now?"}, result("f", {"output": "1"})]}
    converted = messages(user("x"), model(call("f")), mixed)
    assert [m["role"] for m in converted] == ["user", "assistant", "tool", "user"]
    assert converted[3]["content"] == "and now?"


def test_results_in_several_contents_follow_their_calls() -> None:
    entry = {"role": "user", "parts": [result("f", {"output": "1"}), {"text": "between"}]}
    two = {"role": "user", "parts": [result("g", {"output": "2"})]}
    converted = messages(user("x"), model(call("f")), model(call("g")), entry, two)
    assert [m["role"] for m in converted] == ["user", "assistant", "tool", "tool", "user"]
    assert [c["function"]["name"] for c in converted[1]["tool_calls"]] == ["f", "g"]


def test_files_of_a_result_follow_as_a_user_message() -> None:
    image = {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}}
    answer = {"role": "user", "parts": [result("shot", {"ok": True}, parts=[image])]}
    converted = messages(user("x"), model(call("shot")), answer)
    assert converted[2]["content"] == '{"ok": true}'
    assert converted[3]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,")


def test_an_unanswered_call_gets_a_placeholder_if_the_conversation_went_on() -> None:
    converted = messages(user("x"), model(call("f")), user("go on"))
    assert [m["role"] for m in converted] == ["user", "assistant", "tool", "user"]
    assert "no result" in converted[2]["content"]
    assert [m["role"] for m in messages(user("x"), model(call("f")))] == ["user", "assistant"]


@pytest.mark.row("S2.10")
def test_a_result_that_answers_no_call_is_refused_by_name() -> None:
    with pytest.raises(ConversionError, match="'f' answers no call") as caught:
        gemini_request_to_openai({"contents": [{"parts": [result("f", {"output": "1"})]}]}, model="m")
    assert caught.value.field == "contents[].parts[].functionResponse"


@pytest.mark.row("S2.19")
def test_thoughts_never_reach_the_text() -> None:
    converted = messages(user("q"), model({"text": "inner", "thought": True}, {"text": "outer"}))
    assert converted[1] == {"role": "assistant", "content": "outer"}


def test_parts_keep_their_order_around_images() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    converted = messages({"role": "user", "parts": [{"text": "a"}, image, {"text": "b"}, image]})
    assert [part["type"] for part in converted[0]["content"]] == ["text", "image_url", "text", "image_url"]


def test_code_in_the_history_is_shown_as_text() -> None:
    converted = messages(
        user("q"),
        model({"executableCode": {"code": "print(1)", "language": "PYTHON"}}),
        user("r"),
        model({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}),
    )
    assert converted[1]["content"] == "```python\nprint(1)\n```"
    assert converted[3]["content"] == "[code_execution_result]\noutcome: OUTCOME_OK\noutput:\n1"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"temperature": 0}, {"temperature": 0}),
        ({"topP": 0.9, "top_p": 0.1}, {"top_p": 0.9}),
        ({"max_output_tokens": 10}, {"max_tokens": 10}),
        ({"stopSequences": ["a", "b"]}, {"stop": ["a", "b"]}),
        ({"candidateCount": 2, "seed": 0}, {"n": 2, "seed": 0}),
        ({"presencePenalty": -1, "frequencyPenalty": 1}, {"presence_penalty": -1, "frequency_penalty": 1}),
        ({"responseLogprobs": True, "logprobs": 3}, {"logprobs": True, "top_logprobs": 3}),
        ({"topK": 40, "temperature": None}, {}),
        ({"response_mime_type": "application/json"}, {"response_format": {"type": "json_object"}}),
        ({"responseMimeType": "text/plain"}, {"response_format": {"type": "text"}}),
        ({"responseModalities": ["TEXT"]}, {}),
        ({"responseModalities": ["TEXT", "IMAGE"]}, {"modalities": ["text", "image"]}),
        ({"thinkingConfig": {"thinkingBudget": 10000}, "maxOutputTokens": 4096},
         {"reasoning_effort": "medium", "max_completion_tokens": 4096}),
        ({"thinkingConfig": {"thinkingLevel": "HIGH"}}, {"reasoning_effort": "high"}),
    ],
)  # fmt: skip
def test_settings(config: Json, expected: Json) -> None:
    made = value(generationConfig=config)
    assert {key: item for key, item in made.items() if key not in ("model", "messages")} == expected
    assert value(generation_config=config) == made
    assert value(config=config) == made


def test_a_model_that_reasons_gets_its_limit_as_max_completion_tokens() -> None:
    """Without an effort too: OpenAI refuses max_tokens, recorded in ai-gateway/0003."""
    made = gemini_request_to_openai(
        {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "generationConfig": {"maxOutputTokens": 10}},
        model="gpt-5.1-mini",
    ).value
    assert (made.get("max_completion_tokens"), "max_tokens" in made) == (10, False)


@pytest.mark.row("S2.27")
@pytest.mark.parametrize("key", ["responseSchema", "response_schema"])
def test_a_response_schema_is_strict_only_if_it_qualifies(key: str) -> None:
    loose = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    converted = value(generationConfig={"responseMimeType": "application/json", key: loose})["response_format"]
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert converted == {"type": "json_schema", "json_schema": {"name": "response", "schema": schema}}
    strict = {**schema, "required": ["a"], "additionalProperties": False}
    converted = value(generationConfig={"responseJsonSchema": strict})["response_format"]
    assert converted["json_schema"] == {"name": "response", "strict": True, "schema": strict}


@pytest.mark.row("S2.29")
def test_functions_of_every_kind_of_declaration() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    converted = value(
        tools=[
            {"functionDeclarations": [{"name": "a", "description": "A", "parametersJsonSchema": schema}]},
            {
                "function_declarations": [
                    {"name": "b", "description": None, "parameters": {"type": "OBJECT", "properties": {}}},
                    {"name": "c", "parameters_json_schema": schema},
                    {"name": "d"},
                ]
            },
        ]
    )["tools"]
    assert [tool["function"]["name"] for tool in converted] == ["a", "b", "c", "d"]
    assert converted[0]["function"] == {"name": "a", "description": "A", "parameters": schema}
    assert converted[1]["function"] == {
        "name": "b",
        "description": "",
        "parameters": {"type": "object", "properties": {}},
    }
    assert converted[2]["function"]["parameters"] == schema
    assert converted[3]["function"]["parameters"] == {"type": "object", "properties": {}}


def test_built_in_tools_become_functions_or_losses() -> None:
    converted = gemini_request_to_openai(
        {"contents": "hi", "tools": [{"google_search": {}}, {"codeExecution": {}}, {"urlContext": {}}]}, model="m"
    )
    assert [tool["function"]["name"] for tool in converted.value["tools"]] == ["google_search", "code_execution"]
    assert converted.value["tools"][1]["function"] == {
        "name": "code_execution",
        "description": "Execute Python code. Caller must implement the execution handler.",
        "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
    }
    assert "tools[].urlContext" in paths(converted.losses)


@pytest.mark.row("S2.34")
def test_a_function_with_the_name_of_a_built_in_tool_is_refused() -> None:
    with pytest.raises(ConversionError, match="google_search"):
        value(tools=[{"functionDeclarations": [{"name": "google_search"}], "googleSearch": {}}])


@pytest.mark.row("S1.12", "S2.30")
@pytest.mark.parametrize(
    ("calling", "choice"),
    [
        ({"mode": "AUTO"}, "auto"),
        ({"mode": "any"}, "required"),
        ({"mode": "NONE"}, "none"),
        ({"mode": "VALIDATED"}, "auto"),
        ({"mode": "ANY", "allowed_function_names": ["f"]}, {"type": "function", "function": {"name": "f"}}),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
         {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [
             {"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {"name": "g"}}]}}),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        (None, None),
    ],
)  # fmt: skip
def test_tool_choice(calling: object, choice: object) -> None:
    tools = [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]
    made = value(tools=tools, toolConfig={"functionCallingConfig": calling})
    assert made.get("tool_choice") == choice
    assert "tool_choice" not in value(toolConfig={"functionCallingConfig": calling})


def test_a_stream_requests_its_usage() -> None:
    converted = gemini_request_to_openai({"contents": "hi"}, model="m", stream=True)
    assert (converted.value["stream"], converted.value["stream_options"]) == (True, {"include_usage": True})
    assert converted.meta == {"model": "m", "stream": True}
    assert "stream_options" not in gemini_request_to_openai({"contents": "hi"}, stream=True, profile=LETTER).value


def test_inexpressible_members_are_a_loss_and_not_sent() -> None:
    body = {
        "contents": "hi",
        "safetySettings": [{"category": "X", "threshold": "Y"}],
        "cachedContent": "cachedContents/1",
        "generationConfig": {"topK": 40, "speechConfig": {}},
        "toolConfig": {"includeServerSideToolInvocations": True},
    }
    converted = gemini_request_to_openai(body, model="m")
    assert converted.value == {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert {"safetySettings", "cachedContent", "generationConfig.topK", "generationConfig.speechConfig"} <= paths(
        converted.losses
    )
    assert converted.meta["safety_settings"] == body["safetySettings"]


@pytest.mark.parametrize("body", [{}, {"contents": []}, {"contents": [{"role": "user", "parts": []}]}])
def test_an_empty_request_is_refused(body: Json) -> None:
    with pytest.raises(ConversionError, match="contents"):
        gemini_request_to_openai(body, model="m")


def test_an_unknown_role_is_refused_by_name() -> None:
    with pytest.raises(ConversionError, match="wizard") as caught:
        gemini_request_to_openai({"contents": [{"role": "wizard", "parts": [{"text": "x"}]}]}, model="m")
    assert caught.value.field == "contents[].role"


def test_names_openai_refuses_change_everywhere_alike() -> None:
    converted = gemini_request_to_openai(
        {
            "contents": [user("x"), model(call("srv.get:item")), {"parts": [result("srv.get:item", {"output": "1"})]}],
            "tools": [{"functionDeclarations": [{"name": "srv.get:item"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["srv.get:item"]}},
        },
        model="m",
    ).value
    assert converted["tools"][0]["function"]["name"] == "srv_get_item"
    assert converted["tool_choice"]["function"]["name"] == "srv_get_item"
    assert converted["messages"][1]["tool_calls"][0]["function"]["name"] == "srv_get_item"
    assert converted["messages"][2]["tool_call_id"] == converted["messages"][1]["tool_calls"][0]["id"]


@pytest.mark.row("S2.8")
def test_the_same_request_gives_the_same_bytes_and_a_longer_one_the_same_prefix() -> None:
    short = [user("a"), model(call("f")), {"parts": [result("f", {"output": "1"})]}]
    longer = [*short, model({"text": "b"}), user("c"), model(call("f")), {"parts": [result("f", {"output": "2"})]}]
    assert messages(*short) == messages(*copy.deepcopy(short))
    assert messages(*longer)[: len(messages(*short))] == messages(*short)


def test_the_request_is_not_changed() -> None:
    body = {
        "contents": [user("a"), model(call("f", {"deep": {"x": [1]}})), {"parts": [result("f", {"output": [1]})]}],
        "tools": [{"function_declarations": [{"name": "f", "parameters": {"type": "OBJECT", "nullable": True}}]}],
        "generation_config": {"response_schema": {"type": "OBJECT"}},
    }
    before = copy.deepcopy(body)
    gemini_request_to_openai(body, model="m", profile=NATIVE)
    assert body == before
