"""The parts of a page: which lines are marked, what differs within a line, what becomes a link."""

import pytest

from bridgecheck.model.scenario import Basis, Source
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.html import citations, panels
from bridgecheck.report.html.documents import make_document_views
from bridgecheck.report.html.matrix import (
    describe_cell,
    describe_control_or_direction,
    make_matrix_cell,
    spell_column_if_few,
    worst_cell_state,
)
from bridgecheck.report.html.panels import select_documented_cases
from bridgecheck.report.html.rendering import mark_invisible
from bridgecheck.report.table import Cell

from .sample_reports import case, large, views


def mark_lines(check: str, *found: Difference, **views_: object) -> dict[str, list[str]]:
    """Return label -> marked lines of a case with these documents."""
    sample = case("a/b", Verdict(check, "FAIL", "", found), views=views(**views_))
    return {
        document.label: [line.strip() for piece in document.pieces if piece.marked for line in piece.lines]
        for document in make_document_views(sample, sample.verdicts)
        if document.marks
    }


EVENTS = [{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1"}]}}]},
          {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c2"}]}}]},
          {"choices": [{"finish_reason": "stop"}, {"finish_reason": None}]}]  # fmt: skip


def test_a_wire_path_is_marked_at_its_line() -> None:
    path = "client_events[0] [].choices[].delta.tool_calls[].index"
    assert mark_lines("expect.wire", Difference(path, 'last {"equals":1}', "0"), client_response=EVENTS) == {
        "adapter to client": ['"index": 0,', '"index": 0,'],
    }  # fmt: skip
    finish = Difference("client_events[0] [].choices[].finish_reason", 'last {"equals":"tool_calls"}', '"stop"')
    assert mark_lines("expect.wire", finish, client_response=EVENTS) == {
        "adapter to client": ['"finish_reason": "stop"']
    }


def test_a_stream_event_is_marked_at_its_first_line() -> None:
    path = Difference("events[1].choice[0]", "one call after another", "index 0, id c2")
    assert mark_lines("stream.calls_contiguous", path, client_response=EVENTS) == {"adapter to client": ["{"]}


def test_a_path_in_a_refused_document_is_marked() -> None:
    body = {"messages": [{"content": "a"}, {"content": [{"cache_control": {"type": "x"}}]}]}
    path = Difference("messages[1].content[0].cache_control", "at most 4", "refused")
    assert mark_lines("request.acceptable", path, upstream_request=body) == {
        "adapter to provider": ['"cache_control": {']
    }


def test_normal_form_values_are_marked_on_both_sides() -> None:
    found = mark_lines(
        "response.finish",
        Difference("finish", "length (provider: MAX_TOKENS)", "stop (stop)"),
        upstream_response=[{"finishReason": "MAX_TOKENS"}],
        client_response=[{"choices": [{"finish_reason": "stop"}]}],
        client_request={"stop": "MAX_TOKENS"},
    )
    assert found == {
        "provider to adapter": ['"finishReason": "MAX_TOKENS"'],
        "adapter to client": ['"finish_reason": "stop"'],
    }
    call = Difference("tool_calls[1]", '{"args":{"city":"Zürich","deep":true},"name":"see"}', "(absent)")
    assert mark_lines("response.tool_calls", call, upstream_response=[{"args": {"city": "Zürich", "deep": True}}]) == {
        "provider to adapter": ['"city": "Zürich",'],
    }  # fmt: skip


def test_the_expected_side_of_a_request_is_the_clients_document() -> None:
    top = Difference("settings.top_p", "0.25", "(absent)")
    sides = {"client_request": {"top_p": 0.25}, "client_response": {"top_p": 0.25}}
    assert mark_lines("request.settings", top, **sides) == {"client to adapter": ['"top_p": 0.25']}


def test_a_value_on_many_lines_marks_nothing() -> None:
    zero = Difference("usage.total", "0", "1")
    assert mark_lines("response.usage", zero, upstream_response=[{"a": 0}], client_response=[{"b": 1}]) == {}
    many = Difference("text", '"user"', '"no"')
    assert mark_lines("response.text", many, upstream_response=["user"] * 9) == {}
    assert mark_lines("response.text", many, upstream_response=["user"] * 8) != {}


def test_a_truncated_document_is_marked_as_far_as_it_goes() -> None:
    text = '[\n {\n  "usage": {\n   "total": 65,\n   "text": "aaa… (30000 characters)'
    sample = case(
        "a/b", Verdict("x", "FAIL", "", (Difference("usage", "65", "66"),)), views={"upstream_response": text}
    )
    (document,) = make_document_views(sample, sample.verdicts)
    assert document.marks == 1
    assert "\n".join(line for piece in document.pieces for line in piece.lines) == text


def test_a_key_may_hold_anything() -> None:
    document = {'a": "b': {"c": "here it is"}, "": {"d": "here it is"}}
    lost = Difference("text", '"here it is"', "(absent)")
    assert len(mark_lines("response.text", lost, upstream_response=document)["provider to adapter"]) == 2


def line(expected: str, actual: str) -> tuple[str, ...]:
    (view_line,) = panels.make_difference_view(Difference("p", expected, actual)).lines
    return (
        view_line.sign,
        view_line.expected.before,
        view_line.expected.differs,
        view_line.expected.after,
        view_line.actual.differs,
    )


def test_differing_words_of_two_lines_are_highlighted() -> None:
    assert line("units in metric today", "units in imperial today") == (
        "≠",
        "units in ",
        "metric",
        " today",
        "imperial",
    )
    assert line("value 160 of it all", "value 10 of it all")[2] == "160"
    assert line("equals 60", "0") == ("≠", "", "equals 60", "", "0")
    assert line("same", "same") == ("", "same", "", "", "")


def test_long_json_shows_the_members_that_differ() -> None:
    document = '{"city":"Zürich","days":[1,2,3],"options":{"units":"metric","wind":true}}'
    shown = panels.make_difference_view(Difference("args", document, document.replace("metric", "imperial")))
    assert [line_.sign for line_ in shown.lines if line_.sign not in ("", "⋯")] == ["≠"]


def test_a_clipped_value_states_its_length() -> None:
    (view_line,) = panels.make_difference_view(Difference("p", "x" * 200_000, "y")).lines
    assert len(view_line.expected.differs) <= panels.MAX_LINE
    assert "(200000 characters)" in panels.clip_value("x" * 200_000)


def test_only_urls_and_issues_become_links() -> None:
    bits = citations.link_urls_and_issues(
        "see owner/repo#12 and https://a.example/x#y, not javascript:alert(1) or http:// or a/b#c"
    )
    assert [(bit.text, bit.url) for bit in bits if bit.url] == [
        ("owner/repo#12", "https://github.com/owner/repo/issues/12"), ("https://a.example/x#y", "https://a.example/x#y"),
    ]  # fmt: skip
    assert "".join(bit.text for bit in bits).endswith("or http:// or a/b#c")
    assert citations.cite_source(Source("x", "javascript:alert(1)")).bits == (citations.LinkedText("x"),)
    assert citations.cite_source(Source("x", "https://a.example/\u202e")).bits == (citations.LinkedText("x"),)
    assert citations.cite_source(Source("owner/repo#1", "https://a.example/")).bits == (
        citations.LinkedText("owner/repo#1", "https://a.example/"),
    )
    assert citations.cite_basis(Basis("recorded", "chatlas/0001", "2026-11-20")).note == "read 2026-11-20"


@pytest.mark.parametrize(
    ("cell", "kind", "text", "title"),
    [
        (Cell(), "empty", "", "no case"),
        (Cell(unjudged=2), "unjudged", "-", "nothing applicable"),
        (Cell(good=1), "good", "1", "1 case without a failure"),
        (Cell(good=3, warned=2), "warned", "△ 3 2w", "3 cases without a failure, 2 warned"),
        (Cell(good=3, failed=1), "failed", "✕ 3/4", "1 of 4 cases failed"),
    ],
)
def test_a_cell_has_a_sign_and_a_title(cell: Cell, kind: str, text: str, title: str) -> None:
    assert (worst_cell_state(cell), make_matrix_cell(cell).text, describe_cell(cell)) == (kind, text, title)


def test_directions_are_spelt_out_where_there_is_room() -> None:
    few = ("control", "G>O", "O>G")
    every = [f"{a}>{b}" for a in "GOA" for b in "GOA"]
    assert spell_column_if_few("G>O", few) == "Gemini→OpenAI Chat"
    assert spell_column_if_few("G>O", every) == "G→O"
    assert spell_column_if_few("control", few) == "control"
    assert describe_control_or_direction("A>G") == "Anthropic client over Gemini"
    assert "identity" in describe_control_or_direction("control")


def test_unusual_characters_differ_from_their_escapes() -> None:
    assert mark_invisible("a\x00<\\u0000") == 'a<span class="invisible">\\u0000</span>&lt;\\u0000'


def test_documents_of_examples_take_precedence() -> None:
    report = large()
    cases = {str(case_.key): case_ for case_ in report.cases}
    size = sum(map(len, cases[report.findings[0].example].views.values()))
    examples = {finding.example for finding in report.findings}
    fitting = select_documented_cases(report.findings, cases, size * len(examples), size * 2)
    assert examples < fitting
    assert len(fitting) == len(examples) + 2
    few = select_documented_cases(report.findings, cases, size * 3, 0)
    assert few < examples and len(few) == 3
