"""Recorded traffic of others: JSON lines and vcrpy cassettes, one interaction at a time.

What is broken is yielded as BadTraffic with file and line, and the rest is read on. ``PATH::GLOB`` names some
interactions of a file or folder by id: the ``id`` of a JSON line, or ``<file without suffix>/<number>`` in a
cassette.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from bridgecheck.cassette import traffic_jsonl, traffic_yaml
from bridgecheck.cassette.traffic_item import TrafficItem
from bridgecheck.errors import BadTraffic, MissingPath

__all__ = ["EVERY", "SUFFIXES", "BadTraffic", "TrafficItem", "address", "files", "read"]

SUFFIXES: Final[tuple[str, ...]] = (".jsonl", ".yaml", ".yml")
EVERY: Final = "*"
_HELP: Final = "bridgecheck run --help"


def address(text: str) -> tuple[Path, str]:
    """``PATH`` or ``PATH::GLOB`` -> path and glob (``*`` if none was given)."""
    path, _, glob = text.partition("::")
    return Path(path), glob or EVERY


def files(path: Path) -> list[Path]:
    """The traffic files of a folder, sorted, or the file itself. Raises MissingPath."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    if not path.is_file():
        raise MissingPath(
            "there is no such traffic file or folder", str(path), f"a folder or {', '.join(SUFFIXES)}", _HELP
        )
    if path.suffix not in SUFFIXES:
        raise MissingPath("this is no traffic file", str(path), f"one of {', '.join(SUFFIXES)}", _HELP)
    return [path]


def read(path: Path, ids: str = EVERY) -> Iterator[TrafficItem | BadTraffic]:
    """Every interaction of a file or folder whose id matches the glob. What is broken has no id: it is passed over
    when a glob was given. Raises MissingPath before the first item."""
    found = files(path)
    base = path if path.is_dir() else path.parent
    return (item for file in found for item in _file(file, base) if _wanted(item, ids))


def _wanted(item: TrafficItem | BadTraffic, ids: str) -> bool:
    return ids == EVERY or (isinstance(item, TrafficItem) and fnmatchcase(item.id, ids))


def _file(file: Path, base: Path) -> Iterator[TrafficItem | BadTraffic]:
    try:
        data = file.read_bytes()
    except OSError as error:
        yield BadTraffic(f"the file cannot be read: {error.strerror}", str(file))
        return
    if file.suffix == ".jsonl":
        yield from traffic_jsonl.items(data, str(file))
    else:
        yield from traffic_yaml.items(data, str(file), file.relative_to(base).with_suffix("").as_posix())
