"""No path of the machine leaves a case either: what is below the project's folder is named from there, installed
packages by their names. A report is to say the same wherever it was made.
"""

import re
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

_PREFIXES: Final = tuple(
    (name, re.compile(rf"(?<![\w.~-])/[^\s\"'<>()]*?/(?={re.escape(name)})"))
    for name in ("site-packages/", "dist-packages/", "node_modules/", "lib/python3.")
)
_LEAST: Final = 2
"""Parts of a folder that can be told from any other text: ``/`` and ``/x`` stand in it by chance, but for a home."""


def placeless(text: str) -> str:
    """The text with the folder the command runs in left out, the home folder as ``~``, the folders that recipes call
    ``{tmp}`` as that, and packages from ``site-packages/`` or ``node_modules/`` on."""
    for name, prefix in _PREFIXES:
        if name in text:  # searching long data for a path that is not there takes long
            text = prefix.sub("", text)
    for folder, name in _folders(Path.cwd(), Path.home()):
        text = folder.sub(name, text)
    return text


@cache
def _folders(here: Path, home: Path) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The innermost first. Each is its own folder only where no longer name begins."""
    temporary = re.compile(re.escape(f"{tempfile.gettempdir()}/bridgecheck-") + r"\w+")
    ours = [(re.escape(f"{here}/"), "")] if len(here.parts) > _LEAST else []
    ours += [(re.escape(str(home)) + r"(?=/)", "~")] if len(home.parts) >= _LEAST else []
    return ((temporary, "{tmp}"), *((re.compile(rf"(?<![\w.~/-]){folder}"), name) for folder, name in ours))
