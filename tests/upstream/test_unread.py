"""What Linux tells of the bytes that wait in a socket."""

import socket
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from bridgecheck.upstream.unread import UnreadByteCounter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no other system tells")


@pytest.fixture
def connection() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            yield client, accepted


def test_all_looks_go_through_one_socket(
    connection: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    sender, reader = connection
    ends = reader.getsockname(), reader.getpeername()
    opened: list[int] = []

    class Counted(socket.socket):
        def __init__(self, *arguments):
            opened.append(1)
            super().__init__(*arguments)

    monkeypatch.setattr("bridgecheck.upstream.unread.socket.socket", Counted)
    with closing(UnreadByteCounter()) as counter:
        sender.sendall(b"12345")
        assert counter.count(*ends) == 5
        assert counter.count(("127.0.0.1", 1), ends[1]) == 0
        reader.recv(3)
        assert counter.count(*ends) == 2
        reader.recv(3)
        assert counter.count(*ends) == 0
    assert len(opened) == 1


def test_a_socket_that_fails_is_opened_again(connection: tuple[socket.socket, socket.socket]) -> None:
    sender, reader = connection
    ends = reader.getsockname(), reader.getpeername()
    sender.sendall(b"12345")
    with closing(UnreadByteCounter()) as counter:
        counter.count(*ends)
        assert counter._link is not None
        counter._link.close()
        assert counter.count(*ends) == 0
        assert counter.count(*ends) == 5
