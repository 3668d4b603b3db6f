"""A port for an adapter that is told where to listen.

An adapter takes its port only when it has started, half a minute later on a busy machine. In the meantime the system
hands out port numbers to every server that takes any and to every outgoing connection, and whoever gets this one
answers in the adapter's place. So it comes from below the range that systems hand out (from 32768 on Linux, 49152
elsewhere), and no two runs of bridgecheck choose the same: each holds the UDP port of that number meanwhile.
"""

import random
import socket
from contextlib import suppress
from typing import Final

LOWEST: Final = 15000
HIGHEST: Final = 32767
_TRIES: Final = 200


class ReservedPort:
    """``number``: a TCP port of 127.0.0.1 on which nothing listens, and which no other ReservedPort of this machine has
    until ``release``, or until this process ends."""

    def __init__(self) -> None:
        for number in random.SystemRandom().sample(range(LOWEST, HIGHEST + 1), _TRIES):
            holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            if _can_bind(holder, number) and _is_free(number):
                self.number, self._holder = number, holder
                return
            holder.close()
        raise OSError(f"no free port found: {_TRIES} between {LOWEST} and {HIGHEST} tried")

    def release(self) -> None:
        """Let others have it. May be called again."""
        self._holder.close()


def _is_free(number: int) -> bool:
    with socket.socket() as probe:
        return _can_bind(probe, number)


def _can_bind(held: socket.socket, number: int) -> bool:
    with suppress(OSError):
        held.bind(("127.0.0.1", number))
        return True
    return False
