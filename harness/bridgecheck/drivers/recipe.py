"""adapter.toml: how an adapter is reached and what it claims, so that a CI job need only name the file.

    target = "python:my_gateway.conformance:adapter"
    claims = ["tools", "parallel_tools"]     # takes the place of the adapter's own; without it they hold

A recipe may also start a gateway and point it at recorded traffic:

    name = "my-gateway"
    target = "http:http://127.0.0.1:{port}"
    command = ["my-gateway", "--port", "{port}"]
    env = { OPENAI_BASE_URL = "{upstream_url}/v1", OPENAI_API_KEY = "{upstream_key}" }
    ready = { path = "/health" }
    routes = [["gemini", "openai-chat"]]

A command takes ``env``, ``files``, ``timeout``, ``ready.seconds``, and ``cwd`` (the recipe's folder, if it says
nothing). docs/recipes.md has every key.
"""

import json
import os
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.placeholders import names
from bridgecheck.drivers.recipe_keys import COMMAND_KEYS, GATEWAY_KEYS, OF_COMMANDS, Mistake, mistakes
from bridgecheck.errors import BadRecipe
from bridgecheck.files.positions import toml_line
from bridgecheck.model.adapter import CAPABILITIES, Route
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.wire import JsonObject

SUFFIX: Final = ".toml"
FILE: Final = "adapter.toml"
HTTP: Final = "http:"
COMMAND: Final = "command:"

_HEAD: Final = """\
# How bridgecheck reaches this adapter: bridgecheck run --adapter {place}
# claims: what is demanded of it. What it does not claim is not judged, and noted where it works.
"""


def read_recipe(place: str) -> JsonObject:
    """Raises BadRecipe: no file, no TOML, a key it does not have, a value of the wrong kind, or a contradiction."""
    path = Path(place)
    try:
        source = path.read_text(encoding="utf-8")
        recipe: JsonObject = tomllib.loads(source)
    except OSError as wrong:
        next_step = f"bridgecheck init --adapter TARGET {path.parent}"
        raise BadRecipe(f"no recipe can be read: {wrong.strerror}", place, f"an {FILE}", next_step) from wrong
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise BadRecipe(f"no TOML: {wrong}", place, "TOML") from wrong
    for found in (*mistakes(recipe), *_contradictions(recipe)):
        raise BadRecipe(found.what, f"{place}:{toml_line(source, found.path)}", found.expected)
    return recipe


def claiming(driver: Driver, recipe: JsonObject, place: str) -> Driver:
    """The adapter as the recipe has it; ``place`` is what it is called by from then on."""
    info = driver.info
    version = text(recipe.get("version")) or _asked_version(recipe, place) or info.version
    info = replace(info, name=text(recipe.get("name")) or info.name, version=version)
    driver = replace(driver, target=place, info=info)
    if "claims" not in recipe:
        return driver
    claims = frozenset(map(text, arr(recipe["claims"])))
    return replace(driver, info=replace(info, claims=claims), judged_on_all=False)


def _asked_version(recipe: JsonObject, place: str) -> str:
    if "version_command" not in recipe:
        return ""
    # It starts a process, which takes a while to import, and few recipes want it.
    from bridgecheck.drivers.version import version_of

    return version_of(recipe, Path(place).resolve().parent)


def recipe_text(
    place: Path, target: str, claims: Collection[str], routes: Collection[Route] = (), upstream_port: int = 0
) -> str:
    """The file, each claim with the scenario that tells whether it holds. ``routes`` and ``upstream_port``: of a
    gateway that runs already, whose recipe has to say them."""
    lines = [f"target = {json.dumps(target)}"]
    if target.startswith(COMMAND):
        lines.append(f"cwd = {json.dumps(_current_folder(place))}")
    if routes:
        lines += ["routes = [", *(f"  {json.dumps(list(route))}," for route in sorted(routes)), "]"]
    if upstream_port:
        lines.append(f"upstream_port = {upstream_port}")
    shown = [f"  {json.dumps(claim)},  # {CAPABILITIES[claim]}" for claim in CAPABILITIES if claim in claims]
    lines += ["claims = [", *shown, "]"] if shown else ["claims = []"]
    return _HEAD.format(place=place) + "\n".join(lines) + "\n"


def _current_folder(place: Path) -> str:
    """Where a command on the command line is started, as the recipe there says it."""
    way = os.path.relpath(Path.cwd(), place.absolute().parent)
    return "{here}" if way == "." else f"{{here}}/{way}"


def _contradictions(recipe: JsonObject) -> Iterator[Mistake]:
    """What makes no sense together."""
    target = text(recipe.get("target"))
    if not target:
        yield Mistake(("target",), "the recipe names no adapter", 'target = "python:package.module:object"')
    elif not target.startswith(HTTP):
        for key in GATEWAY_KEYS:
            if key in recipe and not (key in COMMAND_KEYS and target.startswith(COMMAND)):
                what = f"{key} is for gateways, and {target} is none"
                yield Mistake((key,), what, 'target = "http:http://127.0.0.1:{port}"')
        if target.startswith(COMMAND):
            yield from _of_a_shim(recipe)
    else:
        yield from _of_a_gateway(recipe, target)


def _of_a_shim(recipe: JsonObject) -> Iterator[Mistake]:
    if "path" in obj(recipe.get("ready")):
        yield Mistake(("ready", "path"), "a command is ready when it answers start", "ready = { seconds = 30 }")
    for key in ("target", "cwd", "env"):
        value = recipe.get(key)
        for name in (name for part in (obj(value).values() or [value]) for name in names(text(part))):
            if name not in OF_COMMANDS:
                what = f"{{{name}}} in {key} is for gateways: a command is told where the provider is by each call"
                yield Mistake((key,), what, f"among {', '.join(f'{{{one}}}' for one in OF_COMMANDS)}")


def _of_a_gateway(recipe: JsonObject, target: str) -> Iterator[Mistake]:
    if "routes" not in recipe:
        yield Mistake(("target",), "the recipe does not say what the gateway routes", 'routes = [["gemini", "gemini"]]')
    if "command" in recipe:
        yield from _of_a_command(recipe, target)
        return
    for key in ("cwd", "env", "files", "ready"):
        if key in recipe:
            yield Mistake((key,), f"{key} without a command", "a command, to which it belongs")
    if "port" in names(target):
        yield Mistake(("target",), "{port} without a command that could be told it", "the port the gateway listens on")


def _of_a_command(recipe: JsonObject, target: str) -> Iterator[Mistake]:
    told = [*arr(recipe["command"]), *obj(recipe.get("env")).values(), *obj(recipe.get("files")).values()]
    used = {name for part in told for name in names(text(part))}
    if "port" not in names(target):
        what = "the gateway is started, and its port is picked"
        yield Mistake(("target",), what, f'{{port}} in the target: "{HTTP}http://127.0.0.1:{{port}}"')
    if "port" not in used:
        yield Mistake(("command",), "the gateway is not told its port", "{port} in command, env or files")
    if "upstream_url" not in used:
        what = "the gateway is not pointed at the recorded provider: it would call the real one"
        yield Mistake(("command",), what, "{upstream_url} in command, env or files")
    if "upstream_port" in recipe:
        yield Mistake(("upstream_port",), "upstream_port with a command", "{upstream_url}, which the command is told")
