"""What the processes of one run share: who plays at the moment, and which scenarios the adapter hung in."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

MAX_HUNG_SCENARIOS: Final = 10
"""An adapter that hung in so many is not asked any more."""


class RunState:
    """``folder``: known to all processes of the run; None where there is only this one."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder if os.name == "posix" else None
        self._hung: set[str] = set()

    def note_hang(self, scenario: str) -> None:
        self._hung.add(scenario)
        if self._folder is not None:
            with (self._folder / "hung").open("a", encoding="utf-8") as file:
                file.write(f"{scenario}\n")

    def has_hung_too_often(self) -> bool:
        """Return whether it hung in so many different scenarios that the rest says nothing new."""
        return len(self._read_hung()) >= MAX_HUNG_SCENARIOS

    def has_hung_in(self, scenario: str) -> bool:
        return scenario in self._read_hung()

    def _read_hung(self) -> set[str]:
        path = self._folder / "hung" if self._folder is not None else None
        if path is not None and path.is_file():
            self._hung.update(path.read_text(encoding="utf-8").splitlines())
        return self._hung

    @contextmanager
    def play_beside_others(self) -> Iterator[None]:
        """Play while others do; wait while one plays alone, or is about to."""
        with ExitStack() as stack:
            with self._lock("turn", alone=True):
                stack.enter_context(self._lock("playing", alone=False))
            yield

    @contextmanager
    def play_alone(self) -> Iterator[None]:
        """Play when nobody else does."""
        with self._lock("turn", alone=True), self._lock("playing", alone=True):
            yield

    @contextmanager
    def _lock(self, name: str, *, alone: bool) -> Iterator[None]:
        """Hold a lock; the end of this process frees it."""
        if self._folder is None:
            yield
            return
        import fcntl  # not on every system

        with (self._folder / name).open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
