"""The table of symptoms: what shows in a case that went wrong, and whose fault that is.

``SYMPTOMS`` is read from the top; the first that shows is the diagnosis. Three can be at fault: the ``harness`` (then
nothing is known of the adapter), the ``configuration`` (the adapter was not reached, or does not reach us), and the
``adapter`` itself (it was asked, it asked, and what came of it is wrong).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.model.transcript import UNMODELLED
from bridgecheck.run.seen import Seen, dialects, header

Whose: TypeAlias = Literal["harness", "configuration", "adapter"]
Ends: TypeAlias = Literal["", "route", "all"]


@dataclass(frozen=True, slots=True)
class Symptom:
    """``shows``: whether it is there. ``cause`` and ``next_step``: templates over ``facts``. ``ends``: what need not be
    tried any more, since it would show the same and take as long: the route, or all."""

    name: str
    whose: Whose
    shows: Callable[[Seen], bool]
    cause: str
    next_step: str
    ends: Ends = ""


_CONNECTION: Final = re.compile(
    r"Connect(?:ion)?(?:Error|Timeout|Refused)|APIConnection|ConnectionRefused|gaierror|Name or service not known"
    r"|Connection error|Cannot connect|ECONNREFUSED|ENOTFOUND",
)
"""How a call that reached nobody is told, in Python and in JavaScript."""

_NO_MODEL: Final = re.compile(
    r"model\b.{0,80}?(?:not (?:found|exist|known|support|available|valid)|does ?n[o']t exist|unknown|invalid|no such)"
    r"|(?:unknown|invalid|no such|unsupported|not a valid).{0,20}?model|model_not_found|provider not provided",
    re.IGNORECASE | re.DOTALL,
)

_EXCEPTION: Final = re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|Traceback|panic)\b")
"""A fault of its own, in the words of most languages."""

NOT_READY: Final = ("[adapter-not-ready]", "[adapter-start]")
"""How an error begins where an adapter's process does not run."""

CLIENT: Final = "[client.{client}] of the recipe"


def _harness(seen: Seen) -> bool:
    return seen.result.status == "ERROR"


def _not_ready(seen: Seen) -> bool:
    return seen.bad is not None and seen.bad.message.startswith(NOT_READY)


def _unasked(seen: Seen) -> bool:
    """It answered by itself. Where its own words are those of an exception, that is what is wrong."""
    return not seen.asked and seen.answer is not None and not _EXCEPTION.search(f"{seen.crash}\n{seen.words}")


def _broken_call(seen: Seen) -> bool:
    """It says so itself; that we could not reach it, which a crash at http level without a traceback may be, says
    nothing of that."""
    own = seen.crash if seen.place or seen.key.layer != "http" else ""
    return not seen.asked and _CONNECTION.search(f"{own}\n{seen.words}") is not None


def _alone(seen: Seen, *statuses: int) -> bool:
    """The adapter answered with one of these, and asked nobody."""
    return not seen.asked and seen.answer is not None and seen.answer.status in statuses


def _refused_alone(seen: Seen) -> bool:
    return _alone(seen, 400, 413, 415, 422, 501)


def _html(seen: Seen) -> bool:
    answer = seen.answer
    if answer is None or seen.asked:
        return False
    return "html" in header(answer.headers, "content-type") or answer.text.lstrip()[:1] == "<"


def _no_model(seen: Seen) -> bool:
    """In its own words, or by naming the model in what it refuses."""
    if not _alone(seen, 400, 404, 422, 500):
        return False
    named = bool(seen.model) and seen.model in seen.words and not _alone(seen, 500)
    return named or _NO_MODEL.search(seen.words) is not None


def _unmodelled(seen: Seen) -> bool:
    return any(miss.startswith(UNMODELLED) for miss in seen.misses)


def _other_dialect(seen: Seen) -> bool:
    return bool(dialects(seen.misses) - {seen.key.upstream})


def _hangs(seen: Seen) -> bool:
    return bool(re.search(r"no answer within [\d.]+ s", seen.crash))


def _turned_bad(seen: Seen) -> bool:
    """The provider answered, and the client got an error."""
    return bool(seen.asked) and not seen.misses and seen.answer is not None and seen.answer.status >= 400


SYMPTOMS: Final[tuple[Symptom, ...]] = (
    Symptom(
        "control",
        "harness",
        lambda seen: seen.key.path == "native",
        "the native path fails, so nothing is known of the adapter: {message}",
        "bridgecheck run --scenario '{key}', and bridgecheck doctor",
        ends="all",
    ),
    Symptom(
        "not-ready",
        "configuration",
        _not_ready,
        "{what}",
        "{next}",
        # What could not be started once is not started again, so the other cases cost no time.
    ),
    Symptom("harness", "harness", _harness, "bridgecheck itself failed here: {message}", "bridgecheck doctor"),
    Symptom(
        "waits-elsewhere",
        "configuration",
        lambda seen: _hangs(seen) and not seen.asked and seen.key.layer != "wire",
        "no answer in time, and {upstream_url} was never called: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}; or see where it waits: {case}",
        ends="route",
    ),
    Symptom(
        "hangs",
        "adapter",
        _hangs,
        "the adapter gives no answer in time",
        "see where it stood, above all whether it waits for a lock, a retry or another network: {case}",
        ends="route",
    ),
    Symptom(
        "no-http",
        "configuration",
        lambda seen: not seen.asked and "no HTTP" in seen.crash,
        "what listens at the adapter's address speaks no HTTP",
        "set target to the port of its API",
        ends="all",
    ),
    Symptom(
        "provider-not-reached",
        "configuration",
        _broken_call,
        "the adapter could not reach its provider, and never called {upstream_url}: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}",
    ),
    Symptom(
        "html",
        "configuration",
        _html,
        "the adapter answered with a web page: this is not the address of its API",
        "set base_path in " + CLIENT + ", or another port",
    ),
    Symptom(
        "key",
        "configuration",
        lambda seen: _alone(seen, 401, 403),
        "the client's key is refused ({status}), and {upstream_url} was never called",
        "switch the adapter's own keys off or send the right one, headers in "
        + CLIENT
        + "; or its base URL is not set, and the real provider refuses",
    ),
    Symptom(
        "model",
        "configuration",
        _no_model,
        "the adapter does not know the model it is asked for",
        "write it as the adapter spells it: model in " + CLIENT,
    ),
    Symptom(
        "path",
        "configuration",
        lambda seen: _alone(seen, 404, 405),
        "the adapter has nothing at {client_path}",
        "set base_path in " + CLIENT + ": what stands before {client_path}",
    ),
    Symptom(
        "request",
        "configuration",
        lambda seen: not seen.capabilities and _refused_alone(seen),
        "the adapter refuses a plain {client} request ({status}) before it asks its provider",
        "set up what it misses by its own words; then again: bridgecheck smoke {target}",
    ),
    Symptom(
        "refuses",
        "adapter",
        lambda seen: bool(seen.refused) or _refused_alone(seen),
        "the adapter refuses this: {refused}",
        "answer it, or take {promised}",
    ),
    Symptom(
        "not-asked",
        "configuration",
        _unasked,
        "the adapter never called {upstream_url}: is its base URL set?",
        "set the base URL of its {upstream} provider to {upstream_url}, and switch caches off",
    ),
    Symptom("crash", "adapter", lambda seen: bool(seen.crash), "the adapter failed: {raised}", "{case}"),
    Symptom(
        "endpoint",
        "configuration",
        _unmodelled,
        "the adapter asked its provider at {asked}, an endpoint that bridgecheck does not play",
        "point it at {upstream_path}: switch the Responses API, Vertex AI or the like off",
    ),
    Symptom(
        "dialect",
        "configuration",
        _other_dialect,
        "the adapter asked its provider at {asked}, which is {asked_dialect}; the route says {upstream}",
        "map the model to its {upstream} provider, or correct routes",
    ),
    Symptom(
        "error",
        "adapter",
        _turned_bad,
        "the provider answered, and the adapter made an error of it",
        "{case}",
    ),
    Symptom(
        "meaning",
        "adapter",
        lambda seen: seen.result.status == "FAIL",
        "wrong meaning: {check}: {message}",
        "{case}",
    ),
)
