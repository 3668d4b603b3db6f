"""Expectations of a scenario that state what a check says of the same case a maintainer may refuse: WARN there too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from bridgecheck.checks.acceptable import ACCEPTABLE, CALLERS_OWN
from bridgecheck.checks.check import describe_difference
from bridgecheck.model.verdict import Difference, Status, Verdict
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class SameDuty:
    """``check`` and ``rules``: whose WARN lowers; ``expectations``: the checks it lowers, in what differs at
    these ``paths`` of a document of this side; ``client``: only for clients of this dialect, None for all."""

    check: str
    rules: frozenset[str]
    side: Literal["request", "response"]
    expectations: frozenset[str] = frozenset({"expect.wire", "expect.prompt"})
    paths: re.Pattern[str] = re.compile("")
    client: Dialect | None = None


_TEXTS: Final = re.compile(r"(^|[. ])(text|content|parts|response)$")
_USAGE_DETAILS: Final = re.compile(
    r"^usage\.(cached|cache_write|reasoning|tool_prompt)$"
    r"|[ .]usage\w*\.(\w+_details\.\w+|cache\w+|thoughtsTokenCount|toolUsePromptTokenCount)$"
)
_OF_RESPONSE: Final = frozenset({"expect.wire", "expect.outcome"})

SAME_DUTIES: Final = (
    SameDuty("request.thinking", frozenset({"thinking.effort_without", "thinking.effort_ignored"}), "request",
             paths=re.compile("effort|thinking")),
    SameDuty("response.error", frozenset({"error.without_class", "error.of_operator"}), "response", _OF_RESPONSE,
             re.compile(r"\berror\b")),
    SameDuty("response.error", frozenset({"error.named_stop"}), "response", frozenset({"expect.wire"})),
    SameDuty("request.turns", frozenset({"results.error_key"}), "request",
             paths=re.compile("functionResponse|results")),
    SameDuty("request.system", frozenset({"system.marked"}), "request",
             paths=re.compile(r"(^| )(system\w*|turns|messages|contents)\b")),
    SameDuty("request.turns", frozenset({"turns.written_out"}), "request",
             paths=re.compile(r"(^| )(turns|messages|contents)\b")),
    SameDuty("request.turns", frozenset({"turns.seams"}), "request", paths=_TEXTS),
    SameDuty("request.acceptable", frozenset({"anthropic.results_apart"}), "request", frozenset({"expect.wire"}),
             re.compile(r" messages(\[[-\d]*\]\.content\b|$)")),
    SameDuty("response.text", frozenset({"text.seams", "text.withheld", "text.end_of_line"}), "response", _OF_RESPONSE,
             _TEXTS),
    SameDuty("response.usage", frozenset({"usage.breakdown"}), "response", _OF_RESPONSE, _USAGE_DETAILS),
    SameDuty(ACCEPTABLE.id, CALLERS_OWN, "request", client="outcome"),
    SameDuty("request.turns", frozenset({"turns.told"}), "request",
             frozenset({"expect.wire", "expect.prompt", "relay.ids"}), client="outcome"),
    SameDuty("request.turns", frozenset({"turns.library", "turns.text_place"}), "request",
             paths=re.compile(r"\b(turns|messages|contents)\b"), client="outcome"),
)  # fmt: skip


def lower_expectations_of_the_same_duty(client: Dialect, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts of a case with WARN in place of FAIL for what states the same duty as a check which says of
    it that a maintainer may refuse it: most often what its scenario expects. What else a verdict found stays a FAIL."""
    duties = [
        duty
        for duty in SAME_DUTIES
        if duty.client in (None, client)
        and any(
            verdict.check == duty.check and verdict.status == "WARN" and duty.rules.intersection(verdict.rules)
            for verdict in verdicts
        )
    ]
    return tuple(part for verdict in verdicts for part in _lower(verdict, duties))


def _lower(verdict: Verdict, duties: Sequence[SameDuty]) -> tuple[Verdict, ...]:
    own = [duty for duty in duties if verdict.status == "FAIL" and _is_about_side(verdict, duty)]
    lowered = tuple(row for row in verdict.differences if any(duty.paths.search(row.path) for duty in own))
    rest = tuple(row for row in verdict.differences if row not in lowered)
    if not own or (rest and not lowered):
        return (verdict,)
    if not rest:
        return (replace(verdict, status="WARN"),)
    parts: tuple[tuple[tuple[Difference, ...], Status], ...] = ((rest, verdict.status), (lowered, "WARN"))
    return tuple(
        replace(verdict, status=status, differences=rows, message=describe_difference(rows[0]))
        for rows, status in parts
    )


def _is_about_side(verdict: Verdict, duty: SameDuty) -> bool:
    """Return whether a verdict is one of those that this duty lowers, and about its end."""
    if verdict.check == "expect.wire":
        is_of_request = bool(verdict.rules) and verdict.rules[0].startswith("upstream_request")
        if is_of_request != (duty.side == "request"):
            return False
    return verdict.check in duty.expectations
