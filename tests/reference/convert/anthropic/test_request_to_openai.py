"""An Anthropic request as OpenAI takes it."""

import json

import pytest

from bridgecheck_reference.conversion_profile import MEMORY
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.convert.older_mappings.profiles import LETTER
from bridgecheck_reference.errors import ConversionError

from ..samples import paths
from ..with_habits import convert_request
from .dialogue import (
    CACHE,
    PNG,
    Json,
    answer,
    assistant,
    call,
    image,
    request_body,
    result,
    text,
    thinking,
    to_openai,
    tool,
    use,
    user,
)


def messages(*message_list: Json, **rest: object) -> list[Json]:
    return to_openai(request_body(*message_list, **rest))[0]["messages"]


@pytest.mark.row("S2.91")
@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("S", "S"),
        ([text("S", cache_control=CACHE)], "S"),
        ([text("S"), text("T")], [text("S"), text("T")]),
        ([], None),
        (None, None),
    ],
)
def test_the_system_prompt(system: object, expected: object) -> None:
    made = messages(user("x"), system=system)
    assert made == ([{"role": "system", "content": expected}] if expected else []) + [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        (text("x"), text("x")),
        (image(), {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}),
        (
            {"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}},
            {"type": "image_url", "image_url": {"url": "https://x.test/a.png"}},
        ),
        (
            {"type": "document", "title": "t.pdf",
             "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}},
            {"type": "file", "file": {"filename": "t.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "ä"}},
            {"type": "file", "file": {"filename": "file.txt", "file_data": "data:text/plain;base64,w6Q="}},
        ),
        (
            {"type": "document", "source": {"type": "url", "url": "https://x.test/a.pdf"}},
            text("[document: , url=https://x.test/a.pdf]"),
        ),
        (
            {"type": "document", "source": {"type": "content", "content": [text("a")]}},
            text("a"),
        ),
    ],
)  # fmt: skip
def test_user_content(block: Json, part: Json) -> None:
    assert messages(user(text("look"), block)) == [{"role": "user", "content": [text("look"), part]}]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "file"}},
        {"type": "container_upload", "file_id": "f"},
        {"type": "brand_new"},
    ],
)
def test_unsupported_user_content_is_a_loss(block: Json) -> None:
    made, losses = to_openai(request_body(user(text("look"), block)))
    assert made["messages"] == [{"role": "user", "content": "look"}]
    assert losses


@pytest.mark.parametrize("kind", ["image", "document"])
def test_a_stored_file_is_named_in_text(kind: str) -> None:
    block: Json = {"type": kind, "source": {"type": "file", "file_id": "f"}}
    made, losses = to_openai(request_body(user(text("look"), block)))
    assert made["messages"] == [{"role": "user", "content": [text("look"), text(f"[{kind}: file_id=f]")]}]
    assert losses


def test_a_turn_with_thinking_and_calls() -> None:
    original = {"n": 1.0, "big": 12345678901234567890, "ä": [None]}
    converted = messages(
        user("x"), assistant(thinking("T"), text("a"), use("toolu_1", "f", original)), user(result("toolu_1"))
    )
    assert converted[1] == {
        "role": "assistant",
        "content": "a",
        "tool_calls": [call("toolu_1", "f", '{"n": 1.0, "big": 12345678901234567890, "ä": [null]}')],
        "reasoning_details": [{"type": "reasoning.text", "text": "T", "signature": "c2ln"}],
    }
    assert converted[2] == answer("toolu_1")


def test_reasoning_without_a_signature_is_not_sent() -> None:
    made, losses = to_openai(request_body(user("x"), assistant(thinking("T", ""), text("a")), user("y")))
    assert made["messages"][1] == {"role": "assistant", "content": "a"}
    assert "messages[].content[].thinking" in paths(losses)


def test_server_tools_are_losses_and_the_turn_stays() -> None:
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    made, losses = to_openai(request_body(user("x"), assistant(text("a"), block, found, text("b")), user("y")))
    assert made["messages"][1] == {"role": "assistant", "content": "ab"}
    assert {"messages[].content[].server_tool_use", "messages[].content[].web_search_tool_result"} <= paths(losses)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("s", "s"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([text("a")], "a"),
        ([text("a"), text("b")], [text("a"), text("b")]),
        ([{"type": "search_result", "title": "t", "source": "u", "content": [text("c")]}], "t\nu\nc"),
    ],
)
def test_a_result(content: object, expected: object) -> None:
    assert messages(user("x"), assistant(use("a")), user(result("a", content)))[2] == answer("a", expected)


def test_results_come_first_and_their_images_behind_them() -> None:
    sent = user(text("why"), result("b", [text("B"), image()]), result("a", "A", is_error=True), text("more"))
    made, losses = to_openai(request_body(user("x"), assistant(use("a"), use("b")), sent))
    assert made["messages"][2:4] == [answer("b", "B"), answer("a", "A")]
    assert [part["type"] for part in made["messages"][4]["content"]] == ["text", "image_url", "text"]
    assert "messages[].content[].tool_result.is_error" in paths(losses)


def test_a_call_that_was_never_answered_gets_a_placeholder() -> None:
    made, losses = to_openai(
        request_body(user("x"), assistant(use("a"), use("b")), user(result("a"), text("y")), assistant("z"))
    )
    assert [m.get("tool_call_id") for m in made["messages"]] == [None, None, "a", "b", None, None]
    assert json.loads(made["messages"][3]["content"])["error"]
    assert "messages[].content[].tool_use" in paths(losses)


def test_neighbouring_turns_of_the_assistant_are_one() -> None:
    converted = messages(
        user("x"), assistant(use("a")), assistant(use("b")), user(result("a")), user(result("b"), text("y"))
    )
    assert [len(m.get("tool_calls", [])) for m in converted] == [0, 2, 0, 0, 0]
    assert [m["role"] for m in converted] == ["user", "assistant", "tool", "tool", "user"]


def test_long_and_repeated_ids_are_replaced() -> None:
    long = "toolu_" + "x" * 60
    converted = messages(
        user("x"),
        assistant(use(long), use("a")),
        user(result(long), result("a")),
        assistant(use("a")),
        user(result("a")),
    )
    ids = [item["id"] for m in converted for item in m.get("tool_calls", [])]
    assert all(len(id) <= 40 for id in ids) and len(set(ids)) == 3
    assert [m["tool_call_id"] for m in converted if m["role"] == "tool"] == ids


def test_an_id_of_full_length_that_comes_again_stays_as_long_as_openai_takes() -> None:
    full = "toolu_" + "x" * 34
    converted = messages(*[user("x"), *[assistant(use(full)), user(result(full))] * 3])
    ids = [item["id"] for m in converted for item in m.get("tool_calls", [])]
    assert ids[0] == full and [len(id) for id in ids] == [40] * 3 and len(set(ids)) == 3
    assert [m["tool_call_id"] for m in converted if m["role"] == "tool"] == ids


def test_missing_ids_pair_in_order() -> None:
    first, second = use("", "f"), use("", "g")
    converted = messages(user("x"), assistant(first, second), user(result("", "F"), result("", "G")))
    assert [m["content"] for m in converted[2:]] == ["F", "G"]
    assert [m["tool_call_id"] for m in converted[2:]] == [item["id"] for item in converted[1]["tool_calls"]]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"type": "auto"}, {"tool_choice": "auto"}),
        ({"type": "any"}, {"tool_choice": "required"}),
        ({"type": "none"}, {"tool_choice": "none"}),
        ({"type": "tool", "name": "f"}, {"tool_choice": {"type": "function", "function": {"name": "f"}}}),
        ({"type": "any", "disable_parallel_tool_use": True}, {"tool_choice": "required", "parallel_tool_calls": False}),
        ({"type": "auto", "disable_parallel_tool_use": False}, {"tool_choice": "auto"}),
    ],
)
def test_the_choice_of_tools(choice: Json, expected: Json) -> None:
    made, _ = to_openai(request_body(user("x"), tools=[tool()], tool_choice=choice))
    assert {key: made[key] for key in ("tool_choice", "parallel_tool_calls") if key in made} == expected
    assert "tool_choice" not in to_openai(request_body(user("x"), tool_choice=choice))[0]


def test_tools() -> None:
    original = [tool("f.x", strict=True, cache_control=CACHE), tool("f_x", type="custom"), {"name": "bare"},
             {"type": "web_search_20250305", "name": "web_search"}]  # fmt: skip
    made, losses = to_openai(request_body(user("x"), tools=original))
    functions = [item["function"] for item in made["tools"]]
    assert [item["name"] for item in functions[1:]] == ["f_x", "bare"]
    assert functions[0]["name"] not in ("f.x", "f_x") and functions[0]["strict"] is True
    assert functions[2]["parameters"] == {"type": "object", "properties": {}}
    assert paths(losses) == {"tools[].cache_control", "tools[].web_search_20250305"}


@pytest.mark.row("S2.91")
def test_settings() -> None:
    made, losses = to_openai(
        request_body(user("x"), temperature=0, top_p=0.5, top_k=3, stop_sequences=["a"], metadata={"user_id": "u"}, stream=True,
            service_tier="standard_only")
    )  # fmt: skip
    converted = {key: value for key, value in made.items() if key not in ("messages", "model")}
    assert converted == {
        "temperature": 0, "top_p": 0.5, "stop": ["a"], "user": "u", "max_tokens": 100, "service_tier": "default",
        "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    assert paths(losses) == {"top_k"}


@pytest.mark.parametrize(
    ("options", "effort"),
    [
        ({"thinking": {"type": "disabled"}}, "none"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 10000}}, "medium"),
        ({"thinking": {"type": "enabled", "budget_tokens": 30000}}, "high"),
        ({"thinking": {"type": "adaptive"}}, "high"),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}, "low"),
        ({"output_config": {"effort": "max"}}, "xhigh"),
        ({"output_config": {"effort": "new"}}, None),
        ({}, None),
    ],
)
def test_thinking(options: Json, effort: str | None) -> None:
    made, _ = to_openai(request_body(user("x"), **options))
    assert made.get("reasoning_effort") == effort
    assert ("max_completion_tokens" in made, "max_tokens" in made) == (effort is not None, effort is None)


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5.1-mini", "o3", "o4-mini-2025-04-16", "openai/gpt-5.4"])
def test_a_model_that_reasons_gets_its_limit_as_max_completion_tokens_without_an_effort_too(model: str) -> None:
    """OpenAI refuses max_tokens: recorded in ai-gateway/0003."""
    made, _ = to_openai({**request_body(user("x")), "model": model})
    assert (made.get("max_completion_tokens"), "max_tokens" in made) == (100, False)


@pytest.mark.parametrize("thread", [{"type": "create"}, {"type": "continue", "previous_message_id": "msg_1"}])
def test_a_conversation_that_the_server_would_hold_is_refused_so_that_the_sdk_sends_it_whole(thread: Json) -> None:
    """The tool runner of anthropic 2.11.0 begins with ``thread``, and leaves it out after this very refusal."""
    with pytest.raises(ConversionError, match="thread") as raised:
        to_openai({**request_body(user("x")), "thread": thread})
    assert raised.value.details == {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}


@pytest.mark.parametrize("member", ["output_format", "output_config"])
def test_the_response_format(member: str) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False, "required": []}
    form = {"type": "json_schema", "schema": schema}
    made, losses = to_openai(
        request_body(user("x"), **{member: form if member == "output_format" else {"format": form}})
    )
    assert made["response_format"]["json_schema"] == {"name": "response", "strict": True, "schema": schema}
    assert not losses


def test_parameters_unknown_to_openai_are_a_loss() -> None:
    rest = {"mcp_servers": [1], "container": "c", "context_management": {}, "speed": "fast", "cache_control": CACHE}
    assert paths(to_openai(request_body(user("x"), **rest))[1]) == set(rest)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (request_body(), "messages"),
        ({"model": "m"}, "messages"),
        (request_body({"role": "tool", "content": "x"}), "messages[].role"),
        (
            request_body(user("x"), assistant(use("a", name="")), user(result("a"))),
            "messages[].content[].tool_use.name",
        ),
        (request_body(user("x"), user(result("zz"))), "messages[].content[].tool_use_id"),
        (request_body(user("x"), tools=[{"input_schema": {}}]), "tools[].name"),
    ],
)
def test_a_bad_request_is_refused_by_its_field(request_: Json, field: str) -> None:
    with pytest.raises(ConversionError) as raised:
        anthropic_request_to_openai(request_)
    assert raised.value.field == field


def test_a_document_between_two_providers_carries_more() -> None:
    sent = [user("x"), assistant(text("a"), thinking("T"), use("a"), text("b")),
            user(result("a", [text("r"), image()], is_error=True))]  # fmt: skip
    made, losses = to_openai(
        request_body(*sent, top_k=3, thinking={"type": "enabled", "budget_tokens": 2000, "display": "omitted"}), MEMORY
    )
    assert made["top_k"] == 3
    assert made["reasoning"] == {"max_tokens": 2000, "exclude": True}
    order = made["messages"][1]["extra_content"]["order"]
    assert order == [{"text": 1}, {"reasoning": True}, {"call": True}, {"text": 1}]
    assert made["messages"][2]["extra_content"] == {"is_error": True}
    assert [part["type"] for part in made["messages"][2]["content"]] == ["text", "image_url"]
    assert not losses


def test_the_letter_profile_chooses_auto() -> None:
    body = request_body(user("x"), tools=[tool()], tool_choice={"type": "any"})
    made = convert_request("anthropic", "openai-chat", body, LETTER)
    assert made.value["tool_choice"] == "auto"


def test_a_longer_history_keeps_its_prefix() -> None:
    sent = [user("x"), assistant(use("", "f")), user(result("")), assistant(use("", "f"), text("z")), user(result(""))]
    whole = messages(*sent)
    for end in range(1, len(sent), 2):
        made = messages(*sent[:end])
        assert whole[: len(made)] == made
