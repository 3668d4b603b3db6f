"""Whether a gateway takes requests yet."""

import socket
import time
from typing import Final

from bridgecheck.drivers.child import Child
from bridgecheck.drivers.wire_client import Address, NoAnswer, send
from bridgecheck.model.exchange import HttpRequest

_PROBE_S: Final = 2.0
_LEAST_S: Final = 0.5
"""The last probe gets this much too: what it says is what is told."""
_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 0.25
_MOST: Final = 1024 * 1024


def waited(at: Address, path: str, seconds: float, child: Child | None) -> str:
    """Waits until it is ready; "" then, else what was wrong at last. A process that ended is not waited for."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE_S
    while True:
        if child is not None and child.ended:
            return child.ended
        wrong = probed(at, path, max(_LEAST_S, min(_PROBE_S, deadline - time.monotonic())))
        if not wrong:
            return ""
        if time.monotonic() + pause > deadline:
            return f"{wrong}, for {seconds:g} s"
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def probed(at: Address, path: str, seconds: float) -> str:
    """What is wrong, "" if it is ready: it answers GET with a status below 500, or without a path takes connections."""
    if not path:
        return _connects(at, seconds)
    try:
        answer = send(at, HttpRequest("GET", f"{at.path}{path}", (("accept", "*/*"),)), seconds, most=_MOST)
    except NoAnswer as wrong:
        return f"GET {at.url}{path}: {wrong}" if wrong.why != "unreachable" else str(wrong)
    return f"GET {at.url}{path} is answered with {answer.status}" if answer.status >= 500 else ""


def _connects(at: Address, seconds: float) -> str:
    try:
        socket.create_connection((at.host, at.port), seconds).close()
    except OSError as wrong:
        return f"nothing listens on {at.host}:{at.port}: {wrong.strerror or wrong}"
    return ""
