"""What a provider sends only to those who ask for it is no MUST for an adapter that did not ask."""

import pytest

from bridgecheck.checks import judge
from bridgecheck.model.outcome import ToolCall, Usage
from bridgecheck.model.prompt import Thinking

CALLS = (ToolCall("write_log", {"hour": "nine"}, "c1"),)
PARTS = [{"functionCall": {"name": "write_log", "partialArgs": [{"jsonPath": "$.hour", "stringValue": "nine"}]}}]
CONTENTS = [{"role": "user", "parts": [{"text": "Hi"}]}]
ASKS = {"functionCallingConfig": {"streamFunctionCallArguments": True}}


@pytest.mark.parametrize(("tool_config", "expected"), [({}, "WARN"), (ASKS, "FAIL")])
def test_a_lost_argument_that_nobody_asked_to_stream_is_a_warning(case, tool_config, expected):
    evidence = case(
        mode="stream",
        upstream_outcome=case.outcome(tool_calls=CALLS),
        client_outcome=case.outcome(dialect="openai-chat"),
        upstream_body={"contents": CONTENTS, "toolConfig": tool_config},
        upstream_documents=({"candidates": [{"content": {"parts": PARTS}, "finishReason": "STOP"}]},),
    )
    found = {verdict.status for verdict in judge(evidence) if verdict.check == "response.tool_calls"}
    assert found == {expected}


def test_a_fault_of_the_request_stays_what_it_is(case):
    documents = ({"candidates": [{"content": {"parts": PARTS}, "finishReason": "STOP"}]},)
    evidence = case(
        client_prompt=case.prompt(dialect="openai-chat", system=("Be brief.",)),
        upstream_body={"contents": CONTENTS}, upstream_documents=documents,
    )  # fmt: skip
    assert {verdict.status for verdict in judge(evidence) if verdict.check == "request.system"} == {"FAIL"}


THOUGHT = ("Compare the tides.",)


@pytest.mark.parametrize("upstream", ["gemini", "anthropic"])
@pytest.mark.parametrize(("asks", "expected"), [(False, "WARN"), (True, "FAIL")])
@pytest.mark.parametrize("received", ["Compare the tides.Nine.", "<think>\nCompare the tides.\n</think>\n\nNine."])
def test_thoughts_in_the_text_that_nobody_asked_for_are_a_warning(case, upstream, asks, expected, received):
    evidence = _case_with_thoughts(case, received, Thinking(2048, include=True) if asks else None, upstream)
    assert _statuses(evidence, "response.text") == {expected}


def test_a_budget_asks_gemini_for_no_thoughts(case):
    assert _statuses(_case_with_thoughts(case, "Compare the tides.Nine.", Thinking(2048)), "response.text") == {"WARN"}


@pytest.mark.parametrize("received", ["", "Ten.", "Compare the tides.", "Compare the tides.Nine.Nine."])
def test_text_that_is_lost_beside_unrequested_thoughts_stays_a_failure(case, received):
    assert _statuses(_case_with_thoughts(case, received, None), "response.text") == {"FAIL"}


def test_the_count_of_unrequested_thoughts_is_owed(case):
    evidence = _case_with_thoughts(case, "Nine.", None)
    assert _statuses(evidence, "response.reasoning") <= {"WARN", "PASS"}
    assert _statuses(evidence, "response.usage") == {"FAIL"}


def test_a_crash_at_unrequested_thoughts_is_a_warning(case):
    evidence = _case_with_thoughts(case, "", None, crash="KeyError: 'thinking'")
    assert _statuses(evidence, "adapter.completes") == {"WARN"}


def test_a_signed_block_without_text_comes_unrequested(case):
    evidence = _case_with_thoughts(case, "", None, upstream="anthropic", crash="KeyError: 'thinking'", thoughts=("",))
    assert _statuses(evidence, "adapter.completes") == {"FAIL"}


def _case_with_thoughts(case, received, thinking, upstream="gemini", thoughts=THOUGHT, **transcript):
    sent = case.outcome(
        dialect=upstream, text=("Nine.",), reasoning=thoughts, order=(("reasoning", 0), ("text", 0)),
        usage=Usage(9, 12, 21, reasoning=10),
    )  # fmt: skip
    client = case.outcome(dialect="openai-chat", text=(received,), usage=Usage(9, 2, 11))
    return case(
        upstream=upstream, upstream_outcome=sent, client_outcome=client,
        client_prompt=case.prompt(dialect="openai-chat", thinking=Thinking(None, "medium")),
        upstream_prompt=case.prompt(dialect=upstream, thinking=thinking), **transcript,
    )  # fmt: skip


def _statuses(evidence, check):
    return {verdict.status for verdict in judge(evidence) if verdict.check == check}
