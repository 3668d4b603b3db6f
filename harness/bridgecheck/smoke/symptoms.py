"""The table of symptoms: what shows in a case that failed, and what is at fault.

``SYMPTOMS`` is read from the top; the first that applies is the diagnosis. Three can be at fault: the ``harness`` (then
nothing is known of the adapter), the ``configuration`` (the adapter was not reached, or does not reach us), and the
``adapter`` itself (it was called, it called its provider, and the result is wrong).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.codec.body import header_value
from bridgecheck.model.evidence import NO_SUCH_PATH, UNMODELLED
from bridgecheck.run.longer_limits import MachineStalled
from bridgecheck.smoke.observation import Observation, missed_dialects

Culprit: TypeAlias = Literal["harness", "configuration", "adapter"]
Skips: TypeAlias = Literal["", "route", "all"]
"""Which further cases need not be played, because they would show the same and take as long."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """``applies``: whether a case shows it. ``cause`` and ``next_step``: templates over
    ``diagnosis.template_values``."""

    name: str
    culprit: Culprit
    applies: Callable[[Observation], bool]
    cause: str
    next_step: str
    skips: Skips = ""


_CONNECTION: Final = re.compile(
    r"Connect(?:ion)?(?:Error|Timeout|Refused)|APIConnection|ConnectionRefused|gaierror|Name or service not known"
    r"|Connection error|Cannot connect|ECONNREFUSED|ENOTFOUND"
)
"""How libraries in Python and JavaScript report a call that reached nobody."""

_NO_MODEL: Final = re.compile(
    r"model\b.{0,80}?(?:not (?:found|exist|known|support|available|valid)|does ?n[o']t exist|unknown|invalid|no such)"
    r"|(?:unknown|invalid|no such|unsupported|not a valid).{0,20}?model|model_not_found|provider not provided",
    re.IGNORECASE | re.DOTALL,
)

_EXCEPTION: Final = re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|Traceback|panic)\b")
"""How most languages name an exception."""

NOT_READY_CODES: Final = frozenset({"adapter-not-ready", "adapter-start"})
"""The codes of errors where an adapter's process does not run."""

CLIENT: Final = "[client.{client}] of the recipe"


def _responds_without_call_or_exception_text(case: Observation) -> bool:
    """It responded by itself. Where its text is that of an exception, that exception is the cause."""
    text = f"{case.crash}\n{case.response_text}"
    return not case.upstream_calls and case.response is not None and not _EXCEPTION.search(text)


def _cannot_reach_provider(case: Observation) -> bool:
    """Its own text says so. A crash at http level without a traceback may be that we could not reach it, which says
    nothing of its provider."""
    crash = case.crash if case.crash_location or case.key.layer != "http" else ""
    return not case.upstream_calls and _CONNECTION.search(f"{crash}\n{case.response_text}") is not None


def _responds_with_status_without_call(case: Observation, *statuses: int) -> bool:
    """The adapter responded with one of these, and called nobody."""
    return not case.upstream_calls and case.status in statuses


def _refuses_content_without_call(case: Observation) -> bool:
    return _responds_with_status_without_call(case, 400, 413, 415, 422, 501)


def _responds_with_page(case: Observation) -> bool:
    response = case.response
    if response is None or case.upstream_calls:
        return False
    return "html" in header_value(response.headers, "content-type") or response.text.lstrip()[:1] == "<"


def _does_not_know_model(case: Observation) -> bool:
    """Its text says so, or names the model in what it refuses."""
    if not _responds_with_status_without_call(case, 400, 404, 422, 500):
        return False
    names_model = bool(case.client_model) and case.client_model in case.response_text and case.status != 500
    return names_model or _NO_MODEL.search(case.response_text) is not None


def does_not_route_model(case: Observation) -> bool:
    """Whether the adapter says itself that there is no such model, or asks another provider than the one it is for,
    however the case was judged: a scenario may allow a refusal. One that only names the model is about a setting."""
    says_so = _responds_with_status_without_call(case, 404) or (
        _responds_with_status_without_call(case, 400, 422, 500) and _NO_MODEL.search(case.response_text) is not None
    )
    return says_so or bool(missed_dialects(case.misses) - {case.key.upstream})


SYMPTOMS: Final[tuple[Symptom, ...]] = (
    Symptom("control", "harness", lambda case: case.key.path == "native",
        "the native path fails, so nothing is known of the adapter: {message}",
        "bridgecheck run --scenario '{key}', and bridgecheck doctor", skips="all"),
    # What could not be started once is not started again, so the remaining cases cost no time.
    Symptom("not-ready", "configuration", lambda case: case.error is not None and case.error.code in NOT_READY_CODES,
        "{error}", "{error_next}"),
    Symptom("stalled", "harness", lambda case: case.error is not None and case.error.code == MachineStalled.code,
        "{error}", "{error_next}"),
    Symptom("harness", "harness", lambda case: case.result.status == "ERROR",
        "bridgecheck itself failed here: {message}", "bridgecheck doctor"),
    Symptom("waits-elsewhere", "configuration",
        lambda case: case.transcript.crash_kind == "hung" and not case.upstream_calls and case.key.layer != "wire",
        "no response in time, and {upstream_url} was never called: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}; or see where it waits: {case}", skips="route"),
    Symptom(
        "hangs", "adapter", lambda case: case.transcript.crash_kind == "hung", "the adapter gives no response in time",
        "see where it hangs, above all whether it waits for a lock, a retry or another network: {case}", skips="route",
    ),
    Symptom(
        "no-http", "configuration", lambda case: not case.upstream_calls and case.transcript.crash_kind == "not-http",
        "what listens at the adapter's address does not speak HTTP", "set target to the port of its API", skips="all",
    ),
    Symptom("provider-not-reached", "configuration", _cannot_reach_provider,
        "the adapter could not reach its provider, and never called {upstream_url}: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}"),
    Symptom("html", "configuration", _responds_with_page,
        "the adapter responded with a web page: this is not the address of its API",
        f"set base_path in {CLIENT}, or another port"),
    Symptom("key", "configuration", lambda case: _responds_with_status_without_call(case, 401, 403),
        "the client's key is refused ({status}), and {upstream_url} was never called",
        f"switch the adapter's own keys off or send the right one, headers in {CLIENT}; or its base URL is not set, "
        "and the real provider refuses"),
    Symptom("model", "configuration", _does_not_know_model,
        "the adapter does not know the requested model", f"write it as the adapter spells it: model in {CLIENT}"),
    Symptom("path", "configuration", lambda case: _responds_with_status_without_call(case, 404, 405),
        "the adapter has no endpoint at {client_path}",
        f"set base_path in {CLIENT}: the part before {{client_path}}"),
    Symptom("request", "configuration", lambda case: not case.capabilities and _refuses_content_without_call(case),
        "the adapter refuses a plain {client} request ({status}) before it calls its provider",
        "set up what its message names; then run again: bridgecheck smoke {target}"),
    Symptom("refuses", "adapter", lambda case: bool(case.transcript.refused) or _refuses_content_without_call(case),
        "the adapter refuses this: {refusal}", "respond to it, or take {claim}"),
    Symptom("not-asked", "configuration", _responds_without_call_or_exception_text,
        "the adapter never called {upstream_url}: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}, and switch caches off"),
    Symptom("crash", "adapter", lambda case: bool(case.crash), "the adapter failed: {exception}", "{case}"),
    Symptom("wrong-path", "configuration", lambda case: any(miss.startswith(NO_SUCH_PATH) for miss in case.misses),
        "the adapter called its provider at {calls}, a path that the API does not have: a part of it is doubled or "
        "missing",
        "give its {upstream} provider the base URL without what it adds itself, or with what it does not add: the "
        "call must go to {upstream_path}"),
    Symptom("endpoint", "configuration", lambda case: any(miss.startswith(UNMODELLED) for miss in case.misses),
        "the adapter called its provider at {calls}, an endpoint that bridgecheck does not play",
        "point it at {upstream_path}: switch the Responses API, Vertex AI or the like off"),
    Symptom("dialect", "configuration", lambda case: bool(missed_dialects(case.misses) - {case.key.upstream}),
        "the adapter called its provider at {calls}, which is {called_dialects}; the route says {upstream}",
        "map the model to its {upstream} provider, or correct routes"),
    Symptom("error", "adapter", lambda case: bool(case.upstream_calls) and not case.misses and case.status >= 400,
        "the provider responded, and the adapter made an error of the response", "{case}"),
    Symptom(
        "meaning", "adapter", lambda case: case.result.status == "FAIL", "wrong meaning: {check}: {message}", "{case}",
    ),
)  # fmt: skip
