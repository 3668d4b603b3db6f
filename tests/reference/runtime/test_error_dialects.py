"""One failure in three dialects: its status, its code and its wait stay, and so do the provider's words."""

import pytest

from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import LOCAL, convert_failure, document_failure, local_failure

LIMITED = {
    "gemini": {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
    "openai-chat": {
        "error": {"message": "slow", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}
    },
    "anthropic": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}},
}
ENVELOPE = {"gemini": {"code", "message", "status"}, "openai-chat": {"type", "message", "param", "code"},
            "anthropic": {"type", "message"}}  # fmt: skip


def error_document(error: ProviderError, dialect: Dialect) -> dict[str, object]:
    """The error object, in the dialect's envelope."""
    assert error.dialect == dialect
    assert (error.body.get("type") == "error") == (dialect == "anthropic")
    found = error.body["error"]
    assert isinstance(found, dict)
    assert found.keys() >= ENVELOPE[dialect]
    return found


@pytest.mark.parametrize("there", DIALECTS)
@pytest.mark.parametrize("here", DIALECTS)
def test_message_status_and_retry_delay_of_a_document(here: Dialect, there: Dialect) -> None:
    headers = {"retry-after": "4"}
    error = document_failure(LIMITED[here], dialect=here, status=429, headers=headers)
    converted = convert_failure(there, error)
    assert (converted.status, converted.retry_after) == (429, 4.0)
    assert error_document(converted, there)["message"] == "slow"
    assert converted.native == LIMITED[here]
    assert (converted is error) == (here == there)


@pytest.mark.parametrize("there", DIALECTS)
@pytest.mark.parametrize("here", DIALECTS)
@pytest.mark.parametrize("code", LOCAL)
def test_a_failure_without_a_document_gets_one(here: Dialect, there: Dialect, code: str) -> None:
    converted = convert_failure(there, local_failure(code, "it broke", dialect=here))
    assert (converted.status, converted.code) == (LOCAL[code][0], code)
    assert error_document(converted, there)["message"] == "it broke"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_body_that_is_no_document_becomes_the_message(dialect: Dialect) -> None:
    converted = document_failure(
        "<html>no, sk-secret-key</html>", dialect=dialect, status=502, secrets=("sk-secret-key",)
    )
    assert error_document(converted, dialect)["message"] == "<html>no, [redacted]</html>"
