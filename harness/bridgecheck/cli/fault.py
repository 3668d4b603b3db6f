"""A fault of the harness itself: the traceback goes to a file, the user gets two lines."""

import platform
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Final

from bridgecheck import __version__

FILE: Final = Path("reports/local/harness-error.txt")


def record(error: BaseException) -> str:
    """What to tell the user; the details are written beside the reports, or to the temporary folder if that is not
    possible."""
    trace = "".join(traceback.format_exception(error))
    command = " ".join(sys.argv[1:])
    text = f"bridgecheck {__version__}, Python {platform.python_version()}\nbridgecheck {command}\n\n{trace}"
    place = _written(text)
    return f"[harness] {type(error).__name__}: {error}\n  at: {place}\n  expected: no fault of bridgecheck itself"


def _written(text: str) -> Path:
    for place in (FILE, Path(tempfile.gettempdir()) / f"bridgecheck-{FILE.name}"):
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return place
    return Path("(could not be written)")
