"""The adapter of a project: what ``[tool.bridgecheck]`` names, with the claims it makes there."""

import os
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from bridgecheck.drivers.driver import Driver
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.drivers.resolve import DEFAULT_TARGET, resolve
from bridgecheck.errors import BadTarget
from bridgecheck.files.project import Project, nearest_project


@dataclass(frozen=True, slots=True)
class Named:
    """An adapter by name. ``target``: in the mini-language, "" for the reference. ``capabilities`` None: what it claims
    itself. ``root``: a folder whose modules it may be in, None for the current one alone.
    ``upstream_port``: where a running gateway calls its provider, 0 for the one in the environment."""

    target: str = ""
    capabilities: tuple[str, ...] | None = None
    root: Path | None = None
    upstream_port: int = 0

    def driver(self) -> Driver:
        """Raises BadTarget and BadRecipe."""
        if self.root is not None and str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        return claimed(resolve(self.target or DEFAULT_TARGET, self.upstream_port), self.capabilities)


def named(option: str, project: Project, upstream_port: int = 0) -> Named:
    """What a command is to run: ``option`` of its command line if it says something, else the project's, else the
    reference. The claims in the project's table are about the project's adapter and no other."""
    root = project.root
    if root is None or not project.adapter:
        return Named(option, upstream_port=upstream_port)
    ours = _seen_from_here(project.adapter, root)
    if option not in ("", project.adapter, ours):
        return Named(option, root=root, upstream_port=upstream_port)
    return Named(ours, project.capabilities, root, upstream_port)


def load_adapter(option: str, upstream_port: int = 0) -> Driver:
    """Load the adapter that ``option``, the value of ``--adapter``, names; for "" that of the current folder's project,
    else the reference. ``upstream_port``: as in ``Named``. Raises RefusedAtStart."""
    return named(option, nearest_project(Path.cwd()), upstream_port).driver()


def load_converter(option: str) -> Driver:
    """Load the same adapter, which must convert documents without HTTP. Raises RefusedAtStart."""
    driver = load_adapter(option)
    if driver.converter is None and not driver.identity:
        what = f"{driver.info.name} has no wire layer: documents in, documents out"
        raise BadTarget(what, driver.target, "an adapter with to_upstream, from_upstream and stream")
    return driver


def claimed(driver: Driver, capabilities: Collection[str] | None) -> Driver:
    """The driver, claiming these; None leaves it as it is."""
    if capabilities is None:
        return driver
    return replace(driver, info=replace(driver.info, claims=frozenset(capabilities)), judged_on_all=False)


def _seen_from_here(adapter: str, root: Path) -> str:
    """A recipe by its path from the current folder, as a command line would name it; other targets as they are."""
    return os.path.relpath(root / adapter) if adapter.endswith(SUFFIX) else adapter
