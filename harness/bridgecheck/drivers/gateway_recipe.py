"""``http:URL`` and recipes for gateways -> Driver."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from bridgecheck.drivers.driver import TIMEOUT_S, Driver
from bridgecheck.drivers.gateway import Gateway
from bridgecheck.drivers.gateway_client import ClientSide
from bridgecheck.drivers.gateway_start import READY_S, Start
from bridgecheck.drivers.recipe import HTTP
from bridgecheck.drivers.upstream_port import find_upstream_port
from bridgecheck.drivers.wire_client import address
from bridgecheck.model.adapter import AdapterInfo, Route
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

EVERY_ROUTE: Final[frozenset[Route]] = frozenset((client, upstream) for client in DIALECTS for upstream in DIALECTS)


def running(target: str, rest: str, upstream_port: int) -> Driver:
    """``http:URL``: a gateway that runs already. It is taken to route everything; a recipe can say less. Raises
    BadTarget."""
    address(rest, target)
    gateway = Gateway(rest, where=target, upstream_port=find_upstream_port(upstream_port, target))
    return Driver(target, AdapterInfo(rest, "", EVERY_ROUTE), judged_on_all=True, gateway=gateway, close=gateway.close)


def driver(recipe: JsonObject, place: str, upstream_port: int) -> Driver:
    """Of a recipe that was read and found right. Raises BadTarget for an address that is none."""
    here = Path(place).resolve().parent
    url, start = text(recipe["target"]).removeprefix(HTTP), _start(recipe, here)
    address(url.replace("{port}", "1"), place)
    port = 0 if start else integer(recipe.get("upstream_port")) or find_upstream_port(upstream_port, place)
    gateway = Gateway(url, start, _clients(recipe), place, port)
    info = AdapterInfo(
        name=text(recipe.get("name")) or here.name,
        version="",
        routes=frozenset(cast(Route, tuple(arr(route))) for route in arr(recipe["routes"])),
        pivots=tuple(_pivot(arr(pivot)) for pivot in arr(recipe.get("pivots"))),
    )
    timeout = recipe.get("timeout", TIMEOUT_S)
    return Driver(
        target=place,
        info=info,
        judged_on_all=True,
        timeout=float(cast(float, timeout)),
        gateway=gateway,
        close=gateway.close,
    )


def _start(recipe: JsonObject, here: Path) -> Start | None:
    if "command" not in recipe:
        return None
    ready = obj(recipe.get("ready"))
    return Start(
        command=tuple(map(text, arr(recipe["command"]))),
        here=here,
        cwd=text(recipe.get("cwd")) or "{tmp}",
        env=_texts(recipe.get("env")),
        files=_texts(recipe.get("files")),
        ready_path=text(ready.get("path")),
        ready_seconds=float(cast(float, ready.get("seconds", READY_S))),
    )


def _texts(table: object) -> Mapping[str, str]:
    return {name: text(value) for name, value in obj(table).items()}


def _pivot(pivot: list[object]) -> tuple[Route, Dialect]:
    client, upstream, through = cast("list[Dialect]", pivot)
    return (client, upstream), through


def _clients(recipe: JsonObject) -> Mapping[Dialect, ClientSide]:
    said = obj(recipe.get("client"))
    return {dialect: _client(dialect, obj(said.get(dialect))) for dialect in DIALECTS}


def _client(dialect: Dialect, said: JsonObject) -> ClientSide:
    base_path = text(said["base_path"]) if "base_path" in said else RECORDS[dialect].base_path
    headers = tuple((name.lower(), value) for name, value in _texts(said.get("headers")).items())
    return ClientSide(dialect, base_path.rstrip("/"), text(said.get("model")) or "{model}", headers)
