"""A scenario file's document -> Scenario. The document has passed ``check``; this only changes its type."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from bridgecheck.errors import BadScenario
from bridgecheck.files.closed import closed
from bridgecheck.model.exchange import End
from bridgecheck.model.jsonvalue import arr, integer, obj, objs, text
from bridgecheck.model.scenario import (
    Basis,
    BasisKind,
    ClientRequest,
    Expectation,
    Scenario,
    ScenarioTurn,
    Script,
    ScriptedAnswer,
    Source,
    WirePredicate,
)
from bridgecheck.model.verdict import Level
from bridgecheck.wire import Dialect, JsonObject, Mode

_PLACE_KEYS: Final = frozenset({"on", "path", "turn", "dialect", "mode"})


def check(document: object, path: Path, source: str) -> JsonObject:
    """The document, if it has the schema; BadScenario with file, line and column of the first mistake otherwise."""
    from bridgecheck.files.scenario_schema import ScenarioFile

    return closed(ScenarioFile, document, path, source, BadScenario)


def to_scenario(data: JsonObject) -> Scenario:
    basis = obj(data["basis"])
    return Scenario(
        id=text(data["id"]),
        title=text(data["title"]),
        description=text(data["description"]),
        why=text(data["why"]),
        level=cast(Level, data["level"]),
        basis=Basis(cast(BasisKind, basis["kind"]), text(basis["ref"]), text(basis.get("date"))),
        modes=cast("tuple[Mode, ...]", tuple(arr(data["modes"]))),
        turns=(_turn(data), *map(_turn, objs(data.get("turns")))),
        expect=_expectation(obj(data["expect"])),
        sources=tuple(_source(item) for item in objs(data.get("sources"))),
        evidence=_texts(data, "evidence"),
        tags=_texts(data, "tags"),
        requires=_texts(data, "requires"),
        since=text(data["since"]),
        may_refuse=_texts(data, "may_refuse"),
    )


def _texts(data: JsonObject, key: str) -> tuple[str, ...]:
    return tuple(text(item) for item in arr(data.get(key)))


def _source(data: JsonObject) -> Source:
    return Source(text(data["ref"]), text(data.get("url")), text(data.get("note")))


def _turn(data: JsonObject) -> ScenarioTurn:
    clients = cast(Mapping[Dialect, object], obj(data["client"]))
    upstreams = cast(Mapping[Dialect, object], obj(data["upstream"]))
    return ScenarioTurn(
        {dialect: _client(obj(request)) for dialect, request in clients.items()},
        {dialect: _scripts(obj(answers)) for dialect, answers in upstreams.items()},
        integer(data.get("leaves_after")) or 0,
    )


def _client(data: JsonObject) -> ClientRequest:
    return ClientRequest(obj(data["body"]), text(data.get("model")), _headers(data))


def _scripts(data: JsonObject) -> dict[Mode, Script]:
    modes = cast(Mapping[Mode, object], data)
    return {mode: tuple(map(_answer, objs(answers))) for mode, answers in modes.items()}


def _answer(data: JsonObject) -> ScriptedAnswer:
    split = data.get("split", "")
    return ScriptedAnswer(
        body=data.get("body"),
        events=tuple(arr(data["events"])) if "events" in data else None,
        raw=tuple(map(_write, arr(data["raw"]))) if "raw" in data else None,
        status=integer(data.get("status")) or 200,
        headers=_headers(data),
        end=cast(End, data.get("end", "complete")),
        done=data.get("done") is not False,
        split=tuple(cast("list[int]", split)) if isinstance(split, list) else text(split),
    )


def _headers(data: JsonObject) -> tuple[tuple[str, str], ...]:
    return tuple((name.lower(), text(value)) for name, value in obj(data.get("headers")).items())


def _write(value: object) -> bytes:
    """One write of a raw answer. A string is sent as UTF-8, lone surrogates as they stand."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return base64.b64decode(text(obj(value)["base64"]), validate=True)


def _expectation(data: JsonObject) -> Expectation:
    return Expectation(
        obj(data.get("outcome")), obj(data.get("prompt")), tuple(map(_predicate, objs(data.get("wire"))))
    )


def _predicate(data: JsonObject) -> WirePredicate:
    place, _, index = text(data["on"]).partition("[")
    operator = next(key for key in data if key not in _PLACE_KEYS)
    return WirePredicate(
        on="upstream_request" if index else "client_events" if place == "client_events" else "client_response",
        path=text(data["path"]),
        operator=operator,
        operand=data[operator],
        index=int(index.rstrip("]")) if index else 0,
        turn=integer(data.get("turn")) or 0,
        dialect=cast(Dialect | None, data.get("dialect")),
        mode=cast(Mode | None, data.get("mode")),
    )
