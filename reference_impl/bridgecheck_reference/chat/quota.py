"""What kind of failure a refused request is, from its status and Google's error details.

``terminal``: waiting does not help (a quota of a day, no capacity, a wait of more than five minutes). ``transient``: it
does. ``network``, ``server``: tried again too, but without a quota. ``fatal``: the request itself.
Source: utils/googleQuotaErrors.js and utils/retry.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.documents import child
from bridgecheck_reference.errors import ProviderError

Kind: TypeAlias = Literal["terminal", "transient", "not_found", "network", "server", "fatal"]

LONGEST_WAIT_S: Final = 300
"""A provider that asks for a longer wait is asked no more."""

NETWORK_CODES: Final = frozenset({"connection_error", "timeout"})
"""``ProviderError.code`` of a request that reached nobody."""

_QUOTA_STATUSES: Final = frozenset({429, 499, 503})
_NO_CAPACITY: Final = re.compile("exhausted your capacity|capacity exceeded|MODEL_CAPACITY_EXHAUSTED", re.IGNORECASE)
_NO_CAPACITY_REASONS: Final = frozenset({"MODEL_CAPACITY_EXHAUSTED", "MODEL_CAPACITY_EXCEEDED"})
_LIMIT_OF_0: Final = re.compile(r"limit:\s*0(?!\d|\.\d)")
_RETRY_IN: Final = re.compile(r"Please retry in ([0-9.]+)(ms|s)")
_DURATION: Final = re.compile(r"([0-9.]+)(ms|s)")
_CLOUD_CODE: Final = re.compile(r"(staging-|autopush-)?cloudcode-pa\.googleapis\.com")


@dataclass(frozen=True, slots=True)
class Failure:
    """``message``: the provider's own. ``delay_s``: how long it asks to wait, None if it does not say."""

    kind: Kind
    message: str
    status: int | None = None
    delay_s: float | None = None
    no_capacity: bool = False


def classify_failure(error: ProviderError) -> Failure:
    """Return what the error means for another attempt."""
    document = child(error.body, "error")
    message = str(document.get("message") or error.message)
    if error.code in NETWORK_CODES:
        return Failure("network", message)
    status = error.status
    if status == 404:
        return Failure("not_found", message)
    if status in _QUOTA_STATUSES:
        return _classify_quota(document, message, status, error.retry_after)
    server = status is not None and 500 <= status < 600
    announced = _seconds(_RETRY_IN.search(message))
    if announced is not None:
        return _by_delay(message, status, announced)
    return Failure("server" if server else "fatal", message, status)


def _classify_quota(document: JsonObject, message: str, status: int | None, retry_after: float | None) -> Failure:
    details = document.get("details")
    by_type = {
        str(item.get("@type", "")).rpartition(".")[2]: item
        for item in (details if isinstance(details, list) else [])
        if isinstance(item, dict)
    }
    info, no_capacity = by_type.get("ErrorInfo", {}), _NO_CAPACITY.search(message) is not None
    delay = _seconds(_DURATION.fullmatch(str(by_type.get("RetryInfo", {}).get("retryDelay", "")))) or None
    if _LIMIT_OF_0.search(message.lower()):
        return Failure("terminal", message, status)
    if not by_type:
        announced = _seconds(_RETRY_IN.search(message))
        if announced is not None:
            return _by_delay(message, status, announced)
        return Failure("terminal" if no_capacity else "transient", message, status, retry_after, no_capacity)
    quotas = _quota_ids(by_type.get("QuotaFailure", {}))
    if any("PerDay" in quota or "Daily" in quota for quota in quotas):
        return Failure("terminal", message, status)
    reason = str(info.get("reason", ""))
    if reason in _NO_CAPACITY_REASONS:
        return Failure("terminal", message, status, delay, no_capacity=True)
    if reason == "INSUFFICIENT_G1_CREDITS_BALANCE":
        return Failure("terminal", message, status, delay)
    if _CLOUD_CODE.fullmatch(str(info.get("domain", ""))):
        if reason == "QUOTA_EXHAUSTED" or (reason == "RATE_LIMIT_EXCEEDED" and delay is None):
            return Failure("terminal", message, status, delay)
        if reason == "RATE_LIMIT_EXCEEDED" and delay is not None:
            return _by_delay(message, status, delay)
    if delay is not None:
        return _by_delay(message, status, delay)
    limit = str(child(info, "metadata").get("quota_limit", ""))
    if any("PerMinute" in quota for quota in (*quotas, limit)):
        return Failure("transient", message, status, 60)
    return Failure("terminal" if no_capacity else "transient", message, status, retry_after, no_capacity)


def _by_delay(message: str, status: int | None, delay_s: float) -> Failure:
    return Failure("terminal" if delay_s > LONGEST_WAIT_S else "transient", message, status or 429, delay_s)


def _quota_ids(failure: JsonObject) -> list[str]:
    violations = failure.get("violations")
    found = violations if isinstance(violations, list) else []
    return [str(item.get("quotaId", "")) for item in found if isinstance(item, dict)]


def _seconds(match: "re.Match[str] | None") -> float | None:
    if match is None:
        return None
    try:
        number = float(match[1])
    except ValueError:
        return None
    return number / 1000 if match[2] == "ms" else number
