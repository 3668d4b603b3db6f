"""Errors, broken streams and laws of conversion, as public bridges were seen to get them wrong."""

import copy
from typing import Any

import pytest
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.convert.gemini.errors import gemini_error_to_openai, openai_error_to_gemini
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.request_to_openai import gemini_request_to_openai

from .answers import (
    answer_of,
    chunks_of,
    completion_of,
    events_of,
    outcome_of_chunks,
    outcome_of_completion,
    outcome_of_events,
    select_fields,
)
from .samples import Json, call, chunk, event, model, result, tool_call, user


@pytest.mark.proposal("err-gemini-to-openai-table")
@pytest.mark.parametrize(
    ("status", "word", "kind"),
    [
        (400, "INVALID_ARGUMENT", "invalid_request_error"),
        (401, "UNAUTHENTICATED", "authentication_error"),
        (403, "PERMISSION_DENIED", "permission_error"),
        (404, "NOT_FOUND", "not_found_error"),
        (429, "RESOURCE_EXHAUSTED", "rate_limit_error"),
        (500, "INTERNAL", "server_error"),
        (503, "UNAVAILABLE", "server_error"),
        (504, "DEADLINE_EXCEEDED", "timeout_error"),
    ],
)
def test_status_and_type_of_gemini_errors(status: int, word: str, kind: str) -> None:
    converted_status, converted_body = gemini_error_to_openai(
        {"error": {"code": status, "message": "why", "status": word}}, status
    )
    error: Any = converted_body["error"]
    assert (converted_status, error["type"], error["message"]) == (status, kind, "why")
    assert error["code"]


@pytest.mark.proposal("err-openai-to-gemini-envelope")
def test_an_openai_error_in_geminis_envelope_with_its_delay() -> None:
    body = {"error": {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}
    status, made = openai_error_to_gemini(body, 429, 7)
    error: Any = made["error"]
    assert (status, error["code"], error["status"], error["message"]) == (429, 429, "RESOURCE_EXHAUSTED", "slow down")
    assert retry_after(made) == 7


@pytest.mark.proposal("err-context-length")
def test_a_prompt_that_is_too_long_is_an_invalid_argument_in_the_hosts_words() -> None:
    content = "maximum context length is 8 tokens"
    body = {"error": {"message": content, "type": "invalid_request_error", "code": "context_length_exceeded"}}
    status, made = openai_error_to_gemini(body, 400)
    error: Any = made["error"]
    assert (status, error["status"], error["message"]) == (400, "INVALID_ARGUMENT", content)


def quota(**detail: object) -> Json:
    return {"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [detail]}}


@pytest.mark.proposal("err-body-array", "err-retryinfo-to-header", "err-retry-delay-fallbacks")
@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ([{"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}], None),
        (quota(**{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.837906927s"}), 45.837906927),
        (quota(metadata={"quotaResetDelay": "373.8ms"}), 0.3738),
        ({"error": {"code": 429, "message": "quota: will reset after 12s.", "status": "RESOURCE_EXHAUSTED"}}, 12),
    ],
)
def test_a_quota_error_in_every_shape(body: object, seconds: float | None) -> None:
    status, made = gemini_error_to_openai(body, 429)
    error: Any = made["error"]
    assert (status, error["type"]) == (429, "rate_limit_error")
    assert error["message"].startswith("quota")
    assert error.get("metadata", {}).get("retry_after_seconds") == (
        seconds if seconds is None else pytest.approx(seconds)
    )


@pytest.mark.proposal("err-api-key-invalid-400")
def test_a_bad_key_is_named_although_gemini_sends_400() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    body = {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [detail]}}
    status, made = gemini_error_to_openai(body, 400)
    error: Any = made["error"]
    assert (status, error["code"]) == (400, "invalid_api_key")


@pytest.mark.proposal("err-body-nested-json-string")
def test_an_error_inside_the_words_of_an_error_can_be_read() -> None:
    content = '{"error":{"code":400,"message":"inner","status":"INVALID_ARGUMENT"}}'
    status, made = gemini_error_to_openai({"error": {"message": content, "code": 400, "status": "Bad Request"}}, 400)
    error: Any = made["error"]
    assert (status, error["type"]) == (400, "invalid_request_error")
    assert "inner" in error["message"]


HALF: Json = chunk({"content": "half "})


@pytest.mark.proposal("err-midstream-openai", "err-cut-openai-no-done", "err-reasoning-only-eof")
@pytest.mark.parametrize(
    ("chunks", "text", "status"),
    [
        ([HALF, {"id": "c", "choices": [], "error": {"code": 502, "message": "provider unavailable"}}], "half ", 502),
        ([HALF], "half ", 502),
        ([chunk({"reasoning_content": "thinking..."})], "", 502),
    ],
    ids=["an error event", "cut", "cut after reasoning"],
)
def test_a_broken_stream_ends_as_an_error_for_a_gemini_client(chunks: list[Json], text: str, status: int) -> None:
    content = outcome_of_events(*chunks)
    assert select_fields(content, expected := {"text": text, "finish": "incomplete", "status": status}) == expected
    assert set(events_of(*chunks)[-1]) == {"error"}


@pytest.mark.proposal("err-cut-openai-no-done")
def test_a_stream_with_a_finish_needs_no_terminator() -> None:
    assert outcome_of_events(chunk({"content": "a"}), chunk({}, "stop"))["finish"] == "stop"


@pytest.mark.proposal("err-midstream-gemini", "err-cut-no-finish", "chunk-empty-stream-no-events")
@pytest.mark.parametrize(
    ("events", "text", "kind"),
    [
        ([event({"text": "half "}), {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}], "half ",
         "server_error"),
        ([event({"text": "half "})], "half ", "server_error"),
        ([], "", "server_error"),
    ],
    ids=["an error event", "cut", "nothing"],
)  # fmt: skip
def test_a_broken_stream_ends_as_an_error_for_an_openai_client(events: list[Json], text: str, kind: str) -> None:
    assert select_fields(outcome_of_chunks(*events), expected := {"text": text, "finish": "incomplete"}) == expected
    assert chunks_of(*events)[-1]["error"]["type"] == kind


ANSWER = [{"text": "plan", "thought": True}, {"text": "A"}, {"text": "B"}, call("f", {"q": "1"}), call("g", {"q": "2"})]
USAGE = {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 3, "totalTokenCount": 16}
WHOLE: Json = event(*ANSWER, finish="STOP", usageMetadata=USAGE)


@pytest.mark.proposal("par-stream-vs-nonstream", "par-rechunk-invariance", "chunk-multi-part-frame")
def test_one_answer_whole_in_one_event_and_part_by_part_reads_the_same() -> None:
    parted = [*(event(part) for part in ANSWER), event({"text": ""}, finish="STOP", usageMetadata=USAGE)]
    single_characters = [
        event({**part, "text": character}) for part in ANSWER[:1] for character in str(part["text"])
    ] + parted[1:]
    facts = ("text", "reasoning", "calls", "ids_differ", "finish", "usage")
    readings = [
        outcome_of_completion(WHOLE),
        outcome_of_chunks(WHOLE),
        outcome_of_chunks(*parted),
        outcome_of_chunks(*single_characters),
    ]
    assert [{fact: content[fact] for fact in facts} for content in readings] == [{
        "text": "AB", "reasoning": "plan", "calls": [["f", {"q": "1"}], ["g", {"q": "2"}]], "ids_differ": True,
        "finish": "tool_calls", "usage": (9, 7, 16, 3, None),
    }] * 4  # fmt: skip


@pytest.mark.proposal("par-nonmutating")
def test_requests_are_not_changed() -> None:
    tools = [{"type": "function", "function": {"name": "a.b", "parameters": {"type": "object", "properties": {}}}}]
    request = {"role": "assistant", "content": None, "tool_calls": [tool_call("a", "a.b", '{"x": [1]}')]}
    chat: Json = {"model": "gemini-3-pro", "messages": [{"role": "user", "content": "x"}, request], "tools": tools}
    native: Json = {"contents": [user("x"), model(call("f", {"deep": [1]})), {"parts": [result("f", {"r": 1})]}],
                    "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}]}  # fmt: skip
    before = copy.deepcopy((chat, native))
    openai_request_to_gemini(chat)
    gemini_request_to_openai(native, model="m")
    assert (chat, native) == before


@pytest.mark.proposal("par-wire-types")
def test_every_document_is_one_of_the_sdks() -> None:
    completion = completion_of(WHOLE, model="m")
    assert ChatCompletion.model_validate(completion, strict=True).choices[0].message.tool_calls
    for item in chunks_of(WHOLE, model="m"):
        ChatCompletionChunk.model_validate(item, strict=True)
    message = {"role": "assistant", "content": "t", "tool_calls": [tool_call("a", "f", '{"q": 1}')]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    made = GenerateContentResponse.model_validate(answer_of({"id": "c", "model": "m", "choices": [choice]}))
    assert [item.args for item in made.function_calls or []] == [{"q": 1}]
    pieces = [chunk({"tool_calls": [tool_call("a", "f", '{"q": 1}', index=0)]}), chunk({}, "tool_calls")]
    for item in events_of(*pieces):
        GenerateContentResponse.model_validate(item)
