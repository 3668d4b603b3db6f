"""Writes cassettes in a thread of its own, so that no client waits while one is assembled and searched for secrets."""

import threading
from collections.abc import Collection
from pathlib import Path
from typing import Final

from bridgecheck.errors import BridgecheckError
from bridgecheck.record.folder import Claim, Session, cassette_file
from bridgecheck.record.grouping import ConversationKey

_DISK: Final = "free some space or choose another folder with --out, then record again"


class CassetteWriter:
    """``problems``: per conversation why its cassette could not be written as it is now. ``saved``: conversations whose
    cassette was written."""

    def __init__(self, session: Session) -> None:
        self.problems: dict[ConversationKey, str] = {}
        self.saved: set[ConversationKey] = set()
        self._session = session
        self._waiting: dict[ConversationKey, Claim] = {}
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="bridgecheck-cassettes", daemon=True)
        self._thread.start()

    def schedule(self, claim: Claim) -> None:
        """Write this conversation soon. One that replaces an earlier cassette waits until ``close``."""
        if claim.replaces:
            return
        with self._changed:
            self._waiting[claim.key] = claim
            self._changed.notify()

    def close(self, without: Collection[ConversationKey] = ()) -> list[Path]:
        """Write everything that has not been written, and end the thread. ``without``: conversations that do not
        replace an earlier cassette; return the files that stay so."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        for key, claim in self._session.claims.items():
            if claim.replaces and key not in without:
                self._save(claim)
        replacing = [key for key, claim in self._session.claims.items() if claim.replaces and key in without]
        return [cassette_file(self._session.folder, key) for key in replacing]

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                claim = self._waiting.pop(next(iter(self._waiting)))
            self._save(claim)

    def _save(self, claim: Claim) -> None:
        try:
            if self._session.save(claim) is not None:
                self.saved.add(claim.key)
            self.problems.pop(claim.key, None)
        except BridgecheckError as error:
            self.problems[claim.key] = str(error)
        except OSError as error:
            file = cassette_file(self._session.folder, claim.key)
            what = f"the cassette cannot be written: {error.strerror or error}"
            self.problems[claim.key] = f"[cassette-not-written] {what}\n  at: {file}\n  next: {_DISK}"
