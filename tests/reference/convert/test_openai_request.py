"""Chat Completions requests -> generateContent requests."""

import copy

import pytest

from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.errors import ConversionError

from .samples import Json, paths, tool_call

HI = {"role": "user", "content": "hi"}


def gemini(*messages: object, profile: Profile = NATIVE, **rest: object) -> Json:
    return openai_request_to_gemini({"model": "m", "messages": list(messages), **rest}, profile=profile).value


def roles(value: Json) -> list[object]:
    contents = value["contents"]
    assert isinstance(contents, list)
    return [content["role"] for content in contents]


@pytest.mark.row("S1.36")
def test_system_messages_become_the_instruction() -> None:
    converted = gemini(
        {"role": "system", "content": "FOO"}, {"role": "developer", "content": [{"type": "text", "text": "BAR"}]}, HI
    )
    assert converted["systemInstruction"] == {"parts": [{"text": "FOO\n\nBAR"}]}
    assert converted["contents"] == [{"parts": [{"text": "hi"}], "role": "user"}]


def test_a_later_system_message_keeps_its_position() -> None:
    converted = gemini({"role": "system", "content": "S1"}, HI, {"role": "assistant", "content": "ok"},
                  {"role": "system", "content": "S2"}, HI)  # fmt: skip
    assert converted["systemInstruction"] == {"parts": [{"text": "S1"}]}
    assert roles(converted) == ["user", "model", "user"]
    assert converted["contents"][2]["parts"] == [{"text": "S2"}, {"text": "hi"}]


def test_blank_system_messages_are_dropped() -> None:
    assert "systemInstruction" not in gemini({"role": "system", "content": " "}, HI)


@pytest.mark.parametrize("messages", [[{"role": "system", "content": "S"}], [{"role": "user", "content": None}]])
def test_gemini_never_gets_empty_contents(messages: list[Json]) -> None:
    assert gemini(*messages)["contents"] == [{"parts": [{"text": " "}], "role": "user"}]


@pytest.mark.row("S1.41")
def test_neighbours_of_one_role_are_joined() -> None:
    converted = gemini({"role": "user", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"},
                  {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"})  # fmt: skip
    assert roles(converted) == ["user", "model", "user"]
    assert [part["text"] for content in converted["contents"] for part in content["parts"]] == ["a", "b", "c", "d", "e"]


def two_calls(*results: Json) -> Json:
    calls = [tool_call("a", "f", '{"n": 1}'), tool_call("b", "g", '{"n": 2}')]
    return gemini(HI, {"role": "assistant", "content": "", "tool_calls": calls}, *results, HI)


@pytest.mark.row("S1.36")
def test_results_stand_in_one_content_in_call_order() -> None:
    converted = two_calls(
        {"role": "tool", "tool_call_id": "b", "content": "two"}, {"role": "tool", "tool_call_id": "a", "content": "one"}
    )
    assert roles(converted) == ["user", "model", "user"]
    assert converted["contents"][1]["parts"] == [
        {"functionCall": {"id": "a", "name": "f", "args": {"n": 1}}},
        {"functionCall": {"id": "b", "name": "g", "args": {"n": 2}}},
    ]
    assert converted["contents"][2]["parts"] == [
        {"functionResponse": {"id": "a", "name": "f", "response": {"output": "one"}}},
        {"functionResponse": {"id": "b", "name": "g", "response": {"output": "two"}}},
        {"text": "hi"},
    ]


def test_calls_of_two_messages_in_a_row_are_sent_once_each() -> None:
    converted = gemini(
        HI,
        {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "f", "{}")]},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("b", "g", "{}")]},
        {"role": "tool", "tool_call_id": "b", "content": "1"},
    )
    assert [part["functionCall"]["id"] for part in converted["contents"][1]["parts"]] == ["a", "b"]
    assert [part["functionResponse"]["id"] for part in converted["contents"][2]["parts"]] == ["a", "b"]


def test_every_call_of_a_step_gets_a_result() -> None:
    converted = two_calls({"role": "tool", "tool_call_id": "b", "content": "two"})
    responses = [part["functionResponse"] for part in converted["contents"][2]["parts"][:2]]
    assert responses[0] == {"id": "a", "name": "f", "response": {"error": "no result was given for this call"}}
    assert responses[1]["response"] == {"output": "two"}


@pytest.mark.parametrize("id", ["zz", ""])
def test_a_result_without_a_call_is_refused_by_name(id: str) -> None:
    with pytest.raises(ConversionError, match="tool_call_id"):
        gemini(HI, {"role": "tool", "tool_call_id": id, "content": "1"}, HI)


def test_one_result_for_two_calls_of_one_id_is_paired_in_order() -> None:
    calls = [tool_call("x", "f", '{"n": 1}'), tool_call("x", "f", '{"n": 2}')]
    converted = gemini(HI, {"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": "x", "content": "1"},
                  {"role": "tool", "tool_call_id": "x", "content": "2"})  # fmt: skip
    assert [p["functionResponse"]["response"]["output"] for p in converted["contents"][2]["parts"]] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ("plain", {"output": "plain"}),
        ('{"temp": 3}', {"temp": 3}),
        ('["a", "b"]', {"output": ["a", "b"]}),
        ("", {"output": ""}),
        (None, {"output": ""}),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], {"output": "ab"}),
    ],
)
def test_results_are_always_objects(content: object, response: Json) -> None:
    converted = gemini(HI, {"role": "assistant", "tool_calls": [tool_call("a", "f")]},
                  {"role": "tool", "tool_call_id": "a", "content": content})  # fmt: skip
    assert converted["contents"][2]["parts"][0]["functionResponse"]["response"] == response


def test_images_of_a_result_follow_it() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    converted = gemini(HI, {"role": "assistant", "tool_calls": [tool_call("a", "f")]},
                  {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "see"}, image]})  # fmt: skip
    parts = converted["contents"][2]["parts"]
    assert parts[0]["functionResponse"]["response"] == {"output": "see"}
    assert parts[1] == {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("arguments", "args"), [("", {}), (None, {}), ("null", {}), ('{"a": 9007199254740993}', {"a": 9007199254740993}),
                            ('{"broken', {"_raw": '{"broken'})]
)  # fmt: skip
def test_arguments_of_the_history_are_objects(arguments: object, args: Json) -> None:
    made = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    converted = gemini(HI, {"role": "assistant", "content": None, "tool_calls": [made]})
    assert converted["contents"][1]["parts"] == [{"functionCall": {"id": "a", "name": "f", "args": args}}]


def test_the_older_functions_api() -> None:
    converted = gemini(
        HI,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
        {"role": "function", "name": "f", "content": "done"},
        functions=[{"name": "f", "description": "F", "parameters": {"type": "object"}}],
        function_call={"name": "f"},
    )
    assert converted["contents"][1]["parts"] == [{"functionCall": {"name": "f", "args": {"a": 1}}}]
    assert converted["contents"][2]["parts"] == [{"functionResponse": {"name": "f", "response": {"output": "done"}}}]
    assert converted["tools"][0]["functionDeclarations"][0]["name"] == "f"
    assert converted["toolConfig"] == {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}}


def test_reasoning_in_the_history_is_a_thought_and_counts_once() -> None:
    converted = gemini(HI, {"role": "assistant", "content": "out", "reasoning_content": "R", "reasoning": "R"})
    assert converted["contents"][1]["parts"] == [{"text": "R", "thought": True}, {"text": "out"}]


def test_parts_keep_their_order() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "b"},
        {"type": "image_url", "image_url": "https://example.com/b.webp"},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
        {"type": "video_url", "video_url": {"url": "https://example.com/v.webm"}},
    ]
    assert gemini({"role": "user", "content": parts})["contents"][0]["parts"] == [
        {"text": "a"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"text": "b"},
        {"fileData": {"mimeType": "image/webp", "fileUri": "https://example.com/b.webp"}},
        {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}},
        {"fileData": {"mimeType": "video/webm", "fileUri": "https://example.com/v.webm"}},
    ]


def test_a_file_by_id_is_named_in_text() -> None:
    converted = openai_request_to_gemini({"model": "m", "messages": [
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "file", "file": {"file_id": "file-1"}}]}]})  # fmt: skip
    assert converted.value["contents"][0]["parts"] == [{"text": "x"}, {"text": "[file: file_id=file-1]"}]
    assert "messages[].content[].file.file_id" in paths(converted.losses)


@pytest.mark.parametrize(
    ("settings", "config"),
    [
        ({"temperature": 0, "top_p": None, "seed": 0}, {"temperature": 0, "seed": 0}),
        ({"max_tokens": 10}, {"maxOutputTokens": 10}),
        ({"max_completion_tokens": 20}, {"maxOutputTokens": 20}),
        ({"max_tokens": 10, "max_completion_tokens": 20}, {"maxOutputTokens": 20}),
        ({"stop": "END"}, {"stopSequences": ["END"]}),
        ({"stop": []}, None),
        ({"n": 2, "top_k": 5, "presence_penalty": 1}, {"candidateCount": 2, "topK": 5, "presencePenalty": 1}),
        ({"logprobs": True, "top_logprobs": 2}, {"responseLogprobs": True, "logprobs": 2}),
        ({"logprobs": 3}, {"responseLogprobs": True, "logprobs": 3}),
        ({"logprobs": 3, "top_logprobs": 2}, {"responseLogprobs": True, "logprobs": 2}),
        ({"logprobs": False}, {"responseLogprobs": False}),
        ({"random_seed": 7}, {"seed": 7}),
        ({"modalities": ["text", "image"]}, {"responseModalities": ["TEXT", "IMAGE"]}),
        ({"response_format": {"type": "json_object"}}, {"responseMimeType": "application/json"}),
        ({"response_format": {"type": "text"}}, {"responseMimeType": "text/plain"}),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": {"a": 1}}}},
         {"responseMimeType": "application/json", "responseJsonSchema": {"a": 1}}),
    ],
)  # fmt: skip
def test_settings(settings: Json, config: object) -> None:
    assert gemini(HI, **settings).get("generationConfig") == config


def test_thinking_is_only_sent_on_request() -> None:
    assert "generationConfig" not in gemini(HI)
    converted = openai_request_to_gemini({"model": "gemini-3-pro", "messages": [HI], "reasoning_effort": "high"}).value
    assert converted["generationConfig"] == {"thinkingConfig": {"thinkingLevel": "HIGH"}}


SCHEMA = {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "additionalProperties": False}
TOOLS = [
    {"type": "function", "function": {"name": "f", "description": "F", "parameters": SCHEMA, "strict": True}},
    {"type": "web_search"},
    {"type": "function", "function": {"name": "g"}},
]


@pytest.mark.row("S1.38")
def test_functions_keep_their_schema_untouched() -> None:
    converted = openai_request_to_gemini({"model": "m", "messages": [HI], "tools": TOOLS})
    assert converted.value["tools"] == [
        {"functionDeclarations": [{"name": "f", "description": "F", "parametersJsonSchema": SCHEMA}, {"name": "g"}]}
    ]
    assert {"tools[].web_search", "tools[].function.strict"} <= paths(converted.losses)


def test_schemas_can_be_cleaned_for_older_models() -> None:
    converted = gemini(HI, tools=TOOLS, profile=Profile(schema_mode="openapi"))
    declared = converted["tools"][0]["functionDeclarations"][0]
    assert declared["parameters"] == {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}


@pytest.mark.row("S1.12", "S1.39")
@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        ("auto", {"mode": "AUTO"}),
        (" Required ", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ({"type": "auto"}, {"mode": "AUTO"}),
        ({"type": "function", "function": {"name": "f"}}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ({"type": "tool", "name": "f"}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{"function": {"name": "f"}}]}},
         {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"function": {"name": "f"}}]}},
         {"mode": "VALIDATED", "allowedFunctionNames": ["f"]}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}, {"mode": "NONE"}),
        ("sometimes", None),
        (None, None),
    ],
)  # fmt: skip
def test_tool_choice(choice: object, calling: Json | None) -> None:
    converted = gemini(HI, tools=TOOLS, tool_choice=choice)
    assert converted.get("toolConfig") == (None if calling is None else {"functionCallingConfig": calling})
    assert "toolConfig" not in gemini(HI, tool_choice=choice)


def test_inexpressible_members_are_a_loss_and_not_sent() -> None:
    converted = openai_request_to_gemini({"model": "m", "messages": [{**HI, "name": "Ann"}], "user": "u", "store": True,
                                     "stream": True, "parallel_tool_calls": True, "logit_bias": {}})  # fmt: skip
    assert converted.value == {"contents": [{"parts": [{"text": "hi"}], "role": "user"}]}
    assert {"user", "store", "messages[].name"} <= paths(converted.losses)
    assert "parallel_tool_calls" not in paths(converted.losses)
    assert converted.meta == {"model": "m", "stream": True}


@pytest.mark.parametrize("messages", [[], None])
def test_a_request_without_messages_is_refused(messages: object) -> None:
    with pytest.raises(ConversionError, match="messages"):
        openai_request_to_gemini({"model": "m", "messages": messages})


def test_an_unknown_role_is_refused_by_name() -> None:
    with pytest.raises(ConversionError, match="wizard"):
        gemini({"role": "wizard", "content": "x"})


def test_names_gemini_refuses_change_everywhere_alike() -> None:
    names = ["1c_reload", "srv/get item"]
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    converted = gemini(HI, {"role": "assistant", "tool_calls": [tool_call("a", "1c_reload")]}, tools=tools,
                  tool_choice={"type": "function", "function": {"name": "srv/get item"}})  # fmt: skip
    assert [item["name"] for item in converted["tools"][0]["functionDeclarations"]] == ["_1c_reload", "srv_get_item"]
    assert converted["contents"][1]["parts"][0]["functionCall"]["name"] == "_1c_reload"
    assert converted["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["srv_get_item"]


def test_the_request_is_not_changed_and_the_prefix_is_stable() -> None:
    calls = {"role": "assistant", "content": "t", "tool_calls": [tool_call("a", "f", '{"x": [1]}')]}
    history = [HI, calls, {"role": "tool", "tool_call_id": "a", "content": "1"}, {"role": "assistant", "content": "b"}]
    body: Json = {"model": "m", "messages": history, "tools": TOOLS}
    before = copy.deepcopy(body)
    short = openai_request_to_gemini(body).value["contents"]
    assert body == before
    longer = gemini(*history, HI, {"role": "system", "content": "later"}, calls)["contents"]
    assert longer[: len(short)] == short


@pytest.mark.parametrize(
    ("members", "part"),
    [
        ({"reasoning_content": "plan"}, {"text": "plan", "thought": True}),
        ({"refusal": "no"}, {"text": "no"}),
        ({"images": [{"image_url": {"url": "data:image/png;base64,AAAA"}}]}, None),
    ],
)
def test_members_of_a_message_with_calls_and_no_content_are_sent(members: Json, part: Json | None) -> None:
    """Three members, as most messages with calls have, but not the same three."""
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [tool_call("c1", "f", "{}")], **members},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    parts = openai_request_to_gemini({"model": "m", "messages": messages}).value["contents"][1]["parts"]
    assert len(parts) == 2
    assert part is None or parts[0] == part


def test_a_signed_call_and_its_result_keep_signature_and_id() -> None:
    call = {**tool_call("c1", "f", "{}"), "extra_content": {"google": {"thought_signature": "c2ln"}}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    _, model_turn, results = openai_request_to_gemini({"model": "m", "messages": messages}).value["contents"]
    assert model_turn["parts"] == [{"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": "c2ln"}]
    assert results["parts"] == [{"functionResponse": {"id": "c1", "name": "f", "response": {"output": "done"}}}]
