"""response.usage: token counts of a response."""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import ANSWERED, CHAT, MEASURED, OPTIONS
from bridgecheck.checks.check import Check, Result, Rule, silent_losses
from bridgecheck.checks.view import ResponseView, complete_response_views
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.compare.usage import DETAIL, MAIN, usage_differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.model.outcome import Usage
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire.facts import RECORDS

_XAI: Final = Basis("recorded", "vercel-ai/0101: api.x.ai counts reasoning outside of completion", MEASURED)
_FALLING: Final = Basis("recorded", "pydantic-ai/0346: a count that falls in the last chunk", MEASURED)


def check_usage(evidence: Evidence) -> Iterator[Result]:
    """Every token count that the provider gave and the client's dialect can express arrives, counted as that dialect
    counts."""
    for view in complete_response_views(evidence):
        result = _judge_usage(view)
        if result is not None:
            yield result
        if view.expected.usage is not None:
            yield from _find_unrequested_usage(view)


USAGE: Final = Check(
    "response.usage", "usage", "MUST", CHAT, "Token counts arrive as the client's dialect counts.", check_usage,
    "response", ANSWERED,
    rules=(
        Rule("usage.counts", "MUST", "Counts arrive as the client counts: with or without the cached tokens.", CHAT),
        Rule("usage.reasoning", "MUST", "Reasoning that a host counts outside of completion is not subtracted again.",
            _XAI),
        Rule("usage.last", "MUST", "Counts in several events are the last or the highest, never their sum.", _FALLING),
        Rule("usage.not_invented", "MUST", "Counts that the provider did not give are not invented.", CHAT),
        Rule("usage.unasked", "MAY", "A Chat stream has a chunk of usage only if the client requested it.", OPTIONS),
    ),
)  # fmt: skip


def _judge_usage(view: ResponseView) -> Result | None:
    """Compare the counts of one turn; None where neither end has any."""
    expected, actual = view.expected.usage, view.actual.usage
    if expected is None:
        invented = actual is not None and any(getattr(actual, name) for name in MAIN)
        row = Difference("usage", "(absent)", shorten(actual), "invented")
        return Result([row], turn=view.turn) if invented else None
    if expected == actual:
        return Result(turn=view.turn)
    if view.ends.same_dialect:
        return Result(differences(expected, actual, "usage"), turn=view.turn)
    if actual is None and _is_usage_unrequested(view):
        return Result(rules=["usage.not_requested"], turn=view.turn)
    highest = _highest_gemini_usage(view.upstream_response)
    rows, rules = usage_differences(expected, actual, view.ends.dialects, highest, view.ends.inexpressible)
    missing = [f"usage.{name}" for name in _find_inexpressible_counts(view, expected, actual)]
    losses, unlisted = view.ends.split_losses(missing)
    return Result((*rows, *silent_losses(unlisted)), rules=rules, losses=losses, turn=view.turn)


def _find_inexpressible_counts(view: ResponseView, expected: Usage, actual: Usage | None) -> list[str]:
    """Return the counts that some dialect on the route cannot express and that did not arrive."""
    return [
        name
        for name in (*MAIN, *DETAIL)
        if getattr(expected, name)
        and not view.ends.can_express(f"usage.{name}")
        and getattr(actual, name, None) is None
    ]


def _is_usage_unrequested(view: ResponseView) -> bool:
    """Return whether the client receives a Chat stream and did not request usage. Unknown requests count as requesting
    it."""
    is_optional = bool(RECORDS[view.ends.target].usage_members)
    if not is_optional or view.client_response.mode != "stream" or view.client_prompt is None:
        return False
    if dict(view.client_prompt.other).get("stream_options.include_usage") == "true":
        return False
    return dict(view.client_prompt.settings).get("include_usage") is not True


def _find_unrequested_usage(view: ResponseView) -> Iterator[Result]:
    """Yield a NOTE for usage that was not requested: gateways that always send it are many, but a strict client may
    not expect the chunk without choices."""
    usage = view.actual.usage
    is_converted = view.ends.origin != view.ends.target
    if usage is not None and is_converted and _is_usage_unrequested(view):
        rows = [Difference("usage", "none without stream_options.include_usage", shorten(usage))]
        yield Result(rows, "NOTE", rules=["usage.unasked"], turn=view.turn)


def _highest_gemini_usage(response: Response) -> Usage | None:
    """Return per field the highest count in a Gemini stream: its prompt count is recorded falling in the last chunk.
    None for any other response."""
    if response.dialect != "gemini" or len(response.documents) < 2:
        return None
    counts = [obj(obj(document).get("usageMetadata")) for document in response.documents]

    def highest(name: str) -> int | None:
        numbers = [number for number in (integer(count.get(name)) for count in counts) if number is not None]
        return max(numbers, default=None)

    candidates, thoughts = highest("candidatesTokenCount"), highest("thoughtsTokenCount")
    completion = None if candidates is None and thoughts is None else (candidates or 0) + (thoughts or 0)
    prompt, total, cached = highest("promptTokenCount"), highest("totalTokenCount"), highest("cachedContentTokenCount")
    return Usage(prompt, completion, total, cached, None, thoughts, None)
