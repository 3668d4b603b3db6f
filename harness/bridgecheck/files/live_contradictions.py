"""Finds where the member ``live`` of a scenario contradicts the rest: it asks for what cannot be played or recorded."""

from collections.abc import Iterator

from bridgecheck.files.contradiction import Contradiction, Steps
from bridgecheck.model.live import FAMILIES, Elicitation, mode_shown
from bridgecheck.model.live_requests import why_not_playable
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.wire import Dialect


def find_contradictions_in_live(scenario: Scenario) -> Iterator[Contradiction]:
    for dialect, elicitation in scenario.live.items():
        location: Steps = ("live", dialect)
        if any(dialect not in turn.client or dialect not in turn.upstream for turn in scenario.turns):
            what = f"{dialect} is asked live, and not every turn has a request and an answer in it"
            yield Contradiction(location, what, "a dialect of client and upstream in all turns")
            continue
        refused = why_not_playable(scenario, dialect)
        if refused:
            yield Contradiction(location, f"it cannot be played live: {refused}", "a request that the provider takes")
        family = FAMILIES.get(elicitation.family)
        if family is not None and family.dialect != dialect:
            right = ", ".join(name for name, row in FAMILIES.items() if row.dialect == dialect)
            yield Contradiction((*location, "family"), f"a family whose provider speaks {family.dialect}", right)
        for number, predicate in enumerate(elicitation.shows):
            yield from _find_wrong_predicate(scenario, dialect, elicitation, predicate, (*location, "shows", number))


def _find_wrong_predicate(
    scenario: Scenario, dialect: Dialect, elicitation: Elicitation, predicate: WireDocumentPredicate, location: Steps
) -> Iterator[Contradiction]:
    mode = mode_shown(predicate)
    turns = len(scenario.turns) + (elicitation.first is not None)
    if mode is None:
        yield Contradiction((*location, "on"), "a request shows nothing", "client_response or client_events")
    elif predicate.dialect is not None or predicate.mode is not None:
        yield Contradiction(location, "dialect or mode, which are known", "neither key")
    elif any(mode not in turn.upstream[dialect] for turn in scenario.turns):
        yield Contradiction((*location, "on"), f"the scenario has no {mode} answers of {dialect}", "a mode that it has")
    elif predicate.operator in ("bind", "refused_or"):
        yield Contradiction(location, f"{predicate.operator} needs an adapter", "an operator about one document")
    elif predicate.turn >= turns:
        yield Contradiction((*location, "turn"), f"there is no turn {predicate.turn}", f"below {turns}")
