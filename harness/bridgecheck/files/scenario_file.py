"""Reads a scenario file's document: checks it by its schema, makes it a Scenario, and finds where that contradicts
itself: it expects what cannot come of what it states. Each key is right by itself, so the schema lets it pass."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from bridgecheck.client_models import ALL, CLIENT_MODELS
from bridgecheck.errors import BadScenario
from bridgecheck.files.contradiction import Contradiction, Steps
from bridgecheck.files.jsonfile import check_schema
from bridgecheck.files.live_contradictions import find_contradictions_in_live
from bridgecheck.model.case_json import read_known_fields
from bridgecheck.model.exchange import End
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.model.live import Elicitation
from bridgecheck.model.scenario import (
    Basis,
    ClientRequest,
    Expectation,
    Scenario,
    Script,
    ScriptedAnswer,
    Source,
    TurnRequestsAndScripts,
)
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.model.verdict import Level
from bridgecheck.wire import Dialect, JsonObject, Mode

_LOCATION_KEYS: Final = frozenset({"on", "path", "turn", "dialect", "mode"})


def check_scenario(document: object, path: Path, source: str) -> JsonObject:
    """Return the document if it has the schema. Raises BadScenario with the first mistake's line and column."""
    from bridgecheck.files.schemas import ScenarioFile

    return check_schema(ScenarioFile, document, path, source, BadScenario)


def to_scenario(data: JsonObject) -> Scenario:
    """Return the Scenario of a document that ``check_scenario`` has passed; only the type changes."""
    return Scenario(
        id=text(data["id"]), title=text(data["title"]), description=text(data["description"]), why=text(data["why"]),
        level=cast(Level, data["level"]), basis=read_known_fields(Basis, data["basis"], "basis"),
        modes=cast("tuple[Mode, ...]", tuple(arr(data["modes"]))),
        turns=(_read_turn(data), *map(_read_turn, objs(data.get("turns")))),
        expect=_read_expectation(obj(data["expect"])),
        sources=tuple(read_known_fields(Source, item, "source") for item in objs(data.get("sources"))),
        evidence=_text_items(data, "evidence"), tags=_text_items(data, "tags"), requires=_text_items(data, "requires"),
        since=text(data["since"]), may_refuse=_text_items(data, "may_refuse"),
        live={cast(Dialect, dialect): _read_elicitation(obj(row)) for dialect, row in obj(data.get("live")).items()},
        client_models=(ALL,) if data.get("client_models") == ALL else _text_items(data, "client_models"),
    )  # fmt: skip


def _text_items(data: JsonObject, key: str) -> tuple[str, ...]:
    return tuple(text(item) for item in arr(data.get(key)))


def _read_turn(data: JsonObject) -> TurnRequestsAndScripts:
    clients = cast(Mapping[Dialect, object], obj(data["client"]))
    upstreams = cast(Mapping[Dialect, object], obj(data["upstream"]))
    return TurnRequestsAndScripts(
        {dialect: _read_client(obj(request)) for dialect, request in clients.items()},
        {dialect: _read_scripts(obj(answers)) for dialect, answers in upstreams.items()},
        integer(data.get("leaves_after")) or 0,
    )


def _read_client(data: JsonObject) -> ClientRequest:
    return ClientRequest(obj(data["body"]), text(data.get("model")), _read_headers(data))


def _read_scripts(data: JsonObject) -> dict[Mode, Script]:
    modes = cast(Mapping[Mode, object], data)
    return {mode: tuple(map(_read_answer, objs(answers))) for mode, answers in modes.items()}


def _read_answer(data: JsonObject) -> ScriptedAnswer:
    split = data.get("split", "")
    return ScriptedAnswer(
        body=data.get("body"), events=tuple(arr(data["events"])) if "events" in data else None,
        raw=tuple(map(_encode_text_or_base64_write, arr(data["raw"]))) if "raw" in data else None,
        status=integer(data.get("status")) or 200, headers=_read_headers(data),
        end=cast(End, data.get("end", "complete")), terminator=data.get("done") is not False,
        split=tuple(cast("list[int]", split)) if isinstance(split, list) else text(split),
    )  # fmt: skip


def _read_headers(data: JsonObject) -> tuple[tuple[str, str], ...]:
    return tuple((name.lower(), text(value)) for name, value in obj(data.get("headers")).items())


def _encode_text_or_base64_write(value: object) -> bytes:
    """Return one write of a raw answer. A string is sent as UTF-8, lone surrogates as they stand."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return base64.b64decode(text(obj(value)["base64"]), validate=True)


def _read_expectation(data: JsonObject) -> Expectation:
    wire = tuple(map(_read_predicate, objs(data.get("wire"))))
    return Expectation(obj(data.get("outcome")), obj(data.get("prompt")), wire)


def _read_predicate(data: JsonObject) -> WireDocumentPredicate:
    side, _, index = text(data["on"]).partition("[")
    operator = next(key for key in data if key not in _LOCATION_KEYS)
    return WireDocumentPredicate(
        on="upstream_request" if index else "client_events" if side == "client_events" else "client_response",
        path=text(data["path"]), operator=operator, operand=data[operator],
        index=int(index.rstrip("]")) if index else 0, turn=integer(data.get("turn")) or 0,
        dialect=cast(Dialect | None, data.get("dialect")), mode=cast(Mode | None, data.get("mode")),
    )  # fmt: skip


def _read_elicitation(data: JsonObject) -> Elicitation:
    return Elicitation(
        shows=tuple(map(_read_predicate, objs(data["shows"]))), family=text(data.get("family")),
        prompt=text(data.get("prompt")), settings=obj(data.get("settings")),
        first=obj(data["first"]) if data.get("first") is not None else None,
    )  # fmt: skip


EXCLUDED_BY_ERROR: Final = ("finish", "finish_in", "native_finish", "refusal")
"""What an answer that is an error does not have. Text and calls may have come before it, in a stream."""


def find_contradictions(scenario: Scenario) -> Iterator[Contradiction]:
    yield from _find_repeated_mode_or_no_common_client(scenario)
    yield from _find_client_models_without_conversation(scenario)
    if not scenario.sources and not scenario.evidence and not scenario.basis.ref.startswith("http"):
        yield Contradiction(("basis",), "the scenario cites nothing", "sources, evidence or a URL in basis.ref")
    for number, predicate in enumerate(scenario.expect.wire):
        yield from _find_wire_contradictions(scenario, predicate, ("expect", "wire", number))
    yield from _find_contradictions_in_expected_outcome(scenario)
    yield from _find_contradictions_in_expected_prompt(scenario)
    yield from find_contradictions_in_live(scenario)


def _find_repeated_mode_or_no_common_client(scenario: Scenario) -> Iterator[Contradiction]:
    if len(set(scenario.modes)) < len(scenario.modes):
        yield Contradiction(("modes",), "a mode is listed twice", "each once")
    if not any(set(first) & set(turn.client) for first in [scenario.turns[0].client] for turn in scenario.turns):
        yield Contradiction(("turns",), "no client speaks in all turns", "one dialect in all of them")


def _find_client_models_without_conversation(scenario: Scenario) -> Iterator[Contradiction]:
    for number, name in enumerate(scenario.client_models):
        if name != ALL and CLIENT_MODELS[name].dialect not in dialects_of_every_turn(scenario):
            what = f"{name} speaks {CLIENT_MODELS[name].dialect}, in which not every turn is stated"
            yield Contradiction(("client_models", number), what, "a client of a dialect that every turn has")
    if scenario.client_models and len(scenario.turns) < 2:
        yield Contradiction(("client_models",), "client models where nothing is sent again", "two turns or more")


def dialects_of_every_turn(scenario: Scenario) -> list[Dialect]:
    """Return the dialects in which every turn states a request."""
    first, *rest = scenario.turns
    return [dialect for dialect in first.client if all(dialect in turn.client for turn in rest)]


def _find_wire_contradictions(
    scenario: Scenario, predicate: WireDocumentPredicate, location: Steps
) -> Iterator[Contradiction]:
    modes = (predicate.mode,) if predicate.mode else scenario.modes
    turns = f"a turn before {len(scenario.turns)}: the first is 0"
    if predicate.mode and predicate.mode not in scenario.modes:
        yield Contradiction((*location, "mode"), f"the scenario has no mode {predicate.mode}", _join_or(scenario.modes))
    elif predicate.on == "client_events" and "stream" not in modes:
        yield Contradiction((*location, "on"), "client_events without a stream", "client_response, or the mode stream")
    elif predicate.turn >= len(scenario.turns):
        yield Contradiction((*location, "turn"), f"there is no turn {predicate.turn}", turns)
    else:
        yield from _find_unplayed_dialect_or_request(scenario, predicate, modes, location)


def _find_unplayed_dialect_or_request(
    scenario: Scenario, predicate: WireDocumentPredicate, modes: Sequence[Mode], location: Steps
) -> Iterator[Contradiction]:
    turn = scenario.turns[predicate.turn]
    upstream = predicate.on == "upstream_request"
    scripted = [dialect for dialect, scripts in turn.upstream.items() if set(scripts) & set(modes)]
    known: Sequence[str] = scripted if upstream else list(turn.client)
    if predicate.dialect and predicate.dialect not in known:
        side = "upstream answers" if upstream else "client request"
        yield Contradiction((*location, "dialect"), f"no {side} in {predicate.dialect} is played here", _join_or(known))
    elif upstream and predicate.index >= _max_upstream_calls(scenario) and predicate.operator != "absent":
        below = f"below {_max_upstream_calls(scenario)}, one for each scripted answer"
        yield Contradiction((*location, "on"), f"there is no upstream request {predicate.index}", below)


def _max_upstream_calls(scenario: Scenario) -> int:
    """Return the most upstream requests that any dialect and mode has answers for."""
    sides = {(dialect, mode) for turn in scenario.turns for dialect in turn.upstream for mode in scenario.modes}
    calls = [[len(turn.upstream.get(dialect, {}).get(mode, ())) for turn in scenario.turns] for dialect, mode in sides]
    return max(map(sum, calls))


def _find_contradictions_in_expected_outcome(scenario: Scenario) -> Iterator[Contradiction]:
    outcome, location = scenario.expect.outcome, ("expect", "outcome")
    excluded = [key for key in EXCLUDED_BY_ERROR if key in outcome]
    if "error" in outcome and excluded:
        yield Contradiction((*location, excluded[0]), f"{excluded[0]} beside an error", "one of the two")
    if "error" in outcome and outcome.get("text") and "stream" not in scenario.modes:
        yield Contradiction((*location, "text"), "text beside an error, and no stream", "one of the two")
    yield from _find_contradictory_finish_expectations(scenario, location)
    yield from _find_missing_turn(scenario, outcome, location)
    for number, call in enumerate(arr(outcome.get("tool_calls"))):
        name = text(next(iter(arr(call)), ""))
        if not any(_requests_or_answers_mention(turn, name) for turn in scenario.turns):
            what = f"a call of {name!r}, which no request declares and no answer makes"
            yield Contradiction((*location, "tool_calls", number), what, "a function of this scenario")


def _find_missing_turn(scenario: Scenario, expected: JsonObject, location: Steps) -> Iterator[Contradiction]:
    turn = expected.get("turn", 0)
    if isinstance(turn, int) and turn >= len(scenario.turns):
        yield Contradiction((*location, "turn"), f"there is no turn {turn}", f"below {len(scenario.turns)}")


def _find_contradictory_finish_expectations(scenario: Scenario, location: Steps) -> Iterator[Contradiction]:
    outcome = scenario.expect.outcome
    finish, barred = outcome.get("finish"), outcome.get("finish_not")
    if finish is not None and "finish_in" in outcome and finish not in arr(outcome["finish_in"]):
        yield Contradiction((*location, "finish"), f"{finish} is not in finish_in", "one of the two keys")
    if finish is not None and finish in (barred if isinstance(barred, list) else [barred]):
        yield Contradiction((*location, "finish"), f"{finish} is in finish_not", "one of the two keys")


def _find_contradictions_in_expected_prompt(scenario: Scenario) -> Iterator[Contradiction]:
    prompt, location = scenario.expect.prompt, ("expect", "prompt")
    missing = tuple(_find_missing_turn(scenario, prompt, location))
    yield from missing
    if not missing and arr(prompt.get("tools")) and not any(map(_declares_tools, scenario.turns)):
        yield Contradiction((*location, "tools"), "tools that no request declares", "a request with tools")


def _requests_or_answers_mention(turn: TurnRequestsAndScripts, name: str) -> bool:
    """Whether the name stands anywhere in its requests and answers."""
    documents: list[object] = [request.body for request in turn.client.values()]
    answers = (answer for scripts in turn.upstream.values() for script in scripts.values() for answer in script)
    for answer in answers:
        documents += [answer.body, answer.events, *(write.decode("utf-8", "replace") for write in answer.raw or ())]
    return json.dumps(name)[1:-1] in json.dumps(documents)


def _declares_tools(turn: TurnRequestsAndScripts) -> bool:
    return any(obj(request.body).get("tools") or request.body.get("functions") for request in turn.client.values())


def _join_or(names: Sequence[str]) -> str:
    return " or ".join(names) or "none"
