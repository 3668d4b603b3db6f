"""The table by topic and path."""

import pytest

from bridgecheck.model.verdict import CaseKey, Excuse, Verdict
from bridgecheck.report import Report
from bridgecheck.report.table import (
    Cell,
    control_or_direction_name,
    count_by_topic_and_direction,
    letter_legend,
    planned_table,
)


@pytest.mark.row("S1.57")
def test_every_case_has_its_column(passing) -> None:
    assert control_or_direction_name(passing("a/b", path="native", client="openai-chat").key) == "control"
    assert (
        control_or_direction_name(passing("a/b", path="native", client="openai-chat", layer="sdk").key) == "native sdk"
    )
    assert control_or_direction_name(passing("a/b", client="openai-chat", upstream="gemini", layer="sdk").key) == "O>G"
    assert control_or_direction_name(passing("a/b", client="anthropic", upstream="anthropic").key) == "A>A"


def test_columns_have_a_fixed_order_and_rows_are_sorted(report: Report) -> None:
    table = report.topics
    assert table.columns == ("control", "native sdk", "G>O", "A>O")
    assert [name for name, _ in table.rows] == ["errors", "schema", "thinking", "tools", "unicode", "vendor"]


def test_cells_say_what_happened(report: Report) -> None:
    rows = {name: [str(cell) for cell in cells] for name, cells in report.topics.rows}
    assert rows["tools"] == ["1", "1", "1/3", ""]
    assert rows["errors"] == ["", "", "0/2", ""]
    assert rows["thinking"] == ["", "", "1 1w", ""]
    assert rows["schema"] == ["", "", "1", "-"]


def test_the_totals_are_the_cases(report: Report) -> None:
    total = sum(report.topics.totals, Cell())
    assert total.judged + total.unjudged == len(report.cases)


def test_a_column_without_a_verdict_can_be_left_out(report: Report) -> None:
    assert report.topics.judged_columns.columns == ("control", "native sdk", "G>O")


def test_a_deviation_shows_but_does_not_fail(passing) -> None:
    case = passing("a/b", Verdict("x", "FAIL", excuse=Excuse("deviation", "x")))
    (cell,) = count_by_topic_and_direction([case]).totals
    assert (cell.failed, cell.deviations, str(cell)) == (0, 1, "0/1 1a")


def test_columns_of_own_types_come_last_with_a_letter() -> None:
    keys = [CaseKey("a/b", "bridged", client, "gemini", "unary", "wire") for client in ("outcome", "anthropic")]
    assert planned_table([("a", key, False) for key in keys]).columns == ("A>G", "T>G")
    assert letter_legend(["control", "A>G", "T>G"]) == "G Gemini, A Anthropic, T a library's own types"
    assert letter_legend(["A>G", "A>O"]) == "G Gemini, O OpenAI Chat, A Anthropic"
    assert letter_legend(["control"]) == "G Gemini, O OpenAI Chat, A Anthropic"


def test_a_plan_counts_what_is_played_and_leaves_out_directions_without_a_case() -> None:
    routed, unrouted = (
        CaseKey("a/b", "bridged", client, "openai-chat", "unary", "wire") for client in ("anthropic", "gemini")
    )
    table = planned_table([("a", routed, False), ("a", routed, True), ("b", routed, True), ("b", unrouted, True)])
    assert table.columns == ("A>O",)
    assert [(name, [str(cell) for cell in cells]) for name, cells in table.rows] == [("a", ["1"]), ("b", ["-"])]
