"""Parts put together to one module: their imports at its head, each once, then their own lines, part by part."""

import ast
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final

OURS: Final = "bridgecheck"


def source(part: str) -> str:
    """The text of ``parts/<part>.py``."""
    return files("bridgecheck.repro.parts").joinpath(f"{part}.py").read_text(encoding="utf-8")


def imports(texts: Sequence[str]) -> str:
    """Those of all of them, but of our own modules: what those hold stands in the script."""
    plain: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        if isinstance(node, ast.Import):
            plain |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith(OURS):
            names.setdefault(node.module, set()).update(alias.name for alias in node.names)
    lines = [f"import {name}" for name in sorted(plain)]
    lines += [f"from {module} import {', '.join(sorted(found))}" for module, found in sorted(names.items())]
    return "\n".join(lines)


def body(text: str) -> str:
    """What stands behind the imports."""
    lines = text.split("\n")
    head = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom) or _docstring(node)]
    return "\n".join(lines[max((node.end_lineno or 0 for node in head), default=0) :]).strip("\n")


def names_read(texts: Iterable[str]) -> set[str]:
    """The data that parts ask for."""
    nodes = [node for text in texts for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in nodes if node.module == f"{OURS}.repro.parts.data" for alias in node.names}


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
