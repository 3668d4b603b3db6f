"""Whether a failed request is sent again, and when: ``Backoff`` decides, ``retry`` does it.

429, 499, 5xx and a broken connection are tried again, up to ten times, after 5 s, doubled up to 30 s, give or take
30 %; a wait that the provider asks for is kept, plus up to 20 %. What waiting does not cure asks for another model at
once; missing capacity does so at its third failure, after waits of 1 and 3 s. Nothing else is repeated.
Source: utils/retry.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias, TypeVar

from bridgecheck_reference.cancel import CancelToken, cancellable_call
from bridgecheck_reference.chat.quota import Failure, classify_failure
from bridgecheck_reference.errors import CallCancelled, ProviderError, ReferenceFailure

T = TypeVar("T")

_CAPACITY_WAITS_S: Final = (1.0, 3.0)
_OLDER_MATCH: Final = re.compile(r"429|5\d{2}")


@dataclass(frozen=True, slots=True)
class RetrySettings:
    """``match="message"``: the older design's rule, which looks for 429 and 5xx in the error's text (mapping R-31)."""

    max_attempts: int = 10
    first_wait_s: float = 5
    longest_wait_s: float = 30
    match: Literal["status", "message"] = "status"


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


Decision: TypeAlias = Wait | Literal["fall back", "give up"]


class Backoff:
    """The state of one request over its attempts. ``random``: numbers from 0 to below 1. ``can_fall_back``: whether
    somebody can name another model."""

    def __init__(self, settings: RetrySettings, random: Callable[[], float], *, can_fall_back: bool) -> None:
        self._settings = settings
        self._random = random
        self._can_fall_back = can_fall_back
        self._attempts = 0
        self._capacity_failures = 0
        self._wait_s = settings.first_wait_s

    def restart(self) -> None:
        """Count attempts anew: another model is asked."""
        self._attempts = 0
        self._wait_s = self._settings.first_wait_s

    def after_failure(self, failure: Failure, max_attempts: int | None = None) -> Decision:
        """``max_attempts``: of the model that failed, None for that of the settings."""
        self._attempts += 1
        exhausted = self._attempts >= (max_attempts or self._settings.max_attempts)
        if failure.kind == "fatal":
            return "give up"
        if failure.kind == "not_found":
            return "fall back"
        if failure.kind == "terminal":
            wait_s = self._capacity_wait_s(failure)
            if wait_s is None:
                return "fall back"
            self._wait_s = wait_s
            return "fall back" if exhausted else self._wait(wait_s)
        if exhausted:
            return "give up" if failure.kind == "network" else "fall back"
        return self._wait(failure.delay_s)

    def after_content(self, max_attempts: int | None = None) -> Decision:
        """An answer came, but not a usable one."""
        self._attempts += 1
        return "give up" if self._attempts >= (max_attempts or self._settings.max_attempts) else self._wait(None)

    def _capacity_wait_s(self, failure: Failure) -> float | None:
        """Return how long to wait for capacity, None if another model is to be asked."""
        if not failure.no_capacity:
            return None
        if not self._can_fall_back:
            return failure.delay_s if failure.delay_s is not None else self._wait_s
        self._capacity_failures += 1
        if self._capacity_failures > len(_CAPACITY_WAITS_S):
            return None
        return failure.delay_s if failure.delay_s is not None else _CAPACITY_WAITS_S[self._capacity_failures - 1]

    def _wait(self, asked_s: float | None) -> Wait:
        if asked_s is not None:
            self._wait_s = max(self._wait_s, asked_s)
            seconds = self._wait_s * (1 + 0.2 * self._random())
        else:
            seconds = max(0.0, self._wait_s * (1 + 0.3 * (self._random() * 2 - 1)))
        self._wait_s = min(self._settings.longest_wait_s, self._wait_s * 2)
        return Wait(seconds)


class RetriesExhausted(ReferenceFailure):
    """Every attempt gave an answer, and none could be used."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a chat takes from outside. ``sleep``: seconds. ``now_ms``: a clock in milliseconds. ``random``: from 0 to
    below 1."""

    sleep: Callable[[float], Awaitable[None]]
    now_ms: Callable[[], float]
    random: Callable[[], float]


async def retry(
    call: Callable[[], Awaitable[T]],
    settings: RetrySettings,
    around: Surroundings,
    *,
    token: CancelToken | None = None,
    fall_back: Callable[[Failure], Awaitable[bool]] | None = None,
    max_attempts: Callable[[], int | None] = lambda: None,
    usable: Callable[[T], bool] = lambda _: True,
) -> T:
    """Return the first result that is usable. The last ``ProviderError`` when it gives up, ``RetriesExhausted`` where
    none was usable, ``CallCancelled``. ``fall_back``: asked for another model; True: ``call`` sends to it now."""
    backoff = Backoff(settings, around.random, can_fall_back=fall_back is not None)
    while True:
        if token is not None and token.cancelled:
            raise CallCancelled(token.reason)
        try:
            result = await call()
            if usable(result):
                return result
            decision: Decision = backoff.after_content(max_attempts())
            if decision == "give up":
                raise RetriesExhausted("every attempt gave an answer that cannot be used")
        except ProviderError as error:
            if token is not None and token.cancelled:
                raise CallCancelled(token.reason) from None
            failure = _failure(error, settings)
            decision = backoff.after_failure(failure, max_attempts())
            if decision == "fall back" and fall_back is not None and await fall_back(failure):
                backoff.restart()
                continue
            if not isinstance(decision, Wait):
                raise
        if isinstance(decision, Wait):
            await cancellable_call(token, partial(around.sleep, decision.seconds))


def _failure(error: ProviderError, settings: RetrySettings) -> Failure:
    failure = classify_failure(error)
    if settings.match == "status":
        return failure
    return Failure("server" if _OLDER_MATCH.search(str(error)) else "fatal", failure.message, failure.status)
