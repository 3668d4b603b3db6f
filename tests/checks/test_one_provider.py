"""Ids used again, and single values for lists: right for one provider and refused by another."""

import pytest

from bridgecheck.model.outcome import ToolCall
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart, TextPart, Turn


def call(id):
    return Turn("assistant", (CallPart(ToolCall("sound", {}, id)),))


def result(*ids):
    return Turn("user", tuple(ResultPart(id, "sound", "two") for id in ids))


BOTH = Turn("assistant", tuple(CallPart(ToolCall("sound", {}, "c1")) for _ in range(2)))
DISTINCT = (call("g1"), result("g1"), call("g2"), result("g2"))


@pytest.mark.parametrize(
    ("sent", "upstream", "expected"),
    [
        ((call("c1"), result("c1"), call("c1"), result("c1")), "openai-chat", "WARN"),
        (DISTINCT, "openai-chat", "PASS"),
        ((call("c1"), result("c1"), call("c1"), result("c1")), "anthropic", "FAIL"),
        ((BOTH, result("c1", "c1")), "openai-chat", "FAIL"),
        ((call("c1"), call("c1"), result("c1", "c1")), "openai-chat", "FAIL"),
        ((call("c1"), result("c2"), call("c1"), result("c1")), "openai-chat", "FAIL"),
    ],
)
def test_an_answered_id_may_be_used_again_for_chat(case, status, sent, upstream, expected):
    user = Turn("user", (TextPart("Hi"),))
    prompts = [
        Prompt(dialect, "m", turns=(user, *turns)) for dialect, turns in (("gemini", DISTINCT), (upstream, sent))
    ]
    evidence = case(client="gemini", upstream=upstream, client_prompt=prompts[0], upstream_prompt=prompts[1])
    assert status(evidence, "relay.ids") == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"stopSequences": "END"}, "WARN"),
        ({"stop_sequences": "END"}, "WARN"),
        ({"stopSequences": ["END"]}, "PASS"),
        ({"stopSequences": 5}, "FAIL"),
        ({"temperature": [0.5]}, "FAIL"),
        ({"stopSequences": "END", "temperature": "warm"}, "FAIL"),
    ],
)
def test_one_value_may_stand_for_a_list_towards_gemini(case, status, config, expected):
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": config}
    assert status(case(upstream_body=body), "upstream.wire_shape") == expected


def test_one_value_does_not_stand_for_a_list_elsewhere(case, status):
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "stop_sequences": "END"}
    assert status(case(upstream="anthropic", upstream_body=body), "upstream.wire_shape") == "FAIL"


@pytest.mark.parametrize(
    ("client", "upstream", "value", "is_error", "expected"),
    [
        ("anthropic", "gemini", {"output": "no such file"}, None, "WARN"),
        ("anthropic", "gemini", {"error": "no such file"}, None, "PASS"),
        ("anthropic", "gemini", {"output": "no file"}, None, "FAIL"),
        ("gemini", "anthropic", "no such file", None, "FAIL"),
        ("outcome", "anthropic", "no such file", None, "FAIL"),
    ],
)
def test_a_failed_result_may_lack_its_key_towards_gemini(case, status, client, upstream, value, is_error, expected):
    turns = (Turn("user", (TextPart("Hi"),)), call("c1"))
    prompts = [
        Prompt(dialect, "m", turns=(*turns, Turn("user", (ResultPart("c1", "sound", found, (), failed),))))
        for dialect, found, failed in ((client, "no such file", True), (upstream, value, is_error))
    ]
    evidence = case(client=client, upstream=upstream, client_prompt=prompts[0], upstream_prompt=prompts[1])
    assert status(evidence, "request.turns") == expected


def test_a_result_that_succeeded_is_not_sent_as_failed(case, status):
    turns = (Turn("user", (TextPart("Hi"),)), call("c1"))
    prompts = [
        Prompt(dialect, "m", turns=(*turns, Turn("user", (ResultPart("c1", "sound", found),))))
        for dialect, found in (("anthropic", "two"), ("gemini", {"error": "two"}))
    ]
    evidence = case(client="anthropic", upstream="gemini", client_prompt=prompts[0], upstream_prompt=prompts[1])
    assert status(evidence, "request.turns") == "FAIL"
