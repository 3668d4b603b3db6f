"""What a provider sends only to those who ask for it is no MUST for an adapter that did not ask."""

import pytest

from bridgecheck.checks import judge
from bridgecheck.model.outcome import ToolCall

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
