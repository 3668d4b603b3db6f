"""Which requests a live recording sends, at most how many tokens and how much money they take, and what is left out.

Pure. Counts are bounds: a request holds no more tokens than bytes, an answer no more than the request allows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.model.live import FAMILIES, Elicitation, price_of
from bridgecheck.model.live_requests import live_requests, why_not_playable
from bridgecheck.model.scenario import ClientRequest, Scenario
from bridgecheck.wire import Dialect, JsonObject, Mode

UNLIMITED_ANSWER: Final = 8192
"""Tokens that are reckoned for an answer whose request sets no limit."""
TOOL_INSTRUCTIONS: Final = 600
"""Tokens that a provider adds to a request with tools. Anthropic's are at most 530 for the models of the table.
Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing (2026-11-22)."""


class Tokens(NamedTuple):
    """Numbers of tokens, or what they cost: of requests and of answers."""

    input: int
    output: int

    @property
    def total(self) -> int:
        return self.input + self.output


class Price(NamedTuple):
    """US dollars for a million tokens. ``read``: the day the price was read, or "" for one that the user gave."""

    input: float
    output: float
    read: str = ""

    def cost(self, tokens: Tokens) -> float:
        """Return US dollars."""
        return (tokens.input * self.input + tokens.output * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class LiveCase:
    """One conversation with a provider: what becomes one cassette. ``at_most``: the tokens of one attempt; ``price``:
    None where nobody knows it."""

    scenario: Scenario
    dialect: Dialect
    mode: Mode
    requests: tuple[ClientRequest, ...]
    at_most: Tokens
    price: Price | None

    @property
    def id(self) -> str:
        return f"{self.scenario.id}::{self.dialect}.{self.mode}"

    @property
    def elicitation(self) -> Elicitation:
        return self.scenario.live[self.dialect]

    @property
    def model(self) -> str:
        return self.requests[-1].model

    @property
    def cost_at_most(self) -> float:
        """US dollars of one attempt; 0.0 where the price is not known."""
        return self.price.cost(self.at_most) if self.price else 0.0


class NotPlayable(NamedTuple):
    scenario: str
    dialect: Dialect
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """``tries``: how often a case is attempted at most."""

    cases: tuple[LiveCase, ...]
    not_playable: tuple[NotPlayable, ...] = ()
    tries: int = 1
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def unpriced(self) -> list[str]:
        """The models whose price is not known."""
        return sorted({case.model for case in self.cases if case.price is None})


def make_plan(
    scenarios: Sequence[Scenario], dialects: Sequence[Dialect], models: Mapping[Dialect, str] | None = None,
    prices: Mapping[str, Price] | None = None, tries: int = 1,
) -> Plan:  # fmt: skip
    """Return the plan for these scenarios at the providers of these dialects. ``models``: what is asked in place of the
    families' models; ``prices``: by model, before those of the table."""
    models, prices = models or {}, prices or {}
    cases: list[LiveCase] = []
    refused: list[NotPlayable] = []
    for scenario in scenarios:
        for dialect in dialects:
            why = why_not_playable(scenario, dialect)
            if why:
                refused.append(NotPlayable(scenario.id, dialect, why))
            else:
                cases += _cases_of(scenario, dialect, models.get(dialect, ""), prices)
    return Plan(tuple(cases), tuple(refused), tries, prices)


def _cases_of(scenario: Scenario, dialect: Dialect, model: str, prices: Mapping[str, Price]) -> Iterator[LiveCase]:
    elicitation = scenario.live[dialect]
    family = FAMILIES.get(elicitation.family)
    # A model in place of the family's is asked nothing where the request's own name is what matters: an unknown one.
    name = (model or family.model) if family else ""
    requests = tuple(live_requests(scenario, dialect, name))
    for mode in elicitation.modes:
        if (dialect, mode) in expected_recordings(scenario):
            price = _price(requests[-1].model, prices) if family else Price(0.0, 0.0)
            yield LiveCase(scenario, dialect, mode, requests, tokens_at_most(requests), price)


def _price(model: str, prices: Mapping[str, Price]) -> Price | None:
    if model in prices:
        return prices[model]
    row = price_of(model)
    return Price(row.input_price, row.output_price, row.read) if row else None


def tokens_at_most(requests: Sequence[ClientRequest]) -> Tokens:
    """Return a bound on the tokens of a conversation: each request as long as its JSON in bytes, with the answers
    before it."""
    sent, answered = 0, 0
    for request in requests:
        sent += len(json.dumps(request.body, ensure_ascii=False).encode("utf-8", "surrogatepass")) + answered
        sent += TOOL_INSTRUCTIONS if request.body.get("tools") else 0
        answered += answer_limit(request.body)
    return Tokens(sent, answered)


def answer_limit(body: JsonObject) -> int:
    """Return the most tokens that an answer to this request may have, over all its choices."""
    config = obj(body.get("generationConfig") or body.get("generation_config"))
    limits = (
        config.get("maxOutputTokens"), config.get("max_output_tokens"), body.get("max_completion_tokens"),
        body.get("max_tokens"),
    )  # fmt: skip
    limit = next((number for value in limits if (number := integer(value))), UNLIMITED_ANSWER)
    return limit * (integer(body.get("n")) or integer(config.get("candidateCount")) or 1)


class ProviderPlan(NamedTuple):
    """The part of a plan at one provider and model. ``calls``: if each case succeeds at its first attempt, and at
    most."""

    dialect: Dialect
    model: str
    cases: int
    calls: tuple[int, int]
    tokens: Tokens
    cost: float | None
    read: str


def plan_by_provider(plan: Plan) -> list[ProviderPlan]:
    """Return a row for each provider and model, in the order of the plan."""
    rows = []
    for dialect, model in dict.fromkeys((case.dialect, case.model) for case in plan.cases):
        cases = [case for case in plan.cases if (case.dialect, case.model) == (dialect, model)]
        calls = sum(len(case.requests) for case in cases)
        sent, answered = sum(case.at_most.input for case in cases), sum(case.at_most.output for case in cases)
        tokens = Tokens(plan.tries * sent, plan.tries * answered)
        price = cases[0].price
        cost = price.cost(tokens) if price else None
        both = calls, calls * plan.tries
        rows.append(ProviderPlan(dialect, model, len(cases), both, tokens, cost, price.read if price else ""))
    return rows
