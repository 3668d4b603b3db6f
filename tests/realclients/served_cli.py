"""The gateway over the real gemini-cli, whose own provider is one on loopback: ``serve --upstream gemini-cli=COMMAND``.

Everything that a run starts inherits TMPDIR, which is a folder of the test's: what is left of a run is seen there, and
in the environment of processes.
"""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bridgecheck.codec.camel_case import respell_request
from bridgecheck.model.jsonvalue import objs, text
from bridgecheck.wire import JsonObject

from ..fakes import becomes_true, marked_processes
from .conftest import GEMINI_CLI, KEY, Gateway, require
from .strict_provider import StrictProvider

MODEL: Final = "gemini-2.5-flash"
PROCESSES: Final = 4
QUEUE: Final = 8
RUN_S: Final = 300
"""How long a client waits for an answer, in seconds: each is a start of Node, and several may wait."""
_OWN_TEXT: Final = "<session_context>"
_LEAVE_S: Final = 30


class ServedCli:
    """``origin``: http://127.0.0.1:PORT of the gateway. ``provider``: what the program calls, with its log.
    ``temporary``: the folder that runs have theirs in."""

    def __init__(self, gateway: Gateway, provider: StrictProvider, temporary: Path) -> None:
        self.origin = gateway.origin
        self.provider = provider
        self.temporary = temporary

    @property
    def folders(self) -> list[Path]:
        """Those of the runs that are under way."""
        return list(self.temporary.iterdir())

    def processes(self) -> list[int]:
        """Every process that a run started."""
        return marked_processes(f"{self.temporary}/")

    def assert_nothing_left(self, seconds: float = _LEAVE_S) -> None:
        """No folder or file of a run, and no process, its watcher included, within this time."""
        becomes_true(lambda: not self.folders and not self.processes(), seconds)
        left = [*(str(path) for path in self.folders), *(f"process {pid}" for pid in self.processes())]
        assert not left, f"left behind by a run: {', '.join(left)}"

    def turns(self, number: int) -> list[tuple[object, list[JsonObject]]]:
        """Return role and parts of what the model got with this request, without the program's own words."""
        return turns_of(self.provider.bodies[number])


def turns_of(body: JsonObject) -> list[tuple[object, list[JsonObject]]]:
    """Return role and parts of each turn of a request of gemini-cli, without its own words at the start."""
    found = [(content["role"], list(objs(content["parts"]))) for content in objs(respell_request(body)["contents"])]
    role, (first, *rest) = found[0]
    assert text(first["text"]).startswith(_OWN_TEXT)
    return [(role, rest), *found[1:]] if rest else found[1:]


@contextmanager
def serve_cli(
    node: str, folder: Path, *, command: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> Iterator[ServedCli]:
    """Serve the program. ``command``: another one in its place. ``env``: more of its environment. Afterwards nothing
    may be left of it."""
    require(GEMINI_CLI.is_file(), "@google/gemini-cli", "run `make node_modules`")
    temporary = folder / "runs"
    temporary.mkdir()
    program = shlex.join(command or (node, str(GEMINI_CLI)))
    options = ["--upstream", f"gemini-cli={program}", "--processes", str(PROCESSES), "--queue", str(QUEUE)]
    with StrictProvider("gemini") as provider:
        environment = {
            "PATH": os.environ["PATH"], "TMPDIR": str(temporary), "GEMINI_API_KEY": KEY, "NO_BROWSER": "true",
            "GOOGLE_GEMINI_BASE_URL": provider.base_url, "CI": "1", "TERM": "dumb", **(env or {}),
        }  # fmt: skip
        with Gateway(provider, options, environment) as gateway:
            served = ServedCli(gateway, provider, temporary)
            yield served
            served.assert_nothing_left()
