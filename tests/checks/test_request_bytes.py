"""The bytes of requests are reproducible and repeat at the start of a longer conversation; there is no credential in an
error."""

import json
from dataclasses import replace

import pytest

from bridgecheck.checks.stable import _is_beginning
from bridgecheck.files import load_scenario, scenarios_root
from bridgecheck.model.outcome import ErrorInfo, Outcome, ToolCall
from bridgecheck.model.prompt import CallPart, ResultPart, Turn
from bridgecheck.secrets import UPSTREAM_KEY

USER = {"role": "user", "parts": [{"text": "Hi"}]}
MODEL = {"role": "model", "parts": [{"text": "Hello"}]}


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ({"contents": [USER]}, "PASS"),
        ({"contents": [{"parts": [{"text": "Hi"}], "role": "user"}]}, "WARN"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi", "id": "4711"}]}]}, "WARN"),
        (None, ""),
    ],
)
def test_the_same_request_twice(case, status, again, expected):
    found = case(upstream_body={"contents": [USER]}, repeated_bodies=(again,))
    assert status(found, "request.deterministic") == expected


def _two_turns(case, second, client_prompt=None):
    """Return evidence of two turns. ``second``: the body sent in turn 2; in turn 1 it was the user's message alone."""
    messages = [{"role": "user", "content": "Hi"}]
    later = client_prompt or [*messages, {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "More"}]
    first = case(upstream_body={"contents": [USER], "tools": []}, client_body={"model": "m", "messages": messages})
    evidence = case(upstream_body=second, client_body={"model": "m", "messages": later})
    upstream_outcome, actual, ask, upstream_prompt = (
        first.upstream_outcomes[0],
        first.client_outcomes[0],
        first.client_prompts[0],
        first.upstream_prompts[0],
    )
    return case(
        upstream_outcome=(upstream_outcome, upstream_outcome), client_outcome=(actual, actual), client_prompt=(ask, ask), upstream_prompt=(upstream_prompt, upstream_prompt),
        client=("openai-chat"),
        client_sides=(first.transcript.client[0], evidence.transcript.client[0]),
        upstream_sides=(first.transcript.upstream[0], evidence.transcript.upstream[0]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({"contents": [USER, MODEL, USER], "tools": []}, "PASS"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}, {"text": "there"}]}, MODEL], "tools": []}, "PASS"),
        ({"contents": [{"role": "user", "parts": [{"text": "At noon: Hi"}]}, MODEL], "tools": []}, "WARN"),
        ({"contents": [{"parts": [{"text": "Hi"}], "role": "user"}, MODEL], "tools": []}, "WARN"),
        ({"contents": [MODEL], "tools": []}, "WARN"),
        ({"contents": [{"role": "user", "parts": []}, MODEL], "tools": []}, "WARN"),
        ({"contents": [USER, MODEL, USER], "tools": [{"googleSearch": {}}]}, "WARN"),
        ({"contents": [USER, MODEL, USER]}, "WARN"),
    ],
)
def test_a_later_turn_repeats_the_bytes_of_earlier_turns(case, status, second, expected):
    assert status(_two_turns(case, second), "request.prefix_stable") == expected


def test_a_text_may_become_the_first_of_a_list_of_texts() -> None:
    text, longer = {"role": "user", "content": "Hi"}, {"type": "text", "text": "Hello?"}
    assert _is_beginning(text, {"role": "user", "content": [{"type": "text", "text": "Hi"}, longer]})
    assert not _is_beginning(text, {"role": "user", "content": [longer, {"type": "text", "text": "Hi"}]})


def test_a_client_with_a_new_conversation_is_not_judged(case, status):
    rebuilt = [{"role": "user", "content": "Something else"}]
    assert status(_two_turns(case, {"contents": [MODEL]}, rebuilt), "request.prefix_stable") == ""


@pytest.mark.parametrize(("answered_later", "expected"), [(True, ""), (False, "WARN")])
def test_what_stood_in_for_a_result_may_give_way_to_it(case, status, answered_later, expected):
    evidence = _two_turns(case, {"contents": [{"role": "user", "parts": [{"text": "Bye"}]}, MODEL, USER], "tools": []})
    prompt = evidence.client_prompts[0]
    call = Turn("assistant", (CallPart(ToolCall("pump", {}, "call_1")),))
    first = replace(prompt, turns=(*prompt.turns, call))
    second = replace(first, turns=(*first.turns, Turn("user", (ResultPart("call_1", "pump", "dry"),) * answered_later)))
    evidence = replace(evidence, client_prompts=(first, second))
    assert status(evidence, "request.prefix_stable") == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("The key is not valid", "PASS"),
        (f"The key {UPSTREAM_KEY} is not valid", "FAIL"),
        ("Incorrect API key: sk-" + "a1b2c3d4e5f6a7b8c9d0e1f2", "FAIL"),
    ],
)
def test_errors_contain_no_credential(case, status, message, expected):
    error = ErrorInfo("auth", message, 401)
    document = {"error": {"message": message, "type": "authentication_error", "code": None, "param": None}}
    found = case(
        upstream_outcome=Outcome("gemini", (), error=error),
        client_outcome=Outcome("openai-chat", (), error=error),
        client_documents=(document,),
        layer="http",
    )
    assert status(found, "client.no_secret") == expected
    session = replace(found, key=replace(found.key, layer="sdk"))
    assert status(session, "client.no_secret") == ""  # whoever calls a library passes it the key
    assert status(replace(session, through_sdk=True), "client.no_secret") == expected  # a gateway, called by an SDK


def test_a_refusal_contains_no_credential_and_a_response_is_not_searched(case, status):
    refused = f"no such field at https://host/?key={UPSTREAM_KEY}"
    assert status(case(refused=refused, layer="http"), "client.no_secret") == "FAIL"
    assert status(case(refused=refused), "client.no_secret") == ""  # at wire level nobody gave it a key
    assert status(case(), "client.no_secret") == ""
    assert status(case(refused="no such field"), "client.no_secret") == ""


def test_the_scenario_quotes_the_key_that_adapters_receive():
    scenario = load_scenario(scenarios_root() / "errors" / "key-not-echoed.json")
    for answers in scenario.turns[0].upstream.values():
        assert all(UPSTREAM_KEY in json.dumps(answer.body) for script in answers.values() for answer in script)
