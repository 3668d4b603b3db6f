"""What a user of an adapter notices of a finding, in one sentence."""

import re

import pytest

from bridgecheck.checks import CHECKS
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.effects import EFFECTS, MAX_EFFECT, describe_effect, find_change
from bridgecheck.report.findings import Finding, group_findings

from .sample_reports import case

ABSENT = "(absent)"
CALL = '{"args":{"city":"Oslo"},"name":"get_weather"}'
SAID_OTHERWISE = frozenset({"adapter.completes", "request.turns", "response.finish", "expect."})
"""Checks, or how their ids begin, of which a function makes the sentence."""


def make_finding(check: str, *rows: tuple[str, ...], message: str = "", title: str = "t") -> Finding:
    differences = tuple(Difference(*row) for row in rows)
    text = message or "; ".join(f"{row.path}: {row.expected} {row.actual}" for row in differences)
    (finding,) = group_findings([case("a/b", Verdict(check, "FAIL", text, differences), title=title)])
    return finding


@pytest.mark.parametrize(
    ("check", "row", "effect"),
    [
        ("response.tool_calls", ("tool_calls[1]", CALL, ABSENT), "A tool call of the model is lost, so the tool never runs"),
        ("response.tool_calls", ("tool_calls[1]", ABSENT, CALL),
            "The client is asked to run a tool call that the model did not make"),
        ("response.tool_calls", ("tool_calls[0].args.page", '"three"', ABSENT),
            "A tool is called without arguments that the model gave"),
        ("response.text", ("text", '"I search.At 21.40."', '"I search."'), "A part of the answer's text is lost"),
        ("response.text", ("text", '"Once, a "', '""'), "The text of the answer is lost"),
        ("response.text", ("text", '"once"', '"onceonce"'), "The client gets text twice, or text that is not the answer"),
        ("response.error", ("error.kind", "rate_limit", "server"),
            "A rate limit looks like a server error, so clients react to the wrong failure"),
        ("response.error", ("error", ABSENT, '{"kind":"server"}'),
            "A good answer of the provider reaches the client as an error"),
        ("response.finish", ("finish", "length (provider: MAX_TOKENS)", "stop (stop)"),
            "An answer that was cut off at the token limit looks like a finished one"),
        ("response.finish", ("finish", "error or incomplete (provider: none)", "stop (stop)"),
            "An answer that broke off looks like a finished one"),
        ("response.finish", ("finish", "tool_calls (provider: STOP)", "stop (stop)"),
            "An answer that asks for a tool looks like a finished one, so the tool may never run"),
        ("response.finish", ("finish", "content_filter or error or stop", "incomplete (none)"),
            "An answer ends without a reason"),
        ("expect.outcome", ("finish", "content_filter", "stop (stop)"),
            "An answer that a safety filter stopped looks like a finished one"),
        ("response.usage", ("usage.prompt", "3093", "21"),
            "Token counts are wrong, and costs with them: 21 prompt tokens, the provider counted 3093"),
        ("request.settings", ("settings.seed", "7", ABSENT), "The client's setting seed (7) does not reach the model"),
        ("request.settings", ("settings.max_tokens", "333", "100"),
            "The client's setting max_tokens arrives as 100 instead of 333"),
        ("request.system", ("system", '"You are. Briefly."', '"You are."'),
            "A part of the system prompt does not reach the model"),
        ("request.tools", ("tools.schema", "declared", ABSENT), "The model is not told which arguments a tool takes"),
        ("request.acceptable", ("tools[0].name", "tool names must be unique", "refused by the provider"),
            "The provider refuses the request because of tools.name, where it demands: tool names must be unique"),
        ("request.added", ("settings.temperature", ABSENT, "0.7"),
            "The adapter adds what the client did not ask for: temperature 0.7"),
        ("request.added", ("extra", ABSENT, '"' + "a" * 90 + '"'),
            "The adapter adds what the client did not ask for: extra"),
        ("request.other", ("other", "what the sender adds", ABSENT),
            "A field of the client's request is dropped silently: one that is not documented"),
        ("expect.wire", ("upstream_request[0] a", "equals 1", "2"), "This should hold and does not: High stays high"),
        ("request.turns", ("turns[2].parts[1].is_error", "true", "null"),
            "The model is not told that a tool failed: the mark of a failed result is lost"),
        ("stream.calls_contiguous",
            ("events[3].choice[0]", "one call after another", "index 0, id b", "two calls under one index"),
            "Two streamed tool calls share one index, so clients take them for one"),
        ("stream.calls_contiguous",
            ("events[3].choice[0]", "one call after another", "index None, id b", "a delta without an index"),
            "Streamed tool calls come without an index, so the client's SDK cannot read them"),
        ("stream.calls_contiguous",
            ("events[3].choice[0]", "one call after another", "index 0, id None", "a call taken up again"),
            "Streamed tool calls are interleaved, so clients mix up their arguments"),
    ],
)  # fmt: skip
def test_a_finding_is_said_in_what_a_user_notices(check: str, row: tuple[str, ...], effect: str) -> None:
    assert describe_effect(make_finding(check, row, title="High stays high")) == effect


@pytest.mark.parametrize(
    ("message", "effect"),
    [
        ("the adapter failed: KeyError: 'parameters'",
            "A valid request ends in an error instead of an answer: KeyError: 'parameters'"),
        ("refused what it should take: no such tool", "A valid request ends in an error instead of an answer: no such tool"),
        ("the adapter failed: the SDK of gemini cannot read the answer: TypeError: x",
            "The client's own SDK cannot read the answer: TypeError: x"),
    ],
)  # fmt: skip
def test_a_request_without_an_answer_names_what_was_raised(message: str, effect: str) -> None:
    assert describe_effect(make_finding("adapter.completes", message=message)) == effect


def test_a_check_without_a_row_keeps_its_own_words() -> None:
    assert describe_effect(make_finding("harness.error", message="the socket was closed")) == "The socket was closed"


def test_every_check_has_a_row_and_every_row_a_check() -> None:
    ids = [check.id for check in CHECKS if not check.id.startswith(tuple(SAID_OTHERWISE))]
    assert [name for name in ids if not any(re.fullmatch(row.check, name) for row in EFFECTS)] == []
    assert [row for row in EFFECTS if not any(re.fullmatch(row.check, name) for name in ids)] == []


@pytest.mark.parametrize(
    ("expected", "named"),
    [
        ("rate_limit", "A rate limit"), ("auth or permission", "A wrong key or a missing permission"),
        ("content or invalid or not_found or too_large", "An error of the provider"),
    ],
)  # fmt: skip
def test_several_classes_of_errors_are_no_list_of_internal_names(expected: str, named: str) -> None:
    effect = describe_effect(make_finding("response.error", ("error.kind", expected, "server")))
    assert effect == f"{named} looks like a server error, so clients react to the wrong failure"


def test_sentences_are_short_enough_for_a_phone() -> None:
    assert max(len(row.sentence) for row in EFFECTS) < MAX_EFFECT
    assert (
        len(describe_effect(make_finding("adapter.completes", message="the adapter failed: " + "x" * 900)))
        == MAX_EFFECT
    )


@pytest.mark.parametrize(
    ("expected", "actual", "change"),
    [("1", ABSENT, "lost"), ("1", "null", "lost"), (ABSENT, "1", "added"), ('""', '"a"', "added"),
     ('"ab"', '"a"', "shortened"), ('"a"', '"ab"', "repeated"), ('"a"', '"b"', "changed"), ("1", "2", "changed")],
)  # fmt: skip
def test_what_became_of_a_value(expected: str, actual: str, change: str) -> None:
    assert find_change(Difference("p", expected, actual)) == change
