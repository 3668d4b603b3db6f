"""``kind:target`` -> Driver, and the adapter of a project (``[tool.bridgecheck]``).

Nothing runs yet. A target that cannot be resolved is refused with what would be right.
"""

import importlib
import os
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bridgecheck.drivers.command import driver_of_command, driver_of_command_recipe
from bridgecheck.drivers.driver import IDENTITY, Driver, describe_adapter
from bridgecheck.drivers.recipe import COMMAND, HTTP, SUFFIX, apply_name_and_claims, read_recipe
from bridgecheck.errors import BadTarget
from bridgecheck.files.project import Project, nearest_project
from bridgecheck.model.jsonvalue import text
from bridgecheck.wire import JsonObject

DEFAULT_TARGET: Final = "python:bridgecheck_reference:adapter"

KINDS: Final = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, native: or the recipe PATH.toml"


def resolve(target: str, upstream_port: int = 0, version: str | None = None) -> Driver:
    """Find the adapter. ``upstream_port``: where a running gateway calls its provider, 0 for the one in the
    environment. ``version``: of a recipe's adapter, None to find it out. Raises BadRecipe, and BadTarget: an unknown
    kind, nothing to import there, or no adapter."""
    if target.endswith(SUFFIX):
        recipe = read_recipe(target)
        return apply_name_and_claims(_driver_of_recipe(recipe, target, upstream_port), recipe, target, version)
    return _driver_of_target_without_recipe(target, upstream_port)


def _driver_of_recipe(recipe: JsonObject, recipe_path: str, upstream_port: int) -> Driver:
    adapter_target = text(recipe["target"])
    if adapter_target.startswith(HTTP):
        # Sockets and processes are for gateways only, and take a while to import.
        from bridgecheck.drivers.gateway_recipe import driver_of_recipe

        return driver_of_recipe(recipe, recipe_path, upstream_port)
    if adapter_target.startswith(COMMAND):
        return driver_of_command_recipe(recipe, recipe_path)
    return _driver_of_target_without_recipe(adapter_target, upstream_port)


def _driver_of_target_without_recipe(target: str, upstream_port: int) -> Driver:
    kind, colon, rest = target.partition(":")
    if kind == "http" and colon:
        from bridgecheck.drivers.gateway_recipe import driver_of_url

        return driver_of_url(target, rest, upstream_port)
    find = _RESOLVERS.get(kind) if colon else None
    if find is None:
        raise BadTarget(f"no such kind of adapter: {target!r}", "--adapter", KINDS, "bridgecheck run --help")
    return find(target, rest)


def _python_driver(target: str, rest: str) -> Driver:
    module_name, _, name = rest.partition(":")
    if not module_name or not name:
        raise BadTarget(f"{target!r} names no object", "--adapter", "python:package.module:object")
    value: object = _import_module_searching_current_folder(module_name, target)
    for part in name.split("."):
        if not hasattr(value, part):
            attributes = ", ".join(item for item in dir(value) if not item.startswith("_"))[:200]
            raise BadTarget(f"{module_name} has no {name!r}", target, f"one of {attributes}" if attributes else "")
        value = getattr(value, part)
    return describe_adapter(target, value)


def _import_module_searching_current_folder(module_name: str, target: str) -> object:
    """Import a module, searching the current folder too, as ``python -m`` does. Raises BadTarget."""
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds strings
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        return importlib.import_module(module_name)
    except Exception as wrong:
        what = f"{module_name} cannot be imported: {type(wrong).__name__}: {wrong}"
        next_step = f"{os.path.basename(sys.executable)} -c 'import {module_name}'"  # noqa: PTH119
        raise BadTarget(what, target, "a module that this Python can import", next_step) from wrong


def _identity_driver(target: str, rest: str) -> Driver:
    if rest:
        raise BadTarget(f"native: takes nothing behind the colon, got {rest!r}", target, "native:")
    return IDENTITY


_RESOLVERS: Final[dict[str, Callable[[str, str], Driver]]] = {
    "python": _python_driver, "native": _identity_driver, "command": driver_of_command,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AdapterSelection:
    """The adapter that is run. ``target``: in the mini-language, "" for the reference. ``capabilities``: None for the
    adapter's own claims. ``root``: a folder that may contain its modules, None for the current folder alone.
    ``upstream_port`` and ``version``: as for ``resolve``."""

    target: str = ""
    capabilities: tuple[str, ...] | None = None
    root: Path | None = None
    upstream_port: int = 0
    version: str | None = None

    def driver(self) -> Driver:
        """Resolve the adapter. Raises BadTarget and BadRecipe."""
        if self.root is not None and str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        driver = resolve(self.target or DEFAULT_TARGET, self.upstream_port, self.version)
        return replace_claims(driver, self.capabilities)


def select_adapter_or_reference(option: str, project: Project, upstream_port: int = 0) -> AdapterSelection:
    """Return the adapter that a command runs: ``option`` of its command line, else the project's, else the reference.
    The claims in the project's table apply to the project's adapter only."""
    root = project.root
    if root is None or not project.adapter:
        return AdapterSelection(option, upstream_port=upstream_port)
    # A recipe is named by its path from the current folder, as on a command line.
    is_recipe = project.adapter.endswith(SUFFIX)
    project_target = os.path.relpath(root / project.adapter) if is_recipe else project.adapter
    if option not in ("", project.adapter, project_target):
        return AdapterSelection(option, root=root, upstream_port=upstream_port)
    return AdapterSelection(project_target, project.capabilities, root, upstream_port)


def load_option_or_project_adapter(option: str, upstream_port: int = 0) -> Driver:
    """Load the adapter that ``option``, the value of ``--adapter``, names; for "" that of the current folder's project,
    else the reference. ``upstream_port``: as in ``AdapterSelection``. Raises RefusedAtStart."""
    return select_adapter_or_reference(option, nearest_project(Path.cwd()), upstream_port).driver()


def load_converter(option: str) -> Driver:
    """Load the same adapter, which must convert documents without HTTP. Raises RefusedAtStart."""
    driver = load_option_or_project_adapter(option)
    if driver.converter is None and not driver.identity:
        what = f"{driver.info.name} has no wire layer: documents in, documents out"
        raise BadTarget(what, driver.target, "an adapter with to_upstream, from_upstream and stream")
    return driver


def replace_claims(driver: Driver, capabilities: Collection[str] | None) -> Driver:
    """Return the driver with these claims; None leaves it as it is."""
    if capabilities is None:
        return driver
    return replace(driver, info=replace(driver.info, claims=frozenset(capabilities)), judged_on_all=False)
