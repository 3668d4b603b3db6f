"""Anthropic's error documents and events against OpenAI's."""

import pytest

from bridgecheck import validate
from bridgecheck_reference.convert.anthropic.errors import anthropic_error_to_openai, openai_error_to_anthropic
from bridgecheck_reference.convert.errors import retry_after

from .answer_samples import Json


def anthropic_error(kind: str, message: str = "m") -> Json:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("status", "kind", "converted_type", "code"),
    [
        (400, "invalid_request_error", "invalid_request_error", "invalid_request"),
        (401, "authentication_error", "authentication_error", "invalid_api_key"),
        (402, "billing_error", "invalid_request_error", "invalid_request"),
        (403, "permission_error", "permission_error", "permission_denied"),
        (404, "not_found_error", "not_found_error", "not_found"),
        (413, "request_too_large", "invalid_request_error", "request_too_large"),
        (429, "rate_limit_error", "rate_limit_error", "rate_limit_exceeded"),
        (500, "api_error", "server_error", "internal_error"),
        (504, "timeout_error", "timeout_error", "timeout"),
        (529, "overloaded_error", "server_error", "overloaded"),
    ],
)
@pytest.mark.parametrize("in_stream", [False, True])
def test_every_type_and_back(status: int, kind: str, converted_type: str, code: str, in_stream: bool) -> None:
    found, document = anthropic_error_to_openai(anthropic_error(kind), 200 if in_stream else status)
    assert found == status
    assert (document["error"]["type"], document["error"]["code"]) == (converted_type, code)
    assert validate.response("openai-chat", "unary", document) == []
    assert openai_error_to_anthropic(document, found) == (status, anthropic_error(kind))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"), (401, "authentication_error"), (403, "permission_error"),
        (404, "not_found_error"), (408, "timeout_error"), (413, "request_too_large"), (422, "invalid_request_error"),
        (429, "rate_limit_error"), (500, "api_error"), (502, "api_error"), (503, "overloaded_error"),
        (504, "timeout_error"), (529, "overloaded_error"),
    ],
)  # fmt: skip
def test_every_status_has_a_type(status: int, kind: str) -> None:
    found, document = openai_error_to_anthropic({"error": {"message": "m", "type": "x", "code": None}}, status)
    assert (found, document) == (status, {"type": "error", "error": {"type": kind, "message": "m"}})
    assert validate.response("anthropic", "unary", document) == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": "rate_limit_exceeded"}, 429),
        ({"type": "overloaded_error"}, 529),
        ({"code": 503}, 503),
        ({"code": "content_filter", "status": 400}, 400),
        ({"message": "who knows"}, 500),
    ],
)
def test_an_error_inside_a_good_answer_names_its_own_status(error: Json, status: int) -> None:
    assert openai_error_to_anthropic({"error": error}, 200)[0] == status


def test_retry_hints_survive_in_both_directions() -> None:
    hinted = {"error": {"message": "slow", "type": "rate_limit_error", "metadata": {"retry_after_seconds": 7}}}
    converted = openai_error_to_anthropic(hinted, 429)[1]
    assert retry_after(converted) == 7
    assert retry_after(anthropic_error_to_openai(converted, 429)[1]) == 7
    assert retry_after(openai_error_to_anthropic(hinted, 429, 3.5)[1]) == 3.5


@pytest.mark.parametrize("body", ["<html>bad gateway</html>", None, {}, [], {"error": "no credits"}, {"detail": "x"}])
def test_anything_a_server_sends_becomes_an_error_with_its_status(body: object) -> None:
    for found, document in (anthropic_error_to_openai(body, 502), openai_error_to_anthropic(body, 502)):
        assert found == 502
        assert document["error"]["message"]


def test_a_bad_key_is_named_although_the_provider_sends_400() -> None:
    converted = openai_error_to_anthropic({"error": {"message": "m", "code": "invalid_api_key"}}, 400)
    assert (converted[0], converted[1]["error"]["type"]) == (400, "authentication_error")
