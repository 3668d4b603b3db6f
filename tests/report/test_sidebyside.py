"""Expected and actual values side by side."""

import json

import pytest
from rich.cells import cell_len

from bridgecheck.report.side_by_side import DiffRow, diff_rows, escape_invisible, pad_to_width, split_at_line_feeds


def test_short_values_are_on_one_line() -> None:
    assert diff_rows("1", "(absent)", 20) == [DiffRow("!", "1", "(absent)")]
    assert diff_rows('{"a":1}', '{"a":2}', 20) == [DiffRow("!", '{"a":1}', '{"a":2}')]


def test_long_json_is_indented_and_equal_lines_are_folded() -> None:
    left = json.dumps({f"key{i}": i for i in range(12)})
    right = json.dumps({f"key{i}": i if i != 6 else "six" for i in range(12)})
    found = diff_rows(left, right, 30)
    assert [row.mark for row in found] == ["…", "=", "!", "=", "…"]
    assert found[2] == DiffRow("!", ' "key6": 6,', ' "key6": "six",')


def test_a_member_on_one_side_only_is_marked() -> None:
    left, right = json.dumps({"a": "x" * 40, "b": 2}), json.dumps({"a": "x" * 40})
    marks = [row.mark for row in diff_rows(left, right, 60)]
    assert "<" in marks or "!" in marks
    assert [row.mark for row in diff_rows("[" + "1," * 30 + "1]", "[" + "1," * 31 + "1]", 20)].count(">") == 1


def test_no_column_is_wider_than_requested() -> None:
    for row in diff_rows("宽" * 50 + "a" * 50, "b" * 120, 17):
        assert cell_len(row.left) <= 17 and cell_len(row.right) <= 17


def test_lines_wrap_after_a_nearby_space_without_loss() -> None:
    text = "as many results as calls, in one content, in their order"
    found = [row.left for row in diff_rows(text, "x", 24)]
    assert found == ["as many results as ", "calls, in one content, ", "in their order"]
    assert "".join(row.left for row in diff_rows("a  " + "b" * 50, "x", 24)) == "a  " + "b" * 50


def test_the_common_start_of_long_texts_is_cut() -> None:
    (row,) = diff_rows("same " * 40 + "left", "same " * 40 + "right", 40)
    assert row == DiffRow("!", "…e same same left", "…e same same right")


def test_many_rows_are_limited_and_counted() -> None:
    left, right = json.dumps(list(range(100, 160))), json.dumps(list(range(200, 260)))
    found = diff_rows(left, right, 20, limit=10)
    assert len(found) == 10
    assert found[-1].mark == "…" and "more lines" in found[-1].left


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 宽 😀", "plain é 宽 😀"),
        ("a\u2028b", "a\\u2028b"),
        ("\x1b[31m", "\\u001b[31m"),
        ("a\nb\t", "a\\nb\\t"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert escape_invisible(text) == shown


def test_only_a_line_feed_ends_a_line() -> None:
    assert split_at_line_feeds("a\u2028b\nc\n") == ["a\u2028b", "c"]
    assert split_at_line_feeds("") == []


def test_padding_counts_cells() -> None:
    assert cell_len(pad_to_width("宽", 6)) == 6
