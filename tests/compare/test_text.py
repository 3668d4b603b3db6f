"""Segments: bytes inside, white space between."""

import pytest

from bridgecheck.compare.text import (
    contains_in_order,
    is_joined_from,
    is_same_but_for_half_characters,
    is_same_text,
)

HALF = f"a {chr(0xDCAF)} b"


@pytest.mark.parametrize(
    ("segments", "whole", "right"),
    [
        (("a", "b"), "ab", True),
        (("a", "b"), "a \n b", True),
        (("a", "b"), "ab ", False),
        (("a", "b"), " ab", False),
        (("a", "b"), "ba", False),
        (("a", "b"), "axb", False),
        (("a b",), "a  b", False),
        (("a", "\nb"), "a\n\nb", True),
        (("a ", " b"), "a    b", True),
        ((), "", True),
        ((), "x", False),
    ],
)
def test_segments_join_to_the_text(segments, whole, right):
    assert is_joined_from(segments, whole) is right


def test_carried_text_may_be_between_segments_and_at_the_ends():
    assert is_joined_from(("a", "b"), "a```python\nx=1\n```b", ("x=1",))
    assert is_joined_from(("a",), "a\n\nx=1", ("x=1",))
    assert is_joined_from(("a",), "x=1 a", ("x=1",))
    assert is_joined_from((), "```x=1```", ("x=1",))
    assert not is_joined_from(("a", "b"), "a something else entirely b", ("x=1",))


def test_either_side_may_be_split():
    assert is_same_text(("ab",), ("a", "b"))
    assert is_same_text(("a b",), ("a", " b"))
    assert not is_same_text(("ab",), ("b", "a"))


def test_texts_are_found_in_order():
    assert contains_in_order(("a", "b"), "xaybz")
    assert not contains_in_order(("b", "a"), "xaybz")


@pytest.mark.parametrize(
    ("expected", "actual", "right"),
    [
        (HALF, HALF, True),
        (HALF, "a \ufffd b", True),
        (HALF, "a \ufffd\ufffd\ufffd b", True),
        (HALF, "a ? b", True),
        (HALF, "a  b", True),
        (HALF, "a x b", False),
        (HALF, "a \ufffd c", False),
        (HALF, "a ", False),
        ("a b", "a \ufffd b", False),
        ("a \ufffd b", "a  b", False),
    ],
)
def test_only_half_a_surrogate_pair_may_be_replaced(expected, actual, right):
    assert is_same_but_for_half_characters(expected, actual) is right
