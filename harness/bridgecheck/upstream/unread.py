"""How much of what was sent over loopback the other side has not read yet.

Two writes that wait in a socket's buffer are read as one: what a client then makes of a stream depends on how busy the
machine is. Linux tells of every TCP socket how much waits there (sock_diag(7), inet_diag_msg.idiag_rqueue).
"""

import socket
import struct
from typing import Final, TypeAlias

Address: TypeAlias = tuple[str, int]

_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_ALL_STATES: Final = 0xFFFFFFFF
_NO_COOKIE: Final = 0xFFFFFFFF
_HEAD: Final = struct.Struct("=IHHII")
_RECEIVE_QUEUE: Final = struct.Struct("=I")
_RECEIVE_QUEUE_AT: Final = _HEAD.size + 4 + 48 + 4
"""Behind the head: family, state, timer and retransmissions, the addresses, and when the timer ends."""


class UnreadByteCounter:
    """Asks the system. One of its sockets serves until ``close``, or an answer that does not come; in one thread."""

    def __init__(self) -> None:
        self._link: socket.socket | None = None

    def count(self, address: Address, peer: Address) -> int:
        """Return how many bytes wait at the IPv4 socket with this ``address`` that is connected to ``peer``; 0 where
        the system does not tell."""
        if not hasattr(socket, "AF_NETLINK"):
            return 0
        try:
            return self._ask(address, peer)
        except OSError:
            self.close()
        return 0

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None

    def _ask(self, address: Address, peer: Address) -> int:
        if self._link is None:
            self._link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, _SOCK_DIAG)
        hosts = socket.inet_aton(address[0]), socket.inet_aton(peer[0])
        sought = struct.pack(">HH4s12x4s12x", address[1], peer[1], *hosts)
        sought += struct.pack("=III", 0, _NO_COOKIE, _NO_COOKIE)
        request = struct.pack("=BBxxI", socket.AF_INET, socket.IPPROTO_TCP, _ALL_STATES) + sought
        size = _HEAD.size + len(request)
        self._link.send(_HEAD.pack(size, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0) + request)
        answer = self._link.recv(4096)
        is_socket = _HEAD.unpack_from(answer)[1] == _SOCK_DIAG_BY_FAMILY  # else an error: it is there no more
        if not is_socket or len(answer) < _RECEIVE_QUEUE_AT + _RECEIVE_QUEUE.size:
            return 0
        return int(_RECEIVE_QUEUE.unpack_from(answer, _RECEIVE_QUEUE_AT)[0])
