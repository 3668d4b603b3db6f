"""``kind:target`` -> Driver, before anything runs. What cannot be had is refused with what would be right."""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Final

from bridgecheck.drivers.command import command, of_recipe
from bridgecheck.drivers.driver import IDENTITY, Driver
from bridgecheck.drivers.introspect import describe
from bridgecheck.drivers.recipe import COMMAND, HTTP, SUFFIX, claiming, read_recipe
from bridgecheck.errors import BadTarget
from bridgecheck.model.jsonvalue import text
from bridgecheck.wire import JsonObject

DEFAULT_TARGET: Final = "python:bridgecheck_reference:adapter"

KINDS: Final = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, native: or the recipe PATH.toml"


def resolve(target: str, upstream_port: int = 0) -> Driver:
    """Find the adapter. ``upstream_port``: where a running gateway calls its provider, 0 for the one in the
    environment. Raises BadTarget: no such kind, a kind that does not exist yet, nothing to import there, or no adapter;
    and BadRecipe."""
    if target.endswith(SUFFIX):
        recipe = read_recipe(target)
        return claiming(_of_recipe(recipe, target, upstream_port), recipe, target)
    return _named(target, upstream_port)


def _of_recipe(recipe: JsonObject, place: str, upstream_port: int) -> Driver:
    named = text(recipe["target"])
    if named.startswith(HTTP):
        return _gateway(recipe, place, upstream_port)
    return of_recipe(recipe, place) if named.startswith(COMMAND) else _named(named, upstream_port)


def _named(target: str, upstream_port: int) -> Driver:
    kind, colon, rest = target.partition(":")
    if kind == "http" and colon:
        return _http(target, rest, upstream_port)
    find = _RESOLVERS.get(kind) if colon else None
    if find is None:
        raise BadTarget(f"no such kind of adapter: {target!r}", "--adapter", KINDS, "bridgecheck run --help")
    return find(target, rest)


def _python(target: str, rest: str) -> Driver:
    module_name, _, name = rest.partition(":")
    if not module_name or not name:
        raise BadTarget(f"{target!r} names no object", "--adapter", "python:package.module:object")
    found: object = _imported(module_name, target)
    for part in name.split("."):
        if not hasattr(found, part):
            near = ", ".join(item for item in dir(found) if not item.startswith("_"))[:200]
            raise BadTarget(f"{module_name} has no {name!r}", target, f"one of {near}" if near else "")
        found = getattr(found, part)
    return describe(target, found)


def _imported(module_name: str, target: str) -> object:
    """The module, looked for in the current folder too, as ``python -m`` does."""
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds strings
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        return importlib.import_module(module_name)
    except Exception as wrong:
        what = f"{module_name} cannot be imported: {type(wrong).__name__}: {wrong}"
        next_step = f"{os.path.basename(sys.executable)} -c 'import {module_name}'"  # noqa: PTH119
        raise BadTarget(what, target, "a module that this Python can import", next_step) from wrong


def _native(target: str, rest: str) -> Driver:
    if rest:
        raise BadTarget(f"native: takes nothing behind the colon, got {rest!r}", target, "native:")
    return IDENTITY


def _http(target: str, rest: str, upstream_port: int) -> Driver:
    # Sockets and processes are for gateways only, and take a while to import.
    from bridgecheck.drivers.gateway_recipe import running

    return running(target, rest, upstream_port)


def _gateway(recipe: JsonObject, place: str, upstream_port: int) -> Driver:
    from bridgecheck.drivers.gateway_recipe import driver

    return driver(recipe, place, upstream_port)


_RESOLVERS: Final[dict[str, Callable[[str, str], Driver]]] = {
    "python": _python,
    "native": _native,
    "command": command,
}
