"""Runs in a worker process, by its source alone, before anything of bridgecheck is there: ends the process as soon as
its parent has ended, and sends its id."""

import os
import threading
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from execnet import Channel

_PARENT: Final = os.getppid()
_POLL_S: Final = 0.2


def main(channel: "Channel") -> None:
    threading.Thread(target=_exit_when_parent_ended, daemon=True).start()
    channel.send(os.getpid())


def _exit_when_parent_ended() -> None:
    while os.getppid() == _PARENT:
        time.sleep(_POLL_S)
    os._exit(1)


if __name__ == "__channelexec__":
    main(globals()["channel"])
