"""JSON files: read with the position of a mistake, written atomically and always the same way."""

import gzip
import json
import os
import tempfile
import zlib
from pathlib import Path
from typing import Final

from bridgecheck.errors import BridgecheckError

GZIP: Final = ".gz"


def read_json(path: Path, error: type[BridgecheckError]) -> tuple[object, str]:
    """The document of a UTF-8 JSON file and its text (for ``position``). A key given twice is a mistake. What ends in
    ``.gz`` is unpacked first.

    Raises ``error`` with file, line and column on anything that is no JSON.
    """
    try:
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == GZIP else path.read_text(encoding="utf-8")
    except (gzip.BadGzipFile, EOFError, zlib.error) as wrong:
        raise error(f"no gzip: {wrong}", str(path), "a whole file, packed with gzip") from wrong
    except UnicodeDecodeError as wrong:
        raise error("the file is not UTF-8", f"{path}: byte {wrong.start}", "UTF-8 text") from wrong
    except OSError as wrong:
        raise error(f"the file cannot be read: {wrong.strerror}", str(path), "a readable file") from wrong
    try:
        return json.loads(text, object_pairs_hook=_unique), text
    except json.JSONDecodeError as wrong:
        raise error(wrong.msg, f"{path}:{wrong.lineno}:{wrong.colno}", "JSON") from wrong
    except _DuplicateKey as wrong:
        where = f"{path}:{_line_of(text, wrong.key)}"
        raise error(f"the key {wrong.key!r} stands twice in one object", where, "every key once") from wrong


def dump_json(value: object) -> str:
    """The text of our own JSON files: two spaces, unicode kept, keys in the given order, newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, value: object) -> bool:
    """Write atomically; True if the file's bytes changed."""
    return write_text(path, dump_json(value))


def write_text(path: Path, text: str) -> bool:
    """Write UTF-8 text through a temporary file in the same folder, so that no reader ever sees half a file.

    True if the bytes changed; a file that already holds them is left alone.
    """
    data = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True


class _DuplicateKey(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKey(key)
        found[key] = value
    return found


def _line_of(text: str, key: str) -> int:
    """The line of the key's second occurrence: a good guess at the mistake, exact in all but nested namesakes."""
    quoted = json.dumps(key, ensure_ascii=False)
    first = text.find(quoted)
    return text.count("\n", 0, max(text.find(quoted, first + 1), 0)) + 1
