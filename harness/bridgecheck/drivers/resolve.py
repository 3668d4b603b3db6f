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
from bridgecheck.drivers.python_process import driver_of_python_target
from bridgecheck.drivers.recipe import COMMAND, FILE, HTTP, SUFFIX, apply_name_and_claims, read_recipe
from bridgecheck.errors import BadTarget
from bridgecheck.files.project import Project, nearest_project
from bridgecheck.model.jsonvalue import text
from bridgecheck.wire import JsonObject

DEFAULT_TARGET: Final = "python:bridgecheck_reference:adapter"

KINDS: Final = "python:package.module:object, command:PROGRAM ARGUMENTS, http:URL, native: or the recipe PATH.toml"


def resolve(
    target: str, upstream_port: int = 0, version: str | None = None, root: Path | None = None
) -> Driver:  # fmt: skip
    """Find the adapter. ``upstream_port``: where a running gateway calls its provider, 0 for the one in the
    environment. ``version``: of a recipe's adapter, None to find it out. ``root``: a further folder that may contain
    the modules of a Python adapter. Raises BadRecipe, and BadTarget: an unknown kind, nothing to import there, or no
    adapter."""
    if target.endswith(SUFFIX):
        recipe = read_recipe(target)
        return apply_name_and_claims(_driver_of_recipe(recipe, target, upstream_port, root), recipe, target, version)
    return _driver_of_target_without_recipe(target, upstream_port, root)


def _driver_of_recipe(recipe: JsonObject, recipe_path: str, upstream_port: int, root: Path | None) -> Driver:
    adapter_target = text(recipe["target"])
    if adapter_target.startswith(HTTP):
        # Sockets and processes are for gateways only, and take a while to import.
        from bridgecheck.drivers.gateway_recipe import driver_of_recipe

        return driver_of_recipe(recipe, recipe_path, upstream_port)
    if adapter_target.startswith(COMMAND):
        return driver_of_command_recipe(recipe, recipe_path)
    return _driver_of_target_without_recipe(adapter_target, upstream_port, root)


def _driver_of_target_without_recipe(target: str, upstream_port: int, root: Path | None) -> Driver:
    kind, colon, rest = target.partition(":")
    if kind == "python" and colon:
        return driver_of_python_target(target, rest, root)
    if kind == "http" and colon:
        from bridgecheck.drivers.gateway_recipe import driver_of_url

        return driver_of_url(target, rest, upstream_port)
    find = _RESOLVERS.get(kind) if colon else None
    if find is None:
        recipe = Path(target) / FILE
        next_step = f"--adapter {recipe}" if recipe.is_file() else "bridgecheck run --help"
        raise BadTarget(f"no such kind of adapter: {target!r}", "--adapter", KINDS, next_step)
    return find(target, rest)


def load_python_object(target: str) -> Driver:
    """Import "package.module:object" into this process. Raises BadTarget, also for what ends the process."""
    module_name, _, name = target.partition(":")
    where = f"python:{target}"
    try:
        value: object = importlib.import_module(module_name)
        for part in name.split("."):
            if not hasattr(value, part):
                attributes = ", ".join(item for item in dir(value) if not item.startswith("_"))[:200]
                raise BadTarget(f"{module_name} has no {name!r}", where, f"one of {attributes}" if attributes else "")
            value = getattr(value, part)
        return describe_adapter(where, value)
    except BadTarget:
        raise
    except BaseException as error:  # SystemExit and KeyboardInterrupt at its module level too
        what = f"{module_name} cannot be imported: {type(error).__name__}: {error}"
        next_step = f"{Path(sys.executable).name} -c 'import {module_name}'"
        raise BadTarget(what, where, "a module that this Python can import", next_step) from error


def _identity_driver(target: str, rest: str) -> Driver:
    if rest:
        raise BadTarget(f"native: takes nothing behind the colon, got {rest!r}", target, "native:")
    return IDENTITY


_RESOLVERS: Final[dict[str, Callable[[str, str], Driver]]] = {
    "native": _identity_driver, "command": driver_of_command,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AdapterSelection:
    """The adapter that is run. ``target``: in the mini-language, "" for the reference, which alone of all adapters in
    Python is imported into this process. ``capabilities``: None for the adapter's own claims. ``root``: a folder that
    may contain its modules, None for the current folder alone. ``upstream_port``, ``version``: as for ``resolve``."""

    target: str = ""
    capabilities: tuple[str, ...] | None = None
    root: Path | None = None
    upstream_port: int = 0
    version: str | None = None

    def driver(self) -> Driver:
        """Resolve the adapter. Raises BadTarget and BadRecipe."""
        if not self.target:  # the reference, which is our own
            return replace_claims(load_python_object(DEFAULT_TARGET.partition(":")[2]), self.capabilities)
        return replace_claims(resolve(self.target, self.upstream_port, self.version, self.root), self.capabilities)


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
