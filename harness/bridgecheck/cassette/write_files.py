"""Several files at once: all of them or none."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from bridgecheck.errors import MissingPath, WouldOverwrite


def write_files(files: Mapping[Path, bytes], *, force: bool) -> int:
    """Write files and return how many have changed. What cannot be written leaves none behind. Raises WouldOverwrite
    for a file that is there with other bytes, unless ``force``; MissingPath where a folder cannot be written."""
    changed = {path: data for path, data in files.items() if not (path.is_file() and path.read_bytes() == data)}
    present = sorted(path for path in changed if path.exists())
    if present and not force:
        more = f", and {len(present) - 1} more" if len(present) > 1 else ""
        what = f"a file is there already, with other content{more}"
        raise WouldOverwrite(what, str(present[0]), "a folder without these files", "the same command with --force")
    if folders := [path for path in present if path.is_dir()]:
        raise MissingPath("a folder is in the place of a file", str(folders[0]), "a file, or nothing", "remove it")
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in changed}
    try:
        for path, data in changed.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            drafts[path].write_bytes(data)
        for path, draft in drafts.items():
            draft.replace(path)
    except OSError as error:
        where = error.filename or next(iter(changed))
        raise MissingPath(f"this cannot be written: {error.strerror}", str(where), "a folder to write into") from error
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink()
    return len(changed)
