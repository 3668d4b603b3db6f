"""What a library of recordings holds open, and that it is closed."""

import socket
import threading
from pathlib import Path

import pytest

from bridgecheck.run.library import Library

pytest_plugins = ["pytester"]


def test_the_edge_server_runs_from_its_first_use_until_the_library_is_closed(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.stop_edge()
    port = library.edge.port
    assert library.edge.port == port
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    library.stop_edge()
    library.stop_edge()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    assert not [thread for thread in threading.enumerate() if thread.name == "bridgecheck-edge"]


def test_a_session_stops_the_edge_of_its_library(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Library] = []
    monkeypatch.setattr(Library, "stop_edge", lambda self: closed.append(self))
    found = pytester.inline_run("--bridgecheck", "--bridgecheck-scenario", "text/no-such-*", "-p", "no:cacheprovider")
    assert found.ret in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.OK)
    assert len(closed) == 1
