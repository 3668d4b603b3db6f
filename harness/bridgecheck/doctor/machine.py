"""What is installed, and what the machine allows: libraries, programs, cores, loopback, files, environment variables.

Of a variable that may hold a credential or an address only the name is ever shown.
"""

import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from shlex import quote
from typing import Final

from packaging.requirements import Requirement

from bridgecheck import __version__
from bridgecheck.doctor.fact import BROKEN, Fact
from bridgecheck.drivers.environment import SCRUBBED_VARIABLES
from bridgecheck.run.plan import MOST_WORKERS, count_cores
from bridgecheck.secrets import may_hold_credential
from bridgecheck.wire.facts import RECORDS

SDKS: Final = tuple(
    (sdk.distribution, f"bridgecheck[{sdk.extra}]", f"cases of {record.title}'s SDK are left out")
    if sdk.extra else (sdk.distribution, "bridgecheck", "")
    for record in RECORDS.values() if (sdk := record.sdk)
)  # fmt: skip
"""distribution, what installs it, what is missing without it ("": a run stops)."""

VERSIONED: Final = ("vcrpy", "pytest", "pytest-xdist", "httpx", "httpx2", "h11", "pydantic")
"""Distributions whose versions tell runs apart, if they are installed."""

PROGRAMS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    ("node", ("node",), "only adapters written for it need it"),
    ("chromium", ("chromium", "chromium-browser", "google-chrome", "chrome"), "only the tests of the HTML report do"),
)
"""name, the commands it goes by, who needs it."""

VERSION_S: Final = 5.0
"""Seconds a program may take to print its version."""

PACKAGE: Final = Path(__file__).resolve().parents[1]

HOST: Final = "127.0.0.1"
LOOPBACK_S: Final = 2.0
OWN_PREFIX: Final = "BRIDGECHECK_"
"""Beginning of our own variables: none of them is a secret."""


def inspect_installation() -> Iterator[Fact]:
    """Yield Python, bridgecheck, the libraries it needs, and the programs that a part of it can use."""
    yield Fact("bridgecheck", "version", f"{__version__}, in {PACKAGE}")
    python = f"{platform.python_version()}, {platform.system()} {platform.machine()}, {sys.executable}"
    yield Fact("bridgecheck", "Python", python)
    if os.name != "posix":
        text = "adapters need Linux or macOS, but for objects in your own pytest: each is in a process of its own"
        yield Fact("bridgecheck", "system", text, "note")
    yield from _inspect_sdks()
    yield from _find_unmet_requirements()
    versions = [f"{name} {installed}" for name in VERSIONED if (installed := _installed_version_or_empty(name))]
    yield Fact("libraries", "further", ", ".join(versions))
    for name, commands, users in PROGRAMS:
        yield Fact("programs", name, _program_version_and_path_or_empty(commands) or f"not found; {users}")


def _inspect_sdks() -> Iterator[Fact]:
    for name, package, consequence in SDKS:
        installed = _installed_version_or_empty(name)
        if installed:
            yield Fact("libraries", name, installed)
        elif consequence:
            yield Fact("libraries", name, f"missing: {consequence}", "note", _pip_command(package))
        else:
            yield Fact("libraries", name, "missing", "stop", _pip_command(package), BROKEN)


def _find_unmet_requirements() -> Iterator[Fact]:
    """Yield what bridgecheck itself needs and is missing, or has an unsuitable version."""
    sdks = {name for name, _, _ in SDKS}
    try:
        requirements = requires("bridgecheck") or []
    except PackageNotFoundError:  # it is on the path without having been installed
        return
    for requirement in map(Requirement, requirements):
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = requirement.name
        installed = _installed_version_or_empty(name)
        if not installed and name not in sdks:
            yield Fact("libraries", name, f"missing: {requirement}", "stop", _pip_command("bridgecheck"), BROKEN)
        if installed and not requirement.specifier.contains(installed, prereleases=True):
            text = f"{installed} is too old or too new: {requirement}"
            yield Fact("libraries", name, text, "stop", _pip_command(str(requirement)), BROKEN)


def _installed_version_or_empty(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _pip_command(package: str) -> str:
    """Return the command that installs into this Python, by its path where its name alone would find another one."""
    name = Path(sys.executable).name
    python = name if shutil.which(name) == sys.executable else quote(sys.executable)
    return f"{python} -m pip install '{package}'"


def _program_version_and_path_or_empty(commands: tuple[str, ...]) -> str:
    """Return version and path of the first that is installed, "" if none is."""
    path = next(filter(None, map(shutil.which, commands)), None)
    if path is None:
        return ""
    try:
        process = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"{path}, which does not print its version"
    number = next((word for word in process.stdout.split() if any(map(str.isdigit, word))), "of no version")
    return f"{number.lstrip('v')}, {path}"


def inspect_cores_loopback_and_environment() -> Iterator[Fact]:
    """Yield cores, loopback, temporary folder, encoding and environment variables."""
    cores = count_cores()
    yield Fact("machine", "cores", f"{cores}; a large run uses {min(cores, MOST_WORKERS)} worker processes")
    yield check_loopback()
    yield check_temporary_folder()
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        text = f"standard output is {sys.stdout.encoding}: what it cannot encode is shown as an escape"
        yield Fact("machine", "encoding", text, "note", "PYTHONUTF8=1 bridgecheck ...")
    yield from _inspect_environment()


def check_loopback() -> Fact:
    """Listen on a free port of HOST and connect to it."""
    started = time.perf_counter()
    try:
        with socket.create_server((HOST, 0)) as server:
            port = server.getsockname()[1]
            with socket.create_connection((HOST, port), LOOPBACK_S) as client:
                server.settimeout(LOOPBACK_S)
                peer = server.accept()[0]
                with peer:
                    client.sendall(b"?")
                    peer.settimeout(LOOPBACK_S)
                    arrived = peer.recv(1) == b"?"
    except OSError as error:
        text = f"no port of {HOST} can be listened on and reached: {error.strerror or error}"
        return Fact("machine", "loopback", text, "stop", "allow loopback in this sandbox or firewall", BROKEN)
    milliseconds = (time.perf_counter() - started) * 1e3
    if not arrived:
        return Fact("machine", "loopback", f"{HOST}:{port} loses what is sent", "stop", "", BROKEN)
    text = f"{HOST}, any free port ({port} was): listened on and reached, {milliseconds:.1f} ms"
    return Fact("machine", "loopback", text)


def check_temporary_folder() -> Fact:
    """Create a temporary folder, as adapters get one."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return Fact("machine", "temporary", os.path.dirname(folder))  # noqa: PTH120 - shown as it is
    except OSError as error:
        text = f"no temporary folder: {error.strerror or error}"
        return Fact("machine", "temporary", text, "stop", "set TMPDIR to a folder that can be written", BROKEN)


def _inspect_environment() -> Iterator[Fact]:
    """Yield the names of variables that SDKs would read, and of those that may be credentials; then bridgecheck's own
    variables with their values."""
    scrubbed = [name for name in SCRUBBED_VARIABLES if name in os.environ]
    text = (
        f"{', '.join(scrubbed)}: adapters find dummies for keys, and nothing else of these"
        if scrubbed
        else "nothing set that an SDK would read"
    )
    yield Fact("environment", "scrubbed", text)
    credentials = sorted(
        name for name, value in os.environ.items() if may_hold_credential(name, value) and name not in scrubbed
    )
    if credentials:
        text = f"{', '.join(credentials)}: adapters find dummies for these; an object in your own pytest sees them"
        yield Fact("environment", "credentials", text)
    for name in sorted(os.environ):
        if name.startswith(OWN_PREFIX):
            yield Fact("environment", name, os.environ[name])
