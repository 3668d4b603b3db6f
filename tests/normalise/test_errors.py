"""Error responses and empty responses."""

import pytest
from google.genai import types as genai_types

from bridgecheck import normalise
from bridgecheck.model.exchange import End, Response
from bridgecheck.normalise import errors, finish
from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck.wire import gemini_documents as gemini


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("status", "text", "end", "kind"),
    [
        (502, "<html>", "complete", "server"),
        (429, "", "complete", "rate_limit"),
        (200, "<html>", "complete", "unknown"),
        (200, "", "cut", "truncated"),
        (200, "", "reset", "truncated"),
        (200, "", "timeout", "timeout"),
        (200, "", "complete", None),
    ],
)
def test_an_answer_without_a_document(dialect: Dialect, status: int, text: str, end: End, kind: str | None) -> None:
    made = normalise.response(Response(dialect, "unary", (), status, (), end, None, text))
    assert (made.error.kind if made.error else None) == kind
    assert made.choices == ()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("document", [None, "text", 5, [], [1], True])
def test_a_document_that_is_not_an_object(dialect: Dialect, document: object) -> None:
    made = normalise.response(Response(dialect, "unary", (document,)))
    assert made.choices == ()
    assert (made.error is not None) or (made.other != ()) or document in (None, [])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_undecodable_events_are_preserved(dialect: Dialect) -> None:
    made = normalise.response(Response(dialect, "stream", ({},), text='{"cut'))
    assert made.other[0] == ("(undecodable)", '"{\\"cut"')


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((("Retry-After", "7"),), 7.0),
        ((("retry-after-ms", "1500"), ("retry-after", "9")), 1.5),
        ((("retry-after", "Fri, 20 Nov 2026 10:00:00 GMT"),), None),
        ((("retry-after", "-1"),), None),
        ((), None),
    ],
)
def test_retry_delays_are_read_from_headers(headers: tuple[tuple[str, str], ...], seconds: float | None) -> None:
    assert errors.retry_after_seconds(headers) == seconds


@pytest.mark.parametrize(
    ("names", "status", "kind"),
    [
        (["RESOURCE_EXHAUSTED"], None, "rate_limit"),
        (["overloaded_error"], None, "overloaded"),
        (["overloaded_error"], 429, "rate_limit"),
        (["invalid_api_key"], 400, "auth"),
        (["brand_new"], None, "unknown"),
        ([], 418, "invalid"),
        ([], 599, "server"),
    ],
)
def test_error_kinds(names: list[str], status: int | None, kind: str) -> None:
    assert errors.error_kind_by_status_unless_code_outweighs(names, status) == kind


def test_every_finish_reason_of_the_sdk_has_a_class() -> None:
    missing = {reason.value for reason in genai_types.FinishReason} - finish.GEMINI.keys()
    assert missing == set()
    assert set(gemini.FINISH_REASONS.values()) <= finish.GEMINI.keys()


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "document", [{"detail": "boom"}, {"error": {"msg": "boom"}}, {"error": {"error": {"message": "boom"}}}, ["boom"]]
)
def test_a_message_is_found_wherever_the_body_has_it(dialect: Dialect, document: object) -> None:
    error = normalise.response(Response(dialect, "unary", (document,), status=400)).error
    assert error is not None
    assert error.message == "boom"
