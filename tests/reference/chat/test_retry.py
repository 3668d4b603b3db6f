"""Which failures are tried again, when, and with which model."""

import asyncio

import pytest

from bridgecheck_reference.chat.fallback import AUTO, PRO_TO_FLASH, Fallback
from bridgecheck_reference.chat.quota import classify_failure
from bridgecheck_reference.chat.retry import RetrySettings
from bridgecheck_reference.chat.settings import ChatSettings

from .conversation import Script, Time, kinds, play, refusal, text

TYPE = "type.googleapis.com/google.rpc."


def retry_info(delay: str) -> dict[str, object]:
    return {"@type": f"{TYPE}RetryInfo", "retryDelay": delay}


def quota(quota_id: str) -> dict[str, object]:
    return {"@type": f"{TYPE}QuotaFailure", "violations": [{"quotaId": quota_id}]}


def info(reason: str, domain: str = "googleapis.com", **metadata: str) -> dict[str, object]:
    return {"@type": f"{TYPE}ErrorInfo", "reason": reason, "domain": domain, "metadata": metadata}


CLOUD = "cloudcode-pa.googleapis.com"


@pytest.mark.row("S4.22")
@pytest.mark.parametrize(
    ("error", "kind", "delay_s"),
    [
        (refusal(400, "limit is 1500 tokens, status 429"), "fatal", None),
        (refusal(401), "fatal", None),
        (refusal(403), "fatal", None),
        (refusal(404), "not_found", None),
        (refusal(429), "transient", None),
        (refusal(429, retry_after=7), "transient", 7),
        (refusal(499), "transient", None),
        (refusal(500), "server", None),
        (refusal(502), "server", None),
        (refusal(503), "transient", None),
        (refusal(503, code="connection_error"), "network", None),
        (refusal(504, code="timeout"), "network", None),
        (refusal(429, "Please retry in 900ms"), "transient", 0.9),
        (refusal(429, "Please retry in 301s"), "terminal", 301),
        (refusal(429, "limit: 0 requests"), "terminal", None),
        (refusal(429, "limit: 0.5"), "transient", None),
        (refusal(429, "x", retry_info("34.5s")), "transient", 34.5),
        (refusal(429, "x", retry_info("300.5s")), "terminal", 300.5),
        (refusal(429, "x", quota("PerDayPerModel")), "terminal", None),
        (refusal(429, "x", quota("PerMinute")), "transient", 60),
        (refusal(429, "x", info("R", quota_limit="PerMinute")), "transient", 60),
        (refusal(429, "x", info("QUOTA_EXHAUSTED", CLOUD)), "terminal", None),
        (refusal(429, "x", info("RATE_LIMIT_EXCEEDED", CLOUD)), "terminal", None),
        (refusal(429, "x", info("RATE_LIMIT_EXCEEDED", CLOUD), retry_info("2s")), "transient", 2),
        (refusal(429, "x", info("MODEL_CAPACITY_EXHAUSTED")), "terminal", None),
        (refusal(503, "you exhausted your capacity"), "terminal", None),
    ],
)
def test_kinds_of_failures(error, kind: str, delay_s: float | None) -> None:
    failure = classify_failure(error)
    assert (failure.kind, failure.delay_s) == (kind, delay_s)


@pytest.mark.row("S4.22")
def test_waits_double_up_to_30_seconds_and_end_after_ten_attempts() -> None:
    time, script = Time(), Script(*[refusal(500)] * 10)
    (events,), client = play(script, "a", time=time)
    assert kinds(events) == ["model_info", "error"]
    assert time.waits == [5, 10, 20, 30, 30, 30, 30, 30, 30]
    assert (len(script.requests), client.chat.history()) == (10, [])


@pytest.mark.parametrize(("chance", "waits"), [(0.0, [3.5]), (1.0, [6.5])])
def test_waits_vary_by_30_percent(chance: float, waits: list[float]) -> None:
    time = Time()
    play_with = Time.surroundings
    time.surroundings = lambda: play_with(time, chance)  # type: ignore[method-assign]
    play(Script(refusal(500), text("ok")), "a", time=time)
    assert time.waits == pytest.approx(waits)


def test_the_providers_wait_is_kept_and_prolonged() -> None:
    time = Time()
    play(Script(refusal(429, "x", retry_info("40s")), text("ok")), "a", time=time)
    assert time.waits == pytest.approx([44])


def test_bad_requests_are_not_repeated() -> None:
    script = Script(refusal(400, "1500 tokens, 429"))
    assert kinds(play(script, "a")[0][0]) == ["model_info", "error"]
    older = ChatSettings(retry=RetrySettings(match="message"))
    script = Script(refusal(400, "1500 tokens, 429"), text("ok"))
    assert kinds(play(script, "a", settings=older)[0][0])[-1] == "finished"


def test_missing_capacity_is_waited_for_twice() -> None:
    notified = []

    async def notify(failed: str, target: str, failure: object) -> str:
        notified.append((failed, target))
        return "stop"

    time, script = Time(), Script(*[refusal(503, "you exhausted your capacity")] * 3)
    play(script, "a", time=time, notify=notify)
    assert time.waits == pytest.approx([1.1, 3.3])
    assert notified == [("gemini-2.5-flash", "gemini-2.5-flash")] and len(script.requests) == 3


def fall_back(error, chain, model: str = "gemini-2.5-pro", intent: str = "retry_always"):
    notified: list[tuple[str, str]] = []

    async def notify(failed: str, target: str, failure: object) -> str:
        notified.append((failed, target))
        return intent

    fallback = Fallback(model, lambda: 0, chain, notify)
    went_on = asyncio.run(fallback.after(classify_failure(error)))
    return went_on, fallback.model, notified, fallback


@pytest.mark.row("S4.23", "S4.36")
def test_the_user_is_asked_before_another_model_answers() -> None:
    went_on, model, notified, fallback = fall_back(refusal(429), PRO_TO_FLASH)
    assert (went_on, model, notified) == (True, "gemini-2.5-flash", [("gemini-2.5-pro", "gemini-2.5-flash")])
    assert fallback.start_turn() == "gemini-2.5-flash"
    went_on, model, notified, _ = fall_back(refusal(429), PRO_TO_FLASH, intent="stop")
    assert (went_on, model, len(notified)) == (False, "gemini-2.5-pro", 1)


@pytest.mark.row("S4.36")
def test_a_model_that_the_program_chose_is_tried_again_in_the_next_turn() -> None:
    chain = (AUTO[0], AUTO[1].__class__("gemini-2.5-flash", 10, is_last_resort=True, actions={"transient": "silent"}))
    went_on, model, notified, fallback = fall_back(refusal(429), chain)
    assert (went_on, model, notified) == (True, "gemini-2.5-flash", [])
    assert not fallback.availability.is_available("gemini-2.5-pro")
    assert fallback.start_turn() == "gemini-2.5-pro"
    assert fallback.max_attempts() == 3


@pytest.mark.row("S4.23")
def test_persistent_429_goes_on_with_the_other_model_and_counts_anew() -> None:
    async def notify(failed: str, target: str, failure: object) -> str:
        return "retry_always"

    chain = [type(PRO_TO_FLASH[0])("gemini-2.5-flash", 2), type(PRO_TO_FLASH[0])("lite", is_last_resort=True)]
    script = Script(refusal(429), refusal(429), refusal(429), text("ok"))
    time = Time()
    (events,), _ = play(script, "a", chain=chain, notify=notify, time=time)
    assert kinds(events) == ["model_info", "content", "finished"]
    assert [request["model"] for _, request in script.requests] == ["gemini-2.5-flash"] * 2 + ["lite"] * 2
    assert time.waits == [5, 5]


def test_nobody_to_ask_means_no_other_model() -> None:
    fallback = Fallback("gemini-2.5-pro", lambda: 0, PRO_TO_FLASH)
    assert not asyncio.run(fallback.after(classify_failure(refusal(429))))


def test_a_model_without_capacity_is_back_after_30_seconds() -> None:
    now = [0.0]
    fallback = Fallback("gemini-2.5-pro", lambda: now[0], PRO_TO_FLASH)
    fallback.availability.mark_unavailable("gemini-2.5-pro", "capacity")
    assert fallback.start_turn() == "gemini-2.5-flash"
    now[0] = 30_000
    assert fallback.start_turn() == "gemini-2.5-pro"
    fallback.availability.mark_unavailable("gemini-2.5-pro", "quota")
    now[0] = 90_000
    assert fallback.start_turn() == "gemini-2.5-flash"
