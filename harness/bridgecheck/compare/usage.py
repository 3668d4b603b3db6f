"""Usage: only counts that the provider gave and the client's dialect can express are compared.

Each judgement is a named rule: 0 equals absent for detail counts only; Gemini's tool-use prompt may stand inside or
outside the prompt if the total is kept; the total may be the provider's own or the sum; where the provider's counts
fall during a stream, the last or the highest is right (the sum of chunks never is).
Recorded: api.x.ai counts reasoning outside completion and names more cached tokens than its prompt has
(ruby_llm/0015); Gemini 2.0's prompt count falls in the last chunk."""

from collections.abc import Collection, Iterable
from typing import Final

from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import Usage
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect

MAIN: Final = ("prompt", "completion", "total")
DETAIL: Final = ("cached", "cache_write", "reasoning", "tool_prompt")
NO_COUNT: Final = "(absent)"


def usage_differences(
    expected: Usage,
    actual: Usage | None,
    dialects: Iterable[Dialect],
    highest: Usage | None = None,
    inexpressible: Collection[str] = (),
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Return the differences and the names of the rules used. ``dialects``: on the route, the client's last.
    ``highest``: per field the highest count in the provider's stream, if it differs from the last. ``inexpressible``:
    counts (``usage.cached``) that the client has no place for."""
    route = tuple(dialects)
    rules: list[str] = []
    rows: list[Difference] = []
    for name in (*MAIN, *DETAIL):
        value: int | None = getattr(expected, name)
        feature = f"usage.{name}"
        if feature in inexpressible or not response_can_express(feature, route[-1:] if value is None else route):
            continue
        found: int | None = getattr(actual, name) if actual is not None else None
        if value is None:
            rows += _compare_invented_total(expected, name, found)
            continue
        right = _right_counts(expected, name, value, highest)
        rule = right.get(found)
        if rule is None:
            rows.append(Difference(f"usage.{name}", " or ".join(map(_show_count, right)), _show_count(found)))
        elif rule:
            rules.append(rule)
    return tuple(rows), tuple(rules)


def _compare_invented_total(expected: Usage, name: str, actual: int | None) -> list[Difference]:
    """Compare a total that the provider did not give with the sum of what it gave."""
    total = _sum_counts_or_total(expected)
    if name != "total" or actual is None or total is None or actual == total:
        return []
    return [Difference("usage.total", str(total), str(actual), "not the sum of what the provider gave")]


def _right_counts(expected: Usage, name: str, value: int, highest: Usage | None) -> dict[int | None, str]:
    """Return right count -> the rule that makes it right, "" for the provider's own. None: it may be absent."""
    right: dict[int | None, str] = {value: ""}
    if name in DETAIL and value == 0:
        right[None] = "usage.zero_detail"
    if name in MAIN and value == 0:
        right[None] = "usage.zero"
    if name == "prompt" and expected.tool_prompt:
        right.setdefault(value + expected.tool_prompt, "usage.tool_prompt_inside")
    if expected.cached is not None and expected.prompt is not None and expected.cached > expected.prompt:
        outside = {"prompt": (expected.cached, expected.prompt + expected.cached), "cached": (expected.prompt,)}
        right |= {count: "usage.cached_outside" for count in outside.get(name, ()) if count not in right}
    if name == "total":
        right.setdefault(_sum_counts_or_total(expected), "usage.total_as_sum")
    if name == "completion" and expected.reasoning is not None and expected.reasoning > value:
        right.setdefault(value + expected.reasoning, "usage.reasoning_outside")
    if name == "reasoning" and expected.completion is not None and value > expected.completion:
        right.setdefault(expected.completion, "usage.reasoning_outside")
    top: int | None = getattr(highest, name) if highest is not None else None
    if top is not None:
        right.setdefault(top, "usage.highest")
    return right


def _sum_counts_or_total(usage: Usage) -> int | None:
    """Return prompt + completion + tool prompt; the total where one of the first two is missing."""
    if usage.prompt is None or usage.completion is None:
        return usage.total
    return usage.prompt + usage.completion + (usage.tool_prompt or 0)


def _show_count(count: int | None) -> str:
    return NO_COUNT if count is None else str(count)
