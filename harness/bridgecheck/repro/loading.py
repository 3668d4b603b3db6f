"""How a script gets hold of the adapter: ``load()``, and what has to be installed."""

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bridgecheck.drivers import Driver
from bridgecheck.drivers.recipe import SUFFIX, read_recipe
from bridgecheck.errors import BadTarget
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.verdict import Layer
from bridgecheck.repro.source import to_literal, to_text_literal
from bridgecheck.wire import JsonObject

QUICK_START: Final = "repro"
"""The table of a recipe with the adapter's own quick start."""


@dataclass(frozen=True, slots=True)
class Loading:
    """``text``: Python that defines ``load()``; it may use classes of ``parts``. ``needs``: what has to be there, in
    plain text. ``install``: command lines before it. ``quick``: it is the adapter's own quick start, not what
    bridgecheck drives. ``over_http``: it is called with a client's HTTP. ``bare_url``: it gets the URL of the provider
    without the path that its SDK adds."""

    text: str
    needs: str
    install: tuple[str, ...] = ()
    quick: bool = False
    over_http: bool = False
    bare_url: bool = False


def write_loading(driver: Driver, layer: Layer) -> Loading:
    """Write how a script loads the adapter. Raises BadTarget for one that a script cannot reach."""
    target = driver.target
    if not target.endswith(SUFFIX):
        return _target_loading(target, {}, ".", driver, layer)
    recipe = read_recipe(target)
    if QUICK_START in recipe:
        return _quick_start_loading(obj(recipe[QUICK_START]))
    return _target_loading(text(recipe["target"]), recipe, os.path.relpath(Path(target).parent), driver, layer)


def _target_loading(target: str, recipe: JsonObject, here: str, driver: Driver, layer: Layer) -> Loading:
    """``here``: the folder of the recipe."""
    kind, _, rest = target.partition(":")
    if kind not in _LOADERS:
        expected = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, or a recipe of one of them"
        raise BadTarget(f"no script can be written for adapters of kind {kind}:", target, expected)
    loading = _LOADERS[kind](rest, recipe, here, driver)
    if layer != "http" or driver.gateway is not None:
        return loading
    code = loading.text.replace("    return ", "    return HttpHandler(").rstrip("\n") + ")\n"
    return replace(loading, text=code, over_http=True)


def _quick_start_loading(table: JsonObject) -> Loading:
    install = tuple(map(text, arr(table.get("install"))))
    code = f"QUICK_START = {to_text_literal(text(table.get('script')))}\n\n\n"
    code += "def load() -> QuickStartCode:\n    return QuickStartCode(QUICK_START)\n"
    return Loading(code, " and ".join(install) or "the adapter", install, quick=True, bare_url=True)


def _python_loading(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    module, _, path = rest.partition(":")
    code = f'''\
import os
import sys
from typing import Any


def load() -> Any:
    """The adapter, under its public name."""
    sys.path.insert(0, os.getcwd())
    from {module} import {path.partition(".")[0]}

    return {path}
'''
    return Loading(code, f"the Python module {module}")


def _command_loading(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    command = shlex.split(rest)
    arguments = [to_literal(command)]
    if recipe:
        cwd = text(recipe.get("cwd")) or "{here}"
        arguments += [f"here={to_literal(here)}", f"cwd={to_literal(cwd)}", f"env={to_literal(obj(recipe.get('env')))}"]
    code = f"def load() -> ProgramAdapter:\n    return ProgramAdapter({', '.join(arguments)})\n"
    return Loading(code, f"the program {command[0]}, from the folder in which it is called")


def _gateway_loading(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    gateway = driver.gateway
    start = gateway.start if gateway else None
    if gateway is None or (start is None and not gateway.upstream_port):
        what = "the gateway runs already, and where it looks for its provider is not known"
        raise BadTarget(what, driver.target, "a recipe that starts it, or upstream_port in one")
    table: JsonObject = {"url": gateway.url, "command": []}
    if start is not None:
        table |= {
            "command": list(start.command), "env": dict(start.env), "files": dict(start.files), "cwd": start.cwd,
            "ready": start.ready_path, "seconds": start.ready_seconds,
        }  # fmt: skip
    code = f"RECIPE = {to_literal(table)}\n\n\n"
    code += f"def load() -> Gateway:\n    return Gateway({to_literal(here)}, RECIPE)\n"
    needs = f"the adapter, which {_first_arguments(start.command)} starts" if start else f"the adapter at {gateway.url}"
    return Loading(code, needs, over_http=True, bare_url=True)


def _first_arguments(command: Sequence[str]) -> str:
    """Return the beginning of a command line."""
    arguments = [argument.replace("{python}", "python") for argument in command]
    return f"{shlex.join(arguments[:3])}{' ...' if len(arguments) > 3 else ''}"


_LOADERS: Final[dict[str, Callable[[str, JsonObject, str, Driver], Loading]]] = {
    "python": _python_loading, "command": _command_loading, "http": _gateway_loading,
}  # fmt: skip
