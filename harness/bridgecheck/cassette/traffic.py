"""Recorded traffic of others, one interaction at a time: the formats of ``formats.table``, packed with gzip or not.

What is broken is yielded as BadTraffic with file and line, and the rest is read on. ``PATH::GLOB`` names some
interactions of a file or folder by id: the ``id`` of a JSON line, elsewhere ``<file>/<number>``, where the suffix of a
YAML file is left out.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

from bridgecheck.cassette.formats.detect import HEAD_BYTES, describe_content, detect_format
from bridgecheck.cassette.formats.item import TrafficItem
from bridgecheck.cassette.formats.names import FormatName
from bridgecheck.cassette.formats.table import FORMATS, SUFFIXES
from bridgecheck.errors import BadTraffic, MissingPath

__all__ = ["SUFFIXES", "TrafficItem", "read_traffic", "split_address", "traffic_files"]

EVERY: Final = "*"
_HELP: Final = "bridgecheck run --help"
_PACKED: Final = ".gz"
_YAML: Final = (".yaml", ".yml")


class TrafficFolder(NamedTuple):
    """The files of a folder that hold recordings, sorted, and those that do not."""

    files: list[Path]
    skipped: list[Path]


def split_address(address: str) -> tuple[Path, str]:
    """Split ``PATH``, ``PATH::ID-GLOB`` or ``PATH::ID-GLOB::VARIANT`` into path and glob of ids or cases (``*`` if none
    was given)."""
    path, _, glob = address.partition("::")
    return Path(path), glob or EVERY


def traffic_files(path: Path) -> list[Path]:
    """Return the traffic files of a folder, sorted, or the file itself. Raises MissingPath; of a folder, foreign files
    are left out."""
    if path.is_dir():
        return sort_folder(path).files
    if not path.is_file():
        what = "there is no such traffic file or folder"
        raise MissingPath(what, str(path), f"a folder or {', '.join(SUFFIXES)}", _HELP)
    if not has_traffic_suffix(path):
        raise MissingPath("this is no traffic file", str(path), f"one of {', '.join(SUFFIXES)}", _HELP)
    _refuse_link_without_suffix(path)
    require_format(path, _HELP)
    return [path]


def sort_folder(folder: Path) -> TrafficFolder:
    """Return the files below a folder that hold recordings, and the others. Raises MissingPath for a link to a file
    whose name does not say what it holds."""
    sorted_files = TrafficFolder([], [])
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        if has_traffic_suffix(file):
            _refuse_link_without_suffix(file)
        is_traffic = has_traffic_suffix(file) and find_format(file) is not None
        (sorted_files.files if is_traffic else sorted_files.skipped).append(file)
    return sorted_files


def has_traffic_suffix(file: Path) -> bool:
    return _suffix(file) in SUFFIXES


def find_format(file: Path) -> FormatName | None:
    """Return the format of a file by its content; None for a foreign one. One that cannot be read or unpacked is taken
    for what its name says, so that this is reported."""
    try:
        head = _read_head(file)
    except (OSError, EOFError, zlib.error):
        return "jsonl" if _suffix(file) == ".jsonl" else "vcrpy"
    return detect_format(head, is_named_jsonl=_suffix(file) == ".jsonl")


def require_format(file: Path, next_step: str) -> FormatName:
    """Return the format of a file. Raises MissingPath for a foreign one."""
    name = find_format(file)
    if name is None:
        expected = "; or ".join(entry.expected for entry in FORMATS.values())
        what = f"this is no recording in a format that bridgecheck reads, but {describe_content(_read_head(file))}"
        raise MissingPath(what, str(file), expected, next_step)
    return name


def read_traffic(path: Path, glob: str = EVERY) -> Iterator[TrafficItem | BadTraffic]:
    """Return every interaction of a file or folder whose id matches a glob of ids or cases. What is broken has no id:
    it is omitted when a glob was given. Raises MissingPath before the first item."""
    paths = traffic_files(path)
    ids = glob.partition("::")[0]
    base = path if path.is_dir() else path.parent
    items = (item for file in paths for item in read_file(file, base))
    return (item for item in items if ids == EVERY or (isinstance(item, TrafficItem) and fnmatchcase(item.id, ids)))


def read_file(file: Path, base: Path, name: FormatName | None = None) -> Iterator[TrafficItem | BadTraffic]:
    """Yield the interactions of one file; ids begin with its path below ``base``. ``name``: its format, None: by its
    content."""
    entry = FORMATS[name or find_format(file) or "vcrpy"]
    try:
        with _open_unpacked(file) as stream:
            yield from entry.read(stream, str(file), stem_of(file, base))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        yield BadTraffic(f"this gzip file cannot be unpacked: {error}", str(file), "a whole gzip file")
    except OSError as error:
        yield BadTraffic(f"the file cannot be read: {error.strerror}", str(file))


def stem_of(file: Path, base: Path) -> str:
    """Return with what the ids of a file begin: its path, for YAML without suffix."""
    relative = file.relative_to(base)
    return (relative.with_suffix("") if file.suffix in _YAML else relative).as_posix()


@contextmanager
def _open_unpacked(file: Path) -> Iterator[IO[bytes]]:
    with file.open("rb") as raw:
        if file.suffix != _PACKED:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield cast(IO[bytes], unpacked)


def _read_head(file: Path) -> str:
    """Return the beginning of a file as text. Raises OSError, EOFError, zlib.error."""
    with _open_unpacked(file) as stream:
        return stream.read(HEAD_BYTES).decode("utf-8", "replace")


def _suffix(file: Path) -> str:
    return Path(file.stem).suffix if file.suffix == _PACKED else file.suffix


def _refuse_link_without_suffix(file: Path) -> None:
    """A case is found again by the file itself, whose name says what it holds. Raises MissingPath."""
    target = file.resolve()
    if not has_traffic_suffix(target):
        what = f"this is a link to {target.name}, whose name does not say what it holds"
        raise MissingPath(what, str(file), f"a link to a file that ends in {', '.join(SUFFIXES)}", _HELP)
