"""Details of a request that are easily lost, dropped silently, or moved."""

from copy import deepcopy
from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.anthropic.request_to_openai import anthropic_request_to_openai
from bridgecheck_reference.convert.ids import shorten_openai_id_if_long
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
    image,
    request_body,
    result,
    text,
    thinking,
    to_anthropic,
    to_openai,
    tool,
    use,
    user,
)

SCHEMA: Json = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"metadata": {"user_id": "u", "team": "t"}}, "metadata.team"),
        ({"output_config": {"effort": "low", "tone": "dry"}}, "output_config.tone"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2048, "depth": 1}}, "thinking.depth"),
    ],
)
def test_unknown_keys_of_a_member_are_a_loss(options: Json, path: str) -> None:
    assert path in paths(to_openai(request_body(user("x"), **{"max_tokens": 4096, **options}))[1])
    known = {
        key: {name: item for name, item in obj.items() if name != path.split(".")[1]} for key, obj in options.items()
    }
    assert path not in paths(to_openai(request_body(user("x"), **{"max_tokens": 4096, **known}))[1])


def test_the_requested_model_wins_over_that_of_the_body() -> None:
    made = anthropic_request_to_openai(request_body(user("x")), model="gpt-5")
    assert (made.value["model"], made.meta["model"]) == ("gpt-5", "gpt-5")
    assert anthropic_request_to_openai(request_body(user("x"))).value["model"] == "claude-x"


def test_turns_of_the_assistant_in_a_row_are_one() -> None:
    made, _ = to_anthropic(chat(user("x"), assistant("a"), calls(call("1"), content="b"), answer("1"), user("y")))
    assert [message["role"] for message in made["messages"]] == ["user", "assistant", "user"]
    assert made["messages"][1]["content"] == [text("a"), text("b"), use("1")]


def test_a_late_result_stands_before_the_user_text_between() -> None:
    first = [user("x"), calls(call("1"), call("2")), answer("1"), answer("2")]
    made, _ = to_anthropic(chat(*first, calls(call("3")), user("wait"), answer("3")))
    assert made["messages"][-1]["content"] == [result("3"), text("wait")]


def test_unknown_members_of_a_message_are_a_loss() -> None:
    assert "messages[].name" in paths(to_anthropic(chat({**user("x"), "name": "Ann"}))[1])
    made = [user("x"), {**assistant("y"), "images": [{"type": "image_url"}]}, user("z")]
    assert "messages[].images" in paths(to_anthropic(chat(*made))[1])


def test_no_request_is_changed_by_its_conversion() -> None:
    details = [{"type": "reasoning.text", "text": "hm", "signature": "S"}]
    signed = calls(call("1"), content="a", reasoning="hm", reasoning_content="hm", reasoning_details=details)
    original = chat(
        {**user("x"), "name": "n"}, signed, answer("1"), tools=[{"type": "function", "function": {"name": "f"}}]
    )
    before = deepcopy(original)
    to_anthropic(original)
    assert original == before
    request = request_body(
        user(text("x"), image()), assistant(thinking("hm"), use("1")), user(result("1", [image()])), tools=[tool()]
    )
    before = deepcopy(request)
    to_openai(request)
    assert request == before


def test_calls_at_the_end_wait_for_their_results() -> None:
    made, losses = to_openai(request_body(user("x"), assistant(text("a"), use("1"))))
    assert [message["role"] for message in made["messages"]] == ["user", "assistant"]
    assert losses == ()


def test_a_result_answers_the_calls_of_its_own_step_only() -> None:
    content = [user("x"), assistant(use("1")), user("no"), assistant(use("2")), user(result("1"))]
    with pytest.raises(ConversionError, match="'1' answers no call"):
        to_openai(request_body(*content), replace(NATIVE, result_placeholder=False))


def test_signed_thinking_goes_where_signatures_are_carried_only() -> None:
    content = request_body(user("x"), assistant(thinking("hm"), text("a")), user("y"))
    assert "reasoning_details" in to_openai(content)[0]["messages"][1]
    made, losses = to_openai(content, replace(NATIVE, signatures="drop"))
    assert "reasoning_details" not in made["messages"][1]
    assert "messages[].content[].thinking" in paths(losses)


def test_calls_alone_have_no_content_and_empty_texts_are_dropped() -> None:
    made, _ = to_openai(request_body(user(text(""), text("x")), assistant(use("1")), user(result("1"))))
    assert made["messages"][0]["content"] == "x"
    assert made["messages"][1]["content"] is None
    assert to_openai(request_body(user("x"), system=[text(""), text("S")]))[0]["messages"][0]["content"] == "S"


def test_long_ids_that_begin_alike_differ_whatever_was_met_before() -> None:
    first, second = shorten_openai_id_if_long("x" * 60 + "1"), shorten_openai_id_if_long("x" * 60 + "2")
    assert first != second and len(first) == len(second) == 40


@pytest.mark.parametrize(("limit", "budget"), [(4096, 2048), (4097, 4096)])
def test_a_budget_is_below_the_limit_not_at_it(limit: int, budget: int) -> None:
    made, _ = to_anthropic(chat(user("x"), model="claude-sonnet-4-5", max_tokens=limit, reasoning={"max_tokens": 4096}))
    assert made["thinking"] == {"type": "enabled", "budget_tokens": budget}


def test_no_budget_is_no_thinking() -> None:
    made, _ = to_anthropic(chat(user("x"), model="claude-sonnet-4-5", reasoning={"max_tokens": 0}))
    assert made["thinking"] == {"type": "disabled"}


def test_a_jpg_is_a_jpeg() -> None:
    part = {"type": "image_url", "image_url": {"url": f"data:image/jpg;base64,{PNG}"}}
    made, _ = to_anthropic(chat({"role": "user", "content": [part]}))
    assert made["messages"][0]["content"][0]["source"]["media_type"] == "image/jpeg"


def test_unknown_members_of_a_content_part_are_a_loss() -> None:
    assert "messages[].content[].text.cache_control" in paths(
        to_openai(request_body(user(text("x", cache_control=CACHE))))[1]
    )


@pytest.mark.parametrize(("count", "lossy"), [(4, False), (5, True)])
def test_openai_takes_four_stops(count: int, lossy: bool) -> None:
    made = anthropic_request_to_openai(request_body(user("x"), stop_sequences=["s"] * count))
    assert made.value["stop"] == ["s"] * count
    assert ("stop_sequences" in paths(made.losses)) is lossy


def test_a_function_declared_twice_over_is_one_tool() -> None:
    first_tool, second_tool = ({"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in "fg")
    made, losses = to_anthropic(chat({"role": "user", "content": "x"}, tools=[first_tool, second_tool, first_tool]))
    assert [found["name"] for found in made["tools"]] == ["f", "g"]
    assert "tools[].function.name" in [loss.path for loss in losses]


def test_a_strict_tool_stays_strict() -> None:
    made, _ = to_openai(request_body(user("x"), tools=[tool(strict=True, input_schema=SCHEMA)]))
    assert made["tools"][0]["function"]["strict"] is True
