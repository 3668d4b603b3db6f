"""Error documents both ways."""

import pytest

from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.convert.gemini.errors import gemini_error_to_openai, openai_error_to_gemini

QUOTA = {
    "error": {
        "code": 429,
        "message": "quota",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "46.5s"}],
    }
}


@pytest.mark.parametrize(
    ("status", "word", "kind", "code"),
    [
        (400, "INVALID_ARGUMENT", "invalid_request_error", "invalid_request"),
        (401, "UNAUTHENTICATED", "authentication_error", "invalid_api_key"),
        (403, "PERMISSION_DENIED", "permission_error", "permission_denied"),
        (404, "NOT_FOUND", "not_found_error", "not_found"),
        (429, "RESOURCE_EXHAUSTED", "rate_limit_error", "rate_limit_exceeded"),
        (500, "INTERNAL", "server_error", "internal_error"),
        (503, "UNAVAILABLE", "server_error", "overloaded"),
        (504, "DEADLINE_EXCEEDED", "timeout_error", "timeout"),
    ],
)
def test_status_type_and_code(status: int, word: str, kind: str, code: str) -> None:
    converted_status, converted = gemini_error_to_openai(
        {"error": {"code": status, "message": "m", "status": word}}, status
    )
    assert converted_status == status
    assert converted["error"]["message"] == "m"
    assert (converted["error"]["type"], converted["error"]["code"]) == (kind, code)
    back_status, back = openai_error_to_gemini(converted, converted_status)
    assert (back_status, back["error"]["code"], back["error"]["status"]) == (status, status, word)


def test_retry_hints_survive_in_both_directions() -> None:
    status, converted = gemini_error_to_openai([QUOTA], 429)
    assert (status, retry_after(converted)) == (429, 46.5)
    assert openai_error_to_gemini(converted, 429)[1]["error"]["details"] == QUOTA["error"]["details"]
    header = openai_error_to_gemini({"error": {"message": "slow down", "type": "x"}}, 429, 7)[1]
    assert header["error"] == {
        "code": 429,
        "message": "slow down",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}],
    }


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 1.2s.", 1.2),
        ("Please try again in 20ms.", 0.02),
        ("Please try again in 1m12s", 72.0),
        ("Your quota will reset after 12s.", 12.0),
        ("slow down", None),
    ],
)
def test_hints_in_the_message(message: str, seconds: float | None) -> None:
    assert retry_after({"error": {"message": message}}) == seconds


@pytest.mark.parametrize(
    "hint",
    [
        {"metadata": {"retry_after_seconds": float("inf")}},
        {"metadata": {"retry_after_seconds": float("nan")}},
        {"retry_after": -5},
        {"retry_after": 10**400},
        {"details": [{"retryDelay": {"seconds": 10**400}}]},
        {"details": [{"retryDelay": {"seconds": 1, "nanos": 10**400}}]},
        {"details": [{"retryDelay": "9" * 400 + "s"}]},
        {"message": f"try again in {'9' * 400}s"},
    ],
)
def test_an_invalid_retry_hint_gives_none(hint: dict[str, object]) -> None:
    assert retry_after({"error": hint}) is None


def test_an_error_with_values_of_wrong_types_is_converted() -> None:
    error = {"message": "odd", "code": "9" * 5000, "details": [{"reason": ["x"]}], "status": {}}
    assert gemini_error_to_openai({"error": error}, 429)[1]["error"]["message"] == "odd"
    assert openai_error_to_gemini({"error": error}, 200)[0] == 500


def test_hints_in_metadata() -> None:
    assert retry_after({"error": {"details": [{"metadata": {"quotaResetDelay": "373.8ms"}}]}}) == pytest.approx(0.3738)
    assert retry_after({"error": {"message": "", "metadata": {"retry_after_seconds": 2}}}) == 2.0
    assert retry_after({"error": {"details": [{"retryDelay": {"seconds": 3, "nanos": 500000000}}]}}) == 3.5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<html>bad gateway</html>", "<html>bad gateway</html>"),
        ({"error": "You have no credits"}, "You have no credits"),
        ({"detail": "Unauthorized"}, "Unauthorized"),
        ({"detail": [{"msg": "bad"}]}, '[{"msg": "bad"}]'),
        ({"message": "Validation", "type": "Bad Request"}, "Validation"),
        (None, "upstream answered with status 502"),
        ({}, "upstream answered with status 502"),
        ({"odd": 1}, '{"odd": 1}'),
    ],
)
def test_bodies_of_every_host_keep_their_message(body: object, message: str) -> None:
    status, converted = openai_error_to_gemini(body, 502)
    assert (status, converted["error"]["message"], converted["error"]["status"]) == (502, message, "UNAVAILABLE")
    assert gemini_error_to_openai(body, 502)[1]["error"]["message"] == message


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": "rate_limit_exceeded"}, 429),
        ({"type": "overloaded_error", "code": None}, 503),
        ({"code": 502}, 502),
        ({"code": "400"}, 400),
        ({"message": "who knows"}, 500),
        ({"code": "content_filter", "status": 400}, 400),
    ],
)
def test_an_error_inside_a_good_answer_names_its_own_status(error: dict[str, object], status: int) -> None:
    assert openai_error_to_gemini({"error": error}, 200)[0] == status


def test_a_bad_key_is_named_although_gemini_sends_400() -> None:
    body = {"error": {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
    status, converted = gemini_error_to_openai(body, 400)
    assert (status, converted["error"]["code"]) == (400, "invalid_api_key")
