"""The adapter that would be run, and what can be said of it without running it."""

import os
import shutil
from collections.abc import Collection, Iterator
from itertools import groupby
from pathlib import Path

from bridgecheck.cli.doctor.fact import BROKEN, REFUSED, Fact, stops
from bridgecheck.drivers import Driver, named
from bridgecheck.drivers.gateway import PROBE_S, Gateway
from bridgecheck.drivers.ready import probed
from bridgecheck.drivers.recipe import SUFFIX
from bridgecheck.drivers.resolve import DEFAULT_TARGET
from bridgecheck.drivers.wire_client import address
from bridgecheck.errors import RefusedAtStart
from bridgecheck.files.project import NO_PROJECT, Project, nearest
from bridgecheck.model.adapter import Route
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.report import words
from bridgecheck.report.gate_files import FILE, default_place


def adapter(target: str) -> Iterator[Fact]:
    """``target``: of the command line, "" for what a run without ``--adapter`` takes."""
    try:
        project = nearest(Path.cwd())
    except RefusedAtStart as wrong:
        yield stops("adapter", "project", wrong)
        return
    yield _project(project)
    found = named(target, project)
    asked = found.target or DEFAULT_TARGET
    yield Fact("adapter", "target", f"{asked}{'' if found.target else ' (the reference)'}")
    try:
        driver = found.driver()
    except RefusedAtStart as wrong:
        yield stops("adapter", "found", wrong)
        return
    except SystemExit as ended:
        told = f"it ends the process when it is imported: SystemExit({ended.code!r})"
        yield Fact("adapter", "found", told, "stop", "take sys.exit out of its module level", REFUSED)
        return
    yield from described(driver)
    driver.close()


def described(driver: Driver) -> Iterator[Fact]:
    """What it says of itself."""
    info = driver.info
    yield Fact("adapter", "found", f"{info.name} {info.version}".strip())
    yield Fact("adapter", "routes", "; ".join(_routes(info.routes)))
    yield Fact("adapter", "layers", ", ".join(_layers(driver)))
    if driver.gateway is not None:
        yield gateway(driver.gateway)
    claims = ", ".join(name for name in CAPABILITIES if name in info.claims) or "nothing"
    yield Fact("adapter", "claims", "says nothing: all is demanded" if driver.judged_on_all else claims)
    place = Path(driver.target).parent / FILE if driver.target.endswith(SUFFIX) else default_place(info.name)
    if place.is_file():
        yield Fact("adapter", "deviations", str(place))


def gateway(found: Gateway) -> Fact:
    """Whether one that is started can be, by its name, and whether one that runs already is there."""
    if not found.is_started:
        wrong = probed(address(found.url, found.where), "", PROBE_S)
        if wrong:
            return Fact("adapter", "address", wrong, "stop", "start it, or write a recipe that does", BROKEN)
        told = f"{found.url} listens; its provider is to be at http://127.0.0.1:{found.upstream_port}"
        return Fact("adapter", "address", told)
    program = found.command[0]
    if "{" not in program and "/" not in program and shutil.which(program) is None:
        told = f"{program}: no such program on PATH"
        return Fact("adapter", "command", told, "stop", f"install it, or name it in {found.where} by its path", BROKEN)
    return Fact("adapter", "command", f"{' '.join(found.command)}, then {found.url}")


def _routes(routes: Collection[Route]) -> Iterator[str]:
    """``gemini > openai-chat, anthropic``."""
    for client, pairs in groupby(sorted(routes), lambda route: route[0]):
        yield f"{client} > {', '.join(upstream for _, upstream in pairs)}"


def _layers(driver: Driver) -> Iterator[str]:
    if driver.converter or driver.identity:
        yield "wire (documents in, documents out)"
    if driver.handles:
        yield "http (bytes, in this process)"
    if driver.gateway:
        yield "http (bytes over a socket)"
        yield "sdk (its clients' own SDK)"
    if driver.connects:
        yield f"sdk (it calls its provider itself, {words.plural(len(driver.sessions), 'route')})"


def _project(project: Project) -> Fact:
    if project == NO_PROJECT or project.root is None:
        return Fact("adapter", "project", "no [tool.bridgecheck] in a pyproject.toml here or above")
    said = ", ".join(f"{name} = {value}" for name, value in _said(project))
    return Fact("adapter", "project", f"{os.path.relpath(project.root / 'pyproject.toml')}: {said or 'empty'}")


def _said(project: Project) -> Iterator[tuple[str, object]]:
    for name in ("adapter", "capabilities", "deviations", "requirements", "stale", "relations", "layers", "scenarios"):
        value = getattr(project, name)
        if value != getattr(NO_PROJECT, name):
            yield name, ", ".join(value) if isinstance(value, tuple) else value
