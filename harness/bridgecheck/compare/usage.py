"""Usage: only figures that the provider gave and the client's dialect can say are compared.

Each judgement is a named rule: 0 equals absent for detail figures only; Gemini's tool-use prompt may stand inside or
outside the prompt if the total is kept; the total may be the provider's own or the sum; where the provider's figures
fall during a stream, the last or the highest is right (the sum of chunks never is).
Recorded: api.x.ai counts reasoning outside completion and names more cached tokens than its prompt has
(ruby_llm/0015); Gemini 2.0's prompt count falls in the last chunk.
"""

from collections.abc import Collection, Iterable
from typing import Final

from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import Usage
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect

MAIN: Final = ("prompt", "completion", "total")
DETAIL: Final = ("cached", "cache_write", "reasoning", "tool_prompt")


def usage_differences(
    said: Usage,
    got: Usage | None,
    dialects: Iterable[Dialect],
    highest: Usage | None = None,
    unsaid: Collection[str] = (),
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    """Differences and the names of the rules used. ``highest``: per field the highest figure seen in the provider's
    stream, if it differs from the last. ``unsaid``: figures (``usage.cached``) that the client has no place for."""
    ends = tuple(dialects)
    rules: list[str] = []
    rows: list[Difference] = []
    for name in (*MAIN, *DETAIL):
        value: int | None = getattr(said, name)
        feature = f"usage.{name}"
        if feature in unsaid or not response_can_express(feature, ends[-1:] if value is None else ends):
            continue
        found: int | None = getattr(got, name) if got is not None else None
        if value is None:
            rows += _added_up(said, name, found)
            continue
        right = _right(said, name, value, highest)
        rule = right.get(found)
        if rule is None:
            shown = "(absent)" if found is None else str(found)
            rows.append(Difference(f"usage.{name}", " or ".join(_shown(right)), shown))
        elif rule:
            rules.append(rule)
    return tuple(rows), tuple(rules)


def _added_up(said: Usage, name: str, found: int | None) -> list[Difference]:
    """A total that the provider did not give, if the client got one: it is the sum of what the provider gave."""
    whole = _sum(said)
    if name != "total" or found is None or whole is None or found == whole:
        return []
    return [Difference("usage.total", str(whole), str(found), "not the sum of what the provider gave")]


def _right(said: Usage, name: str, value: int, highest: Usage | None) -> dict[int | None, str]:
    """Right figures for a field -> the rule that makes each right, "" for the plain one. None: the figure may be
    absent."""
    right: dict[int | None, str] = {value: ""}
    if name in DETAIL and value == 0:
        right[None] = "usage.zero_detail"
    if name in MAIN and value == 0:
        right[None] = "usage.zero"
    if name == "prompt" and said.tool_prompt:
        right.setdefault(value + said.tool_prompt, "usage.tool_prompt_inside")
    if said.cached is not None and said.prompt is not None and said.cached > said.prompt:
        beside = {"prompt": (said.cached, said.prompt + said.cached), "cached": (said.prompt,)}
        right |= {count: "usage.cached_outside" for count in beside.get(name, ()) if count not in right}
    if name == "total":
        right.setdefault(_sum(said), "usage.total_as_sum")
    if name == "completion" and said.reasoning is not None and said.reasoning > value:
        right.setdefault(value + said.reasoning, "usage.reasoning_outside")
    if name == "reasoning" and said.completion is not None and value > said.completion:
        right.setdefault(said.completion, "usage.reasoning_outside")
    top: int | None = getattr(highest, name) if highest is not None else None
    if top is not None:
        right.setdefault(top, "usage.highest")
    return right


def _sum(said: Usage) -> int | None:
    """prompt + completion + tool prompt; the given total where one of the first two is missing."""
    if said.prompt is None or said.completion is None:
        return said.total
    return said.prompt + said.completion + (said.tool_prompt or 0)


def _shown(right: dict[int | None, str]) -> list[str]:
    return ["(absent)" if value is None else str(value) for value in right]
