"""The file that stands for an adapter in what services show beside source code."""

from pathlib import Path
from typing import Final

UNKNOWN: Final = "pyproject.toml"
"""Where [tool.bridgecheck] names the adapter; for one that has no file below the folder of the run."""


def find_adapter_file(target: str, root: Path) -> str:
    """Return the recipe, or the module of ``python:MODULE:OBJECT``, relative to ``root`` and with slashes; else
    ``pyproject.toml``. ``target``: as ``--adapter`` takes it, "" for the reference."""
    candidates = [target] if target.endswith(".toml") else []
    kind, _, rest = target.partition(":")
    if kind == "python":
        module = rest.partition(":")[0].replace(".", "/")
        candidates += [f"{base}{module}{end}" for base in ("", "src/") for end in (".py", "/__init__.py")]
    for candidate in candidates:
        path = root / candidate
        if path.is_file() and path.resolve().is_relative_to(root.resolve()):
            return path.resolve().relative_to(root.resolve()).as_posix()
    return UNKNOWN
