"""Routes within one dialect: what is written anew may differ where it means the same."""

from dataclasses import replace

import pytest

from bridgecheck.model.outcome import ErrorInfo, Finish, ToolCall, Usage

CALL = (ToolCall("f", {"a": 1}, "c"),)
ERROR = ErrorInfo("rate_limit", "Slow down.", 429, "rate_limit_exceeded", 7.0)


@pytest.mark.parametrize(
    ("change", "check", "expected"),
    [
        ({"unmapped": (("created", "2"),)}, "response.other", "WARN"),
        ({"unmapped": ()}, "response.other", "WARN"),
        ({"finish": Finish("tool_calls", "tool_calls")}, "response.finish", "WARN"),
        ({"finish": Finish("length", "length")}, "response.finish", "FAIL"),
        ({"usage": Usage(10, 5, 15, cached=4)}, "response.usage", "PASS"),
        ({"usage": Usage(10, 5, 15)}, "response.usage", "WARN"),
        ({"usage": Usage(10, 4, 14)}, "response.usage", "FAIL"),
        ({"text": ("Hell",)}, "response.text", "FAIL"),
        ({"tool_calls": ()}, "response.tool_calls", "FAIL"),
    ],
)
def test_a_response_that_was_written_anew_may_differ_where_it_means_the_same(case, status, change, check, expected):
    # api.openai.com ends with stop where a call was forced (recorded); a library that writes tool_calls helps agents.
    sent = {
        "dialect": "openai-chat", "tool_calls": CALL, "finish": Finish("stop", "stop"),
        "usage": Usage(10, 5, 15, cached=4), "unmapped": (("created", "1"),),
    }  # fmt: skip
    evidence = case(
        upstream="openai-chat",
        client="openai-chat",
        upstream_outcome=case.outcome(**sent),
        client_outcome=case.outcome(**{**sent, **change}),
    )
    assert status(evidence, check) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (replace(ERROR, message="openai: Slow down. (429)"), "PASS"),
        (replace(ERROR, message="Too many requests"), "WARN"),
        (replace(ERROR, native="RateLimitError"), "WARN"),
        (replace(ERROR, kind="server", status=500), "FAIL"),
        (replace(ERROR, retry_after=None), "FAIL"),
    ],
)
def test_an_error_that_was_written_anew_keeps_its_class(case, status, changed, expected):
    ends = [replace(case.outcome(dialect="openai-chat", choices=()), error=error) for error in (ERROR, changed)]
    evidence = case(upstream="openai-chat", client="openai-chat", upstream_outcome=ends[0], client_outcome=ends[1])
    assert status(evidence, "response.error") == expected


def test_an_error_that_has_no_code_of_its_own_may_get_one(case, status):
    page = ErrorInfo("server", "<html>502 Bad Gateway</html>", 502)
    ends = [replace(case.outcome(choices=()), error=error) for error in (page, replace(page, native="UNAVAILABLE"))]
    evidence = case(client="gemini", upstream_outcome=ends[0], client_outcome=ends[1])
    assert status(evidence, "response.error") == "PASS"


def test_the_native_path_stays_exact(case, status):
    sent = case.outcome(dialect="openai-chat", usage=Usage(10, 0, 10))
    evidence = case(
        upstream="openai-chat", client="openai-chat", path="native", upstream_outcome=sent,
        client_outcome=replace(sent, usage=Usage(10, None, 10)),
    )  # fmt: skip
    assert status(evidence, "response.usage") == "FAIL"
