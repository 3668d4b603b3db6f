"""expect.outcome: what the scenario says the client has to understand."""

from collections.abc import Callable
from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import case_ends, is_blocked
from bridgecheck.compare.classes import right_statuses
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import response_can_express
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject

Reader = Callable[[Outcome, Choice, object], object]
"""(outcome, choice, expected) -> what was got, in the form of the expectation."""


def outcome(evidence: Evidence) -> list[Verdict]:
    """Everything that the scenario expects of the answer is so."""
    scenario = evidence.scenario
    if scenario is None or not scenario.expect.outcome or is_blocked(evidence):
        return []
    turn = integer(scenario.expect.outcome.get("turn"))
    at = len(evidence.client_outcomes) - 1 if turn is None else turn
    if not 0 <= at < len(evidence.client_outcomes):
        rows = [Difference(f"turn {at}", "an answer", "(absent)")]
    else:
        rows = _judge(evidence, evidence.client_outcomes[at], scenario.expect.outcome)
    return [result("expect.outcome", rows, level=scenario.level, turn=max(at, 0))]


def _judge(evidence: Evidence, got: Outcome, expected: JsonObject) -> list[Difference]:
    rows: list[Difference] = []
    for key, wanted in expected.items():
        if key == "turn":
            continue
        if key == "usage":
            rows += _usage(evidence, got, obj(wanted))
        elif key == "error":
            rows += _error(evidence, got, obj(wanted))
        elif key in FEATURES and not _sayable(evidence, FEATURES[key]):
            continue
        elif key in SPECIAL:
            rows += SPECIAL[key](evidence, got.first, wanted)
        else:
            wanted = _joined(evidence, wanted) if key == "text" else wanted
            rows += differences(wanted, READERS[key](got, got.first, wanted), key)
    return rows


def _sayable(evidence: Evidence, feature: str) -> bool:
    """Whether a library with types of its own has a place for this, and what it goes through too. Of clients of a wire
    format a scenario expects nothing that their dialect cannot say."""
    return evidence.key.client != "outcome" or case_ends(evidence, "response").can_express(feature)


def _joined(evidence: Evidence, wanted: object) -> object:
    """Segments as one text where they cannot be told apart."""
    apart = not isinstance(wanted, list) or _sayable(evidence, "text.segments")
    return wanted if apart else "".join(map(str, arr(wanted)))


def _usage(evidence: Evidence, got: Outcome, wanted: JsonObject) -> list[Difference]:
    """Figures that somebody on the way cannot say are passed over."""
    ends = [evidence.key.upstream, evidence.key.client, *([evidence.pivot] if evidence.pivot else [])]
    rows: list[Difference] = []
    for name, value in wanted.items():
        if not response_can_express(f"usage.{name}", ends) or f"usage.{name}" in evidence.inexpressible:
            continue
        found = getattr(got.usage, name, None)
        nothing = value == 0 and found is None
        rows += [] if nothing else differences(value, found, f"usage.{name}")
    return rows


def _error(evidence: Evidence, got: Outcome, wanted: JsonObject) -> list[Difference]:
    """kind: one or a list; status: one, a list, or any right remap; retry_after: seconds, or true for any hint."""
    if got.error is None:
        return [Difference("error", "an error", "(absent)")]
    rows: list[Difference] = []
    kinds = wanted.get("kind")
    if kinds is not None and got.error.kind not in (arr(kinds) or [kinds]):
        rows += differences(kinds, got.error.kind, "error.kind")
    status = wanted.get("status")
    if status is not None and not _status(status, got.error.status):
        rows += differences(status, got.error.status, "error.status")
    hint = wanted.get("retry_after")
    found = got.error.retry_after
    if (
        hint is not None
        and _sayable(evidence, "error.retry_after")
        and (found is None if hint is True else found != hint)
    ):
        rows += differences(hint, found, "error.retry_after")
    return rows


def _status(wanted: object, got: int | None) -> bool:
    if isinstance(wanted, list):
        return got in wanted
    number = integer(wanted)
    return got == number or (number is not None and got is not None and got in right_statuses(number))


def _finish(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    """A Gemini client cannot be told ``tool_calls``, and a library's caller sees the calls: there STOP beside a call is
    the same."""
    kinds = arr(wanted) or [wanted]
    stop_is_right = evidence.key.client in ("gemini", "outcome") and got.tool_calls and got.finish.kind == "stop"
    if got.finish.kind in kinds or (stop_is_right and "tool_calls" in kinds):
        return []
    if evidence.key.client == "outcome" and any(call.bad_args is not None for call in got.tool_calls):
        return []  # what the wire formats that the scenario states cannot hand on, and so have to call a failure
    erred = evidence.client_outcomes[-1].error is not None and got.finish.kind == "incomplete"
    if erred and "error" in kinds:
        return []
    return [Difference("finish", " or ".join(map(str, kinds)), f"{got.finish.kind} ({got.finish.native or 'none'})")]


def _finish_not(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    kinds = arr(wanted) or [wanted]
    if evidence.client_outcomes[-1].error is not None or got.finish.kind not in kinds:
        return []
    return [Difference("finish", f"not {' nor '.join(map(str, kinds))}", got.finish.kind)]


def _native(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    """Only where the client speaks the provider's dialect: elsewhere the word is another."""
    if evidence.key.client != evidence.key.upstream or evidence.pivot is not None:
        return []
    return list(differences(wanted, got.finish.native, "native_finish"))


def _refusal(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    """Where the client's dialect has no refusal, the text has to hold it."""
    if response_can_express("refusal", [evidence.key.client]) and _sayable(evidence, "refusal"):
        return list(differences(wanted, got.refusal, "refusal"))
    found = isinstance(wanted, str) and wanted in got.joined_text
    return [] if found else [Difference("text", f"containing {wanted}", got.joined_text[:200])]


def _signatures(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    """[[where, value], ...] of texts, and ``call:N``; judged where the client speaks Gemini."""
    if evidence.key.client != "gemini":
        return []
    calls = [[f"call:{at}", call.signature] for at, call in enumerate(got.tool_calls) if call.signature]
    found = [*([where, value] for where, value in got.signatures), *calls]
    return [row for one in arr(wanted) if one not in found for row in differences(one, found, "signatures")]


def _code(evidence: Evidence, got: Choice, wanted: object) -> list[Difference]:
    """As such where the client speaks Gemini, and in the text elsewhere."""
    if "code" in evidence.inexpressible:
        return []
    if got.code or evidence.key.client == "gemini":
        return list(differences(wanted, [list(item) for item in got.code], "code"))
    bodies = [str(arr(item)[-1]) for item in arr(wanted) if arr(item)]
    return [
        Difference("text", f"containing {one}", got.joined_text[:200]) for one in bodies if one not in got.joined_text
    ]


SPECIAL: Final[dict[str, Callable[[Evidence, Choice, object], list[Difference]]]] = {
    "finish": _finish,
    "finish_in": _finish,
    "finish_not": _finish_not,
    "native_finish": _native,
    "refusal": _refusal,
    "signatures": _signatures,
    "code": _code,
}

FEATURES: Final[dict[str, str]] = {"reasoning": "reasoning", "media": "media", "choices": "choices"}
"""What is expected -> the feature of ``model/express`` that it is about."""

READERS: Final[dict[str, Reader]] = {
    "text": lambda _, choice, wanted: list(choice.text) if isinstance(wanted, list) else choice.joined_text,
    "reasoning": lambda _, choice, wanted: (
        list(choice.reasoning) if isinstance(wanted, list) else "".join(choice.reasoning)
    ),
    "tool_calls": lambda _, choice, __: [[call.name, call.args] for call in choice.tool_calls],
    "ids_unique": lambda _, choice, __: _unique([call.id for call in choice.tool_calls]),
    "choices": lambda outcome, _, __: len(outcome.choices),
    "media": lambda _, choice, __: [[item.mime, item.sha256 or item.uri] for item in choice.media],
}


def _unique(ids: list[str]) -> bool:
    """All different; empty ids do not count (Gemini may leave them out)."""
    given = [one for one in ids if one]
    return len(set(given)) == len(given)
