"""A rule about what a provider refuses, and a refusal found by it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bridgecheck.model.verdict import Level
from bridgecheck.wire import JsonObject


@dataclass(frozen=True, slots=True)
class Refusal:
    """``rule``: its name; ``path``: where in the body; ``why``: what the provider says or documents; ``basis``: where
    that stands."""

    rule: str
    path: str
    why: str
    basis: str
    level: Level = "MUST"


@dataclass(frozen=True, slots=True)
class Rule:
    """``find`` yields the path of every place that breaks the rule. ``level``: SHOULD where a refusal is reported and
    reports disagree."""

    name: str
    why: str
    basis: str
    find: Callable[[JsonObject], Iterator[str]]
    level: Level = "MUST"


def apply_rules(rules: tuple[Rule, ...], body: JsonObject) -> list[Refusal]:
    """All refusals, rule by rule."""
    return [Refusal(rule.name, path, rule.why, rule.basis, rule.level) for rule in rules for path in rule.find(body)]
