"""A failure that another explains is not a finding, and directions without a common end are never one finding."""

from dataclasses import replace

import pytest

from bridgecheck.checks import CHECKS
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.findings import CellCount, explaining_checks, find_causes, group_findings
from bridgecheck.report.sentences import explained_checks_line, finding_cells_line

USAGE = Verdict("response.usage", "FAIL", "usage.total is lost", (Difference("usage.total", "7", "(absent)"),))
EXPECTED = Verdict("expect.outcome", "FAIL", "usage.total: expected 7, got (absent)")


def test_explained_failures_are_counted_with_their_cause(passing) -> None:
    found = group_findings([passing("a/b", USAGE, EXPECTED), passing("a/c", USAGE), passing("a/d", EXPECTED)])
    assert [(finding.check, len(finding.cases), finding.explained_checks) for finding in found] == [
        ("expect.outcome", 1, ()),
        ("response.usage", 2, (("expect.outcome", 1),)),
    ]
    assert explained_checks_line(found[1]) == "also fails: expect.outcome 1"
    assert explained_checks_line(found[0]) == ""


def test_causes_are_followed_to_their_roots(passing) -> None:
    error = Verdict("response.error", "FAIL", "an answer came in place of the error")
    case = passing("a/b", error, USAGE, EXPECTED)
    assert find_causes(case, EXPECTED) == find_causes(case, USAGE) == (error,)
    assert find_causes(case, error) == ()


def test_a_cause_that_explains_only_what_explains_this_is_followed_too(passing) -> None:
    turns = Verdict("request.turns", "FAIL", "", (Difference("turns[2].parts[0].id", "1", "?"),))
    refused = Verdict("request.acceptable", "FAIL", "", (Difference("contents[2].parts", "as many", "refused"),))
    name = "upstream_request[0] contents[2].parts[0].functionResponse.name"
    literal = Verdict(
        "expect.wire", "FAIL", "", (Difference(name, "get_depth", "filler"),), ("upstream_request equals",)
    )
    assert find_causes(passing("a/b", turns, literal), literal) == ()
    assert find_causes(passing("a/b", refused, literal), literal) == (refused,)
    case = passing("a/b", turns, refused, literal)
    assert find_causes(case, refused) == find_causes(case, literal) == (turns,)


@pytest.mark.parametrize(
    ("document", "cause"), [("upstream_request", "request.tools"), ("client_response", "response.finish")]
)
def test_a_literal_is_explained_by_failures_of_its_own_side(passing, document: str, cause: str) -> None:
    literal = Verdict("expect.wire", "FAIL", "a literal", rules=(f"{document} equals",))
    both = [Verdict(check, "FAIL") for check in ("request.tools", "response.finish")]
    assert [found.check for found in find_causes(passing("a/b", *both, literal), literal)] == [cause]
    crashed = passing("a/b", Verdict("adapter.completes", "FAIL"), literal)
    assert bool(find_causes(crashed, literal)) == (document == "client_response")


_SENT = "upstream_request[0] "
_EXPLAINED = (
    ("request.settings", "settings.temperature", f"{_SENT}generationConfig.temperature", True),
    ("request.settings", "settings.temperature", f"{_SENT}max_completion_tokens", False),
    ("request.settings", "settings.max_tokens", f"{_SENT}max_completion_tokens", True),
    ("request.thinking", "thinking", f"{_SENT}generationConfig.thinkingConfig.thinkingBudget", True),
    ("request.thinking", "thinking", f"{_SENT}reasoning_effort", True),
    ("request.thinking", "thinking", f"{_SENT}messages[0].content", False),
    ("request.tools", "tools[0].schema.properties.a", f"{_SENT}tools[0].function.parameters.properties.a", True),
    ("request.tools", "tools[0].schema.properties.a", f"{_SENT}tool_choice", True),
    ("request.tools", "tools[0].schema.properties.a", f"{_SENT}messages[1].tool_calls[0].function.arguments", False),
    ("request.turns", "turns[2].parts[0].value", f"{_SENT}contents[2].parts[0].functionResponse.response", True),
    ("request.turns", "turns[2].parts[0].value", f"{_SENT}contents[0].parts[0].text", False),
    ("request.turns", "turns[2].parts[0].value", f"{_SENT}contents[1].parts[0].thoughtSignature", False),
    ("request.turns", "turns[1]", f"{_SENT}contents[1].parts[0].thoughtSignature", True),
    ("request.acceptable", "generationConfig.thinkingConfig", f"{_SENT}tools", False),
    ("request.acceptable", "tools[0].name", f"{_SENT}tools", True),
    ("response.usage", "usage.total", "client_response[0] usage.total_tokens", True),
    ("response.usage", "usage.total", "client_response[0] choices[0].finish_reason", False),
    ("response.tool_calls", "tool_calls[0].args.city", "client_events[0] [].choices[].finish_reason", False),
    ("response.tool_calls", "tool_calls[0]", "client_events[0] [].choices[].finish_reason", True),
    ("response.text", "text", "client_response[0] content[0].text", True),
    ("response.text", "text", "client_response[0] error.message", False),
    ("response.error", "error.kind", "client_response[0] content[0].text", True),
)


@pytest.mark.parametrize(("check", "path", "literal_path", "explained"), _EXPLAINED)
def test_a_literal_is_explained_by_what_is_about_the_same(passing, check, path, literal_path, explained) -> None:
    """Of two faults in one case and on one side, both are findings."""
    cause = Verdict(check, "FAIL", "", (Difference(path, "1", "2"),))
    document = literal_path.partition("[")[0]
    literal = Verdict("expect.wire", "FAIL", "", (Difference(literal_path, "equals 1", "2"),), (f"{document} equals",))
    for layer in ("wire", "http"):
        case = passing("a/b", cause, literal, layer=layer)
        assert bool(find_causes(case, literal)) == explained
        assert len(group_findings([case])) == (1 if explained else 2)


def test_an_expected_prompt_and_a_signature_are_explained_by_what_is_about_the_same(passing) -> None:
    settings = Verdict("request.settings", "FAIL", "", (Difference("settings.seed", "1", "2"),))
    results = Verdict("request.turns", "FAIL", "", (Difference("turns[2].parts[0].value", "1", "2"),))
    expected = Verdict("expect.prompt", "FAIL", "", (Difference("turns[2].results", "1", "2"),))
    signature = Verdict("relay.signatures", "FAIL", "", (Difference("signature of step 0, call 0", "a", "(absent)"),))
    case = passing("a/b", settings, results, expected, signature)
    assert find_causes(case, expected) == (results,)
    assert find_causes(case, signature) == ()


def test_no_request_check_is_explained_by_a_response() -> None:
    sides = {check.id: check.side for check in CHECKS}
    requests = [check.id for check in CHECKS if check.side == "request"] + ["expect.prompt"]
    explaining = {check_id for check in requests for check_id in explaining_checks(check)}
    assert {sides[check_id] for check_id in explaining} == {"request"}


def test_passes_and_warnings_explain_no_failure(passing) -> None:
    for status in ("PASS", "NOTE", "WARN", "ERROR"):
        case = passing("a/b", Verdict("response.usage", status), EXPECTED)
        assert find_causes(case, EXPECTED) == ()
    warned = Verdict("response.usage", "WARN")
    assert find_causes(
        passing("a/b", warned, Verdict("expect.outcome", "WARN")), Verdict("expect.outcome", "WARN")
    ) == (warned,)


def test_no_check_explains_itself() -> None:
    assert [check.id for check in CHECKS if check.id in explaining_checks(check.id)] == []
    assert explaining_checks("no.such.check") == frozenset()


@pytest.mark.parametrize(
    ("directions", "parts"),
    [
        (("GO",), ["GO"]),
        (("GO", "GA", "GG"), ["GG GO GA"]),
        (("GO", "AO", "OO"), ["GO OO AO"]),
        (("GO", "OG"), ["GO", "OG"]),
        (("GO", "OG", "OA"), ["GO", "OG OA"]),
        (("GO", "OG", "OO"), ["GO OG OO"]),
    ],
)
def test_directions_without_a_common_end_share_no_cause(passing, directions, parts) -> None:
    dialects = {"G": "gemini", "O": "openai-chat", "A": "anthropic"}
    ends = [{"client": dialects[client], "upstream": dialects[upstream]} for client, upstream in directions]
    found = group_findings([passing("a/b", USAGE, **end) for end in ends])
    columns = [" ".join(cell.column.replace(">", "") for cell in finding.cells) for finding in found]
    assert sorted(columns) == sorted(parts)
    assert [len(finding.fingerprints) for finding in found] == [len(finding.cases) for finding in found]
    marks = [mark for finding in found for mark in finding.fingerprints]
    assert len(set(marks)) == len(directions)


def test_the_two_paths_are_never_one_finding(passing) -> None:
    native = passing("a/b", USAGE, path="native", client="openai-chat")
    bridged = passing("a/b", USAGE, client="openai-chat")
    assert [finding.cells[0].column for finding in group_findings([native, bridged])] == ["O>O", "control"]


def test_findings_are_counted_by_cell(passing) -> None:
    modes = ("unary", "unary", "stream")
    cases = [passing(f"a/{number}", USAGE, mode=mode) for number, mode in enumerate(modes)]
    (finding,) = group_findings([*cases, passing("a/0", USAGE, client="anthropic")])
    assert finding.cells == (
        CellCount("G>O", "unary", 2),
        CellCount("G>O", "stream", 1),
        CellCount("A>O", "unary", 1),
    )
    assert finding_cells_line(finding) == "in 4 cases of 3 scenarios: G>O 2 unary, 1 stream; A>O 1 unary"
    alone = replace(finding, cases=("a/0::one", "a/0@client::one"))
    assert finding_cells_line(alone).startswith("in 2 cases: ")


def test_harness_errors_have_no_direction(passing) -> None:
    broken = Verdict("harness.error", "ERROR", "no cassette")
    ends = ({}, {"client": "openai-chat", "upstream": "gemini"})
    assert len(group_findings([passing("a/b", broken, **end) for end in ends])) == 1


def test_calls_under_one_index_are_one_finding() -> None:
    """A client joins them to one call with both names, or with both arguments."""
    assert "stream.calls_contiguous" in explaining_checks("response.tool_calls")
    assert "response.tool_calls" not in explaining_checks("stream.calls_contiguous")
