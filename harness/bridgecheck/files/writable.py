"""Check that a file or folder named on the command line can be written, before anything runs."""

from pathlib import Path
from tempfile import TemporaryFile

from bridgecheck.errors import MissingPath


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


def require_writable_file(file: Path, option: str) -> None:
    """Check that this is no folder, and that its folder can be written. Raises MissingPath."""
    if file.is_dir():
        raise MissingPath(f"{option} names a folder", str(file), "a file")
    create_writable_folder(file.parent, option)
