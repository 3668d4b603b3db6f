"""Which recorded interaction answers which request."""

import time
from collections.abc import Callable

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.cassette.match_by_key import REPEATS, InteractionIndex, OperationKey, operation_key
from bridgecheck.model.exchange import HttpRequest

Make = Callable[..., RecordedInteraction]
STREAM = OperationKey("openai-chat", "generate", "stream")
UNARY = OperationKey("openai-chat", "generate", "unary")


def test_interactions_are_matched_by_order_not_by_body(chat: Make) -> None:
    index = InteractionIndex([chat(b"1"), chat(b"2")])
    assert index.take(STREAM, b"anything") == (0, False)
    assert index.take(STREAM, b"else") == (1, False)
    assert index.take(STREAM, b"third") is None


def test_each_mode_has_its_own_order(chat: Make) -> None:
    index = InteractionIndex([chat(b"1"), chat(b"2", stream=False), chat(b"3")])
    assert [index.take(key, b"") for key in (UNARY, STREAM, STREAM)] == [(1, False), (0, False), (2, False)]
    assert set(index.keys) == {STREAM, UNARY}


def test_only_the_last_error_repeats_for_the_same_body_up_to_a_limit(chat: Make) -> None:
    index = InteractionIndex([chat(b"1"), chat(b"slow", status=429)])
    index.take(STREAM, b"q")
    assert index.take(STREAM, b"q") == (1, False)
    assert index.take(STREAM, b"another question") is None
    assert [index.take(STREAM, b"q") for _ in range(REPEATS)] == [(1, True)] * REPEATS
    assert index.take(STREAM, b"q") is None


def test_only_retryable_errors_repeat(chat: Make) -> None:
    for status in (200, 400, 401, 404):
        index = InteractionIndex([chat(b"x", status=status)])
        index.take(STREAM, b"q")
        assert index.take(STREAM, b"q") is None


def test_peeking_consumes_nothing(chat: Make) -> None:
    index = InteractionIndex([chat(b"1")])
    assert index.peek(STREAM, b"") == index.peek(STREAM, b"") == index.take(STREAM, b"")
    assert index.peek(STREAM, b"") is None


def test_keys_hold_dialect_operation_and_mode() -> None:
    gemini = HttpRequest("POST", "/v1/models/m:streamGenerateContent?alt=sse", body=b"{}")
    assert operation_key(gemini) == ("gemini", "generate", "stream")
    assert operation_key(HttpRequest("POST", "/v1/messages", body=b'{"stream": true}')) == (
        "anthropic",
        "generate",
        "stream",
    )
    assert operation_key(HttpRequest("POST", "/v1/messages", body=b"no json")) == ("anthropic", "generate", "unary")
    assert operation_key(HttpRequest("GET", "/robots.txt")) is None


def test_ten_thousand_interactions_cost_no_more_each_than_a_hundred(chat: Make) -> None:
    def per_call(count: int) -> float:
        index = InteractionIndex([chat(b"1")] * count)
        start = time.perf_counter()
        for _ in range(count):
            index.take(STREAM, b"body")
        return (time.perf_counter() - start) / count

    small, large = (min(per_call(count) for _ in range(5)) for count in (100, 10_000))
    assert large < 30 * small  # a search through all of them would cost a hundred times as much
