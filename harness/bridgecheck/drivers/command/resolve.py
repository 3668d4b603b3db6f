"""``command:PROGRAM ARGUMENTS`` -> Driver: the program is started, asked what it does, and stopped again."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from bridgecheck.drivers.child import shown
from bridgecheck.drivers.command.converter import CommandConverter
from bridgecheck.drivers.command.running import START_S, Command, Launch, NotAnswering
from bridgecheck.drivers.command.session import CommandConnects
from bridgecheck.drivers.driver import TIMEOUT_S, Driver
from bridgecheck.drivers.placeholders import filled
from bridgecheck.drivers.supervise import Crashed, Refused
from bridgecheck.errors import BadTarget
from bridgecheck.model.adapter import AdapterInfo, Connects, Converter, Route
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import Dialect, JsonObject


def command(target: str, rest: str) -> Driver:
    """Raises BadTarget."""
    return launched(target, Launch(_words(rest, target), Path.cwd()))


def of_recipe(recipe: JsonObject, place: str) -> Driver:
    """Of a recipe that was read and found right: with its environment and files, in its folder. Raises BadTarget."""
    here = Path(place).resolve().parent
    values = {"here": str(here), "python": sys.executable}
    words = _words(text(recipe["target"]).partition(":")[2], place)
    launch = Launch(
        command=[filled(word, values) for word in words],
        cwd=Path(filled(text(recipe.get("cwd")) or "{here}", values)),
        env=_texts(recipe.get("env"), values),
        files=_texts(recipe.get("files"), values),
        start_s=_seconds(obj(recipe.get("ready")).get("seconds"), START_S),
    )
    return replace(launched(place, launch), timeout=_seconds(recipe.get("timeout"), TIMEOUT_S))


def _texts(table: object, values: Mapping[str, str]) -> Mapping[str, str]:
    return {name: filled(text(value), values) for name, value in obj(table).items()}


def _seconds(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) else otherwise


def launched(target: str, launch: Launch) -> Driver:
    """The adapter behind a program. Raises BadTarget if it does not answer, or contradicts itself."""
    running = Command(launch)
    try:
        said = running.ask("capabilities", {})
    except NotAnswering as wrong:
        raise BadTarget(wrong.what, target, wrong.expected, wrong.next_step) from wrong
    except (Crashed, Refused) as wrong:
        what = f"it does not say what it does: {shown(str(wrong))}"
        raise BadTarget(what, target, "an answer to capabilities", running.by_hand) from wrong
    finally:
        running.close()
    return _driver(target, running, said)


def _words(line: str, target: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as wrong:
        raise BadTarget(f"{line!r} is no command line: {wrong}", target, "command:PROGRAM ARGUMENTS") from wrong
    if not words:
        raise BadTarget(f"{target!r} names no program", "--adapter", "command:PROGRAM ARGUMENTS")
    return words


def _driver(target: str, running: Command, said: JsonObject) -> Driver:
    does = frozenset(map(text, arr(said["does"])))
    routes = _routes(said["routes"])
    converts = bool(does - {"call", "cancel"})
    if not routes or does == {"cancel"}:
        what = "it does nothing but cancel" if routes else "it has no routes"
        raise BadTarget(what, target, "routes, and what it does with them", "docs/protocol.md shows an answer")
    claims = frozenset(map(text, arr(said["claims"]))) if "claims" in said else None
    connects = CommandConnects(running, headers=said.get("headers") is True, cancels="cancel" in does)
    return Driver(
        target=target,
        info=AdapterInfo(
            name=text(running.start["name"]),
            version=text(running.start["version"]),
            routes=routes,
            pivots=tuple(
                (cast(Route, tuple(arr(one)[:2])), cast(Dialect, arr(one)[2])) for one in arr(said.get("pivots"))
            ),
            claims=claims or frozenset(),
            cannot_say=frozenset(map(text, arr(said.get("cannot_say")))),
        ),
        converter=cast(Converter, CommandConverter(running, does)) if converts else None,
        connects=cast(Connects, connects) if "call" in does else None,
        sessions=_routes(said["sessions"]) if "sessions" in said else routes,
        judged_on_all=claims is None,
        over_socket=True,
        ready=lambda: _ready(running),
        close=running.close,
    )


def _ready(running: Command) -> None:
    running.shim()


def _routes(value: object) -> frozenset[Route]:
    return frozenset(cast(Route, tuple(arr(one))) for one in arr(value))
