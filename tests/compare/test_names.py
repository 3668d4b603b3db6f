"""Function names that had to be changed are read as the client's own, only where the change was needed."""

import pytest

from bridgecheck.compare.names import find_renamed_functions, restore_names_in_outcome, restore_names_in_prompt
from bridgecheck.model.outcome import Choice, Outcome, ToolCall
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart, TextPart, Tool, ToolChoice, Turn


def prompt(*names, dialect="gemini", **more):
    return Prompt(dialect, "m", tools=tuple(Tool(name) for name in names), **more)


@pytest.mark.parametrize(
    ("requested", "sent", "expected"),
    [
        (("a.b",), ("a_b",), {"a_b": "a.b"}),
        (("a.b", "a_b"), ("a_b_1", "a_b"), {"a_b_1": "a.b"}),
        (("a.b", "a_b"), ("a_b", "a_b"), {}),
        (("a_b",), ("other",), {}),
        (("a.b",), ("a b",), {}),
        (("a.b",), ("a_b", "c"), {}),
        (("x" * 65,), ("x" * 64,), {"x" * 64: "x" * 65}),
    ],
    ids=["dot", "apart", "two under one name", "not needed", "still refused", "another number", "too long"],
)
def test_a_needed_change_of_a_function_name_is_accepted(requested, sent, expected):
    assert find_renamed_functions(prompt(*requested), prompt(*sent, dialect="openai-chat")) == expected


@pytest.mark.parametrize(
    ("requested", "sent", "dialect", "expected"),
    [
        ("a.b", "a_b", "gemini", {"a_b": "a.b"}),
        ("7_seas", "_7_seas", "openai-chat", {"_7_seas": "7_seas"}),
        ("x" * 75, "x" * 64, "anthropic", {"x" * 64: "x" * 75}),
        ("seven-seas", "seven_seas", "anthropic", {}),
    ],
)
def test_a_name_that_any_dialect_refuses_may_be_changed_for_all(requested, sent, dialect, expected):
    assert find_renamed_functions(prompt(requested), prompt(sent, dialect=dialect)) == expected


@pytest.mark.parametrize(
    ("called", "sent", "expected"),
    [
        (("a.b",), ("a_b",), {"a_b": "a.b"}),
        (("a.b", "a/b"), ("a_b", "a_b"), {"a_b": "a.b"}),
        (("a.b",), ("declared",), {}),
        (("a_b",), ("other",), {}),
        (("a.b",), ("a b",), {}),
        (("a.b",), (), {}),
    ],
    ids=["dot", "two under one name", "the name of another", "not needed", "still refused", "lost"],
)
def test_a_function_that_only_the_history_calls_may_be_renamed(called, sent, expected):
    histories = (
        (Turn("assistant", tuple(CallPart(ToolCall(name, {}, "1")) for name in names)),) for names in (called, sent)
    )
    client, provider = (
        prompt("declared", dialect=dialect, turns=history)
        for dialect, history in zip(("gemini", "openai-chat"), histories, strict=True)
    )
    assert find_renamed_functions(client, provider) == expected


def test_requests_and_responses_are_restored_to_the_clients_names():
    history = (Turn("assistant", (TextPart("a_b"), CallPart(ToolCall("a_b", {}, "1")))), Turn("user", (
        ResultPart("1", "a_b", "x"),
    )))  # fmt: skip
    sent = prompt("a_b", dialect="openai-chat", turns=history, tool_choice=ToolChoice("named", ("a_b",)))
    read = restore_names_in_prompt(sent, {"a_b": "a.b"})
    assert [tool.name for tool in read.tools] == ["a.b"]
    assert read.tool_choice.names == ("a.b",)
    assert read.turns[0].parts[0].text == "a_b"
    assert read.turns[0].parts[1].call.name == "a.b"
    assert read.turns[1].parts[0].name == "a.b"
    outcome = restore_names_in_outcome(Outcome("openai-chat", (Choice(tool_calls=(ToolCall("a_b"),)),)), {"a_b": "a.b"})
    assert outcome.choices[0].tool_calls[0].name == "a.b"


def test_without_renamed_functions_the_same_objects_are_returned():
    sent = prompt("a")
    assert restore_names_in_prompt(sent, {}) is sent
