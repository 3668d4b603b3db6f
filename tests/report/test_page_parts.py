"""The pieces of a page: which lines are marked, what of a line differs, what becomes a link."""

import pytest

from bridgecheck.model.scenario import Basis, Source
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.html import citations, panels
from bridgecheck.report.html.documents import make_document_views
from bridgecheck.report.html.matrix import (
    cell_state,
    describe_cell,
    describe_column,
    make_matrix_cell,
    spell_column_if_few,
)
from bridgecheck.report.html.panels import select_documented_cases
from bridgecheck.report.html.rendering import mark_invisible
from bridgecheck.report.table import Cell

from .pages import case, large, views


def marked(check: str, *found: Difference, **said: object) -> dict[str, list[str]]:
    """Label -> the marked lines of a case with these documents."""
    one = case("a/b", Verdict(check, "FAIL", "", found), views=views(**said))
    return {
        document.label: [line.strip() for piece in document.pieces if piece.marked for line in piece.lines]
        for document in make_document_views(one, one.verdicts)
        if document.marks
    }


EVENTS = [{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1"}]}}]},
          {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c2"}]}}]},
          {"choices": [{"finish_reason": "stop"}, {"finish_reason": None}]}]  # fmt: skip


def test_a_place_on_the_wire_is_marked_where_it_stands() -> None:
    path = "client_events[0] [].choices[].delta.tool_calls[].index"
    assert marked("expect.wire", Difference(path, 'last {"equals":1}', "0"), client_response=EVENTS) == {
        "adapter to client": ['"index": 0,', '"index": 0,'],
    }  # fmt: skip
    finish = Difference("client_events[0] [].choices[].finish_reason", 'last {"equals":"tool_calls"}', '"stop"')
    assert marked("expect.wire", finish, client_response=EVENTS) == {"adapter to client": ['"finish_reason": "stop"']}


def test_an_event_of_a_stream_is_marked_where_it_begins() -> None:
    path = Difference("events[1].choice[0]", "one call after another", "index 0, id c2")
    assert marked("stream.calls_contiguous", path, client_response=EVENTS) == {"adapter to client": ["{"]}


def test_a_place_in_a_document_that_is_refused_is_marked() -> None:
    body = {"messages": [{"content": "a"}, {"content": [{"cache_control": {"type": "x"}}]}]}
    path = Difference("messages[1].content[0].cache_control", "at most 4", "refused")
    assert marked("request.acceptable", path, upstream_request=body) == {"adapter to provider": ['"cache_control": {']}


def test_in_the_normal_form_the_values_are_looked_for_on_both_sides() -> None:
    found = marked(
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
    assert marked("response.tool_calls", call, upstream_response=[{"args": {"city": "Zürich", "deep": True}}]) == {
        "provider to adapter": ['"city": "Zürich",'],
    }  # fmt: skip


def test_of_a_request_it_is_the_clients_document_that_was_expected() -> None:
    top = Difference("settings.top_p", "0.25", "(absent)")
    sides = {"client_request": {"top_p": 0.25}, "client_response": {"top_p": 0.25}}
    assert marked("request.settings", top, **sides) == {"client to adapter": ['"top_p": 0.25']}


def test_what_stands_everywhere_marks_nothing() -> None:
    zero = Difference("usage.total", "0", "1")
    assert marked("response.usage", zero, upstream_response=[{"a": 0}], client_response=[{"b": 1}]) == {}
    many = Difference("text", '"user"', '"no"')
    assert marked("response.text", many, upstream_response=["user"] * 9) == {}
    assert marked("response.text", many, upstream_response=["user"] * 8) != {}


def test_a_document_that_was_cut_short_is_read_as_far_as_it_goes() -> None:
    text = '[\n {\n  "usage": {\n   "total": 65,\n   "text": "aaa… (30000 characters)'
    one = case("a/b", Verdict("x", "FAIL", "", (Difference("usage", "65", "66"),)), views={"upstream_response": text})
    (document,) = make_document_views(one, one.verdicts)
    assert document.marks == 1
    assert "\n".join(line for piece in document.pieces for line in piece.lines) == text


def test_a_key_may_hold_anything() -> None:
    odd = {'a": "b': {"c": "here it is"}, "": {"d": "here it is"}}
    gone = Difference("text", '"here it is"', "(absent)")
    assert len(marked("response.text", gone, upstream_response=odd)["provider to adapter"]) == 2


def line(expected: str, got: str) -> tuple[str, ...]:
    (one,) = panels.make_difference_view(Difference("p", expected, got)).lines
    return (one.sign, one.expected.before, one.expected.differs, one.expected.after, one.actual.differs)


def test_of_two_lines_the_words_that_differ_are_told_apart() -> None:
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
    assert [one.sign for one in shown.lines if one.sign not in ("", "⋯")] == ["≠"]


def test_a_long_value_says_how_long_it_was() -> None:
    (one,) = panels.make_difference_view(Difference("p", "x" * 200_000, "y")).lines
    assert len(one.expected.differs) <= panels.MAX_LINE
    assert "(200000 characters)" in panels.clip_value("x" * 200_000)


def test_addresses_and_issues_become_links_and_nothing_else_does() -> None:
    bits = citations.link_addresses(
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
    ("cell", "kind", "text", "words"),
    [
        (Cell(), "empty", "", "no case"),
        (Cell(unjudged=2), "unjudged", "-", "nothing applicable"),
        (Cell(good=1), "good", "1", "1 case without a failure"),
        (Cell(good=3, warned=2), "warned", "△ 3 2w", "3 cases without a failure, 2 warned"),
        (Cell(good=3, failed=1), "failed", "✕ 3/4", "1 of 4 cases failed"),
    ],
)
def test_a_cell_has_a_sign_and_words(cell: Cell, kind: str, text: str, words: str) -> None:
    assert (cell_state(cell), make_matrix_cell(cell).text, describe_cell(cell)) == (kind, text, words)


def test_directions_are_spelt_out_where_there_is_room() -> None:
    few = ("control", "G>O", "O>G")
    every = [f"{a}>{b}" for a in "GOA" for b in "GOA"]
    assert spell_column_if_few("G>O", few) == "Gemini→OpenAI Chat"
    assert spell_column_if_few("G>O", every) == "G→O"
    assert spell_column_if_few("control", few) == "control"
    assert describe_column("A>G") == "Anthropic client over Gemini"
    assert "identity" in describe_column("control")


def test_odd_characters_are_told_from_the_same_letters_written() -> None:
    assert mark_invisible("a\x00<\\u0000") == 'a<span class="invisible">\\u0000</span>&lt;\\u0000'


def test_documents_of_every_example_come_before_those_of_other_cases() -> None:
    report = large()
    cases = {str(one.key): one for one in report.cases}
    size = sum(map(len, cases[report.findings[0].example].views.values()))
    room = size * (len(report.findings) + 2)
    fitting = select_documented_cases(report.findings, cases, room)
    assert {finding.example for finding in report.findings} < fitting
    assert len(fitting) == len(report.findings) + 2
