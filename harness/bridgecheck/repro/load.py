"""How a script gets hold of the adapter: ``load()``, the parts it needs, and what has to be installed."""

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
from bridgecheck.repro.literal import literal, verbatim
from bridgecheck.wire import JsonObject

QUICK_START: Final = "repro"
"""The table of a recipe with the adapter's own quick start."""


@dataclass(frozen=True, slots=True)
class Loading:
    """``text``: Python that defines ``load()``. ``needs``: what has to be there, in words. ``parts``: of which it makes
    use. ``install``: command lines before it. ``quick``: it is the adapter's own quick start, not what bridgecheck
    drives. ``over_http``: it is asked with a client's HTTP. ``bare_url``: it is told where the provider is without the
    path that its SDK puts there."""

    text: str
    needs: str
    parts: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    quick: bool = False
    over_http: bool = False
    bare_url: bool = False


def loading(driver: Driver, layer: Layer) -> Loading:
    """Raises BadTarget for an adapter that a script cannot reach."""
    target = driver.target
    if not target.endswith(SUFFIX):
        return _of(target, {}, ".", driver, layer)
    recipe = read_recipe(target)
    here = os.path.relpath(Path(target).parent)
    if QUICK_START in recipe:
        return _quick(obj(recipe[QUICK_START]))
    return _of(text(recipe["target"]), recipe, here, driver, layer)


def _of(target: str, recipe: JsonObject, here: str, driver: Driver, layer: Layer) -> Loading:
    kind, _, rest = target.partition(":")
    make = _KINDS.get(kind)
    if make is None:
        raise BadTarget(f"no script can be written for adapters of kind {kind}:", target, _EXPECTED)
    made = make(rest, recipe, here, driver)
    return _handling(made) if layer == "http" and driver.gateway is None else made


def _handling(made: Loading) -> Loading:
    """Of an object that handles its client's HTTP."""
    code = made.text.replace("    return ", "    return Handled(").rstrip("\n") + ")\n"
    return replace(made, text=code, parts=("handling",), over_http=True)


def _quick(said: JsonObject) -> Loading:
    install = tuple(map(text, arr(said.get("install"))))
    code = f"QUICK_START = {verbatim(text(said.get('script')))}\n\n\n"
    code += "def load() -> QuickStart:\n    return QuickStart(QUICK_START)\n"
    return Loading(code, " and ".join(install) or "the adapter", ("quick_start",), install, quick=True, bare_url=True)


def _python(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    module, _, path = rest.partition(":")
    lines = (
        "import os",
        "import sys",
        "from typing import Any",
        "",
        "",
        "def load() -> Any:",
        '    """The adapter, as its owner names it."""',
        "    sys.path.insert(0, os.getcwd())",
        f"    from {module} import {path.partition('.')[0]}",
        "",
        f"    return {path}",
    )
    return Loading("\n".join(lines) + "\n", f"the Python module {module}")


def _command(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    words = shlex.split(rest)
    given = [literal(words)]
    if recipe:
        cwd = text(recipe.get("cwd")) or "{here}"
        given += [f"here={literal(here)}", f"cwd={literal(cwd)}", f"env={literal(obj(recipe.get('env')))}"]
    code = f"def load() -> Shim:\n    return Shim({', '.join(given)})\n"
    return Loading(code, f"the program {words[0]}, from the folder in which it is called", ("filling", "shim"))


def _http(rest: str, recipe: JsonObject, here: str, driver: Driver) -> Loading:
    gateway = driver.gateway
    start = gateway.start if gateway else None
    if gateway is None or (start is None and not gateway.upstream_port):
        what = "the gateway runs already, and where it looks for its provider is not known"
        raise BadTarget(what, driver.target, "a recipe that starts it, or upstream_port in one")
    said: JsonObject = {"url": gateway.url, "command": []}
    if start is not None:
        said |= {
            "command": list(start.command),
            "env": dict(start.env),
            "files": dict(start.files),
            "cwd": start.cwd,
            "ready": start.ready_path,
            "seconds": start.ready_seconds,
        }
    code = f"RECIPE = {literal(said)}\n\n\ndef load() -> Gateway:\n    return Gateway({literal(here)}, RECIPE)\n"
    needs = f"the adapter, which {_words(start.command)} starts" if start else f"the adapter at {gateway.url}"
    return Loading(code, needs, ("filling", "gateway"), over_http=True, bare_url=True)


def _words(command: Sequence[str]) -> str:
    """The beginning of a command line."""
    words = [word.replace("{python}", "python") for word in command]
    return f"{shlex.join(words[:3])}{' ...' if len(words) > 3 else ''}"


_KINDS: Final[dict[str, Callable[[str, JsonObject, str, Driver], Loading]]] = {
    "python": _python,
    "command": _command,
    "http": _http,
}

_EXPECTED: Final = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, or a recipe of one of them"
