"""Calling foreign code: it may raise, hang, refuse, ask for the event loop or end the process; the harness goes on.

The work is done in a thread of its own, so that a hang costs one thread and not the run. Context variables (the player
of this case) are carried over. A thread that loops for ever is ended, or a few of them would leave the others no time;
but not while it imports: a module that was half imported would be broken for all later cases.
"""

import asyncio
import contextvars
import ctypes
import inspect
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import ClassVar, Final, Generic, TypeVar

from bridgecheck.errors import HarnessError
from bridgecheck.model.evidence import HungNotHttpOrEmpty

T = TypeVar("T")

_HERE = str(Path(__file__).resolve().parent)

IMPORT_S: Final = 60.0
"""Seconds more for an import that is under way when the time is up."""
MAX_TRACEBACK: Final = 20_000
"""Characters kept of a traceback: a message may hold a whole document."""
_IMPORT_POLL_S: Final = 0.05
_IMPORT_SYSTEM: Final = "<frozen importlib._bootstrap>"
"""The file of the import system's frames."""


def _tell_nobody() -> None:
    """Do nothing: who waits for this process waits in it."""


on_import_after_limit: Callable[[], None] = _tell_nobody
"""Called again and again while an import takes longer than the adapter's time."""

_UNTIL: ContextVar[float] = ContextVar("until")
_RESERVE_SHARE: Final = 0.1
_RESERVE_S: Final = 0.5
"""Of its time, what a supervised call keeps when it waits for a process of the adapter's: the larger of a share and of
seconds, but no more than half. It has to tell of a hang itself."""


class Crashed(Exception):
    """The adapter raised, hung or returned nonsense; ``str()`` is its traceback or what was wrong."""

    kind: ClassVar[HungNotHttpOrEmpty] = ""


class Hung(Crashed):
    """The adapter, or a process of it, did not answer in time."""

    kind = "hung"


class Ended(Crashed):
    """A process of the adapter ended, or was ended because it broke the protocol; the next request starts another."""


class Refused(Exception):
    """The adapter does not support this; ``str()`` is its own message."""


class NoMethod(Refused):
    """The adapter leaves out a method that its protocol lets it leave out."""


def run_foreign_code(work: Callable[["AwaitRunner"], T], seconds: float) -> T:
    """Return ``work(runner)``, run in a thread within ``seconds``. Raises Crashed, Refused and the harness's errors."""
    outcome: _ThreadResult[T] = _ThreadResult()
    context = contextvars.copy_context()
    reserve = min(max(_RESERVE_SHARE * seconds, _RESERVE_S), seconds / 2)
    context.run(_UNTIL.set, time.monotonic() + seconds - reserve)
    thread = threading.Thread(target=context.run, args=(outcome.run_work, work), daemon=True, name="adapter")
    thread.start()
    _join_thread_extended_by_imports(thread, seconds)
    if thread.is_alive():
        stack = _thread_stack(thread)
        _end_thread_unless_importing(thread)
        raise Hung(f"It stood here (most recent call last):\n{stack}\nno answer within {seconds:g} s")
    return outcome.value_or_raise_classified()


def _join_thread_extended_by_imports(thread: threading.Thread, seconds: float) -> None:
    """Wait for the thread. If it is importing a module when its time is up, it has its time again from the end of the
    import: ended in the middle, it would leave a broken module to all later cases."""
    thread.join(seconds)
    deadline = time.monotonic() + IMPORT_S
    was_importing = False
    while thread.is_alive() and time.monotonic() < deadline and _is_importing(thread):
        was_importing = True
        on_import_after_limit()
        thread.join(_IMPORT_POLL_S)
    if was_importing:
        on_import_after_limit()
        thread.join(seconds)


def _is_importing(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None and frame.f_code.co_filename != _IMPORT_SYSTEM:
        frame = frame.f_back
    return frame is not None


def remaining_seconds(default: float) -> float:
    """Return the seconds that a process of the adapter may still take; ``default`` outside of a supervised call."""
    until = _UNTIL.get(None)
    return default if until is None else max(0.0, until - time.monotonic())


class AwaitRunner:
    """Awaits what is awaitable, on one event loop per supervised call; returns other values as they are."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def __call__(self, value: object) -> object:
        if not inspect.isawaitable(value):
            return value
        return self.run(_as_coroutine(value))

    def run(self, coroutine: Coroutine[object, object, T]) -> T:
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(coroutine)

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()


async def _as_coroutine(awaitable: Awaitable[object]) -> object:
    return await awaitable


class _ThreadResult(Generic[T]):
    """The result of the thread: a value or an exception."""

    def __init__(self) -> None:
        self._values: list[T] = []
        self._error: BaseException | None = None

    def run_work(self, work: Callable[[AwaitRunner], T]) -> None:
        runner = AwaitRunner()
        try:
            self._values.append(work(runner))
        except BaseException as error:  # SystemExit and the like of foreign code end this thread only
            self._error = error
        finally:
            runner.close()

    def value_or_raise_classified(self) -> T:
        if self._error is None:
            return self._values[0]
        failure = classify_failure(self._error)
        raise failure from (self._error if failure is not self._error else None)


def classify_failure(error: BaseException) -> Crashed | Refused | HarnessError:
    """Return an exception that ended foreign code as a crash or a refusal; one of the harness as it is."""
    if isinstance(error, Crashed | Refused | HarnessError):
        return error
    if isinstance(error, NotImplementedError):
        return Refused(str(error) or "NotImplementedError without a word")
    return Crashed(format_foreign_traceback_shortened(error))


def format_foreign_traceback_shortened(error: BaseException) -> str:
    """Return the traceback without the harness's own frames at its top."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None and step.tb_frame.f_code.co_filename.startswith(_HERE):
        step = step.tb_next
    text = "".join(traceback.format_exception(type(error), error, step)).rstrip()
    if len(text) <= MAX_TRACEBACK:
        return text
    return f"{text[: MAX_TRACEBACK // 2]}\n… ({len(text)} characters) …\n{text[-MAX_TRACEBACK // 2 :]}"


def _end_thread_unless_importing(thread: threading.Thread) -> None:
    """Raise SystemExit in it at its next step in Python; one that waits outside of Python never receives it. What was
    raised is taken back if an import has begun before it arrived."""
    if thread.ident is None or _is_importing(thread):
        return
    ident = ctypes.c_ulong(thread.ident)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(SystemExit))
    if _is_importing(thread):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, None)


def _thread_stack(thread: threading.Thread) -> str:
    """Return the current stack of a thread, without the harness's own frames."""
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is None:
        return "  (it has just ended)"
    stack = list(traceback.extract_stack(frame))
    foreign_frames = [line for line in stack if not line.filename.startswith((_HERE, threading.__file__))]
    return "".join(traceback.format_list((foreign_frames or stack)[-8:])).rstrip()


async def iterate_async(values: Iterable[T]) -> AsyncIterator[T]:
    """Yield the values of a plain iterable, and close a generator when its reader leaves."""
    try:
        for value in values:
            yield value
    finally:
        if isinstance(values, Generator):
            values.close()
