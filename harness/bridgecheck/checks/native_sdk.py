"""sdk.agrees and sdk.native_equals_bridged: the official SDK's reading of a response, compared with the judge's and
with what the client of the bridge received."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import BREAKS, RESPONSE
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.choices import check_usage, compare_finishes
from bridgecheck.checks.errors import check_error
from bridgecheck.checks.request_and_response_pairs import is_turn_answered
from bridgecheck.checks.text import check_text
from bridgecheck.checks.tool_calls import check_tool_calls
from bridgecheck.compare.classes import EXPECTED_FINISHES
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.verdict import Difference

_CHANNEL_CHECKS: Final[tuple[Callable[[Evidence], Iterable[Result]], ...]] = (
    check_text, check_tool_calls, compare_finishes, check_usage, check_error,
)  # fmt: skip
"""What the native path and the bridge are compared on: functions of checks that are MUST."""


def check_sdk_reads_provider_as_judge(evidence: Evidence) -> Iterator[Result]:
    """The provider's own SDK reads its response as our normaliser does. If not, the judge is wrong. Where the
    adapter made an unrecorded call, it received another response than the SDK: there is nothing to compare."""
    if evidence.transcript.misses:
        return
    for turn, native in enumerate(evidence.native_outcomes or ()):
        call = evidence.answering_call_index(turn)
        if not _has_sdk_read_response_of_call(evidence, call):
            continue
        rows = _find_disagreements(evidence.upstream_outcomes[call], native)
        message = "the official SDK and the judge's normaliser read the same answer differently"
        yield Result(rows, "ERROR", message=message, turn=turn) if rows else Result(turn=turn)


AGREES: Final = Check(
    "sdk.agrees", "sdk", "MUST", BREAKS, "The official SDK reads the response as the judge does.",
    check_sdk_reads_provider_as_judge, "sdk", ("client.wire_shape", "stream.blocks", "stream.terminates_once"),
    rules=(Rule("judge.sdk", "MUST", "The official SDK reads a response as the judge does.", BREAKS),),
)  # fmt: skip


def check_native_equals_bridged(evidence: Evidence) -> Iterator[Result]:
    """With the flag on the client learns what it learns with the flag off."""
    if evidence.native_outcomes is None or evidence.key.path != "bridged":
        return
    if not all(is_turn_answered(evidence, turn) for turn in range(len(evidence.transcript.client))):
        return
    native = replace(evidence, upstream_outcomes=_outcomes_with_sdk_readings(evidence, evidence.native_outcomes))
    rows: list[Difference] = []
    for check in _CHANNEL_CHECKS:
        if not any(map(_is_failure, check(evidence))):
            rows += (row for result in check(native) if _is_failure(result) for row in result.differences)
    yield Result(rows)


NATIVE_EQUALS_BRIDGED: Final = Check(
    "sdk.native_equals_bridged", "sdk", "MUST", BREAKS, "With the flag on the client learns what it learns with the "
    "flag off.", check_native_equals_bridged, "sdk", (*RESPONSE, "sdk.agrees"),
    rules=(Rule("flag.same", "MUST", "With the flag on the client learns what it learns with the flag off.", BREAKS),),
)  # fmt: skip


def _is_failure(result: Result) -> bool:
    return result.status_at("MUST") == "FAIL"


def _outcomes_with_sdk_readings(evidence: Evidence, sdk_outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return the provider's responses, as its own SDK read them where it read the same ones."""
    outcomes = list(evidence.upstream_outcomes)
    for turn, outcome in enumerate(sdk_outcomes):
        call = evidence.answering_call_index(turn)
        if _has_sdk_read_response_of_call(evidence, call):
            outcomes[call] = _with_words_of_provider(outcome, outcomes[call])
    return tuple(outcomes)


def _with_words_of_provider(sdk: Outcome, judge: Outcome) -> Outcome:
    """Return what the SDK read, with the provider's words of an error: where it wrote none, or no object, each client
    words them as it likes."""
    if sdk.error is None or judge.error is None:
        return sdk
    return replace(sdk, error=replace(sdk.error, message=judge.error.message))


def _has_sdk_read_response_of_call(evidence: Evidence, call: int) -> bool:
    """Return whether the SDK read the very response of this call: the adapter may have called in the other mode."""
    upstream = evidence.transcript.upstream
    in_both = 0 <= call < min(len(evidence.upstream_outcomes), len(upstream))
    return in_both and upstream[call].response.mode == evidence.key.mode


def _find_disagreements(judge: Outcome, sdk: Outcome) -> list[Difference]:
    """Return what the judge and the SDK read differently in one response."""
    if judge.error is not None or sdk.error is not None:
        return _find_error_that_only_one_sees(judge, sdk)
    expected, actual = judge.first, sdk.first
    rows = [
        *differences(expected.joined_text, actual.joined_text, "text"),
        *differences(_names_and_arguments(expected), _names_and_arguments(actual), "tool_calls"),
        *differences("".join(expected.reasoning), "".join(actual.reasoning), "reasoning"),
        *differences(len(judge.choices), len(sdk.choices), "choices"),
    ]
    finishes = expected.finish.kind, actual.finish.kind
    if finishes[0] != finishes[1] and finishes[1] not in EXPECTED_FINISHES[finishes[0]]:
        rows.append(Difference("finish", *finishes))
    for name in ("prompt", "completion", "total", "cached", "reasoning"):
        counts = getattr(judge.usage, name, None), getattr(sdk.usage, name, None)
        if None not in counts and counts[0] != counts[1]:
            rows.append(Difference(f"usage.{name}", str(counts[0]), str(counts[1])))
    return rows


def _find_error_that_only_one_sees(judge: Outcome, sdk: Outcome) -> list[Difference]:
    """Compare errors: SDKs raise where a response is an error or breaks off; they may also end without an error."""
    failed = judge.error is not None or any(choice.finish.kind in ("incomplete", "error") for choice in judge.choices)
    if sdk.error is not None and not failed and judge.choices:
        return [Difference("error", "(absent)", canonical(sdk.error.message))]
    if sdk.error is None and judge.error is not None and any(choice.finish.kind == "stop" for choice in sdk.choices):
        return [Difference("error", judge.error.kind, "a clean end")]
    return []


def _names_and_arguments(choice: Choice) -> list[list[object]]:
    return [[call.name, call.args] for call in choice.tool_calls]
