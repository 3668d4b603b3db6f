"""A scenario that contradicts itself: it expects what cannot come of what it says. Each key is right by itself, so the
schema lets it pass."""

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.scenario import Scenario, ScenarioTurn, WirePredicate
from bridgecheck.wire import Mode

Steps: TypeAlias = tuple[str | int, ...]


class Contradiction(NamedTuple):
    """``steps``: where it stands in the file."""

    steps: Steps
    what: str
    expected: str


NOT_BESIDE_ERROR: Final = ("finish", "finish_in", "native_finish", "refusal")
"""What an answer that is an error does not have. Text and calls may have come before it, in a stream."""


def contradictions(scenario: Scenario) -> Iterator[Contradiction]:
    yield from _modes(scenario)
    yield from _cited(scenario)
    for number, predicate in enumerate(scenario.expect.wire):
        yield from _predicate(scenario, predicate, ("expect", "wire", number))
    yield from _outcome(scenario)
    yield from _prompt(scenario)


def _modes(scenario: Scenario) -> Iterator[Contradiction]:
    if len(set(scenario.modes)) < len(scenario.modes):
        yield Contradiction(("modes",), "a mode is listed twice", "each once")
    if not any(set(first) & set(turn.client) for first in [scenario.turns[0].client] for turn in scenario.turns):
        yield Contradiction(("turns",), "no client speaks in all turns", "one dialect in all of them")


def _cited(scenario: Scenario) -> Iterator[Contradiction]:
    if not scenario.sources and not scenario.evidence and not scenario.basis.ref.startswith("http"):
        yield Contradiction(("basis",), "the scenario cites nothing", "sources, evidence or a URL in basis.ref")


def _predicate(scenario: Scenario, predicate: WirePredicate, place: Steps) -> Iterator[Contradiction]:
    modes = (predicate.mode,) if predicate.mode else scenario.modes
    turns = f"a turn before {len(scenario.turns)}: the first is 0"
    if predicate.mode and predicate.mode not in scenario.modes:
        yield Contradiction((*place, "mode"), f"the scenario has no mode {predicate.mode}", _or(scenario.modes))
    elif predicate.on == "client_events" and "stream" not in modes:
        yield Contradiction((*place, "on"), "client_events without a stream", "client_response, or the mode stream")
    elif predicate.turn >= len(scenario.turns):
        yield Contradiction((*place, "turn"), f"there is no turn {predicate.turn}", turns)
    else:
        yield from _dialect(scenario, predicate, modes, place)


def _dialect(
    scenario: Scenario, predicate: WirePredicate, modes: Sequence[Mode], place: Steps
) -> Iterator[Contradiction]:
    turn = scenario.turns[predicate.turn]
    upstream = predicate.on == "upstream_request"
    there = [dialect for dialect, scripts in turn.upstream.items() if set(scripts) & set(modes)]
    known: Sequence[str] = there if upstream else list(turn.client)
    if predicate.dialect and predicate.dialect not in known:
        side = "upstream answers" if upstream else "client request"
        yield Contradiction((*place, "dialect"), f"no {side} in {predicate.dialect} is played here", _or(known))
    elif upstream and predicate.index >= _calls(scenario) and predicate.operator != "absent":
        what = f"there is no upstream request {predicate.index}"
        yield Contradiction((*place, "on"), what, f"below {_calls(scenario)}, one for each scripted answer")


def _calls(scenario: Scenario) -> int:
    """The most upstream requests any dialect and mode has answers for."""
    dialects = {dialect for turn in scenario.turns for dialect in turn.upstream}
    totals = [
        sum(len(turn.upstream.get(dialect, {}).get(mode, ())) for turn in scenario.turns)
        for dialect in dialects
        for mode in scenario.modes
    ]
    return max(totals)


def _outcome(scenario: Scenario) -> Iterator[Contradiction]:
    outcome, place = scenario.expect.outcome, ("expect", "outcome")
    beside = [key for key in NOT_BESIDE_ERROR if key in outcome]
    if "error" in outcome and beside:
        yield Contradiction((*place, beside[0]), f"{beside[0]} beside an error", "one of the two")
    if "error" in outcome and outcome.get("text") and "stream" not in scenario.modes:
        yield Contradiction((*place, "text"), "text beside an error, and no stream", "one of the two")
    yield from _finish(scenario, place)
    turn = outcome.get("turn", 0)
    if isinstance(turn, int) and turn >= len(scenario.turns):
        yield Contradiction((*place, "turn"), f"there is no turn {turn}", f"below {len(scenario.turns)}")
    for number, call in enumerate(arr(outcome.get("tool_calls"))):
        name = text(next(iter(arr(call)), ""))
        if not any(_speaks_of(turn, name) for turn in scenario.turns):
            what = f"a call of {name!r}, which no request declares and no answer makes"
            yield Contradiction((*place, "tool_calls", number), what, "a function of this scenario")


def _finish(scenario: Scenario, place: Steps) -> Iterator[Contradiction]:
    outcome = scenario.expect.outcome
    finish, barred = outcome.get("finish"), outcome.get("finish_not")
    if finish is not None and "finish_in" in outcome and finish not in arr(outcome["finish_in"]):
        yield Contradiction((*place, "finish"), f"{finish} is not in finish_in", "one of the two keys")
    if finish is not None and finish in (barred if isinstance(barred, list) else [barred]):
        yield Contradiction((*place, "finish"), f"{finish} is in finish_not", "one of the two keys")


def _prompt(scenario: Scenario) -> Iterator[Contradiction]:
    prompt, place = scenario.expect.prompt, ("expect", "prompt")
    turn = prompt.get("turn", 0)
    if isinstance(turn, int) and turn >= len(scenario.turns):
        yield Contradiction((*place, "turn"), f"there is no turn {turn}", f"below {len(scenario.turns)}")
    elif arr(prompt.get("tools")) and not any(map(_declares, scenario.turns)):
        yield Contradiction((*place, "tools"), "tools that no request declares", "a request with tools")


def _speaks_of(turn: ScenarioTurn, name: str) -> bool:
    """Whether the name stands anywhere in its requests and answers."""
    said: list[object] = [request.body for request in turn.client.values()]
    for scripts in turn.upstream.values():
        for script in scripts.values():
            said += [[answer.body, answer.events, *map(_text, answer.raw or ())] for answer in script]
    return json.dumps(name)[1:-1] in json.dumps(said)


def _text(write: bytes) -> str:
    return write.decode("utf-8", "replace")


def _declares(turn: ScenarioTurn) -> bool:
    return any(obj(request.body).get("tools") or request.body.get("functions") for request in turn.client.values())


def _or(names: Sequence[str]) -> str:
    return " or ".join(names) or "none"
