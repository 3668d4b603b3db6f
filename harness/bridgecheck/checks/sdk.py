"""sdk.agrees and sdk.native_equals_bridged: the official SDK's view beside ours, and beside the bridge's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bridgecheck.checks.calls import tool_calls
from bridgecheck.checks.errors import error
from bridgecheck.checks.finish import finish
from bridgecheck.checks.text import text
from bridgecheck.checks.usage import usage
from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import is_blocked
from bridgecheck.compare.diff import differences
from bridgecheck.compare.finish import RIGHT
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Choice, Outcome
from bridgecheck.model.verdict import Difference, Verdict

CHANNELS: Final[tuple[Callable[[Evidence], list[Verdict]], ...]] = (text, tool_calls, finish, usage, error)
"""What the native path and the bridge are compared on."""


def agrees(evidence: Evidence) -> list[Verdict]:
    """The provider's own SDK reads the provider's answer as our normaliser does. If not, the judge is wrong. Where the
    adapter asked for what is not recorded, it got another answer than the SDK: there is nothing to compare."""
    if evidence.transcript.misses:
        return []
    verdicts: list[Verdict] = []
    for turn, native in enumerate(evidence.native_outcomes or ()):
        call = evidence.upstream_call(turn)
        if not _same_answer(evidence, call):
            continue
        rows = _disagreement(evidence.upstream_outcomes[call], native)
        if rows:
            message = "the official SDK and the judge's normaliser read the same answer differently"
            verdicts.append(verdict("sdk.agrees", "ERROR", rows, message=message, turn=turn))
        else:
            verdicts.append(result("sdk.agrees", turn=turn))
    return verdicts


def native_equals_bridged(evidence: Evidence) -> list[Verdict]:
    """With the flag on the client learns what it learns with the flag off."""
    if evidence.native_outcomes is None or evidence.key.path != "bridged" or is_blocked(evidence):
        return []
    known = {found.check for channel in CHANNELS for found in channel(evidence) if found.status == "FAIL"}
    derived = replace(evidence, upstream_outcomes=_as_native(evidence, evidence.native_outcomes))
    rows: list[Difference] = []
    for channel in CHANNELS:
        for found in channel(derived):
            if found.status == "FAIL" and found.check not in known:
                rows += found.differences
    return [result("sdk.native_equals_bridged", rows)]


def _as_native(evidence: Evidence, native: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """What the provider said, as its own SDK told it."""
    said = list(evidence.upstream_outcomes)
    for turn, outcome in enumerate(native):
        call = evidence.upstream_call(turn)
        if _same_answer(evidence, call):
            said[call] = outcome
    return tuple(said)


def _same_answer(evidence: Evidence, call: int) -> bool:
    """Whether the SDK read the very answer of this call: the adapter may have asked for it in the other mode."""
    seen = evidence.transcript.upstream
    return 0 <= call < min(len(evidence.upstream_outcomes), len(seen)) and seen[call].response.mode == evidence.key.mode


def _disagreement(said: Outcome, native: Outcome) -> list[Difference]:
    if said.error is not None or native.error is not None:
        return _errors(said, native)
    ours, theirs = said.first, native.first
    rows = [
        *differences(ours.joined_text, theirs.joined_text, "text"),
        *differences(_calls(ours), _calls(theirs), "tool_calls"),
        *differences("".join(ours.reasoning), "".join(theirs.reasoning), "reasoning"),
        *differences(len(said.choices), len(native.choices), "choices"),
    ]
    if ours.finish.kind != theirs.finish.kind and theirs.finish.kind not in RIGHT[ours.finish.kind]:
        rows.append(Difference("finish", ours.finish.kind, theirs.finish.kind))
    for name in ("prompt", "completion", "total", "cached", "reasoning"):
        mine, yours = getattr(said.usage, name, None), getattr(native.usage, name, None)
        if mine is not None and yours is not None and mine != yours:
            rows.append(Difference(f"usage.{name}", str(mine), str(yours)))
    return rows


def _errors(said: Outcome, native: Outcome) -> list[Difference]:
    """SDKs raise where an answer is an error or breaks off; they may also end in silence."""
    ended = said.error is not None or any(choice.finish.kind in ("incomplete", "error") for choice in said.choices)
    if native.error is not None and not ended and said.choices:
        return [Difference("error", "(absent)", canonical(native.error.message))]
    if native.error is None and said.error is not None and any(c.finish.kind == "stop" for c in native.choices):
        return [Difference("error", said.error.kind, "a clean end")]
    return []


def _calls(choice: Choice) -> list[list[object]]:
    return [[call.name, call.args] for call in choice.tool_calls]
