"""Class tables cover every member, and each row has a right and a wrong response."""

from typing import get_args

import pytest

from bridgecheck.compare.classes import (
    DISPUTED_NATIVE,
    ERROR_KINDS,
    EXPECTED_FINISHES,
    RouteAndForcedCall,
    effort_level,
    error_class_differences,
    finish_rule,
    is_close_effort,
    right_finishes,
    right_statuses,
    usable_tools,
)
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, Finish, FinishClass, ToolCall
from bridgecheck.model.prompt import Thinking, Tool, ToolChoice

TO_CHAT = RouteAndForcedCall("gemini", "openai-chat")


def test_the_class_tables_cover_every_member():
    assert set(EXPECTED_FINISHES) == set(get_args(FinishClass))
    assert set(ERROR_KINDS) == set(get_args(ErrorKind))


@pytest.mark.parametrize("kind", get_args(FinishClass))
def test_a_class_accepts_itself_and_only_itself_without_conversion(kind):
    assert kind in EXPECTED_FINISHES[kind]
    unconverted = RouteAndForcedCall("gemini", "gemini")
    expected = {"incomplete", "error"} if kind == "incomplete" else {kind}
    assert right_finishes(Choice(finish=Finish("x", kind)), unconverted) == expected


@pytest.mark.parametrize("kind", ["length", "content_filter", "malformed_call", "incomplete", "error"])
def test_no_failure_may_become_a_success(kind):
    for calls in ((), (ToolCall("f"),)):
        choice = Choice(finish=Finish("x", kind), tool_calls=calls)
        assert not right_finishes(choice, TO_CHAT) & {"stop", "tool_calls"}


def test_an_answer_cut_at_the_limit_of_one_request_is_no_clean_end():
    cut = Choice(finish=Finish("CONTINUATION", "pause"))
    assert right_finishes(cut, TO_CHAT) == {"length", "pause", "other"}
    assert right_finishes(cut, RouteAndForcedCall("gemini", "gemini")) == {"pause"}
    assert "stop" in right_finishes(Choice(finish=Finish("pause_turn", "pause")), TO_CHAT)


def test_promotion():
    stop = Choice(finish=Finish("STOP", "stop"), tool_calls=(ToolCall("f"),))
    assert right_finishes(stop, TO_CHAT) == {"tool_calls"}
    assert finish_rule(stop, TO_CHAT) == "finish.promoted"
    assert "stop" in right_finishes(stop, RouteAndForcedCall("gemini", "openai-chat", may_force_call=True))
    assert "stop" in right_finishes(stop, RouteAndForcedCall("openai-chat", "openai-chat", converted=True))
    promoted = Choice(finish=Finish("tool_calls", "tool_calls"), tool_calls=(ToolCall("f"),))
    assert right_finishes(promoted, RouteAndForcedCall("openai-chat", "openai-chat", converted=True)) == {"tool_calls"}


def test_disputed_finish_reasons_accept_more_classes():
    for native, kinds in DISPUTED_NATIVE.items():
        assert kinds <= right_finishes(Choice(finish=Finish(native, "other")), TO_CHAT)


@pytest.mark.parametrize(
    ("native", "right", "wrong"),
    [(429, 429, 500), (401, 502, 404), (503, 500, 429), (400, 422, 500), (None, 200, None)],
)
def test_statuses(native, right, wrong):
    if native is None:
        assert error_class_differences(ErrorInfo("server"), ErrorInfo("server", status=right)) == []
    else:
        assert right in right_statuses(native)
        assert wrong not in right_statuses(native)


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


def test_neighbouring_efforts_agree_and_off_stays_off():
    assert is_close_effort("low", "medium")
    assert not is_close_effort("low", "high")
    assert is_close_effort("off", "minimal")
    assert not is_close_effort("off", "low")
    assert not is_close_effort("off", "dynamic")
    assert is_close_effort("dynamic", "high")


def test_tool_choice_classes():
    first, second, search = Tool("a"), Tool("b"), Tool("googleSearch", builtin="{}")
    both = (first, second)
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
    assert named == usable_tools(both, ToolChoice("allowed", ("a",))) == usable_tools((first,), ToolChoice("required"))
    assert named != usable_tools(both, ToolChoice("required"))
    assert usable_tools((first, search), ToolChoice("none"))[0] == (search,)
    assert usable_tools(both, ToolChoice("auto", (), False)) != usable_tools(both, ToolChoice("auto", (), True))
