"""A gateway, started as its recipe says, with a client in front of it and the played provider behind it."""

import atexit
import contextlib
import faulthandler
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bridgecheck.repro.parts.filling import filled


class Gateway:
    """``recipe``: url, command, env, files, cwd, ready (a path that answers when it is up) and seconds to wait for it;
    without a command it runs already."""

    def __init__(self, here: str, recipe: dict[str, Any]) -> None:
        self.here, self.recipe = here, recipe

    def connect(self, *, upstream: str, base_url: str, api_key: str, **rest: str) -> "GatewaySession":
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        home = tempfile.mkdtemp(prefix="repro-")
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        values = {
            "upstream": upstream,
            "upstream_url": base_url,
            "upstream_key": api_key,
            "port": str(port),
            "tmp": home,
        }

        def fill(text: str) -> str:
            return filled(text, self.here, **values)

        session = GatewaySession(fill(self.recipe["url"]))
        if self.recipe["command"]:
            for name, content in self.recipe["files"].items():
                place = Path(home, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(fill(content), encoding="utf-8")
            own = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
            env = {
                **own,
                "HOME": home,
                "TMPDIR": home,
                **{name: fill(value) for name, value in self.recipe["env"].items()},
            }
            command = [fill(word) for word in self.recipe["command"]]
            program = subprocess.Popen(command, cwd=fill(self.recipe["cwd"]), env=env, start_new_session=True)
            atexit.register(stop, program)
            seconds = self.recipe["seconds"]
            faulthandler.dump_traceback_later(seconds + 60, exit=True)  # the time to start is no hang
            session.wait(self.recipe["ready"], seconds, program)
        return session


def stop(program: "subprocess.Popen[bytes]") -> None:
    """The program and all that came of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


class GatewaySession:
    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.host, self.port, self.path = where.hostname or "", where.port or 80, where.path.rstrip("/")

    def wait(self, ready: str, seconds: float, program: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + seconds
        while program.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                line = http.client.HTTPConnection(self.host, self.port, timeout=2)
                line.connect()
                if ready:
                    line.request("GET", f"{self.path}{ready}")
                if not ready or line.getresponse().status < 500:
                    return
            time.sleep(0.1)
        raise SystemExit(f"the adapter is not ready: exit code {program.poll()}, after {seconds} s at most")

    def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        """One request of the client; what it receives until the answer ends, or breaks."""
        sent = {**body, "model": turn["called"]} if "model" in body else body
        line = http.client.HTTPConnection(self.host, self.port, timeout=30)
        line.request("POST", turn["path"], json.dumps(sent), turn["headers"])
        answer = line.getresponse()
        received = b""
        with contextlib.suppress(ConnectionError, http.client.IncompleteRead):
            while piece := answer.read1(65536):
                received += piece
        return answer.status, received

    def close(self) -> None:
        """It is stopped when the script ends."""
