"""Differences: none for equal values, one for each change, and fast on long lists."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck.compare.diff import ABSENT, MAX_DIFFERENCES, differences, is_same_json
from bridgecheck.model.outcome import Choice, ToolCall

EVENTS = [{"choices": [{"index": 0, "delta": {"content": f"word {n}"}}], "id": "c"} for n in range(1000)]


def test_equal_values_have_no_difference():
    assert differences(EVENTS, [dict(event) for event in EVENTS]) == ()
    assert differences({"a": 1, "b": 2.0}, {"b": 2, "a": 1.0}) == ()


@pytest.mark.proposal("payload-key-order")
def test_key_order_is_no_difference():
    assert (
        differences(ToolCall("f", {"b": 1, "a": {"y": 1, "x": 2}}), ToolCall("f", {"a": {"x": 2, "y": 1}, "b": 1}))
        == ()
    )
    assert len(differences({"args": {"b": 1, "a": 2}}, {"args": {"a": 1, "b": 2}})) == 2


def test_true_is_not_one():
    assert not is_same_json({"a": True}, {"a": 1})
    assert len(differences({"a": [True]}, {"a": [1]})) == 1


def test_a_deleted_event_is_one_difference():
    (row,) = differences(EVENTS, EVENTS[:500] + EVENTS[501:], "events")
    assert (row.path, row.actual) == ("events[500]", ABSENT)
    (added,) = differences(EVENTS[:500] + EVENTS[501:], EVENTS, "events")
    assert (added.path, added.expected) == ("events[500]", ABSENT)


def test_a_changed_leaf_is_named_by_its_path():
    (row,) = differences({"a": [{"b": "x"}, {"b": "y"}]}, {"a": [{"b": "x"}, {"b": "z"}]})
    assert (row.path, row.expected, row.actual) == ("a[1].b", '"y"', '"z"')


def test_type_changes_and_long_texts_carry_a_note():
    (row,) = differences({"a": 1}, {"a": "1"})
    assert row.note == "type changed"
    (text,) = differences("x" * 100 + "a", "x" * 100 + "b")
    assert text.note.startswith("differs from character 100")


def test_dataclasses_and_tuples():
    expected, actual = (
        Choice(0, ("a",), tool_calls=(ToolCall("f", {"x": 1}),)),
        Choice(0, ("a",), tool_calls=(ToolCall("f", {"x": 2}),)),
    )
    (row,) = differences(expected, actual, "choice")
    assert row.path == "choice.tool_calls[0].args.x"
    assert differences(("a",), ["a"]) == ()


def test_many_differences_are_clipped_with_a_note():
    rows = differences(list(range(200)), [str(n) for n in range(200)])
    assert len(rows) == MAX_DIFFERENCES + 1
    assert "150 more" in rows[-1].note


def test_a_deletion_in_a_thousand_events_is_found_quickly():
    start = time.perf_counter()
    differences(EVENTS, EVENTS[:300] + EVENTS[301:])
    assert time.perf_counter() - start < 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, JSON)
def test_there_is_a_difference_exactly_if_the_values_differ(expected, actual):
    assert bool(differences(expected, actual)) == (not is_same_json(expected, actual))


def test_long_texts_and_many_rows_that_begin_alike_are_told_apart():
    long = "x" * 1000
    first, second = (differences({"a": ""}, {"a": long + end})[0].actual for end in ("1", "2"))
    assert first != second
    rows = [differences([0] * 60, [1] * 59 + [last])[-1].note for last in (1, 2)]
    assert len(set(rows)) == 2


@pytest.mark.parametrize(
    "folder", ["/srv/a/.venv/lib/python3.11/site-packages", "/home/somebody/work/lib/site-packages"]
)
def test_a_long_value_is_shown_the_same_wherever_its_adapter_is_installed(folder: str):
    error = "\n".join(f'  File "{folder}/gateway/part_{n}.py", line {n}, in convert' for n in range(40))
    (row,) = differences({"message": ""}, {"message": f"KeyError\n{error}\n"})
    (expected,) = differences({"message": ""}, {"message": f"KeyError\n{error.replace(folder, 'site-packages')}\n"})
    assert row == expected
    (changed,) = differences({"message": ""}, {"message": f"KeyError\n{error} \n"})
    assert changed != row
