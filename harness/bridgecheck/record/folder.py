"""The folder of cassettes, as one recorder uses it: NAME.DIALECT.yaml a conversation, beside what is not whole yet.

    FOLDER/NAME.DIALECT.yaml                            written whole or not at all
    FOLDER/.recording/SESSION/NAME.DIALECT/000001.journal one exchange under way or not yet assembled
    FOLDER/.recording/SESSION/NAME.DIALECT/claim.json   which interactions stay before those of the journals

A session is one recorder. Its folder is locked while it lives, and the system ends the lock with it; so what an ended
session left is told from what a living one writes. A conversation is claimed by its folder, under a lock of
``.recording`` itself, so that two recorders never write one cassette.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import load_cassette, save_cassette
from bridgecheck.errors import BadCassette, FolderInUse, MissingPath, SecretFound
from bridgecheck.files.writable import lock_folder
from bridgecheck.model.counts import plural
from bridgecheck.model.jsonvalue import integer, obj
from bridgecheck.record.assembly import extend_cassette
from bridgecheck.record.grouping import ConversationKey
from bridgecheck.record.journal import JournalledExchange, read_journal
from bridgecheck.record.providers import SERVED

_HIDDEN: Final = ".recording"
_CLAIM: Final = "claim.json"
_JOURNAL: Final = ".journal"
_TRIES: Final = 20
_NEXT: Final = "move it out of the folder, or record into another one"


def cassette_file(folder: Path, key: ConversationKey) -> Path:
    return folder / f"{key.name}.{key.dialect}.yaml"


def load_folder(folder: Path) -> dict[ConversationKey, Cassette]:
    """Return the cassettes of a folder, by conversation; {} for a folder that is not there. Raises BadCassette for a
    file that is broken, foreign or of another conversation, and MissingPath for what is no folder."""
    if folder.exists() and not folder.is_dir():
        raise MissingPath("--out names a file", str(folder), "a folder, or a name that is still free")
    return {_key_of(path): _load_checked(path) for path in sorted(folder.glob("*.yaml")) if path.name[0] != "."}


def _key_of(path: Path) -> ConversationKey:
    name, _, dialect = path.name.removesuffix(".yaml").rpartition(".")
    if not name or dialect not in SERVED:
        expected = f"NAME.DIALECT.yaml with one of {', '.join(SERVED)}"
        raise BadCassette("a file that no recorder wrote stands among the cassettes", str(path), expected, _NEXT)
    return ConversationKey(name, dialect)


def _load_checked(path: Path) -> Cassette:
    try:
        cassette = load_cassette(path)
    except BadCassette as error:
        raise BadCassette(error.what, error.where, error.expected, _NEXT) from error
    key = _key_of(path)
    recorded = [
        cassette.metadata.get(name, value) for name, value in (("scenario", key.name), ("dialect", key.dialect))
    ]
    if recorded != list(key):
        what = f"the cassette is of {recorded[0]} ({recorded[1]}), its file is named for {key.name} ({key.dialect})"
        raise BadCassette(what, str(path), "a cassette under the name that it was recorded with", _NEXT)
    return cassette


@dataclass(slots=True)
class Claim:
    """A conversation that this session writes. ``earlier``: the cassette whose interactions stay before the new ones;
    ``replaces``: another was there before, which stays until the session ends."""

    key: ConversationKey
    folder: Path
    earlier: Cassette | None
    replaces: bool
    count: int = 0

    def new_journal(self) -> Path:
        self.count += 1
        return self.folder / f"{self.count:06d}{_JOURNAL}"


@dataclass(slots=True)
class Session:
    """One recorder's part of the folder. ``lock``: held until ``close``; ``left_over``: messages about what
    ended sessions left."""

    folder: Path
    appends: bool
    volatile: Sequence[str]
    path: Path
    lock: ExitStack
    left_over: list[str] = field(default_factory=list)
    claims: dict[ConversationKey, Claim] = field(default_factory=dict)

    def claim(self, key: ConversationKey) -> Claim | None:
        """Return the claim on a conversation; None if another recorder has it."""
        if key in self.claims:
            return self.claims[key]
        with _brief_lock(self.folder / _HIDDEN):
            name = f"{key.name}.{key.dialect}"
            if any((session / name).exists() for session in (self.folder / _HIDDEN).iterdir() if session.is_dir()):
                return None
            path = self.path / name
            path.mkdir()
        file = cassette_file(self.folder, key)
        is_there = file.is_file()
        earlier = _load_checked(file) if is_there and self.appends else None
        claim = Claim(key, path, earlier, is_there and not self.appends)
        stays = {"stays": len(earlier.interactions) if earlier else 0, "replaces": claim.replaces}
        (path / _CLAIM).write_text(json.dumps(stays), encoding="utf-8")
        self.claims[key] = claim
        return claim

    def save(self, claim: Claim) -> Path | None:
        """Write the cassette of a conversation as far as it is whole; None where nothing is. Raises SecretFound and
        OSError, and then the file is as before."""
        cassette = self._assemble(claim)
        if cassette is None:
            return None
        file = cassette_file(self.folder, claim.key)
        save_cassette(file, cassette)
        return file

    def _assemble(self, claim: Claim) -> Cassette | None:
        """Return the cassette of a conversation; what its journals hold beside that is no longer in memory then."""
        exchanges = list(_whole_exchanges(claim.folder))
        return extend_cassette(claim.key, claim.earlier, exchanges, self.volatile) if exchanges else None

    def close(self) -> None:
        """Remove what the session had beside the cassettes."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.lock.close()
        with suppress(OSError):
            (self.folder / _HIDDEN).rmdir()


def open_session(folder: Path, appends: bool, volatile: Sequence[str] = ()) -> Session:
    """Begin to record into a folder, which is created, and assemble what ended sessions left; ``close`` the session.
    ``appends``: recorded interactions stay, and new ones stand behind them. Raises MissingPath and BadCassette."""
    path = folder / _HIDDEN / secrets.token_hex(6)
    lock = ExitStack()
    try:
        _begin_session(path, lock)
        session = Session(folder, appends, volatile, path, lock)
        session.left_over += _assemble_left_over(folder, path, volatile)
    except OSError as error:
        what = f"--out names a folder that cannot be written: {error.strerror}"
        raise MissingPath(what, str(folder), "a folder that can be created and written") from error
    return session


def _begin_session(path: Path, stack: ExitStack) -> None:
    for remaining in range(_TRIES, -1, -1):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _brief_lock(path.parent):
                path.mkdir(mode=0o700)
                stack.enter_context(lock_folder(path))
                return
        except FileNotFoundError:  # another recorder ended just now, and removed the folder
            if not remaining:
                raise


@contextmanager
def _brief_lock(hidden: Path) -> Iterator[None]:
    """Wait until no other recorder begins a session or claims a conversation."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    opened = os.open(hidden, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _assemble_left_over(folder: Path, own: Path, volatile: Sequence[str]) -> Iterator[str]:
    """Write the whole exchanges of sessions that were killed, and yield what was done about each conversation."""
    with _brief_lock(folder / _HIDDEN):
        for session in sorted((folder / _HIDDEN).iterdir()):
            if session == own or not session.is_dir():
                continue
            try:
                with lock_folder(session):
                    for path in sorted(entry for entry in session.iterdir() if entry.is_dir()):
                        yield from _assemble_conversation(folder, path, volatile)
                    shutil.rmtree(session, ignore_errors=True)
            except FolderInUse:
                continue


def _assemble_conversation(folder: Path, path: Path, volatile: Sequence[str]) -> Iterator[str]:
    exchanges = list(_whole_exchanges(path))
    key = _key_of(path.with_name(f"{path.name}.yaml"))
    file = cassette_file(folder, key)
    claim = _read_claim(path)
    existing = _load_checked(file) if file.is_file() else None
    stays = integer(claim.get("stays")) or 0
    for draft in folder.glob(f".{file.name}.*"):
        draft.unlink(missing_ok=True)  # of a process that was killed while it wrote
    if not exchanges:
        return
    if claim.get("replaces") is True and existing is not None:
        count = plural(len(exchanges), "whole exchange")
        yield f"an interrupted recording left {count} of {file}; the earlier cassette stays"
        return
    earlier = Cassette(existing.metadata, existing.interactions[:stays]) if existing is not None and stays else None
    try:
        save_cassette(file, extend_cassette(key, earlier, exchanges, volatile))
    except SecretFound as error:
        yield f"an interrupted recording of {file} was dropped: {error.what}"
        return
    yield f"assembled {file} from {plural(len(exchanges), 'whole exchange')} of an interrupted recording"


def _read_claim(path: Path) -> Mapping[str, object]:
    with suppress(OSError, ValueError):
        return obj(json.loads((path / _CLAIM).read_text(encoding="utf-8")))
    return {}


def _whole_exchanges(path: Path) -> Iterator[JournalledExchange]:
    for journal in sorted(path.glob(f"*{_JOURNAL}")):
        exchange = read_journal(journal.read_bytes())
        if exchange is not None:
            yield exchange
