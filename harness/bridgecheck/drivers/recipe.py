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

``timeout`` is of every recipe. A command takes ``env``, ``files``, ``ready.seconds``, and ``cwd`` (the recipe's folder,
if it says nothing). docs/recipes.md has every key.
"""

import functools
import json
import os
import re
import sys
import time
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from bridgecheck.drivers.child_process import ChildProcess, NotStarted, child_environment
from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.recipe_keys import (
    COMMAND_KEYS,
    COMMAND_PLACEHOLDERS,
    GATEWAY_KEYS,
    Mistake,
    fill_placeholders,
    find_single_key_mistakes,
    placeholder_names,
)
from bridgecheck.errors import BadRecipe
from bridgecheck.files.positions import toml_line
from bridgecheck.model.adapter import CAPABILITIES, Route
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.secrets import may_hold_credential, remember_secret
from bridgecheck.wire import JsonObject

SUFFIX: Final = ".toml"
FILE: Final = "adapter.toml"
HTTP: Final = "http:"
COMMAND: Final = "command:"

_HEAD: Final = """\
# How bridgecheck reaches this adapter: bridgecheck run --adapter {recipe_path}
# claims: what is demanded of it. A scenario that requires another capability is not judged, and noted where it works.
"""


def read_recipe(recipe_path: str) -> JsonObject:
    """Return a valid recipe. Raises BadRecipe: no file, no TOML, an unknown key, a wrong value, a contradiction."""
    path = Path(recipe_path)
    try:
        source = path.read_text(encoding="utf-8")
        recipe: JsonObject = tomllib.loads(source)
    except OSError as error:
        next_step = f"bridgecheck init --adapter TARGET {path.parent}"
        raise BadRecipe(f"no recipe can be read: {error.strerror}", recipe_path, f"an {FILE}", next_step) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRecipe(f"no TOML: {error}", recipe_path, "TOML") from error
    for name, value in obj(recipe.get("env")).items():
        if may_hold_credential(name, text(value)) and not any(placeholder_names(text(value))):
            remember_secret(text(value))
    for mistake in (*find_single_key_mistakes(recipe), *_find_contradictions(recipe)):
        raise BadRecipe(mistake.problem, f"{recipe_path}:{toml_line(source, mistake.path)}", mistake.expected)
    return recipe


def apply_name_and_claims(driver: Driver, recipe: JsonObject, recipe_path: str, version: str | None = None) -> Driver:
    """Return the adapter with the recipe's name, version and claims; ``recipe_path`` is its target from then on.
    ``version``: where it is known already, None to find it out."""
    info = driver.info
    if version is None:
        printed = read_printed_version(recipe, Path(recipe_path).resolve().parent)
        version = text(recipe.get("version")) or printed or info.version
    info = replace(info, name=text(recipe.get("name")) or info.name, version=version)
    timeout = recipe.get("timeout", driver.timeout)
    driver = replace(driver, target=recipe_path, info=info, timeout=float(cast(float, timeout)))
    if "claims" not in recipe:
        return driver
    claims = frozenset(map(text, arr(recipe["claims"])))
    return replace(driver, info=replace(info, claims=claims), judged_on_all=False)


def recipe_text(
    recipe_path: Path, target: str, claims: Collection[str], routes: Collection[Route] = (), upstream_port: int = 0
) -> str:
    """Return the text of a recipe, each claim with the scenario that detects it. ``routes`` and ``upstream_port``: of a
    gateway that runs already, whose recipe needs them."""
    lines = [f"target = {json.dumps(target)}"]
    if target.startswith(COMMAND):
        lines.append(f"cwd = {json.dumps(_current_folder_from_recipe(recipe_path))}")
    if routes:
        lines += ["routes = [", *(f"  {json.dumps(list(route))}," for route in sorted(routes)), "]"]
    if upstream_port:
        lines.append(f"upstream_port = {upstream_port}")
    lines += _claims_lines(claims)
    return _HEAD.format(recipe_path=recipe_path) + "\n".join(lines) + "\n"


def _claims_lines(claims: Collection[str]) -> list[str]:
    lines = [f"  {json.dumps(claim)},  # {CAPABILITIES[claim]}" for claim in CAPABILITIES if claim in claims]
    return ["claims = [", *lines, "]"] if lines else ["claims = []"]


def add_claims(source: str, claims: Collection[str]) -> str:
    """Return the text of a valid recipe, which has no claims, with these behind its target."""
    lines, recipe = source.split("\n"), tomllib.loads(source)
    expected = recipe | {"claims": [claim for claim in CAPABILITIES if claim in claims]}
    for number in range(toml_line(source, ("target",)), len(lines) + 1):
        text_with_claims = "\n".join([*lines[:number], *_claims_lines(claims), *lines[number:]])
        if _parse_or_none(text_with_claims) == expected:
            return text_with_claims
    raise AssertionError("behind its target a recipe has room for a key")


def _parse_or_none(source: str) -> JsonObject | None:
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        return None


def _current_folder_from_recipe(recipe_path: Path) -> str:
    """Return the folder in which a command line starts a command, relative to the recipe."""
    relative = os.path.relpath(Path.cwd(), recipe_path.absolute().parent)
    return "{here}" if relative == "." else f"{{here}}/{relative}"


def _find_contradictions(recipe: JsonObject) -> Iterator[Mistake]:
    """Yield mistakes in keys that do not fit together."""
    target = text(recipe.get("target"))
    if not target:
        yield Mistake(("target",), "the recipe names no adapter", 'target = "python:package.module:object"')
    elif not target.startswith(HTTP):
        for key in GATEWAY_KEYS:
            if key in recipe and not (key in COMMAND_KEYS and target.startswith(COMMAND)):
                problem = f"{key} is for gateways, and {target} is none"
                yield Mistake((key,), problem, 'target = "http:http://127.0.0.1:{port}"')
        if target.startswith(COMMAND):
            yield from _find_command_contradictions(recipe)
    else:
        yield from _find_gateway_contradictions(recipe, target)


def _find_command_contradictions(recipe: JsonObject) -> Iterator[Mistake]:
    if "path" in obj(recipe.get("ready")):
        yield Mistake(("ready", "path"), "a command is ready when it answers start", "ready = { seconds = 30 }")
    for key in ("target", "cwd", "env"):
        value = recipe.get(key)
        names = [name for template in (obj(value).values() or [value]) for name in placeholder_names(text(template))]
        for name in names:
            if name not in COMMAND_PLACEHOLDERS:
                problem = f"{{{name}}} in {key} is for gateways: a command is told where the provider is by each call"
                yield Mistake((key,), problem, f"among {', '.join(f'{{{name}}}' for name in COMMAND_PLACEHOLDERS)}")


def _find_gateway_contradictions(recipe: JsonObject, target: str) -> Iterator[Mistake]:
    if "routes" not in recipe:
        yield Mistake(("target",), "the recipe does not say what the gateway routes", 'routes = [["gemini", "gemini"]]')
    if "command" in recipe:
        yield from _find_start_contradictions(recipe, target)
        return
    for key in ("cwd", "env", "files", "ready"):
        if key in recipe:
            yield Mistake((key,), f"{key} without a command", "a command, to which it belongs")
    if "port" in placeholder_names(target):
        yield Mistake(("target",), "{port} without a command that could be told it", "the port the gateway listens on")


def _find_start_contradictions(recipe: JsonObject, target: str) -> Iterator[Mistake]:
    templates = [*arr(recipe["command"]), *obj(recipe.get("env")).values(), *obj(recipe.get("files")).values()]
    headers = [
        value for client in obj(recipe.get("client")).values() for value in obj(obj(client).get("headers")).values()
    ]
    used = {name for template in templates for name in placeholder_names(text(template))}
    in_headers = {name for template in headers for name in placeholder_names(text(template))}
    if "port" not in placeholder_names(target):
        problem = "the gateway is started, and its port is picked"
        yield Mistake(("target",), problem, f'{{port}} in the target: "{HTTP}http://127.0.0.1:{{port}}"')
    if "port" not in used:
        yield Mistake(("command",), "the gateway is not told its port", "{port} in command, env or files")
    if "upstream_url" not in used | in_headers:
        problem = "the gateway is not pointed at the recorded provider: it would call the real one"
        yield Mistake(("command",), problem, "{upstream_url} in command, env, files or the headers of clients")
    if "upstream_port" in recipe:
        yield Mistake(("upstream_port",), "upstream_port with a command", "{upstream_url}, which the command is told")


VERSION_S: Final = 30.0
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")


def read_printed_version(recipe: JsonObject, folder: Path) -> str:
    """Return the version that ``version_command`` prints; "" if there is no such command, it fails or prints none."""
    values = {"here": str(folder), "python": sys.executable}
    command = [fill_placeholders(text(part), values) for part in arr(recipe.get("version_command"))]
    return _run_and_find_version(tuple(command), folder) if command else ""


@functools.cache
def _run_and_find_version(command: tuple[str, ...], folder: Path) -> str:
    with TemporaryDirectory(prefix="bridgecheck-", ignore_cleanup_errors=True) as home:
        try:
            child = ChildProcess(command, env=child_environment(Path(home)), cwd=folder)
        except NotStarted:
            return ""
        deadline = time.monotonic() + VERSION_S
        while not child.exit_description and time.monotonic() < deadline:
            time.sleep(0.02)
        child.stop()
        match = _VERSION.search(child.log.text())
    return match[0] if match else ""
