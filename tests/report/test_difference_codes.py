"""Codes of differences: the same for the same fault in every run, another for every other fault."""

from dataclasses import replace

import pytest

from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.report.difference_codes import difference_codes

ROW = Difference("text", '"Four."', '"{}"')


def _codes(passing, actual: str, **fields: object) -> frozenset[str]:
    row = replace(ROW, actual=actual)
    verdict = Verdict("response.text", "FAIL", f"text: expected {row.expected}, got {actual}", (row,))
    return difference_codes(passing("a/b", verdict, **fields), verdict)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("request 0b9a3d52-9f0e-4d0e-8c1e-2f3a4b5c6d7e failed", "request 51c0ffee-0a1b-4c2d-9e3f-001122334455 failed"),
        ("<object at 0x7f3a5c0b1d90>", "<object at 0x55d0c1a2b3c4>"),
        ("connect to 127.0.0.1:40123 refused", "connect to 127.0.0.1:33871 refused"),
        ("no answer on port 40123", "no answer on port 9"),
        ("chatcmpl-BxTkQzLwAaPq", "chatcmpl-9Zk2mLqPx0Ra"),
        ("call_9f8a7b6c5d4e", "call_00aa11bb22cc"),
        ("call_12345678", "call_9f8a7b6c"),
        ("toolu_01AbCdEfGhIjKlMn", "toolu_01ZyXwVuTsRqPoNm"),
        ('{"created":1763891234}', '{"created":1763899999}'),
        ("at 2026-11-23T09:27:39.123456Z", "at 2027-01-01T00:00:00Z"),
        ("Mon, 23 Nov 2026 09:27:39 GMT", "Tue, 24 Nov 2026 10:00:00 GMT"),
        ("took 0.234 s", "took 12.0 s"),
        ("in /tmp/tmpab12cd34/config.yaml", "in /tmp/tmpzz_9/config.yaml"),
    ],
)
def test_what_differs_between_two_runs_has_no_code(passing, text: str, again: str) -> None:
    assert _codes(passing, again) == _codes(passing, text)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("answered 500: no route", "answered 503: no route"),
        ("usage 14", "usage 0"),
        ("gemini-2.5-flash", "gemini-2.5-pro"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4-20250929"),
        ("call_1", "call_2"),
        ("get_weather", "get_forecast"),
        ("http://127.0.0.1:8000/v1/chat", "http://127.0.0.1:8000/v1/messages"),
    ],
)
def test_another_value_has_another_code(passing, text: str, changed: str) -> None:
    assert _codes(passing, text) != _codes(passing, changed)


def test_an_id_of_the_recording_is_no_made_up_one(passing) -> None:
    first, second = "call_9f8a7b6c5d4e", "call_1a2b3c4d5e6f"
    views = {"upstream_response": f'[{{"id": "{first}"}}, {{"id": "{second}"}}]'}
    assert _codes(passing, first) == _codes(passing, second)
    assert _codes(passing, first, views=views) != _codes(passing, second, views=views)


def test_check_turn_and_location_have_a_code_of_their_own(passing) -> None:
    verdict = Verdict("response.text", "FAIL", "text is lost")
    changed = [verdict, replace(verdict, turn=1), replace(verdict, check="response.usage")]
    assert len({difference_codes(passing("a/b", item), item) for item in changed}) == 3


def test_relations_vary_and_their_codes_do_not(passing) -> None:
    verdicts = [
        Verdict("relation.crlf", "FAIL", f"cut at byte {at}", (Difference(f"tool_calls[{at}]", "{}", "(absent)"),))
        for at in (1, 7)
    ]
    assert len({difference_codes(passing("a/b", item), item) for item in verdicts}) == 1
