"""What a live recording prints: its plan before, what came of it and what was spent after. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bridgecheck.live.ledger_file import NAME
from bridgecheck.live.options import LiveOptions
from bridgecheck.live.plan import LiveCase, Plan, plan_by_provider
from bridgecheck.live.player import PlayedCases
from bridgecheck.live.spending import Spending
from bridgecheck.model.counts import plural

INCOMPLETE: Final = 3
"""As of ``record``: something was not recorded."""
_LISTED: Final = 20


def plan_lines(plan: Plan, *, is_long: bool) -> Iterator[str]:
    """Yield the plan. ``is_long``: with every scenario that is not played, else with their number for each reason."""
    scenarios = len({case.scenario.id for case in plan.cases})
    recordings = f"{plural(len(plan.cases), 'recording')} of {plural(scenarios, 'scenario')}"
    yield f"plan: {recordings}, {plural(plan.tries, 'attempt')} each at most"
    heads = f"{'recordings':>10} {'calls':>11} {'tokens at most':>21} {'US$ at most':>12}"
    yield f"{'provider':12} {'model':24} {heads}  price of"
    for row in plan_by_provider(plan):
        calls, tokens = f"{row.calls[0]} to {row.calls[1]}", f"{row.tokens.input:,} + {row.tokens.output:,}"
        cost = "not known" if row.cost is None else f"{row.cost:.4f}"
        yield f"{row.dialect:12} {row.model:24} {row.cases:>10} {calls:>11} {tokens:>21} {cost:>12}  {row.read or '-'}"
    dollars = plan.tries * sum(case.cost_at_most for case in plan.cases)
    yield f"at most US$ {dollars:.4f} in all, if every attempt fails and every answer is as long as it may be"
    for model in plan.unpriced:
        yield f"[no-price] the price of {model} is not known: --price {model}=INPUT,OUTPUT (US$ for a million tokens)"
    if is_long:
        for refused in plan.not_playable:
            yield f"[not-playable] {refused.scenario} ({refused.dialect}): {refused.why}"
    elif plan.not_playable:
        reasons = Counter(refused.why.partition(":")[0] for refused in plan.not_playable)
        for why, number in reasons.most_common():
            yield f"[not-playable] {number} of a scenario and a provider: {why}"


def result_lines(
    plan: Plan, played: PlayedCases, spending: Spending, options: LiveOptions, folder: Path
) -> Iterator[str]:
    """Yield what is done, what is left and why, the command that goes on, and what was spent."""
    states = [(case, played.state_of(case)) for case in plan.cases]
    counts = Counter(state or "left" for _, state in states)
    recorded = counts["recorded"]
    yield f"recorded {recorded} of {plural(len(plan.cases), 'planned recording')}: {folder}"
    for state, word in (("not elicited", "[not-elicited]"), ("refused", "[refused]")):
        found = [case for case, actual in states if actual == state]
        yield from _list_cases(word, found, played)
    for key, why in played.stopped.items():
        yield f"[stopped] {key}: {why}" if key else f"[stopped] {why}"
    yield from (f"[problem] {note}" for note in played.notes)
    left = [case for case, state in states if state in (None, "left", "not shown")]
    if played.is_interrupted:
        yield "[interrupted] before it was done"
    for dialect, spent in spending.by_provider.items():
        yield (
            f"spent at {dialect}: {plural(spent.calls, 'call')}, {spent.input:,} + {spent.output:,} tokens, "
            f"US$ {spent.dollars:.4f}"
        )
    total = spending.total
    in_all = f"{plural(total.calls, 'call')}, {total.tokens:,} tokens, US$ {total.dollars:.4f}"
    yield f"spent: {in_all}; ledger: {folder / NAME}"
    if left:
        yield f"[left] {plural(len(left), 'recording')}, beginning with {left[0].id}; earlier cassettes of these stay"
        yield f"go on: {options.line(resume=True)}"


def exit_code(plan: Plan, played: PlayedCases) -> int:
    """Return 0 where every planned recording was made, else 3."""
    return 0 if all(played.state_of(case) == "recorded" for case in plan.cases) else INCOMPLETE


def _list_cases(word: str, cases: Sequence[LiveCase], played: PlayedCases) -> Iterator[str]:
    for case in cases[:_LISTED]:
        row = next(row for row in reversed(played.rows) if row.case == case.id)
        attempts = sum(row.case == case.id for row in played.rows)
        yield f"{word} {case.id} of {row.model} in {plural(attempts, 'attempt')}: {row.why}"
    if len(cases) > _LISTED:
        yield f"{word} and {len(cases) - _LISTED} more: see the ledger"
