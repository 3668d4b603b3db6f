"""response.identity: ids, models, types and times of answers."""

from dataclasses import replace

import pytest

CHECK = "response.identity"
MESSAGE = {"role": "assistant", "content": "Hello"}
CHOICE = {"index": 0, "message": MESSAGE, "finish_reason": "stop"}
CHAT = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE]}
CHUNK = {
    "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
    "choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": None}],
}  # fmt: skip
ANTHROPIC = {"id": "a1", "type": "message", "role": "assistant", "model": "m", "content": []}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "Hello"}]}, "finishReason": "STOP", "index": 0}]}


def _without(document, *keys):
    return {key: value for key, value in document.items() if key not in keys}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (CHAT, "PASS"),
        ({**CHAT, "id": ""}, "FAIL"),
        (_without(CHAT, "id"), "FAIL"),
        ({**CHAT, "model": None}, "FAIL"),
        ({**CHAT, "object": "chat.completion.chunk"}, "FAIL"),
        ({**CHAT, "created": "2026-11-20"}, "FAIL"),
        ({**CHAT, "created": True}, "FAIL"),
        (_without(CHAT, "created"), "FAIL"),
        ({**CHAT, "id": 7}, "FAIL"),
    ],
)
def test_a_chat_response_needs_its_required_fields(case, status, document, expected):
    assert status(case(client_documents=(document,)), CHECK) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("m-2026-11-20", "PASS"), ("models/M", "PASS"), ("requested", "PASS"), ("up", "PASS"), ("gpt-4o", "FAIL")],
)
def test_the_model_is_the_requested_or_the_responding_one(case, status, name, expected):
    evidence = case(client_documents=({**CHAT, "model": name},))
    evidence = replace(
        evidence,
        client_prompts=tuple(replace(prompt, model="requested") for prompt in evidence.client_prompts),
        upstream_outcomes=tuple(replace(prompt, model="up") for prompt in evidence.upstream_outcomes),
    )
    assert status(evidence, CHECK) == expected


def test_any_model_passes_where_none_was_named(case, status):
    evidence = case(client_documents=({**CHAT, "model": "anything"},))
    bare = replace(
        evidence,
        client_prompts=(replace(evidence.client_prompts[0], model=""),),
        upstream_prompts=(replace(evidence.upstream_prompts[0], model=""),),
    )
    assert status(bare, CHECK) == "PASS"


def test_gemini_needs_no_id_or_model_but_may_not_name_another_model(case, status):
    ends = {"client": "gemini", "upstream": "openai-chat"}
    assert status(case(**ends, client_documents=(GEMINI,)), CHECK) == "PASS"
    assert status(case(**ends, client_documents=({**GEMINI, "modelVersion": "xyz"},)), CHECK) == "FAIL"


def test_an_anthropic_response_has_an_id_and_a_model(case, status):
    ends = {"client": "anthropic", "upstream_documents": (GEMINI,)}
    assert status(case(**ends, client_documents=(ANTHROPIC,)), CHECK) == "PASS"
    assert status(case(**ends, client_documents=({**ANTHROPIC, "id": ""},)), CHECK) == "FAIL"
    start = {"type": "message_start", "message": {**ANTHROPIC, "model": ""}}
    events = (start, {"type": "message_stop"})
    assert status(case(**ends, mode="stream", client_documents=events), CHECK) == "FAIL"


def test_fields_that_the_provider_omitted_are_inherited(case, status):
    bad = {**CHAT, "id": None}
    same = {"upstream": "openai-chat", "client_documents": (bad,)}
    assert status(case(**same, upstream_documents=(bad,)), CHECK) == "INHERITED"
    assert status(case(**same, upstream_documents=(CHAT,)), CHECK) == "FAIL"
    assert status(case(**same, upstream_documents=({**CHAT, "model": ""},)), CHECK) == "FAIL"


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({}, "PASS"),
        ({"id": "c2"}, "WARN"),
        ({"created": 1000}, "WARN"),
        ({"created": 2}, "PASS"),  # the clock of who writes the time into each event
        ({"model": "m-2"}, "WARN"),
        ({"id": ""}, "FAIL"),
    ],
)
def test_id_and_model_are_constant_within_a_stream(case, status, second, expected):
    events = (CHUNK, {**CHUNK, **second})
    assert status(case(mode="stream", client_documents=events), CHECK) == expected
    same = {"mode": "stream", "upstream": "openai-chat", "client_documents": events, "upstream_documents": events}
    assert status(case(**same), CHECK) == ("PASS" if expected == "PASS" else "INHERITED")


def test_an_error_response_needs_no_id_or_model(case, status):
    events = (CHUNK, {"error": {"message": "broke", "code": 500}})
    assert status(case(mode="stream", client_documents=events), CHECK) == "PASS"
    assert status(case(mode="stream", client_documents=()), CHECK) == ""
