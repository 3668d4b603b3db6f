"""Which expectations of a scenario rest on the words of its script, and are not judged where a live answer is played.

What a script says, a live provider says in other words: texts, arguments, counts, ids. What stays is what holds of any
answer: the first request, which is the client's alone, the structure of later ones, and that ids are unique and bound.
Laws, relations, and every check that compares what the provider sent with what the client received are judged in any
case."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.model.jsonvalue import integer
from bridgecheck.model.scenario import Expectation, Scenario
from bridgecheck.model.scenario_predicate import WireDocumentPredicate

_OF_ANY_ANSWER: Final = frozenset({"turn", "ids_unique", "error"})
"""Keys of ``expect.outcome`` that hold of any answer with the behaviour."""
_OF_ANY_HISTORY: Final = frozenset({"turn", "system", "tools", "tool_choice", "settings"})
"""Keys of ``expect.prompt`` that hold whatever the answers before were."""
_STRUCTURE_OF_REQUESTS: Final = frozenset({"absent", "distinct", "bind"})
_STRUCTURE_OF_ANSWERS: Final = frozenset({"distinct", "bind"})


def script_expectations(scenario: Scenario) -> Iterator[str]:
    """Yield where the expectations stand that rest on the script: ``outcome.text``, ``wire[2]``."""
    yield from (f"outcome.{key}" for key in scenario.expect.outcome if key not in _OF_ANY_ANSWER)
    yield from (f"prompt.{key}" for key in scenario.expect.prompt if not _keeps_prompt_key(scenario, key))
    for number, predicate in enumerate(scenario.expect.wire):
        if not _holds_of_any_answer(predicate):
            yield f"wire[{number}]"


def without_script_expectations(scenario: Scenario) -> Scenario:
    """Return the scenario as it is judged by a live answer."""
    expect = scenario.expect
    outcome = {key: value for key, value in expect.outcome.items() if key in _OF_ANY_ANSWER}
    prompt = {key: value for key, value in expect.prompt.items() if _keeps_prompt_key(scenario, key)}
    is_empty = not outcome.keys() - {"turn"}, not prompt.keys() - {"turn"}
    wire = tuple(predicate for predicate in expect.wire if _holds_of_any_answer(predicate))
    remaining = Expectation({} if is_empty[0] else outcome, {} if is_empty[1] else prompt, wire)
    return replace(scenario, expect=remaining)


def _keeps_prompt_key(scenario: Scenario, key: str) -> bool:
    turn = integer(scenario.expect.prompt.get("turn"))
    is_first = (len(scenario.turns) - 1 if turn is None else turn) == 0
    return is_first or key in _OF_ANY_HISTORY


def _holds_of_any_answer(predicate: WireDocumentPredicate) -> bool:
    if predicate.on == "upstream_request":
        return predicate.index == 0 or predicate.operator in _STRUCTURE_OF_REQUESTS
    return predicate.operator in _STRUCTURE_OF_ANSWERS
