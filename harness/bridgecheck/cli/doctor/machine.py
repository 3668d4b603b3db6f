"""The machine: how many cores, whether loopback works, whether files can be written, what stands in the environment.

Of a variable that may hold a credential or an address only the name is ever read out.
"""

import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

from bridgecheck.cli.doctor.fact import BROKEN, Fact
from bridgecheck.cli.wanted import MOST_WORKERS, cores
from bridgecheck.drivers.environment import SCRUBBED

HOST: Final = "127.0.0.1"
LOOPBACK_S: Final = 2.0

OWN: Final = "BRIDGECHECK_"
"""Variables of ours: none of them is a secret."""

CREDENTIAL: Final = re.compile(r"(?:^|_)(?:API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)")
"""What else may be one, by its name."""


def machine() -> Iterator[Fact]:
    count = cores()
    yield Fact("machine", "cores", f"{count}; a large run uses {min(count, MOST_WORKERS)} worker processes")
    yield loopback()
    yield temporary()
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        told = f"standard output is {sys.stdout.encoding}: what it cannot say is shown as an escape"
        yield Fact("machine", "encoding", told, "note", "PYTHONUTF8=1 bridgecheck ...")
    yield from environment()


def loopback() -> Fact:
    """Whether a free port can be listened on and reached."""
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
                    heard = peer.recv(1) == b"?"
    except OSError as wrong:
        told = f"no port of {HOST} can be listened on and reached: {wrong.strerror or wrong}"
        return Fact("machine", "loopback", told, "stop", "allow loopback in this sandbox or firewall", BROKEN)
    took = (time.perf_counter() - started) * 1e3
    if not heard:
        return Fact("machine", "loopback", f"{HOST}:{port} swallows what is sent", "stop", "", BROKEN)
    return Fact("machine", "loopback", f"{HOST}, any free port ({port} was): listened on and reached, {took:.1f} ms")


def temporary() -> Fact:
    """Whether there is room for what adapters are given."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return Fact("machine", "temporary", os.path.dirname(folder))  # noqa: PTH120 - shown as it is
    except OSError as wrong:
        told = f"no temporary folder: {wrong.strerror or wrong}"
        return Fact("machine", "temporary", told, "stop", "set TMPDIR to a folder that can be written", BROKEN)


def environment() -> Iterator[Fact]:
    """Names of what SDKs would read, of what else may be a credential; and what steers bridgecheck, with its values."""
    found = [name for name in SCRUBBED if name in os.environ]
    kept = f"{', '.join(found)}: taken away while SDKs run" if found else "nothing set that an SDK would read"
    yield Fact("environment", "scrubbed", kept)
    others = sorted(name for name in os.environ if CREDENTIAL.search(name) and name not in SCRUBBED)
    if others:
        told = f"{', '.join(others)}: an adapter in this process sees them, one in a process of its own does not"
        yield Fact("environment", "credentials", told)
    for name in sorted(os.environ):
        if name.startswith(OWN):
            yield Fact("environment", name, os.environ[name])
