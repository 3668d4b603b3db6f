"""Whatever asks the command to end, it ends as with Ctrl-C: what it started is stopped, and what it has is reported."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_REQUESTS_TO_END: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def interrupt_on_termination() -> None:
    """Raise KeyboardInterrupt at SIGTERM (a CI job that is cancelled) and at SIGHUP (a terminal that is closed), unless
    somebody handles or ignores them already, as nohup does."""
    if not _is_main_thread():
        return
    for number in _REQUESTS_TO_END:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def without_interruption() -> Iterator[None]:
    """Let none of these signals interrupt what takes a moment, a report that is being written: the first one ended the
    run, and another may follow before the command has ended."""
    if not _is_main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_REQUESTS_TO_END)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _is_main_thread() -> bool:
    """Whether signals can be handled here."""
    return threading.current_thread() is threading.main_thread()
