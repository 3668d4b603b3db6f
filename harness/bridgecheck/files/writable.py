"""Check that a file or folder named on the command line can be written, before anything runs; and keep a folder to one
run."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from bridgecheck.errors import FolderInUse, MissingPath


def create_writable_folder(folder: Path, option: str = "--report") -> None:
    """Create the folder if it does not exist, and try to write in it. ``option``: the command line option that names
    it, for messages. Raises MissingPath."""
    if folder.exists() and not folder.is_dir():
        raise MissingPath(f"{option} names a file", str(folder), "a folder, or a name that is still free")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        what = f"{option} names a folder that cannot be written: {error.strerror}"
        raise MissingPath(what, str(folder), "a folder that can be created and written") from error


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep every other process from locking this folder meanwhile. The lock leaves no file, and ends with the process,
    however that ends. Where the system or the file system has no such locks, there is none. Raises FolderInUse."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, opened)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                what, next_step = "another run is writing its report here", "bridgecheck run --report ANOTHER-FOLDER"
                raise FolderInUse(what, str(folder), "a folder that no run is using", next_step) from error
        yield


def require_writable_file(file: Path, option: str) -> None:
    """Check that this is no folder, and that its folder can be written. Raises MissingPath."""
    if file.is_dir():
        raise MissingPath(f"{option} names a folder", str(file), "a file")
    create_writable_folder(file.parent, option)
