"""The script: what it is and needs, the data of its case, and the modules that play and judge it, whole."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pprint import pformat
from textwrap import fill
from typing import Any, Final

from bridgecheck.repro.case import ScriptCase

WIDTH: Final = 110
LITERALS: Final = "bridgecheck.model.literals"
MODULES: Final = (
    "bridgecheck.repro.runtime_adapters",
    "bridgecheck.repro.runtime_provider",
    "bridgecheck.repro.runtime_turns",
    "bridgecheck.repro.runtime",
)
"""What every script holds, in this order; one with literal expectations also the judge's module of these."""

_OWN_IMPORT: Final = re.compile(r"^from bridgecheck\.[\w.]+ import .*\n", re.MULTILINE)
_END: Final = '\n\nif __name__ == "__main__":\n    sys.exit(main(CASE))\n'


def script_text(case: ScriptCase, name: str) -> str:
    """Return the script. ``name``: that of its file."""
    data = case.data()
    literal = (LITERALS,) if data["oracle"].get("kind") == "literal" else ()
    modules = [_OWN_IMPORT.sub("", read_module(module)).strip() for module in (*literal, *MODULES)]
    head = f"{_docstring(case, name)}\n\nCASE = {_mapping_literal(data)}"
    below = "# From here on every reproduction is the same."
    return "\n\n\n".join([head, below, *modules]) + "\n" + _END


def read_module(module: str) -> str:
    package, _, name = module.rpartition(".")
    return files(package).joinpath(f"{name}.py").read_text(encoding="utf-8")


def _docstring(case: ScriptCase, name: str) -> str:
    replayed, reach = case.replayed, case.reach
    key, finding, info = replayed.key, replayed.finding, replayed.driver.info
    adapter = _docstring_line(f"{info.name} {info.version}".strip())
    install = "".join(f"\n    {_docstring_line(line.replace('{script}', name))}" for line in reach.install)
    pinned = [*reach.requirements, *(f"{package}@{version}" for package, version in reach.node_packages.items())]
    listed = fill(" ".join(pinned), WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    options = "--node-modules DIR, or the variable NODE_MODULES, names the folder that npm installed into; without it\n"
    options += "that of the current folder is used.\n"
    return f'''"""{adapter}: {_docstring_line(finding.one_line_summary)}

{_docstring_line(replayed.scenario.title)}: a client of {key.client}, a provider of {key.upstream}, {key.mode}.
It plays the recorded provider itself.
{reach.place}

Needs Python 3.11 and {_docstring_line(reach.needs)}.{f" Install:{install}" if install else ""}
{f"That is:{chr(10)}{listed}{chr(10)}" if pinned else ""}{options if reach.node_packages else ""}
Exit code 1: the fault shows. 0: it does not show. 2: nothing can be said, and why.
"""'''


def _mapping_literal(data: Mapping[str, Any]) -> str:
    """Return a dictionary with each entry on lines of its own."""
    rows = "".join(f"    {name!r}: {_literal(name, value)},\n" for name, value in data.items())
    return f"{{\n{rows}}}"


def _literal(name: str, value: Any) -> str:
    if name == "files":
        return (
            "{" + "".join(f"\n        {path!r}: {to_text_literal(text)}," for path, text in value.items()) + "\n    }"
        )
    return pformat(value, width=WIDTH - 6, sort_dicts=False).replace("\n", "\n    ")


def to_text_literal(text: str) -> str:
    """Return a literal of lines of code: as they are, unless they hold ``\'\'\'`` or invisible characters."""
    lines = text.strip("\n") + "\n"
    if "'''" in lines or not all(char.isprintable() or char == "\n" for char in lines):
        return "(\n" + "".join(f"    {line!r}\n" for line in lines.splitlines(keepends=True)) + ")"
    return f"r'''\n{lines}'''"


def _docstring_line(text: str) -> str:
    """Return one line that ends no string."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown.replace("\\", "/").replace('"""', "'''").strip()[:160]
