"""What is written down of an exchange while it goes on: a journal in a file, or nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from bridgecheck.model.exchange import End, Headers, HttpRequest
from bridgecheck.record import journal
from bridgecheck.wire import JsonObject

REFUSED_KEY: Final = frozenset({401, 403})
"""Statuses of a provider that does not accept the key. They say nothing about a conversation, and are not recorded."""
_BUFFER: Final = 256 * 1024


class ExchangeLog(Protocol):
    """Called in the order of these methods; ``end`` is always called, and nothing after it counts."""

    def begin(self, http: str) -> None:
        """``http``: the version that is spoken with the provider."""

    def head(self, status: int, headers: Headers) -> None: ...

    def piece(self, data: bytes, t_ms: int, is_border: bool) -> None: ...

    def end(self, end: End | None, why: str) -> None:
        """``end``: None where no response came; ``why``: what broke off, "" if nothing did."""


class NoLog:
    """Writes nothing down, but calls ``on_end`` with status (0 for none), end and reason."""

    def __init__(self, on_end: Callable[[int, End | None, str], None]) -> None:
        self._on_end = on_end
        self._status = 0

    def begin(self, http: str) -> None: ...

    def head(self, status: int, headers: Headers) -> None:
        self._status = status

    def piece(self, data: bytes, t_ms: int, is_border: bool) -> None: ...

    def end(self, end: End | None, why: str) -> None:
        on_end, self._on_end = self._on_end, lambda *_: None
        on_end(self._status, end, why)


class JournalFile:
    """A journal at ``path``. ``facts``: of ``journal.request_entry``. ``on_end``: called with status (0 for none), end,
    reason, and whether the journal is whole; ``on_problem``: with the reason why the file cannot be written."""

    def __init__(
        self, path: Path, request: HttpRequest, origin: str, facts: JsonObject,
        on_end: Callable[[int, End | None, str, bool], None], on_problem: Callable[[OSError], None],
    ) -> None:  # fmt: skip
        self._path = path
        self._request = request
        self._origin = origin
        self._facts = facts
        self._on_end = on_end
        self._on_problem = on_problem
        self._status = 0
        self._is_ended = False
        self._file: BinaryIO | None = None
        try:
            self._file = path.open("wb", buffering=_BUFFER)
        except OSError as error:
            on_problem(error)

    def begin(self, http: str) -> None:
        self._write(journal.request_entry(self._request, self._origin, self._facts | {"http": http}))

    def head(self, status: int, headers: Headers) -> None:
        self._status = status
        self._write(journal.response_entry(status, headers))

    def piece(self, data: bytes, t_ms: int, is_border: bool) -> None:
        if self._file is not None:
            self._write(journal.piece_entry(data, t_ms, is_border))

    def end(self, end: End | None, why: str) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        is_wanted = end is not None and self._status not in REFUSED_KEY
        if end is not None and is_wanted:
            self._write(journal.end_entry(end))
        is_whole = self._close() and is_wanted
        if not is_whole:
            self._path.unlink(missing_ok=True)
        self._on_end(self._status, end, why, is_whole)

    def _write(self, data: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(data)
        except OSError as error:
            self._give_up(error)

    def _close(self) -> bool:
        """Return whether everything has been written."""
        if self._file is None:
            return False
        try:
            self._file.close()
        except OSError as error:
            self._give_up(error)
            return False
        self._file = None
        return True

    def _give_up(self, error: OSError) -> None:
        """Write nothing more: the disk is full, mostly. A closed file tries to write its buffer again."""
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close()
        except OSError:
            pass
        self._on_problem(error)
