"""An OpenAI request as Anthropic takes it. Every request made here is one that Anthropic's API does not refuse."""

from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.anthropic.request_from_openai import openai_request_to_anthropic
from bridgecheck_reference.convert.signatures import prefix_gemini_signature
from bridgecheck_reference.errors import ConversionError

from ..samples import paths
from .dialogue import (
    CACHE,
    PNG,
    Json,
    answer,
    assistant,
    call,
    calls,
    chat,
    function,
    result,
    text,
    thinking,
    to_anthropic,
    use,
    user,
)

DETAIL: Json = {"type": "reasoning.text", "text": "T", "signature": "c2ln"}


def messages(*message_list: Json, **rest: object) -> list[Json]:
    return to_anthropic(chat(*message_list, **rest))[0]["messages"]


@pytest.mark.row("S2.83")
def test_max_tokens_is_always_sent() -> None:
    assert to_anthropic(chat(user("x")))[0]["max_tokens"] == 4096
    assert to_anthropic(chat(user("x"), max_tokens=5))[0]["max_tokens"] == 5
    assert to_anthropic(chat(user("x"), max_tokens=5, max_completion_tokens=7))[0]["max_tokens"] == 7
    with pytest.raises(ConversionError) as raised:
        openai_request_to_anthropic(chat(user("x")), profile=replace(NATIVE, anthropic_max_tokens=None))
    assert raised.value.field == "max_tokens"


def test_system_messages() -> None:
    sent = [{"role": "system", "content": "S"}, {"role": "developer", "content": [text("D", cache_control=CACHE)]},
            user("x"), {"role": "system", "content": "late"}, assistant("a"), user("y")]  # fmt: skip
    made, losses = to_anthropic(chat(*sent))
    assert made["system"] == [text("S"), text("D", cache_control=CACHE)]
    assert made["messages"] == [user(text("x"), text("late")), assistant("a"), user("y")]
    assert "messages[].role" in paths(losses)


@pytest.mark.parametrize(
    ("part", "block"),
    [
        ({"type": "text", "text": "x", "extra_content": {"anthropic": {"rest": {"cache_control": CACHE}}}},
         text("x", cache_control=CACHE)),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
         {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}),
        ({"type": "image_url", "image_url": {"url": "https://x.test/a"}},
         {"type": "image", "source": {"type": "url", "url": "https://x.test/a"}}),
        ({"type": "document_url", "document_url": "https://x.test/a.pdf"},
         {"type": "document", "source": {"type": "url", "url": "https://x.test/a.pdf"}}),
        ({"type": "file", "file": {"filename": "t.pdf", "file_data": "data:application/pdf;base64,JVBERg"}},
         {"type": "document", "title": "t.pdf",
          "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}}),
        ({"type": "file", "file": {"filename": "file.txt", "file_data": "data:text/plain;base64,w6Q="}},
         {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "ä"}}),
    ],
)  # fmt: skip
def test_user_content(part: Json, block: Json) -> None:
    assert messages(user(text("look"), part)) == [user(text("look"), block)]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "gs://b/x"}},
        {"type": "brand_new"},
    ],
)
def test_unsupported_user_content_is_a_loss(part: Json) -> None:
    made, losses = to_anthropic(chat(user(text("look"), part)))
    assert made["messages"] == [user("look")]
    assert losses


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}, "[file: mimeType=audio/mpeg]"),
        (
            {"type": "image_url", "image_url": {"url": "data:image/heic;base64,AAAA"}},
            "[file: mimeType=image/heic]",
        ),
        (
            {"type": "file", "file": {"filename": "log.docx", "file_data": f"data:{WORD};base64,UEsDBA=="}},
            f"[file: name=log.docx, mimeType={WORD}]",
        ),
    ],
)
def test_media_that_anthropic_refuses_are_named_in_text(part: Json, named: str) -> None:
    made, losses = to_anthropic(chat(user(text("look"), part)))
    assert made["messages"] == [user(text("look"), text(named))]
    assert losses


def test_a_stored_file_is_named_in_text() -> None:
    made, losses = to_anthropic(chat(user(text("look"), {"type": "file", "file": {"file_id": "f"}})))
    assert made["messages"] == [user(text("look"), text("[file: file_id=f]"))]
    assert losses


def test_calls_and_results_in_parallel_out_of_order_and_late() -> None:
    sent = [user("x"), calls(call("a", "f", '{"n": 1}'), call("b", "g"), content="t"), answer("b", "B"), user("more"),
            answer("a", [text("A")]), calls(call("c")), answer("c", "")]  # fmt: skip
    assert messages(*sent) == [
        user("x"),
        assistant(text("t"), use("a", "f", {"n": 1}), use("b", "g")),
        user(result("b", "B"), result("a", "A"), text("more")),
        assistant(use("c")),
        user({"type": "tool_result", "tool_use_id": "c"}),
    ]


@pytest.mark.parametrize("end", [[], [user("y")], [calls(call("c")), answer("c")]])
def test_a_call_without_a_result_gets_a_placeholder(end: list[Json]) -> None:
    made, losses = to_anthropic(chat(user("x"), calls(call("a"), call("b")), answer("a"), *end))
    content = made["messages"][2]["content"]
    assert [block.get("tool_use_id") for block in content[:2]] == ["a", "b"]
    assert content[1]["is_error"] is True
    assert "messages[].tool_calls[]" in paths(losses)


def test_ids_that_anthropic_refuses() -> None:
    sent = [user("x"), calls(call("a:1"), call("a.1"), call("x" * 90)), answer("a.1", "2"), answer("a:1", "1"),
            answer("x" * 90, "3"), calls(call("a:1")), answer("a:1", "4")]  # fmt: skip
    made = messages(*sent)
    ids = [block["id"] for m in (made[1], made[3]) for block in m["content"]]
    assert len(set(ids)) == 4
    found = {block["tool_use_id"]: block["content"] for m in (made[2], made[4]) for block in m["content"]}
    assert [found[id] for id in ids] == ["1", "2", "3", "4"]


def test_an_id_of_full_length_that_comes_again_stays_as_long_as_anthropic_takes() -> None:
    full = "call_" + "x" * 59
    made = messages(*[user("x"), *[calls(call(full)), answer(full)] * 3])
    ids = [block["id"] for m in made[1::2] for block in m["content"]]
    assert ids[0] == full and [len(id) for id in ids] == [64] * 3 and len(set(ids)) == 3
    assert [block["tool_use_id"] for m in made[2::2] for block in m["content"]] == ids


def test_missing_ids_pair_in_order() -> None:
    made = messages(user("x"), calls(call("", "f"), call("", "g")), answer("", "F"), answer("", "G"))
    assert [b["content"] for b in made[2]["content"]] == ["F", "G"]
    assert [b["tool_use_id"] for b in made[2]["content"]] == [b["id"] for b in made[1]["content"]]


def test_invalid_json_arguments_stay_as_text() -> None:
    made, losses = to_anthropic(chat(user("x"), calls(call("a", "f", "{broken")), answer("a")))
    assert made["messages"][1] == assistant(use("a", "f", {"_raw": "{broken"}))
    assert "messages[].tool_calls[].function.arguments" in paths(losses)


def test_the_older_functions() -> None:
    sent = [user("x"), {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "r"}]  # fmt: skip
    declared = [{"name": "f", "description": "d", "parameters": {"properties": {}}}]
    made, _ = to_anthropic(chat(*sent, functions=declared, function_call={"name": "f"}))
    assert made["tools"] == [{"name": "f", "description": "d", "input_schema": {"type": "object", "properties": {}}}]
    assert made["tool_choice"] == {"type": "tool", "name": "f"}
    assert made["messages"][2]["content"][0]["content"] == "r"


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ({"content": ""}, None),
        ({"content": None}, None),
        ({"content": " \n"}, None),
        ({"content": [text(""), text("a")]}, "a"),
        ({"content": [text("a"), {"type": "refusal", "refusal": "no"}]}, [text("a"), text("no")]),
        ({"content": None, "refusal": "no"}, "no"),
        ({"content": "a", "reasoning_content": "R"}, "a"),
        ({"content": "a", "reasoning_details": [DETAIL]}, [thinking("T"), text("a")]),
        ({"content": "a", "reasoning_content": "T", "reasoning_details": [{"type": "reasoning.encrypted", "data": "D"}]},
         [{"type": "redacted_thinking", "data": "D"}, text("a")]),
        ({"content": "a", "reasoning_details": [{**DETAIL, "format": "google-gemini-v1"}]}, "a"),
        ({"content": "a", "reasoning_details": [{**DETAIL, "signature": prefix_gemini_signature("UzE=", "text")}]}, "a"),
    ],
)  # fmt: skip
def test_assistant_messages(message: Json, content: object) -> None:
    converted = messages(user("x"), {"role": "assistant", **message}, user("y"))
    if content is None:
        assert converted == [user(text("x"), text("y"))]
    else:
        assert converted == [user("x"), {"role": "assistant", "content": content}, user("y")]


def test_a_prefill_ends_in_no_white_space() -> None:
    assert messages(user("x"), assistant("a \n"))[-1] == assistant("a")
    assert messages(user("x"), assistant(text("a"), text("b "), text(" ")))[-1] == assistant(text("a"), text("b"))
    assert messages({"role": "system", "content": "S"}) == [user(".")]


@pytest.mark.parametrize(
    ("choice", "parallel", "expected"),
    [
        ("auto", None, {"type": "auto"}),
        ("required", None, {"type": "any"}),
        ("none", False, {"type": "none"}),
        (None, False, {"type": "auto", "disable_parallel_tool_use": True}),
        ("required", True, {"type": "any"}),
        ({"type": "function", "function": {"name": "f"}}, False,
         {"type": "tool", "name": "f", "disable_parallel_tool_use": True}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [function("f")]}}, None,
         {"type": "tool", "name": "f"}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function("f"), function("g")]}}, None,
         {"type": "auto"}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}, None, {"type": "none"}),
        ("brand_new", None, None),
    ],
)  # fmt: skip
def test_the_choice_of_tools(choice: object, parallel: bool | None, expected: Json | None) -> None:
    sent = chat(user("x"), tools=[function("f"), function("g")], tool_choice=choice, parallel_tool_calls=parallel)
    assert to_anthropic(sent)[0].get("tool_choice") == expected
    without = {key: value for key, value in sent.items() if key != "tools"}
    assert "tool_choice" not in to_anthropic(without)[0]


@pytest.mark.parametrize(("mode", "expected"), [("required", "any"), ("auto", "auto")])
def test_a_choice_among_some_tools_drops_the_rest(mode: str, expected: str) -> None:
    """Anthropic forces one tool or any; without a loss, since nothing else can be called."""
    some = {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": [function("f"), function("h")]}}
    made, losses = to_anthropic(chat(user("x"), tools=[function("f"), function("g"), function("h")], tool_choice=some))
    assert [tool["name"] for tool in made["tools"]] == ["f", "h"]
    assert made["tool_choice"] == {"type": expected}
    assert paths(losses) == set()


def test_tools() -> None:
    original = [function("f.x", strict=True, parameters={"properties": {}}), function("f_x", description="d"),
             {"type": "function", "function": {"name": "bare"}, "cache_control": CACHE}, {"type": "custom", "custom": {}}]  # fmt: skip
    made, losses = to_anthropic(chat(user("x"), tools=original))
    assert [item["name"] for item in made["tools"][1:]] == ["f_x", "bare"]
    assert made["tools"][0]["name"] not in ("f.x", "f_x")
    assert made["tools"][2] == {
        "name": "bare",
        "input_schema": {"type": "object", "properties": {}},
        "cache_control": CACHE,
    }
    assert "tools[].custom" in paths(losses)


@pytest.mark.row("S2.91")
def test_settings() -> None:
    made, losses = to_anthropic(
        chat(user("x"), temperature=1.7, top_p=0.5, top_k=3, stop=["a", " "], user="u", stream=True, n=1,
             stream_options={"include_usage": True}, service_tier="default", seed=None)
    )  # fmt: skip
    converted = {key: value for key, value in made.items() if key not in ("messages", "model", "max_tokens")}
    assert converted == {"temperature": 1, "top_p": 0.5, "top_k": 3, "stop_sequences": ["a"], "stream": True,
                    "metadata": {"user_id": "u"}, "service_tier": "standard_only"}  # fmt: skip
    assert paths(losses) == {"temperature", "stop"}


def test_parameters_unknown_to_anthropic_are_a_loss() -> None:
    rest = {"n": 2, "seed": 1, "logprobs": True, "logit_bias": {"1": 1}, "presence_penalty": 0.5, "store": False,
            "frequency_penalty": 0, "modalities": ["text", "audio"], "verbosity": "low", "service_tier": "flex"}  # fmt: skip
    _, losses = to_anthropic(chat(user("x"), **rest))
    assert paths(losses) == set(rest)
    assert {loss.path for loss in losses if loss.severity == "info"} == {"store", "frequency_penalty", "service_tier"}


ENABLED = {"type": "enabled", "budget_tokens": 8192}


@pytest.mark.parametrize(
    ("model", "options", "thinking_", "effort"),
    [
        ("claude-sonnet-4-5", {"reasoning_effort": "medium"}, ENABLED, None),
        ("claude-sonnet-4-5", {"reasoning_effort": "minimal"}, {"type": "enabled", "budget_tokens": 1024}, None),
        ("claude-opus-4-6", {"reasoning_effort": "medium"}, {"type": "adaptive"}, "medium"),
        ("claude-opus-4-6", {"reasoning_effort": "xhigh"}, {"type": "adaptive"}, "high"),
        ("claude-opus-5", {"reasoning_effort": "xhigh"}, {"type": "adaptive"}, "xhigh"),
        ("claude-opus-5", {"reasoning_effort": "none"}, {"type": "disabled"}, None),
        ("claude-opus-5", {"thinking": ENABLED}, {"type": "adaptive"}, None),
        ("claude-sonnet-4-5", {"thinking": ENABLED}, ENABLED, None),
        ("any", {"reasoning": {"max_tokens": 8192, "exclude": True}}, {**ENABLED, "display": "omitted"}, None),
        ("any", {"reasoning": {"enabled": True}}, {"type": "adaptive"}, None),
        ("claude-3-5-haiku-20241022", {"reasoning_effort": "high"}, None, None),
        ("claude-3-haiku-20240307", {"thinking": {"type": "disabled"}}, None, None),
        ("any", {"reasoning_effort": "new"}, None, None),
        ("any", {}, None, None),
    ],
)
def test_thinking(model: str, options: Json, thinking_: Json | None, effort: str | None) -> None:
    made, _ = to_anthropic(chat(user("x"), **{"model": model, **options}))
    assert made.get("thinking") == thinking_
    assert made.get("output_config", {}).get("effort") == effort


@pytest.mark.proposal("an-max-tokens-vs-budget")
@pytest.mark.parametrize(
    ("limit", "budget", "expected"),
    [
        (1000, 24576, None),
        (1024, 1024, None),
        (1025, 24576, (1025, 1024)),
        (8000, 24576, (8000, 4000)),
        (8000, 2000, (8000, 2000)),
        (None, 24576, (4096 + 24576, 24576)),
        (8000, 5, (8000, 1024)),
    ],
)
def test_a_budget_fits_into_the_limit(limit: int | None, budget: int, expected: tuple[int, int] | None) -> None:
    made, losses = to_anthropic(chat(user("x"), max_completion_tokens=limit, reasoning={"max_tokens": budget}))
    if expected is None:
        assert made["thinking"] == {"type": "disabled"} and losses
    else:
        assert (made["max_tokens"], made["thinking"]["budget_tokens"]) == expected


SIGNED = calls(call("a"), reasoning_details=[DETAIL])


@pytest.mark.parametrize(
    ("request_", "thinks"),
    [
        (chat(user("x"), tools=[function()], tool_choice="required"), False),
        (chat(user("x"), tools=[function()], tool_choice="auto"), True),
        (chat(user("x"), assistant("a")), False),
        (chat(user("x"), calls(call("a")), answer("a")), False),
        (chat(user("x"), SIGNED, answer("a")), True),
        (chat(user("x"), SIGNED, answer("a"), calls(call("b")), answer("b")), True),
        (chat(user("x"), calls(call("a")), answer("a"), user("y")), False),
        (chat(user("x"), calls(call("a")), answer("a"), assistant("b"), user("y")), True),
    ],
)
def test_thinking_is_disabled_where_the_history_forbids_it(request_: Json, thinks: bool) -> None:
    made, losses = to_anthropic({**request_, "reasoning": {"max_tokens": 2000}})
    assert made["thinking"]["type"] == ("enabled" if thinks else "disabled")
    assert ("reasoning_effort" in paths(losses)) is not thinks


@pytest.mark.parametrize(
    ("model", "options", "remaining"),
    [
        ("any", {"temperature": 0.5, "top_p": 0.5, "top_k": 5, "reasoning_effort": "low"}, {}),
        ("any", {"temperature": 1.0, "top_p": 0.95, "reasoning_effort": "low"}, {"temperature": 1.0, "top_p": 0.95}),
        ("any", {"temperature": 0.5, "top_p": 0.5}, {"temperature": 0.5, "top_p": 0.5}),
        ("claude-sonnet-4-5", {"temperature": 0.5, "top_p": 0.5}, {"temperature": 0.5}),
        ("claude-3-haiku-20240307", {"temperature": 0.5, "top_p": 0.5}, {"temperature": 0.5, "top_p": 0.5}),
        ("claude-opus-4-7", {"temperature": 0.5, "top_k": 5}, {}),
    ],
)
def test_settings_that_exclude_each_other(model: str, options: Json, remaining: Json) -> None:
    made, losses = to_anthropic(chat(user("x"), **{"model": model, **options}))
    assert {key: made[key] for key in ("temperature", "top_p", "top_k") if key in made} == remaining
    assert options.keys() - remaining.keys() - {"reasoning_effort"} <= paths(losses)


def test_the_response_format() -> None:
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"type": "object"}, {"type": "null"}]}}}
    original = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    made, losses = to_anthropic(chat(user("x"), response_format=original))
    converted = made["output_config"]["format"]["schema"]
    assert converted["additionalProperties"] is False
    assert converted["properties"]["a"]["anyOf"][0]["additionalProperties"] is False
    assert "additionalProperties" not in schema
    assert paths(losses) == {"response_format.json_schema.name", "response_format.json_schema.schema"}
    made, losses = to_anthropic(chat(user("x"), response_format={"type": "json_object"}))
    assert "output_config" not in made and paths(losses) == {"response_format.type"}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (chat(), "messages"),
        ({"model": "m"}, "messages"),
        (chat({"role": "robot", "content": "x"}), "messages[].role"),
        (chat(user("x"), answer("zz")), "messages[].tool_call_id"),
        (chat(user("x"), {"role": "tool", "content": "1"}), "messages[].tool_call_id"),
        (chat(user("x"), calls(call("a", ""))), "messages[].tool_calls[].function.name"),
        (chat(user("x"), tools=[{"type": "function", "function": {}}]), "tools[].function.name"),
    ],
)
def test_a_bad_request_is_refused_by_its_field(request_: Json, field: str) -> None:
    with pytest.raises(ConversionError) as raised:
        openai_request_to_anthropic(request_)
    assert raised.value.field == field


def test_of_more_than_four_cache_marks_the_newest_stay() -> None:
    sent = chat(*(user(text(f"q{number}", cache_control=CACHE)) for number in range(6)))
    made, lost = to_anthropic(sent)
    blocks = [block for message in made["messages"] for block in message["content"]]
    assert ["cache_control" in block for block in blocks] == [False, False, True, True, True, True]
    assert "messages[].content[].cache_control" in paths(lost)
    assert all("cache_control" in message["content"][0] for message in sent["messages"]), "the request is unchanged"
