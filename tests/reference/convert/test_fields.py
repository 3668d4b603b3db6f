"""The fields of requests and answers, one row of the mapping's tables each."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.config import PROFILE_VARIABLES, load_profile
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.schema import to_json_schema
from bridgecheck_reference.convert.older_mappings.profiles import LETTER
from bridgecheck_reference.errors import ConfigError

from .samples import Json, call, model, paths, result, tool_call, user
from .with_habits import gemini_request_to_openai, openai_response_to_gemini

row = pytest.mark.row


def convert_request(request: Json, profile: Profile = NATIVE) -> dict[str, Any]:
    return gemini_request_to_openai(request, model="m", profile=profile).value


def lost_paths(request: Json) -> set[str]:
    return paths(gemini_request_to_openai(request, model="m").losses)


SETTINGS = [
    pytest.param({"temperature": 0}, {"temperature": 0}, marks=row("S2.22"), id="temperature"),
    pytest.param({"topP": 0.5}, {"top_p": 0.5}, marks=row("S2.23"), id="topP"),
    pytest.param({"maxOutputTokens": 9}, {"max_tokens": 9}, marks=row("S2.24"), id="maxOutputTokens"),
    pytest.param({"stopSequences": ["a", "b"]}, {"stop": ["a", "b"]}, marks=row("S2.25"), id="stopSequences"),
    pytest.param({"presencePenalty": 0.0}, {"presence_penalty": 0.0}, marks=row("S2.44"), id="presencePenalty"),
    pytest.param({"frequencyPenalty": 1.5}, {"frequency_penalty": 1.5}, marks=row("S2.45"), id="frequencyPenalty"),
    pytest.param({"candidateCount": 2}, {"n": 2}, marks=row("S2.46"), id="candidateCount"),
]


@row("S2.71")
@pytest.mark.parametrize("profile", [NATIVE, LETTER], ids=lambda profile: profile.name)
@pytest.mark.parametrize(("config", "expected"), SETTINGS)
def test_settings(config: Json, expected: Json, profile: Profile) -> None:
    converted = convert_request({"contents": [user("x")], "generationConfig": config}, profile)
    assert converted == {"model": "m", "messages": [{"role": "user", "content": "x"}], **expected}


@row("S2.25")
def test_more_stops_than_openai_takes_are_sent_and_a_loss() -> None:
    request: Json = {"contents": [user("x")], "generationConfig": {"stopSequences": list("abcde")}}
    assert convert_request(request)["stop"] == list("abcde")
    assert "generationConfig.stopSequences" in lost_paths(request)


@row("S2.13")
def test_texts_of_the_system_instruction_are_joined_without_separator() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    request: Json = {"systemInstruction": {"parts": [{"text": "a"}, image, {"text": "b"}]}, "contents": [user("x")]}
    assert convert_request(request)["messages"][0] == {"role": "system", "content": "ab"}
    assert "systemInstruction.parts[]" in lost_paths(request)
    textless: Json = {"systemInstruction": {"parts": [image]}, "contents": [user("x")]}
    assert [message["role"] for message in convert_request(textless)["messages"]] == ["user"]


@row("S2.18")
@pytest.mark.parametrize(
    ("response", "native", "letter"),
    [
        ({"output": "ok"}, "ok", '{"output": "ok"}'),
        ({"content": "ok"}, '{"content": "ok"}', "ok"),
        ({"content": {"a": 1}}, '{"content": {"a": 1}}', '{"a": 1}'),
        ({"result": "日本"}, '{"result": "日本"}', '{"result": "日本"}'),
        ({"error": "no"}, '{"error": "no"}', '{"error": "no"}'),
        ("plain", "plain", "plain"),
        (7, "7", "7"),
        (None, "", ""),
    ],
)
def test_the_text_of_a_tool_result(response: object, native: str, letter: str) -> None:
    request: Json = {"contents": [user("x"), model(call("f")), {"role": "user", "parts": [result("f", response)]}]}
    assert convert_request(request)["messages"][2]["content"] == native
    converted = convert_request(request, LETTER)["messages"][2]["content"]
    assert converted == (native if response == {"output": "ok"} else letter)


@row("S2.20", "S2.21")
def test_plain_messages() -> None:
    assert convert_request({"contents": [user("a"), model({"text": "b"}, {"text": "c"})]})["messages"] == [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "bc"},
    ]
    assert convert_request({"contents": [user("a", "b")]})["messages"][0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]


FUNCTION: Json = {"name": "f", "parameters": {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}}


@row("S2.28", "S2.29", "S2.30")
def test_declarations_in_both_spellings_and_in_one_tool() -> None:
    tools = [{"functionDeclarations": [FUNCTION]}, {"function_declarations": [{**FUNCTION, "name": "g"}]}]
    request: Json = {"contents": [user("x")], "tools": tools}
    for profile, choice in ((NATIVE, None), (LETTER, "auto")):
        converted = convert_request(request, profile)
        assert [tool["function"]["name"] for tool in converted["tools"]] == ["f", "g"]
        assert converted["tools"][0]["function"]["description"] == ""
        assert converted.get("tool_choice") == choice


@row("S2.31", "S2.72")
@pytest.mark.parametrize("kind", ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"])
def test_types_become_lower_case(kind: str) -> None:
    assert to_json_schema({"type": kind}) == {"type": kind.lower()}
    assert to_json_schema({"type": [kind, "NULL"]}) == {"type": [kind.lower(), "null"]}
    assert to_json_schema({"type": "TYPE_UNSPECIFIED"}) == {}


@row("S2.32")
@pytest.mark.parametrize(
    ("key", "written", "number"),
    [
        *((key, "12", 12) for key in ("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum")),
        ("minimum", "-5", -5),
        ("maximum", "1.5", 1.5),
        ("maxItems", 3, 3),
        ("minLength", "many", "many"),
    ],
)
def test_numbers_written_as_text(key: str, written: object, number: object) -> None:
    converted = to_json_schema({key: written})
    assert converted == {key: number} and type(converted[key]) is type(number)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@row("S2.33")
@given(st.dictionaries(st.sampled_from(["default", "enum", "example", "const"]), JSON), st.text(max_size=5))
def test_payloads_of_a_schema_are_not_rewritten_and_the_input_never(payload: Json, name: str) -> None:
    inner = {"type": "STRING", **payload, "default": {"type": "KEEP_ME"}}
    schema: Json = {"type": "OBJECT", "properties": {name: {"type": "ARRAY", "items": inner}}}
    before = copy.deepcopy(schema)
    converted = to_json_schema(schema)
    items = converted["properties"][name]["items"]
    assert items == {**inner, "type": "string"}
    assert schema == before


VIRTUAL = [
    ("codeExecution", "code_execution", "Execute Python code. Caller must implement the execution handler.", "code"),
    ("code_execution", "code_execution", "Execute Python code. Caller must implement the execution handler.", "code"),
    ("googleSearch", "google_search", None, "query"),
    ("google_search", "google_search", None, "query"),
]


@row("S2.34", "S2.35")
@pytest.mark.parametrize(("key", "name", "description", "parameter"), VIRTUAL)
def test_built_in_tools_that_become_functions(key: str, name: str, description: str | None, parameter: str) -> None:
    function = convert_request({"contents": [user("x")], "tools": [{key: {}}]}, LETTER)["tools"][0]["function"]
    assert function["name"] == name and description in (None, function["description"])
    properties = {parameter: {"type": "string"}}
    assert function["parameters"] == {"type": "object", "properties": properties, "required": [parameter]}


IGNORED = [
    pytest.param("googleSearchRetrieval", marks=row("S2.36")),
    pytest.param("google_search_retrieval", marks=row("S2.36")),
    *(
        pytest.param(tool, marks=row("S2.37"))
        for tool in (
            "retrieval", "fileSearch", "urlContext", "googleMaps", "computerUse", "mcpServers", "enterpriseWebSearch",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("tool", IGNORED)
def test_built_in_tools_without_an_equivalent_are_a_loss(tool: str) -> None:
    request: Json = {"contents": [user("x")], "tools": [{tool: {"a": 1}}]}
    assert "tools" not in convert_request(request)
    assert any(path.lower() == f"tools[].{tool.replace('_', '')}".lower() for path in lost_paths(request))


PARTS = [
    pytest.param({"executableCode": {"code": "1+1"}}, "```python\n1+1\n```", marks=row("S2.38"), id="code"),
    pytest.param(
        {"executableCode": {"code": "ls", "language": "BASH"}}, "```bash\nls\n```", marks=row("S2.38"), id="language"
    ),
    pytest.param(
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
        "[code_execution_result]\noutcome: OUTCOME_OK\noutput:\n2",
        marks=row("S2.39"),
        id="result",
    ),
    pytest.param(
        {"inlineData": {"mimeType": "image/png", "data": "-_8="}},
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,+/8="}}],
        marks=row("S2.40"),
        id="image",
    ),
    pytest.param(
        {"inlineData": {"data": "AA=="}},
        [{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AA=="}}],
        marks=row("S2.73"),
        id="no-mime",
    ),
    *(
        pytest.param(
            {"inlineData": {"mimeType": mime, "data": "AA=="}},
            [{"type": "input_audio", "input_audio": {"data": "AA==", "format": form}}],
            marks=row("S2.41"),
            id=mime,
        )
        for mime, form in (("audio/wav", "wav"), ("audio/x-wav", "wav"), ("audio/mpeg", "mp3"), ("audio/mp3", "mp3"))
    ),
    pytest.param(
        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/f"}},
        "[fileData: mimeType=application/pdf, uri=gs://b/f]",
        marks=row("S2.43"),
        id="file",
    ),
]


@row("S2.71")
@pytest.mark.parametrize(("part", "content"), PARTS)
def test_parts(part: Json, content: object) -> None:
    assert convert_request({"contents": [{"role": "user", "parts": [part]}]})["messages"][0]["content"] == content


@pytest.mark.parametrize(
    "mime", [pytest.param("video/mp4", marks=row("S2.42")), pytest.param("audio/flac", marks=row("S2.41"))]
)
def test_media_that_openai_does_not_take_are_recorded_and_leave_no_empty_message(mime: str) -> None:
    part = {"inlineData": {"mimeType": mime, "data": "AA=="}}
    request: Json = {"contents": [user("x"), {"role": "user", "parts": [part]}]}
    assert "AA==" not in str(convert_request(request))
    assert all(message["content"] for message in convert_request(request)["messages"])
    assert "contents[].parts[].inlineData" in lost_paths(request)


def parts_of(message: Json, finish: str = "stop", profile: Profile = NATIVE) -> Any:
    response: Json = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return openai_response_to_gemini(response, profile=profile).value["candidates"][0]["content"]["parts"]


@row("S2.56", "S2.57", "S2.59", "S2.71")
def test_the_parts_of_an_answer() -> None:
    made = {"functionCall": {"name": "f", "args": {"a": 1}}}
    calls = [tool_call("i", "f", '{"a": 1}')]
    assert parts_of({"content": "t", "tool_calls": calls}, "tool_calls", LETTER) == [{"text": "t"}, made]
    assert parts_of({"content": "", "tool_calls": calls}, "tool_calls", LETTER) == [made]
    assert parts_of({"content": ""}) == parts_of({"content": None}, profile=LETTER) == [{"text": ""}]


@row("S2.57")
def test_calls_of_another_kind_are_recorded() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "x", "input": "y"}}
    response: Json = {"choices": [{"message": {"content": "t", "tool_calls": [custom]}, "finish_reason": "stop"}]}
    converted = openai_response_to_gemini(response)
    assert "choices[].delta.tool_calls[].type" in paths(converted.losses)
    call = {"functionCall": {"id": "c", "name": "x", "args": {"input": "y"}}}
    assert converted.value["candidates"][0]["content"]["parts"] == [{"text": "t"}, call]


@row("S2.58", "S2.79")
@pytest.mark.parametrize(
    ("arguments", "args"),
    [("", {}), ("null", {}), ("[1]", {}), ("3", {}), ('"x"', {}), ("{oops", {}), ("[DONE]", None), (" [DONE] ", None)],
)
def test_arguments_in_the_letter_profile(arguments: str, args: object) -> None:
    parts = parts_of({"content": "t", "tool_calls": [tool_call("i", "f", arguments)]}, profile=LETTER)
    assert parts[1:] == ([] if args is None else [{"functionCall": {"name": "f", "args": args}}])


@row("S2.63", "S2.71")
@pytest.mark.parametrize(
    ("reason", "native", "letter"),
    [
        ("stop", "STOP", "STOP"),
        ("length", "MAX_TOKENS", "MAX_TOKENS"),
        ("content_filter", "SAFETY", "SAFETY"),
        ("tool_calls", "STOP", "MODEL_REQUESTED_TOOL"),
        ("brand_new", "OTHER", "STOP"),
    ],
)
def test_finish_reasons(reason: str, native: str, letter: str) -> None:
    message = {"content": "t", "tool_calls": [tool_call("i", "f")] if reason == "tool_calls" else []}
    response: Json = {"choices": [{"message": message, "finish_reason": reason}]}
    for profile, expected in ((NATIVE, native), (LETTER, letter)):
        converted = openai_response_to_gemini(response, profile=profile).value
        assert converted["candidates"][0]["finishReason"] == expected


@row("S2.74")
def test_arguments_stay_readable_and_in_order() -> None:
    args: Json = {"z": "北京", "a": {"é": [1, 2.0]}, "m": 12345678901234567890}
    spaced = '{"z": "北京", "a": {"é": [1, 2.0]}, "m": 12345678901234567890}'
    text = '{"z":"北京","a":{"é":[1,2.0]},"m":12345678901234567890}'
    for profile, expected in ((NATIVE, text), (LETTER, spaced)):
        converted = convert_request({"contents": [user("x"), model(call("f", args))]}, profile)["messages"][1][
            "tool_calls"
        ][0]
        assert converted["function"]["arguments"] == expected
    back = parts_of({"tool_calls": [tool_call("i", "f", text)]}, "tool_calls")[0]["functionCall"]["args"]
    assert back == args and list(back) == ["z", "a", "m"]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, float("nan"), "half \ud83d", None, 1e300, [{"n": 2**70}]])
def test_arguments_that_orjson_would_change_are_written_unchanged(value: object) -> None:
    converted = convert_request({"contents": [user("x"), model(call("f", {"v": value}))]})["messages"][1]["tool_calls"][
        0
    ]
    assert repr(json.loads(converted["function"]["arguments"])) == repr({"v": value})


VARIABLES = [
    pytest.param("GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD", "low_budget", marks=row("S2.80")),
    pytest.param("GEMINI_TO_OPENAI_HIGH_REASONING_THRESHOLD", "high_budget", marks=row("S2.81")),
    pytest.param("OPENAI_REASONING_MAX_TOKENS", "reasoning_max_tokens", marks=row("S2.82")),
    pytest.param("ANTHROPIC_MAX_TOKENS", "anthropic_max_tokens", marks=row("S2.83")),
]


@pytest.mark.parametrize(("variable", "field"), VARIABLES)
def test_numbers_from_the_environment(variable: str, field: str) -> None:
    assert PROFILE_VARIABLES[variable] == field
    assert getattr(load_profile("native", {variable: "7000"}), field) == 7000
    assert getattr(load_profile("letter", {variable: " 9 "}), field) == 9
    assert load_profile("native", {variable: ""}) == NATIVE
    for wrong in ("much", "-1", "0", "1.5"):
        with pytest.raises(ConfigError, match=variable):
            load_profile("letter", {variable: wrong})


@row("S2.53", "S2.81")
def test_bounds_that_cross_are_refused() -> None:
    env = {"GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD": "9", "GEMINI_TO_OPENAI_HIGH_REASONING_THRESHOLD": "8"}
    for name in ("native", "letter"):
        with pytest.raises(ConfigError, match=r"LOW_REASONING_THRESHOLD is above .*: 9 > 8"):
            load_profile(name, env)
    assert (load_profile("native", {}).low_budget, load_profile("native", {}).high_budget) == (4096, 16384)


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"unknown profile 'x'; known: .*letter.*native"):
        load_profile("x", {})
