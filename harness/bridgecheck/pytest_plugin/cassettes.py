"""``@pytest.mark.bridgecheck_cassette``: a test whose clients talk to a recorder, and to nobody else.

    @pytest.mark.bridgecheck_cassette(serve={"openai-chat": "https://api.openai.com"}, volatile=["metadata.user_id"])
    def test_mine(bridgecheck_edge):
        client = OpenAI(base_url=bridgecheck_edge.base_url("openai-chat"))

The SDKs' base URLs and keys are set in the environment while the test runs, so clients that read them need no
argument. Its cassettes stand beside its module, in ``cassettes/MODULE/TEST/``: a folder a test, so that worker
processes share none. ``--record-mode`` has the words of pytest-recording.
"""

import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from bridgecheck.model.jsonvalue import text
from bridgecheck.record.command import environment_of_clients
from bridgecheck.record.options import RecordOptions
from bridgecheck.record.providers import SERVED, is_loopback
from bridgecheck.record.recorder import THREAD, Recorder
from bridgecheck.record.summary import summary_lines
from bridgecheck.record.traffic_edge import RecordMode
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS, base_url

MARKER: Final = "bridgecheck_cassette"
_MODES: Final[Mapping[str, RecordMode]] = {
    "none": "replay", "once": "replay", "new_episodes": "new", "all": "record", "rewrite": "record",
}  # fmt: skip
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


class NetworkBlocked(RuntimeError):
    """A test with cassettes tried to reach another host than this machine."""


@dataclass(frozen=True, slots=True)
class EdgeOfTest:
    """What a test is given. ``origin``: scheme, host and port; ``folder``: of its cassettes."""

    origin: str
    folder: Path

    def base_url(self, dialect: Dialect) -> str:
        """Return the base URL as the dialect's official SDK takes it."""
        return base_url(dialect, self.origin)


@contextmanager
def open_edge(item: pytest.Item) -> Iterator[EdgeOfTest]:
    """Record or replay while a test runs, in the mode of ``--record-mode``. Fails the test for what was missed, and for
    what could not be recorded."""
    options = options_of(item)
    with pytest.MonkeyPatch.context() as patch, Recorder(options) as recorder:
        for name, value in environment_of_clients(recorder, {}).items():
            patch.setenv(name, value)
        patch.setattr(socket.socket, "connect", _connect_to_loopback_only(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _connect_to_loopback_only(socket.socket.connect_ex))
        yield EdgeOfTest(recorder.origin, options.out)
    if recorder.result.exit_code:
        pytest.fail("\n".join(summary_lines(recorder.result)), pytrace=False)


def options_of(item: pytest.Item) -> RecordOptions:
    """Return the recorder's options for a test: of its marker, and of the command line."""
    marker = item.get_closest_marker(MARKER)
    stated: Mapping[str, object] = marker.kwargs if marker else {}
    folder = item.path.parent / "cassettes" / item.path.stem / _NO_NAME.sub("-", item.name).strip("-")
    serve = stated.get("serve")
    hosts = serve if isinstance(serve, Mapping) else {dialect: RECORDS[dialect].base_url for dialect in SERVED}
    word = text(item.config.getoption("record_mode")) or "none"
    is_first = word == "once" and not any(folder.glob("*.yaml"))
    ca_file = text(stated.get("ca_file"))
    return RecordOptions(
        [f"{dialect}={url}" for dialect, url in hosts.items()], folder, "record" if is_first else _MODES[word],
        key_env=_texts(stated.get("key_env")), volatile=_texts(stated.get("volatile")),
        ca_file=Path(ca_file) if ca_file else None, unplayed="fail" if stated.get("unplayed") == "fail" else "warn",
    )  # fmt: skip


def _texts(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _connect_to_loopback_only(connect: Callable[..., object]) -> Callable[..., object]:
    def connect_or_refuse(self: socket.socket, address: object) -> object:
        host = str(address[0]) if isinstance(address, tuple) and address else ""
        if host and not is_loopback(host) and threading.current_thread().name != THREAD:
            what = f"a test with cassettes may not connect to {host}"
            raise NetworkBlocked(f"{what}; point its client at the fixture bridgecheck_edge")
        return connect(self, address)

    return connect_or_refuse
