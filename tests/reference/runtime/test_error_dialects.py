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


def spoken(error: ProviderError, dialect: Dialect) -> dict[str, object]:
    """The error object, in the dialect's envelope."""
    assert error.dialect == dialect
    assert (error.body.get("type") == "error") == (dialect == "anthropic")
    found = error.body["error"]
    assert isinstance(found, dict)
    assert found.keys() >= ENVELOPE[dialect]
    return found


@pytest.mark.parametrize("there", DIALECTS)
@pytest.mark.parametrize("here", DIALECTS)
def test_a_documents_words_status_and_wait(here: Dialect, there: Dialect) -> None:
    headers = {"retry-after": "4"}
    error = document_failure(LIMITED[here], dialect=here, status=429, headers=headers)
    told = convert_failure(there, error)
    assert (told.status, told.retry_after) == (429, 4.0)
    assert spoken(told, there)["message"] == "slow"
    assert told.native == LIMITED[here]
    assert (told is error) == (here == there)


@pytest.mark.parametrize("there", DIALECTS)
@pytest.mark.parametrize("here", DIALECTS)
@pytest.mark.parametrize("code", LOCAL)
def test_a_failure_without_a_document_is_said_anew(here: Dialect, there: Dialect, code: str) -> None:
    told = convert_failure(there, local_failure(code, "it broke", dialect=here))
    assert (told.status, told.code) == (LOCAL[code][0], code)
    assert spoken(told, there)["message"] == "it broke"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_no_document_becomes_the_message(dialect: Dialect) -> None:
    told = document_failure("<html>no, sk-secret-key</html>", dialect=dialect, status=502, secrets=("sk-secret-key",))
    assert spoken(told, dialect)["message"] == "<html>no, [redacted]</html>"
