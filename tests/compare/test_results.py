"""Tool results by value, and results paired with calls."""

import pytest

from bridgecheck.compare.tool_results import ORPHAN, count_orphan_results, pair_results, unwrap_result
from bridgecheck.model.outcome import ToolCall
from bridgecheck.model.prompt import CallPart, ResultPart, Turn


@pytest.mark.parametrize(
    ("values", "level"),
    [
        (["42", 42, {"result": 42}, {"output": "42"}, '{"result": 42}', {"name": "f", "content": 42}], "42"),
        (["x", {"content": "x"}, {"result": {"output": "x"}}, {"return_value": "x"}], "x"),
        ([{"a": 1, "b": 2}, '{"b": 2, "a": 1}', {"output": {"b": 2, "a": 1}}], '{"a":1,"b":2}'),
        ([True, "true", {"result": True}], "true"),
        (["", {"output": ""}], ""),
        (["x y", '[{"text": "x y"}]', {"output": [{"text": "x "}, {"type": "text", "text": "y"}]}], "x y"),
        (["[1, 2]", [1, 2]], "[1,2]"),
    ],
)
def test_wrappers_and_json_text_make_no_difference(values, level):
    assert {unwrap_result(value, None) for value in values} == {(level, None)}


def test_errors_and_different_results_stay_distinct():
    assert unwrap_result({"error": "no"}, None) == ("no", True) == unwrap_result("no", True)
    assert unwrap_result('{"error": "no"}', None) == ("no", True)
    assert unwrap_result({"name": "f", "error": {"error": "no"}}, None) == ("no", True)
    assert unwrap_result({"output": "x", "more": 1}, None) != unwrap_result("x", None)
    assert unwrap_result({"output": [{"text": "x"}, {"image": 1}]}, None) != unwrap_result("x", None)
    assert unwrap_result("007", None) == ("007", None)


@pytest.mark.parametrize(
    "value", ["42", {"a": [1.0, "x"]}, '"quoted"', "{broken", "1e5", {"result": "{}"}, "NaN", "null"]
)
def test_normalising_twice_changes_nothing(value):
    text, error = unwrap_result(value, None)
    assert unwrap_result(text, error) == (text, error)


def _turns(*parts):
    return [Turn("assistant", tuple(part for part in parts if isinstance(part, CallPart))),
            Turn("user", tuple(part for part in parts if isinstance(part, ResultPart)))]  # fmt: skip


def _numbers(turns):
    return [part.id for turn in pair_results(turns) for part in turn.parts if isinstance(part, ResultPart)]


A1, A2, B = (CallPart(ToolCall(name, {}, id)) for name, id in [("a", "x"), ("a", "y"), ("b", "z")])


def test_results_pair_with_calls_whatever_the_ids():
    results = ResultPart("y", "", "2"), ResultPart("x", "", "1"), ResultPart("z", "", "3")
    assert _numbers(_turns(A1, A2, B, *results)) == ["2", "1", "3"]


def test_without_ids_results_answer_the_oldest_call_of_their_name():
    bare = tuple(CallPart(ToolCall(part.call.name)) for part in (A1, A2, B))
    results = ResultPart("", "b", "3"), ResultPart("", "a", "1"), ResultPart("", "a", "2")
    assert _numbers(_turns(*bare, *results)) == ["3", "1", "2"]


def test_a_reused_id_refers_to_the_latest_call():
    again = [*_turns(A1, ResultPart("x", "", "1")), *_turns(A1, ResultPart("x", "", "2"))]
    assert _numbers(again) == ["1", "2"]


def test_results_without_a_call_are_found():
    turns = _turns(A1, ResultPart("q", "c", "1"))
    assert _numbers(turns) == [ORPHAN]
    assert count_orphan_results(turns) == 1
    assert pair_results(pair_results(turns)) == pair_results(turns)
