"""``http:URL`` and recipes for gateways -> Driver."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.environment import upstream_port_from_option_or_environment
from bridgecheck.drivers.gateway import Gateway
from bridgecheck.drivers.gateway_client import ClientSide
from bridgecheck.drivers.gateway_process import READY_S, StartSettings
from bridgecheck.drivers.http_client import parse_address
from bridgecheck.drivers.recipe import HTTP
from bridgecheck.model.adapter import AdapterInfo, Route
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

EVERY_ROUTE: Final[frozenset[Route]] = frozenset((client, upstream) for client in DIALECTS for upstream in DIALECTS)


def driver_of_url(target: str, rest: str, upstream_port: int) -> Driver:
    """Return the driver of ``http:URL``, a gateway that runs already. It is assumed to route everything; a recipe can
    restrict that. Raises BadTarget."""
    parse_address(rest, target)
    gateway = Gateway(rest, where=target, upstream_port=upstream_port_from_option_or_environment(upstream_port, target))
    return Driver(target, AdapterInfo(rest, "", EVERY_ROUTE), judged_on_all=True, gateway=gateway, close=gateway.close)


def driver_of_recipe(recipe: JsonObject, recipe_path: str, upstream_port: int) -> Driver:
    """Return the driver of a gateway's recipe that was read and is valid. Raises BadTarget for an invalid address."""
    here = Path(recipe_path).resolve().parent
    url, start = text(recipe["target"]).removeprefix(HTTP), _start_settings(recipe, here)
    parse_address(url.replace("{port}", "1"), recipe_path)
    port = integer(recipe.get("upstream_port")) or 0
    settings = obj(recipe.get("client"))
    clients = {dialect: _client_side(dialect, obj(settings.get(dialect))) for dialect in DIALECTS}
    is_told_by_clients = any("{upstream_url}" in value for client in clients.values() for _, value in client.headers)
    if not (start or port or is_told_by_clients):
        port = upstream_port_from_option_or_environment(upstream_port, recipe_path)
    gateway = Gateway(url, start, clients, recipe_path, port)
    info = AdapterInfo(
        name=text(recipe.get("name")) or here.name,
        version="",
        routes=frozenset(cast(Route, tuple(arr(route))) for route in arr(recipe["routes"])),
        pivots=tuple(_pivot_entry(arr(pivot)) for pivot in arr(recipe.get("pivots"))),
    )
    return Driver(recipe_path, info, judged_on_all=True, gateway=gateway, close=gateway.close)


def _start_settings(recipe: JsonObject, here: Path) -> StartSettings | None:
    if "command" not in recipe:
        return None
    ready = obj(recipe.get("ready"))
    return StartSettings(
        command=tuple(map(text, arr(recipe["command"]))), here=here, cwd=text(recipe.get("cwd")) or "{tmp}",
        env=_cast_to_text_table(recipe.get("env")), files=_cast_to_text_table(recipe.get("files")),
        ready_path=text(ready.get("path")), ready_seconds=float(cast(float, ready.get("seconds", READY_S))),
    )  # fmt: skip


def _cast_to_text_table(table: object) -> Mapping[str, str]:
    return {name: text(value) for name, value in obj(table).items()}


def _pivot_entry(pivot: list[object]) -> tuple[Route, Dialect]:
    client, upstream, pivot_dialect = cast("list[Dialect]", pivot)
    return (client, upstream), pivot_dialect


def _client_side(dialect: Dialect, settings: JsonObject) -> ClientSide:
    base_path = text(settings["base_path"]) if "base_path" in settings else RECORDS[dialect].base_path
    headers = tuple((name.lower(), value) for name, value in _cast_to_text_table(settings.get("headers")).items())
    model, models = text(settings.get("model")) or "{model}", _cast_to_text_table(settings.get("models"))
    return ClientSide(dialect, base_path.rstrip("/"), model, headers, models)
