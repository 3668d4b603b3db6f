"""What only some systems can do, refused before anything starts."""

import os
import sys

from bridgecheck.errors import UnsupportedSystem


def require_posix(what: str) -> None:
    """Raises UnsupportedSystem anywhere but on Linux, macOS and their like: ``what`` writes at positions of open files,
    and keeps processes, as only they can."""
    if os.name != "posix":
        next_step = "in a container, in WSL, or in CI on Linux; list, show, html, compare and import work here"
        raise UnsupportedSystem(f"{what} needs Linux or macOS", f"this system: {sys.platform}", "POSIX", next_step)
