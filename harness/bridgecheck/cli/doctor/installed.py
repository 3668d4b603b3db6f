"""What is installed: Python, bridgecheck, what it needs, and the programs that a part of it can use."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from bridgecheck import __version__
from bridgecheck.cli.doctor.fact import BROKEN, Fact

SDKS: Final[tuple[tuple[str, str, str], ...]] = (
    ("openai", "bridgecheck", ""),
    ("google-genai", "bridgecheck", ""),
    ("anthropic", "bridgecheck[anthropic]", "cases of Anthropic's SDK are left out"),
)
"""distribution, what installs it, what is missing without it ("": a run stops)."""

PEERS: Final = ("vcrpy", "pytest", "pytest-xdist", "httpx", "httpx2", "h11", "pydantic")
"""Whose versions tell runs apart, if they are installed."""

PROGRAMS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    ("node", ("node",), "only adapters written for it need it"),
    ("chromium", ("chromium", "chromium-browser", "google-chrome", "chrome"), "only the tests of the HTML report do"),
)
"""name, the commands it goes by, who needs it."""

_VERSION_S: Final = 5.0
PACKAGE: Final = Path(__file__).resolve().parents[2]


def installed() -> Iterator[Fact]:
    yield from _python()
    yield from _sdks()
    yield from _needed()
    peers = [f"{name} {found}" for name in PEERS if (found := _version(name))]
    yield Fact("libraries", "beside them", ", ".join(peers))
    for name, commands, who in PROGRAMS:
        yield Fact("programs", name, _program(commands) or f"not found; {who}")


def _python() -> Iterator[Fact]:
    where = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Fact("bridgecheck", "version", f"{__version__}, in {PACKAGE}")
    yield Fact("bridgecheck", "Python", f"{where}, {sys.executable}")
    if os.name != "posix":
        told = "adapters that are processes (command:, recipes) need Linux or macOS"
        yield Fact("bridgecheck", "system", told, "note")


def _sdks() -> Iterator[Fact]:
    for name, install, without in SDKS:
        found = _version(name)
        if found:
            yield Fact("libraries", name, found)
        elif without:
            yield Fact("libraries", name, f"missing: {without}", "note", _pip(install))
        else:
            yield Fact("libraries", name, "missing", "stop", _pip(install), BROKEN)


def _needed() -> Iterator[Fact]:
    """What bridgecheck itself needs and does not have, or has in a version that does not do."""
    named = {name for name, _, _ in SDKS}
    for needed in map(Requirement, _requirements()):
        if needed.marker and not needed.marker.evaluate({"extra": ""}):
            continue
        found = _version(needed.name)
        if not found and needed.name not in named:
            yield Fact("libraries", needed.name, f"missing: {needed}", "stop", _pip("bridgecheck"), BROKEN)
        if found and not needed.specifier.contains(found, prereleases=True):
            told = f"{found} is too old or too new: {needed}"
            yield Fact("libraries", needed.name, told, "stop", _pip(str(needed)), BROKEN)


def _requirements() -> list[str]:
    """None where bridgecheck is on the path without having been installed."""
    try:
        return requires("bridgecheck") or []
    except PackageNotFoundError:
        return []


def _version(distribution: str) -> str:
    """ "" if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _pip(what: str) -> str:
    return f"{Path(sys.executable).name} -m pip install '{what}'"


def _program(commands: tuple[str, ...]) -> str:
    """Version and place of the first that is there."""
    place = next(filter(None, map(shutil.which, commands)), None)
    if place is None:
        return ""
    try:
        done = subprocess.run([place, "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"{place}, which does not say its version"
    words = done.stdout.split()
    number = next((word for word in words if any(letter.isdigit() for letter in word)), "of no version")
    return f"{number.lstrip('v')}, {place}"
