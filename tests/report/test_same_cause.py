"""Kinds of failure that one fault makes are one finding; two faults stay two."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.report.findings import Finding, group_findings, summarise_case
from bridgecheck.report.fingerprint import fingerprints, path_shape
from bridgecheck.report.message_shape import message_shape
from bridgecheck.report.sentences import finding_cells_line

MakeCase: TypeAlias = Callable[..., CaseResult]


def make_verdict(check: str, *rows: tuple[str, str, str], status: str = "FAIL", turn: int = 0) -> Verdict:
    differences = tuple(Difference(*row) for row in rows)
    message = f"{rows[0][0]}: expected {rows[0][1]}, got {rows[0][2]}"
    return Verdict(check, status, message, differences, turn=turn)


def find(passing: MakeCase, *verdicts: Verdict) -> tuple[Finding, ...]:
    """Return the findings of one case for each verdict."""
    return group_findings([passing(f"a/{number}", verdict) for number, verdict in enumerate(verdicts)])


def make_lost_setting(name: str) -> Verdict:
    return make_verdict("request.settings", (f"settings.{name}", "1", "(absent)"))


def make_finish(expected: str, actual: str = "stop (stop)") -> Verdict:
    return make_verdict("response.finish", ("finish", f"{expected} (provider: X)", actual))


def test_the_description_of_every_tool_is_one_place() -> None:
    names = ("ring", "harbour.depth", "7_seas")
    assert {path_shape(f"tools.{name}.description") for name in names} == {"tools[].description"}


def test_each_lost_setting_is_its_own_unless_all_are_lost(passing) -> None:
    lost = [make_lost_setting(name) for name in ("seed", "n", "temperature", "stop")]
    assert len(find(passing, *lost)) == 1
    assert len(find(passing, *lost[:3])) == 3
    arrived = Verdict("request.settings", "PASS")
    assert len(find(passing, *lost, arrived)) == 4


def test_a_reason_that_is_always_stop_is_one_finding(passing) -> None:
    always = [make_finish(kind) for kind in ("length", "content_filter", "tool_calls")]
    assert len(find(passing, *always)) == 1
    assert len(find(passing, *always[:2])) == 2
    assert len(find(passing, *always[:2], make_finish("tool_calls", "incomplete (none)"))) == 3


def test_a_reason_lost_beside_calls_too_is_one_finding(passing) -> None:
    assert len(find(passing, make_finish("length"), make_finish("length", "tool_calls (tool_use)"))) == 1
    assert len(find(passing, make_finish("length"), make_finish("stop", "tool_calls (tool_use)"))) == 2


def test_answers_that_are_lost_as_a_whole_are_one_finding(passing) -> None:
    text = make_verdict("response.text", ("text", '"a"', '""'))
    calls = make_verdict("response.tool_calls", ("tool_calls[0]", "{}", "(absent)"))
    media = make_verdict("response.media", ("media[0]", "{}", "(absent)"))
    assert len(find(passing, text, calls, media)) == 1
    assert len(find(passing, text, calls)) == 2


def test_a_literal_about_the_same_thing_joins_its_check(passing) -> None:
    media = make_verdict("request.turns", ("turns[0].parts[1]", '{"media":{}}', "(absent)"))
    literal = make_verdict("expect.wire", ("upstream_request[0] messages[0].content[1].image_url", "x", "(absent)"))
    elsewhere = make_verdict("expect.wire", ("upstream_request[0] service_tier", "x", "(absent)"))
    (finding,) = find(passing, media, literal)
    assert (finding.check, finding.explained_checks) == ("request.turns", (("expect.wire", 1),))
    assert len(find(passing, media, elsewhere)) == 2
    directions = [passing("a/1", media), passing("a/2", literal, upstream="anthropic")]
    assert len(group_findings(directions)) == 2


def test_literals_of_three_topics_about_one_thing_are_one_finding(passing) -> None:
    literal = make_verdict("expect.wire", ("client_response[0] content[0].type", "a", "b"))
    assert len(group_findings([passing(f"{topic}/1", literal) for topic in ("tools", "sse", "finish")])) == 1
    assert len(group_findings([passing(f"{topic}/1", literal) for topic in ("tools", "sse")])) == 2


def test_a_law_shows_what_is_wrong_with_the_answer_in_one_piece(passing) -> None:
    text = make_verdict("response.text", ("text", '"a"', '"b"'))
    law = Verdict("law.fold_square", "FAIL", "streamed", (Difference("choices[0].finish", "stop", "tool_calls"),))
    unary, stream = passing("a/1", text, mode="unary"), passing("a/1", law, mode="stream")
    assert len(group_findings([unary, stream])) == 1
    assert len(group_findings([unary, passing("a/2", law, mode="stream")])) == 2


def test_a_lost_part_is_named_and_not_the_texts_that_merge_around_it(passing) -> None:
    rows = [("turns[0].parts[0].text", '"a"', '"ab"'), ("turns[0].parts[2]", '{"text":"b"}', "(absent)")]
    lost = ("turns[0].parts[1]", '{"media":{}}', "(absent)")
    verdicts = make_verdict("request.turns", lost), make_verdict("request.turns", *rows, lost)
    assert len(find(passing, *verdicts)) == 1


def test_no_forced_call_needs_no_name(passing) -> None:
    rows = ("tool_choice.mode", '"named"', '"absent"'), ("tool_choice.names[0]", '"a"', "(absent)")
    assert len(find(passing, make_verdict("request.tool_choice", *rows))) == 1


def test_signatures_of_three_kinds_are_one_finding(passing) -> None:
    kinds = [
        make_verdict("relay.signatures", (f"signature of step 0, {kind}", "S", "(absent)"))
        for kind in ("call 0", "text 0", "tail")
    ]
    assert len(find(passing, *kinds)) == 1
    assert len(find(passing, *kinds[:2])) == 2


@pytest.mark.parametrize("word", ["m", "m@", "1a_"])
def test_a_long_message_costs_no_more_than_a_short_one(word: str) -> None:
    assert len(message_shape(word * 100_000)) <= 300


@pytest.mark.parametrize(
    ("check", "row", "headline"),
    [
        ("response.text", ("text", '"a"', '""'), "text of the answer is lost. "),
        ("response.order", ("order[0]", "(absent)", '"text"'), "the order of texts, thoughts and calls differs. "),
        ("response.error", ("error", "(absent)", "{}"), "an error arrives that the provider did not send. "),
        ("response.error", ("error.kind", "invalid or rate_limit", "unknown"),
            "the error has no class or status, expected invalid or rate_limit. "),
        ("client.no_secret", ("error", "no credential", "the provider's key"), "an error holds the provider's key. "),
        ("relay.expected_calls", ("upstream", "1 more calls", "(absent)"), "a call to the provider is lost. "),
        ("relay.thinking", ("step 0, thinking[1].text", '"a"', "(absent)"), "text of a thinking block is lost. "),
        ("request.tools", ("tools.ring.description", '"a"', '""'), "description of a tool is lost. "),
        ("client.wire_shape", ("usage", "a document of this dialect", "is missing"), "usage is missing. "),
        ("expect.wire", ("client_events[0] [].usage", "count 1", "2: 4, 5"), "usage of the answer is there 2 times. A title"),
        ("expect.wire", ("upstream_request[0] tools[0].x", "absent true", "9"), "tools.x of the request is 9, and must not be there. A title"),
        ("expect.wire", ("upstream_request[1] tool_choice.type", "equals 1", "nothing is there"),
            "tool_choice.type of the request is lost. A title"),
    ],
)  # fmt: skip
def test_a_headline_says_in_words_what_became_of_what(
    passing, check: str, row: tuple[str, str, str], headline: str
) -> None:
    (finding,) = group_findings([passing("a/1", make_verdict(check, row), title="A title")])
    assert finding.one_line_summary.startswith(headline)


def test_a_headline_is_of_the_case_shown_and_the_details_name_the_rest(passing) -> None:
    lost = [make_lost_setting(name) for name in ("seed", "n", "temperature", "stop", "top_p", "top_k")]
    (finding,) = find(passing, *lost)
    assert finding.one_line_summary == "the setting n is lost (expected 1). Settings arrive with their values."
    assert "; elsewhere also: the setting seed is lost (expected 1); " in finding_cells_line(finding)
    assert finding_cells_line(finding).endswith("; and 2 more")
    assert summarise_case(finding, passing("a/2", lost[2])).startswith("the setting temperature is lost")


def test_no_difference_of_a_verdict_hides_another(passing) -> None:
    """Every difference stands in a finding, whose own differences are of its kind, and its fingerprint is asked for."""
    rows = [("settings.n", "2", "(absent)"), ("settings.seed", "0", "1"), ("settings.stop", "[]", "(absent)")]
    case = passing("a/1", make_verdict("request.settings", *rows))
    found = group_findings([case])
    assert sorted(row.path for finding in found for row in finding.differences) == sorted(row[0] for row in rows)
    assert set(fingerprints(case, case.verdicts[0])) == {mark for finding in found for mark in finding.fingerprints}


def test_calls_come_before_metadata_and_then_what_hits_more_cases(passing) -> None:
    usage = make_verdict("response.usage", ("usage.cached", "1", "(absent)"))
    text = make_verdict("response.text", ("text", '"a"', '"b"'))
    calls = make_verdict("response.tool_calls", ("tool_calls[0]", "{}", "(absent)"))
    warned = make_verdict("response.text", ("text", '"a"', '"c"'), status="WARN")
    found = find(passing, warned, warned, warned, usage, usage, usage, text, calls, calls)
    assert [finding.check for finding in found] == ["response.text", "response.tool_calls", "response.usage"]
