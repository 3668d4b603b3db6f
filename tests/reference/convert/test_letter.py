"""Each option of the profile ``letter``, which follows the older mapping exactly, compared with the default."""

from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.gemini.stream_from_openai import convert_chunk_or_raise_for_call
from bridgecheck_reference.convert.json_schema import DEEPEST
from bridgecheck_reference.convert.older_mappings.habits import HABITS
from bridgecheck_reference.convert.older_mappings.profiles import APICONVERSION, LETTER, NARROW, OLDER_PROFILES
from bridgecheck_reference.convert.older_mappings.schemas import drop_legacy_schema_keywords
from bridgecheck_reference.errors import ConversionError

from .samples import call, chunk, event, model, paths, result, tool_call, user
from .with_habits import (
    gemini_request_to_openai,
    gemini_response_to_openai,
    habits,
    open_stream,
    openai_request_to_gemini,
    openai_response_to_gemini,
)

THINKS = replace(LETTER, low_budget=4096, high_budget=16384)


def convert_request(request: dict[str, object], profile: Profile = NATIVE) -> dict[str, object]:
    return gemini_request_to_openai(request, model="m", profile=profile).value


def lost_paths(request: dict[str, object], profile: Profile = NATIVE) -> set[str]:
    return paths(gemini_request_to_openai(request, model="m", profile=profile).losses)


def ids(contents: list[object], profile: Profile) -> tuple[list[object], list[object]]:
    """The ids of the calls and of the results, in order."""
    messages = convert_request({"contents": contents}, profile)["messages"]
    made = [entry["id"] for message in messages for entry in message.get("tool_calls", [])]
    return made, [message["tool_call_id"] for message in messages if message["role"] == "tool"]


PARALLEL = [model(call("w"), call("w")), {"role": "user", "parts": [result("w", {"a": 1}), result("w", {"a": 2})]}]
SEQUENTIAL = [
    model(call("w")),
    {"role": "user", "parts": [result("w", {})]},
    model(call("s"), call("w")),
    {"role": "user", "parts": [result("s", {}), result("w", {})]},
]
W1, W2, S1 = "call_w_0001", "call_w_0002", "call_s_0001"


@pytest.mark.row("S2.8", "S2.9", "S2.10")
@pytest.mark.parametrize(
    ("contents", "habit", "expected"),
    [
        (PARALLEL, None, ([W1, W2], [W1, W2])),
        (PARALLEL, "latest_pairing", ([W1, W2], [None, W2])),
        (PARALLEL, "latest_or_own_pairing", ([W1, W2], [W1, W2])),
        (SEQUENTIAL, None, ([W1, S1, W2], [W1, S1, W2])),
        (SEQUENTIAL, "latest_pairing", ([W1, S1, W2], [W1, S1, W2])),
        (SEQUENTIAL, "latest_or_own_pairing", ([W1, S1, W2], [W1, S1, W2])),
    ],
)
def test_results_are_paired(contents: list[object], habit: str | None, expected: tuple[list[str], list[str]]) -> None:
    assert ids(contents, replace(NATIVE, habits=habits(habit) if habit else habits())) == expected


@pytest.mark.row("S2.10")
def test_keys_of_the_letters_map_collide_between_functions() -> None:
    contents = [model(call("x")), {"role": "user", "parts": [result("x", {})]}, model(call("response_x")), user("go")]
    assert ids(contents, LETTER)[1] == ["call_response_x_0001"]
    assert ids(contents, NATIVE)[1][0] == "call_x_0001"


@pytest.mark.row("S2.8")
def test_given_ids_count_unless_the_profile_numbers_all() -> None:
    contents = [model(call("w", id="given")), {"role": "user", "parts": [result("w", {}, id="given")]}]
    assert ids(contents, NATIVE) == (["given"], ["given"])
    assert ids(contents, replace(NATIVE, habits=habits("sequence_ids"))) == ([W1], [W1])


@pytest.mark.row("S2.8")
def test_a_longer_history_keeps_the_ids_of_the_shorter() -> None:
    for size in range(1, 4):
        shorter, longer = ids(SEQUENTIAL[:size], LETTER)[0], ids(SEQUENTIAL, LETTER)[0]
        assert longer[: len(shorter)] == shorter


@pytest.mark.row("S2.11")
def test_a_call_without_a_name_is_never_numbered() -> None:
    for profile in (NATIVE, LETTER):
        request = {"contents": [user("x"), model(call("")), user("y")]}
        assert "call__" not in str(convert_request(request, profile))
        assert "contents[].parts[].functionCall" in lost_paths(request, profile)


IMAGE = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


@pytest.mark.row("S1.9")
def test_text_only_drops_other_parts() -> None:
    request = {"contents": [{"role": "user", "parts": [{"text": "a"}, IMAGE, {"text": "b"}]}]}
    assert convert_request(request, replace(NATIVE, habits=habits("text_only")))["messages"] == [
        {"role": "user", "content": "ab"}
    ]
    assert "messages[].content[].image_url" in lost_paths(request, replace(NATIVE, habits=habits("text_only")))
    assert len(convert_request(request)["messages"][0]["content"]) == 3
    chat = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "x"}]}]}
    converted = openai_request_to_gemini(chat, profile=replace(NATIVE, habits=habits("text_only"))).value
    assert converted["contents"] == [{"role": "user", "parts": [{"text": "a"}]}]


@pytest.mark.row("S1.13")
def test_strict_parameters_are_eight() -> None:
    config = {"topP": 0.5, "temperature": 0, "maxOutputTokens": 5, "seed": 1}
    request = {"contents": [user("x")], "generationConfig": config}
    assert convert_request(request, replace(NATIVE, habits=habits("eight_fields"))).keys() == {
        "model",
        "messages",
        "temperature",
        "max_tokens",
    }
    assert {"top_p", "seed"} <= lost_paths(request, replace(NATIVE, habits=habits("eight_fields")))
    assert convert_request(request)["top_p"] == 0.5
    assert NARROW.habits - LETTER.habits == {"text_only", "eight_fields"}


@pytest.mark.row("S2.19")
def test_thoughts_inline_are_text() -> None:
    parts = [{"text": "hm ", "thought": True}, {"text": "yes"}]
    inline = replace(NATIVE, habits=habits("thoughts_are_text"))
    sent = convert_request({"contents": [user("x"), model(*parts)]}, inline)["messages"][1]
    assert sent == {"role": "assistant", "content": "hm yes"}
    assert convert_request({"contents": [user("x"), model(*parts)]})["messages"][1]["content"] == "yes"
    answer = gemini_response_to_openai(event(*parts, finish="STOP"), profile=inline).value
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "hm yes"}


@pytest.mark.row("S2.26", "S2.27")
@pytest.mark.parametrize(
    ("config", "native", "letter"),
    [
        ({"responseMimeType": "application/json"}, {"type": "json_object"}, None),
        ({"response_mime_type": "application/json"}, {"type": "json_object"}, {"type": "json_object"}),
    ],
)
def test_the_letter_reads_keys_as_it_spells_them(config: object, native: object, letter: object) -> None:
    request = {"contents": [user("x")], "generationConfig": config}
    exact = replace(NATIVE, habits=habits("camel_case_only"))
    assert convert_request(request).get("response_format") == native
    assert convert_request(request, exact).get("response_format") == letter
    assert (lost_paths(request, exact) != set()) == (letter is None)


@pytest.mark.row("S2.12")
@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
def test_the_system_instruction_is_read_in_both_spellings(key: str) -> None:
    request = {key: {"parts": [{"text": "Be "}, {"text": "kind."}]}, "contents": [user("x")]}
    for profile in (NATIVE, LETTER):
        assert convert_request(request, profile)["messages"][0] == {"role": "system", "content": "Be kind."}


@pytest.mark.row("S2.12")
def test_camel_case_wins_where_the_system_instruction_is_stated_twice() -> None:
    request = {
        "system_instruction": {"parts": [{"text": "snake"}]},
        "systemInstruction": {"parts": [{"text": "camel"}]},
        "contents": [user("x")],
    }
    for profile in (NATIVE, LETTER):
        assert convert_request(request, profile)["messages"][0]["content"] == "camel"


@pytest.mark.row("S1.40")
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "title": "T", "$schema": "s", "additionalProperties": False}, {"type": "object"}),
        ({"properties": {"title": {"type": "string", "title": "x"}}}, {"properties": {"title": {"type": "string"}}}),
        ({"items": {"title": "x", "anyOf": [{"title": "stays"}]}}, {"items": {"anyOf": [{"title": "stays"}]}}),
    ],
)
def test_the_letters_schema_loses_three_keywords(schema: dict[str, object], expected: object) -> None:
    before = repr(schema)
    assert drop_legacy_schema_keywords(schema) == expected
    assert drop_legacy_schema_keywords(expected) == expected
    assert repr(schema) == before


def test_an_endless_schema_is_refused() -> None:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(DEEPEST + 1):
        schema = {"items": schema}
    with pytest.raises(ConversionError, match="nested deeper"):
        drop_legacy_schema_keywords(schema)


@pytest.mark.row("S1.40")
def test_the_letter_sends_parameters_and_response_schema() -> None:
    schema = {"type": "object", "title": "T", "properties": {"a": {"type": "string"}}}
    request = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": schema}},
    }
    clean = {"type": "object", "properties": {"a": {"type": "string"}}}
    converted = openai_request_to_gemini(request, profile=LETTER).value
    assert converted["tools"] == [{"functionDeclarations": [{"name": "f", "parameters": clean}]}]
    assert converted["generationConfig"]["responseSchema"] == clean


@pytest.mark.row("S2.29")
def test_the_letter_reads_parameters_only() -> None:
    declared = [{"name": "f", "parametersJsonSchema": {"type": "object", "properties": {"a": {}}}}]
    request = {"contents": [user("x")], "tools": [{"functionDeclarations": declared}]}
    preset = convert_request(request, LETTER)["tools"][0]["function"]
    assert preset == {"name": "f", "description": "", "parameters": {}}
    assert convert_request(request)["tools"][0]["function"]["parameters"] == declared[0]["parametersJsonSchema"]


@pytest.mark.row("S2.16")
def test_siblings_of_a_result_are_preserved_or_dropped() -> None:
    parts = [{"text": "and then"}, result("w", {"a": 1})]
    request = {"contents": [user("x"), model(call("w")), {"role": "user", "parts": parts}]}
    assert [message["role"] for message in convert_request(request)["messages"]] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert convert_request(request)["messages"][-1]["content"] == "and then"
    dropping = replace(NATIVE, habits=habits("results_alone"))
    assert [message["role"] for message in convert_request(request, dropping)["messages"]] == [
        "user",
        "assistant",
        "tool",
    ]
    assert "contents[].parts[]" in lost_paths(request, dropping)


@pytest.mark.row("S2.58", "S2.78")
def test_unreadable_arguments_are_malformed_or_become_empty() -> None:
    response = {
        "choices": [{"index": 0, "message": {"tool_calls": [tool_call("a", "f", "{oops")]}, "finish_reason": "stop"}]
    }
    converted = openai_response_to_gemini(response, profile=LETTER)
    assert converted.value["candidates"][0]["content"]["parts"] == [{"functionCall": {"name": "f", "args": {}}}]
    assert "choices[].delta.tool_calls[].function.arguments" in paths(converted.losses)
    native = openai_response_to_gemini(response)
    assert native.value["candidates"][0]["finishReason"] == "MALFORMED_FUNCTION_CALL"
    assert "{oops" in native.value["candidates"][0]["finishMessage"]


@pytest.mark.row("S2.58")
def test_unreadable_arguments_in_a_history() -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [tool_call("a", "f", "{oops")]}]
    for profile, args in ((NATIVE, {"_raw": "{oops"}), (LETTER, {})):
        converted = openai_request_to_gemini({"model": "m", "messages": messages}, profile=profile)
        assert converted.value["contents"][1]["parts"][0]["functionCall"]["args"] == args
        assert "messages[].tool_calls[].function.arguments" in paths(converted.losses)


def test_the_key_that_wraps_the_text_of_a_result() -> None:
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [tool_call("a", "f")]},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
    ]
    for profile, response in ((NATIVE, {"output": "done"}), (LETTER, {"result": "done"})):
        converted = openai_request_to_gemini({"model": "m", "messages": messages}, profile=profile).value
        assert converted["contents"][2]["parts"][0]["functionResponse"]["response"] == response


@pytest.mark.row("S2.60")
def test_all_choices_or_the_first() -> None:
    choices = [{"index": n, "message": {"content": f"t{n}"}, "finish_reason": "stop"} for n in (0, 1)]
    assert [each["index"] for each in openai_response_to_gemini({"choices": choices}).value["candidates"]] == [0, 1]
    preset = openai_response_to_gemini({"choices": choices}, profile=LETTER)
    assert preset.value["candidates"] == [
        {"content": {"parts": [{"text": "t0"}], "role": "model"}, "finishReason": "STOP", "index": 0}
    ]
    assert "choices[]" in paths(preset.losses)


@pytest.mark.row("S2.47")
def test_safety_settings_are_a_loss_or_sent_as_metadata() -> None:
    settings = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
    request = {"contents": [user("x")], "safetySettings": settings}
    native = gemini_request_to_openai(request, model="m")
    assert "metadata" not in native.value
    assert native.meta["safety_settings"] == settings and "safetySettings" in paths(native.losses)
    text = '[{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]'
    assert convert_request(request, LETTER)["metadata"] == {"gemini_safety_settings": text}
    assert "metadata" not in convert_request({**request, "safetySettings": settings * 8}, LETTER)


@pytest.mark.row("S2.48", "S2.52", "S2.54", "S2.75")
@pytest.mark.parametrize(
    ("budget", "native", "letter"),
    [
        (0, "none", None),
        (1, "low", "low"),
        (4096, "low", "low"),
        (4097, "medium", "medium"),
        (16384, "medium", "medium"),
        (16385, "high", "high"),
        (-1, "high", "high"),
        (None, None, None),
    ],
)
def test_budgets_and_efforts(budget: int | None, native: str | None, letter: str | None) -> None:
    config = {"thinkingConfig": {"thinkingBudget": budget}, "maxOutputTokens": 10}
    request = {"contents": [user("x")], "generationConfig": config}
    for profile, effort in ((NATIVE, native), (THINKS, letter)):
        converted = convert_request(request, profile)
        assert converted.get("reasoning_effort") == effort
        assert ("max_tokens" in converted, "max_completion_tokens" in converted) == (not effort, bool(effort))


@pytest.mark.row("S2.49", "S2.50", "S2.51")
@pytest.mark.parametrize(
    ("requested_limit", "setting", "limit"), [(5, 7, 5), (5, None, 5), (None, 7, 7), (None, None, None)]
)
def test_the_limit_of_a_thinking_request(requested_limit: int | None, setting: int | None, limit: int | None) -> None:
    config = {"thinkingConfig": {"thinkingBudget": 100}, "maxOutputTokens": requested_limit}
    request = {"contents": [user("x")], "generationConfig": config}
    native = convert_request(request, replace(NATIVE, reasoning_max_tokens=setting))
    assert native.get("max_completion_tokens") == limit and "max_tokens" not in native
    preset = replace(THINKS, reasoning_max_tokens=setting)
    if limit is not None:
        assert convert_request(request, preset)["max_completion_tokens"] == limit
        return
    with pytest.raises(ConversionError, match=r"^For OpenAI reasoning models, max_completion_tokens is required"):
        convert_request(request, preset)


@pytest.mark.row("S2.53", "S2.77")
def test_a_bound_that_is_not_set_is_named() -> None:
    request = {"contents": [user("x")], "generationConfig": {"thinkingConfig": {"thinkingBudget": 1}}}
    with pytest.raises(
        ConversionError, match="GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD environment variable is required"
    ):
        convert_request(request, LETTER)
    with pytest.raises(ConversionError, match="GEMINI_TO_OPENAI_HIGH_REASONING_THRESHOLD environment variable"):
        convert_request(request, replace(LETTER, low_budget=1))


@pytest.mark.row("S2.17", "S2.14", "S2.15")
def test_roles() -> None:
    def roles(role: str, profile: Profile) -> list[str]:
        request = {"contents": [user("x"), {"role": role, "parts": [{"text": "y"}]}]}
        return [message["role"] for message in convert_request(request, profile)["messages"]]

    for profile in (NATIVE, LETTER):
        assert roles("model", profile) == ["user", "assistant"]
        assert roles("user", profile) == roles("function", profile) == ["user", "user"]
    assert roles("narrator", LETTER) == ["user", "assistant"]
    assert roles("narrator", replace(NATIVE, habits=habits("unknown_role_is_user"))) == ["user", "user"]
    with pytest.raises(ConversionError, match="unknown role"):
        roles("narrator", NATIVE)


@pytest.mark.row("S1.36")
def test_unknown_roles_of_a_chat() -> None:
    request = {"model": "m", "messages": [{"role": "narrator", "content": "x"}]}
    converted = openai_request_to_gemini(request, profile=LETTER)
    assert converted.value["contents"] == [{"role": "user", "parts": [{"text": "x"}]}]
    assert "messages[].role" in paths(converted.losses)
    with pytest.raises(ConversionError, match="unknown role"):
        openai_request_to_gemini(request)


def convert_stream(profile: Profile, *chunks: dict[str, object]) -> list[dict[str, object]]:
    stream = open_stream("gemini", "openai-chat", profile)
    return [converted for item in chunks for converted in stream.feed(item)] + stream.close()


EARLY = replace(NATIVE, hold_final=False, habits=habits("skeleton"), finish_parts="omit")
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
COUNTS = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3}
CALL = {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}}


@pytest.mark.row("S2.66", "S2.67")
def test_the_end_comes_with_the_finish() -> None:
    call_start = chunk({"tool_calls": [{"index": 0, **tool_call("a", "f", '{"x": 1}')}]})
    finish = chunk({"content": "so"}, "tool_calls", usage=USAGE)
    content = {"parts": [{"text": "so"}, CALL], "role": "model"}
    end = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": COUNTS}
    assert convert_stream(EARLY, call_start, finish) == [end]


@pytest.mark.row("S2.67")
def test_usage_after_the_end_is_an_event_of_its_own() -> None:
    usage = {**chunk({}), "choices": [], "usage": USAGE}
    converted = convert_stream(EARLY, chunk({"content": "a"}), chunk({}, "stop"), usage)
    assert converted[1:] == [{"candidates": [{"finishReason": "STOP", "index": 0}]}, {"usageMetadata": COUNTS}]
    held = convert_stream(NATIVE, chunk({"content": "a"}), chunk({}, "stop"), usage)
    assert [item.get("usageMetadata") for item in held] == [None, COUNTS]


def test_a_stream_cut_before_its_end_is_an_error_all_the_same() -> None:
    for profile in (EARLY, NATIVE, LETTER):
        assert "error" in convert_stream(profile, chunk({"content": "a"}))[-1]
        assert "error" in convert_stream(profile)[-1]


@pytest.mark.row("S2.69")
def test_an_empty_chunk_gives_no_event_or_an_empty_one() -> None:
    empty = {"candidates": [{"content": {"parts": [], "role": "model"}, "index": 0}]}
    stream = open_stream("gemini", "openai-chat", APICONVERSION)
    assert stream.feed(chunk({"role": "assistant", "content": ""})) == [empty]
    assert open_stream("gemini", "openai-chat", NATIVE).feed(chunk({"role": "assistant", "content": ""})) == []


@pytest.mark.row("S2.55", "S2.62")
def test_the_skeleton_of_an_answer() -> None:
    response = {"choices": [{"message": {"content": "t"}, "finish_reason": "stop"}]}
    candidate = {"content": {"parts": [{"text": "t"}], "role": "model"}, "finishReason": "STOP", "index": 0}
    assert openai_response_to_gemini(response).value == {"candidates": [candidate]}
    assert openai_response_to_gemini(response, profile=LETTER).value == {"candidates": [candidate], "usageMetadata": {}}
    counted = openai_response_to_gemini({**response, "usage": {"prompt_tokens": 1}}, profile=LETTER).value
    assert counted["usageMetadata"] == {"promptTokenCount": 1, "candidatesTokenCount": 0, "totalTokenCount": 0}


@pytest.mark.row("S1.44")
def test_a_single_chunk_without_state() -> None:
    converted = convert_chunk_or_raise_for_call(chunk({"content": "a"}))
    assert converted is not None and converted["candidates"][0]["content"]["parts"] == [{"text": "a"}]
    assert convert_chunk_or_raise_for_call(chunk({"role": "assistant"})) is None
    with pytest.raises(ConversionError, match="piece of a call"):
        convert_chunk_or_raise_for_call(chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}))


def test_the_mappings_name_every_habit_and_no_other() -> None:
    named = frozenset[str]().union(*(profile.habits for profile in OLDER_PROFILES.values()))
    assert named | {"sequence_ids"} == HABITS
