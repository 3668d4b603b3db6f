"""Class tables: total, and each row with a right and a wrong answer."""

from typing import get_args

import pytest

from bridgecheck.compare.classes import (
    DISPUTED_NATIVE,
    ERROR_KINDS,
    EXPECTED_FINISHES,
    FinishContext,
    effort_level,
    error_differences,
    finish_rule,
    is_close_effort,
    right_finishes,
    right_statuses,
    usable_tools,
)
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, Finish, FinishClass, ToolCall
from bridgecheck.model.prompt import Thinking, Tool, ToolChoice

TO_CHAT = FinishContext("gemini", "openai-chat")


def test_the_tables_are_total():
    assert set(EXPECTED_FINISHES) == set(get_args(FinishClass))
    assert set(ERROR_KINDS) == set(get_args(ErrorKind))


@pytest.mark.parametrize("kind", get_args(FinishClass))
def test_a_class_is_right_for_itself_and_equal_without_conversion(kind):
    assert kind in EXPECTED_FINISHES[kind]
    straight = FinishContext("gemini", "gemini")
    wanted = {"incomplete", "error"} if kind == "incomplete" else {kind}
    assert right_finishes(Choice(finish=Finish("x", kind)), straight) == wanted


@pytest.mark.parametrize("kind", ["length", "content_filter", "malformed_call", "incomplete", "error"])
def test_nothing_that_went_wrong_may_look_like_success(kind):
    for calls in ((), (ToolCall("f"),)):
        said = Choice(finish=Finish("x", kind), tool_calls=calls)
        assert not right_finishes(said, TO_CHAT) & {"stop", "tool_calls"}


def test_promotion():
    said = Choice(finish=Finish("STOP", "stop"), tool_calls=(ToolCall("f"),))
    assert right_finishes(said, TO_CHAT) == {"tool_calls"}
    assert finish_rule(said, TO_CHAT) == "finish.promoted"
    assert "stop" in right_finishes(said, FinishContext("gemini", "openai-chat", may_force_call=True))
    assert "stop" in right_finishes(said, FinishContext("openai-chat", "openai-chat", converted=True))
    told = Choice(finish=Finish("tool_calls", "tool_calls"), tool_calls=(ToolCall("f"),))
    assert right_finishes(told, FinishContext("openai-chat", "openai-chat", converted=True)) == {"tool_calls"}


def test_disputed_words_widen():
    for native, kinds in DISPUTED_NATIVE.items():
        assert kinds <= right_finishes(Choice(finish=Finish(native, "other")), TO_CHAT)


@pytest.mark.parametrize(
    ("said", "right", "wrong"), [(429, 429, 500), (401, 502, 404), (503, 500, 429), (400, 422, 500), (None, 200, None)]
)
def test_statuses(said, right, wrong):
    if said is None:
        assert error_differences(ErrorInfo("server"), ErrorInfo("server", status=right)) == []
    else:
        assert right in right_statuses(said)
        assert wrong not in right_statuses(said)


@pytest.mark.parametrize(
    ("thinking", "rung"),
    [
        (None, ""),
        (Thinking(), ""),
        (Thinking(0), "off"),
        (Thinking(128), "minimal"),
        (Thinking(1024), "low"),
        (Thinking(8192), "medium"),
        (Thinking(24576), "high"),
        (Thinking(-1), "dynamic"),
        (Thinking(level="none"), "off"),
        (Thinking(level="max"), "xhigh"),
        (Thinking(5, "high"), "high"),
    ],
)
def test_effort(thinking, rung):
    assert effort_level(thinking) == rung


def test_neighbours_agree_and_off_stays_off():
    assert is_close_effort("low", "medium")
    assert not is_close_effort("low", "high")
    assert is_close_effort("off", "minimal")
    assert not is_close_effort("off", "low")
    assert not is_close_effort("off", "dynamic")
    assert is_close_effort("dynamic", "high")


def test_tool_choice_classes():
    one, two, search = Tool("a"), Tool("b"), Tool("googleSearch", builtin="{}")
    both = (one, two)
    assert (
        usable_tools(None, ToolChoice("auto"))
        == usable_tools((), ToolChoice())
        == usable_tools(both, ToolChoice("none"))
    )
    assert (
        usable_tools(both, ToolChoice())
        == usable_tools(both, ToolChoice("auto"))
        == usable_tools(both, ToolChoice("validated"))
    )
    assert usable_tools(both, ToolChoice("allowed", ("a", "b"))) == usable_tools(both, ToolChoice("required"))
    named = usable_tools(both, ToolChoice("named", ("a",)))
    assert named == usable_tools(both, ToolChoice("allowed", ("a",))) == usable_tools((one,), ToolChoice("required"))
    assert named != usable_tools(both, ToolChoice("required"))
    assert usable_tools((one, search), ToolChoice("none"))[0] == (search,)
    assert usable_tools(both, ToolChoice("auto", (), False)) != usable_tools(both, ToolChoice("auto", (), True))
