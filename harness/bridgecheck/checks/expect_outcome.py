"""expect.outcome: what the scenario expects the client to receive."""

from collections.abc import Callable
from typing import Final

from bridgecheck.checks.bases import OWN, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import case_ends, is_turn_answered, last_turn, response_pairs
from bridgecheck.compare.classes import ERROR_KINDS, SUCCESS, right_statuses
from bridgecheck.compare.diff import differences
from bridgecheck.compare.usage import NO_COUNT
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import finish_without_place, response_can_express
from bridgecheck.model.jsonvalue import arr, integer, obj
from bridgecheck.model.outcome import Choice, ErrorInfo, FinishClass, Outcome
from bridgecheck.model.verdict import Difference, Level
from bridgecheck.wire import JsonObject


def check_expected_outcome(evidence: Evidence) -> list[Result]:
    """Everything that the scenario expects of the response is so."""
    scenario = evidence.scenario
    if scenario is None or not scenario.expect.outcome or evidence.transcript.misses:
        return []
    turn = integer(scenario.expect.outcome.get("turn"))
    at = last_turn(evidence) if turn is None else turn
    if (evidence.transcript.unanswered or evidence.transcript.stopped) and not is_turn_answered(evidence, at):
        return []
    if not 0 <= at < len(evidence.client_outcomes):
        rows = [Difference(f"turn {at}", "an answer", "(absent)")]
    else:
        rows = _compare_outcome(evidence, evidence.client_outcomes[at], scenario.expect.outcome)
    weak = [row for row in rows if _is_at_most_should(evidence, at, row)]
    results = [Result([row for row in rows if row not in weak], level=scenario.level, turn=max(at, 0))]
    if weak:
        results.append(Result(weak, level=max(scenario.level, "SHOULD", key=_LEVELS.index), turn=max(at, 0)))
    return results


def _is_at_most_should(evidence: Evidence, turn: int, row: Difference) -> bool:
    """Return whether what differs is nowhere more than a SHOULD: the text of lost reasoning (response.reasoning says
    why), thoughts counted apart (response.usage), and all of an answer in whose place a library may raise
    (response.error)."""
    if row.path == "reasoning" and row.actual in ('""', "(absent)"):
        return True
    pair = next((pair for pair in response_pairs(evidence) if pair.turn == turn), None)
    if pair is None:
        return False
    return pair.raises_named_stop or (row.path == "usage.completion" and pair.counts_thoughts_beside_completion)


_LEVELS: Final[tuple[Level, ...]] = ("MUST", "SHOULD", "MAY")

EXPECT_OUTCOME: Final = Check(
    "expect.outcome", "expectations", "MUST", OWN, "The response is what the scenario expects.", check_expected_outcome,
    "expectation", RESPONSE,
    rules=(Rule("scenario.answer", "MUST", "The response is what the scenario expects.", OWN),),
)  # fmt: skip


def _compare_outcome(evidence: Evidence, actual: Outcome, expectations: JsonObject) -> list[Difference]:
    rows: list[Difference] = []
    for key, expected in expectations.items():
        if key == "turn" or (key in _FEATURES and not _own_types_can_express(evidence, _FEATURES[key])):
            continue
        if key == "reasoning" and not actual.first.reasoning and _may_omit_reasoning(evidence, actual):
            continue
        if key == "usage":
            rows += _compare_usage(evidence, actual, obj(expected))
        elif key == "error":
            rows += _compare_error_but_message(evidence, actual.error, obj(expected))
        elif key in _COMPARERS:
            rows += _COMPARERS[key](evidence, actual.first, expected)
        else:
            expected = _join_segments(evidence, expected) if key == "text" else expected
            rows += differences(expected, _READERS[key](actual, actual.first, expected), key)
    return rows


def _may_omit_reasoning(evidence: Evidence, actual: Outcome) -> bool:
    return any(pair.actual is actual and pair.lets_reasoning_be_omitted for pair in response_pairs(evidence))


def _own_types_can_express(evidence: Evidence, feature: str) -> bool:
    """Return whether a library with types of its own, and what the response goes through, has a place for this feature.
    Of clients of a wire format a scenario expects nothing that their dialect cannot express."""
    return evidence.key.client != "outcome" or case_ends(evidence, "response").can_express(feature)


def _join_segments(evidence: Evidence, expected: object) -> object:
    """Return segments as one text where the client's types cannot separate them."""
    if not isinstance(expected, list) or _own_types_can_express(evidence, "text.segments"):
        return expected
    return "".join(map(str, expected))


def _compare_usage(evidence: Evidence, actual: Outcome, expected: JsonObject) -> list[Difference]:
    """Compare counts without those that a dialect on the route cannot express."""
    dialects = [evidence.key.upstream, evidence.key.client, *([evidence.pivot] if evidence.pivot else [])]
    rows: list[Difference] = []
    for name, count in expected.items():
        path = f"usage.{name}"
        received = getattr(actual.usage, name, None)
        has_place = response_can_express(path, dialects) and path not in evidence.inexpressible
        if has_place and count != received and (count != 0 or received is not None):
            rows.append(Difference(path, str(count), NO_COUNT if received is None else str(received)))
    return rows


def _compare_error_but_message(evidence: Evidence, actual: ErrorInfo | None, expected: JsonObject) -> list[Difference]:
    """Compare an error. kind: one or a list; status: one, a list, or any right remap; retry_after: seconds or true."""
    if actual is None:
        return [Difference("error", "an error", "(absent)")]
    rows: list[Difference] = []
    kinds = arr(expected.get("kind")) or [expected["kind"]] if "kind" in expected else []
    # An error without a class is right where response.error takes it for one.
    stands_for = [kind for kind, right in ERROR_KINDS.items() if actual.kind == "unknown" and "unknown" in right]
    if kinds and actual.kind not in kinds and not any(kind in stands_for for kind in kinds):
        rows.append(Difference("error.kind", " or ".join(map(str, kinds)), actual.kind))
    status = expected.get("status")
    is_event = evidence.key.mode == "stream" and evidence.key.client != "outcome" and actual.status is None
    if status is not None and not is_event and not _is_right_status(status, actual.status):
        rows += differences(status, actual.status, "error.status")
    hint = expected.get("retry_after")
    if hint is not None and _own_types_can_express(evidence, "error.retry_after"):
        wrong = actual.retry_after is None if hint is True else actual.retry_after != hint
        rows += differences(hint, actual.retry_after, "error.retry_after") if wrong else ()
    return rows


def _is_right_status(expected: object, actual: int | None) -> bool:
    if isinstance(expected, list):
        return actual in expected
    number = integer(expected)
    return actual == number or (number is not None and actual is not None and actual in right_statuses(number))


def _class_by_native_word(evidence: Evidence, actual: Choice) -> FinishClass:
    pairs = ((pair, *choices) for pair in response_pairs(evidence) for choices in pair.choice_pairs)
    found = (pair.class_by_native_word(sent, received) for pair, sent, received in pairs if received is actual)
    return next(found, actual.finish.kind)


def _compare_finish(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    """Compare finish classes. A Gemini client has no finish reason for ``tool_calls``, and a library's caller reads
    the calls: there STOP beside a call is equal to it."""
    kinds = arr(expected) or [expected]
    kind, client = _class_by_native_word(evidence, actual), evidence.key.client
    lacks_reason = not response_can_express("finish.tool_calls", [client]) or client == "outcome"
    if kind in kinds or (lacks_reason and actual.tool_calls and kind == "stop" and "tool_calls" in kinds):
        return []
    if client == "outcome" and any(call.bad_args is not None for call in actual.tool_calls):
        return []  # what the wire formats that the scenario states cannot pass on, and so have to call a failure
    if evidence.client_outcomes[-1].error is not None and kind == "incomplete" and "error" in kinds:
        return []
    if client == "outcome" and kind == "incomplete" and not actual.finish.native and SUCCESS.issuperset(kinds):
        return []  # response.finish warns of a library that tells nothing of an end that was a success
    if (
        finish_without_place(evidence.key.mode, evidence.inexpressible)
        and kind == "incomplete"
        and not actual.finish.native
    ):
        return []
    return [Difference("finish", " or ".join(map(str, kinds)), f"{kind} ({actual.finish.native or 'none'})")]


def _compare_excluded_finish(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    kinds = arr(expected) or [expected]
    if evidence.client_outcomes[-1].error is not None or actual.finish.kind not in kinds:
        return []
    return [Difference("finish", f"not {' nor '.join(map(str, kinds))}", actual.finish.kind)]


def _compare_native_finish(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    """Compare only where the client uses the provider's dialect: in another the finish reason has another name."""
    if evidence.key.client != evidence.key.upstream or evidence.pivot not in (None, evidence.key.client):
        return []
    return list(differences(expected, actual.finish.native, "native_finish"))


def _compare_refusal(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    """Compare refusals. Where the client's dialect has none, the text has to hold it."""
    if response_can_express("refusal", [evidence.key.client]) and _own_types_can_express(evidence, "refusal"):
        return list(differences(expected, actual.refusal, "refusal"))
    if "refusal" in evidence.inexpressible and not actual.joined_text:
        return []  # response.refusal warns of it
    found = isinstance(expected, str) and expected in actual.joined_text
    return [] if found else [Difference("text", f"containing {expected}", actual.joined_text[:200])]


def _compare_signatures(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    """Compare [[part, value], ...] of texts, and ``call:N``, where the client uses Gemini."""
    if evidence.key.client != "gemini":
        return []
    calls = [[f"call:{at}", call.signature] for at, call in enumerate(actual.tool_calls) if call.signature]
    received = [*([part, value] for part, value in actual.signatures), *calls]
    missing = [pair for pair in arr(expected) if pair not in received]
    return [row for pair in missing for row in differences(pair, received, "signatures")]


def _compare_code(evidence: Evidence, actual: Choice, expected: object) -> list[Difference]:
    """Compare code as such where the client uses Gemini, and in the text elsewhere."""
    if "code" in evidence.inexpressible:
        return []
    if actual.code or evidence.key.client == "gemini":
        return list(differences(expected, [list(item) for item in actual.code], "code"))
    bodies = [str(arr(item)[-1]) for item in arr(expected) if arr(item)]
    text = actual.joined_text
    return [Difference("text", f"containing {body}", text[:200]) for body in bodies if body not in text]


_COMPARERS: Final[dict[str, Callable[[Evidence, Choice, object], list[Difference]]]] = {
    "finish": _compare_finish, "finish_in": _compare_finish, "finish_not": _compare_excluded_finish,
    "native_finish": _compare_native_finish, "refusal": _compare_refusal, "signatures": _compare_signatures,
    "code": _compare_code,
}  # fmt: skip

_FEATURES: Final[dict[str, str]] = {"reasoning": "reasoning", "media": "media", "choices": "choices"}
"""Key of an expectation -> the feature of ``model/express`` that it is about."""

_READERS: Final[dict[str, Callable[[Outcome, Choice, object], object]]] = {
    "text": lambda _, choice, expected: list(choice.text) if isinstance(expected, list) else choice.joined_text,
    "reasoning": lambda _, choice, expected:
        list(choice.reasoning) if isinstance(expected, list) else "".join(choice.reasoning),
    "tool_calls": lambda _, choice, __: [[call.name, call.args] for call in choice.tool_calls],
    "ids_unique": lambda _, choice, __: _are_nonempty_ids_unique([call.id for call in choice.tool_calls]),
    "choices": lambda outcome, _, __: len(outcome.choices),
    "media": lambda _, choice, __: [[item.mime, item.sha256 or item.uri] for item in choice.media],
}  # fmt: skip
"""Key of an expectation -> reader of the actual value, in the form of the expected one."""


def _are_nonempty_ids_unique(ids: list[str]) -> bool:
    """Return whether all ids differ; empty ids do not count (Gemini may leave them out)."""
    filled = [id_ for id_ in ids if id_]
    return len(set(filled)) == len(filled)
