"""Python source for scripts: data as literals, and those definitions of ``parts`` that a script uses."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pprint import pformat
from typing import Final

WIDTH: Final = 110
LITERALS: Final = "literals"
PARTS: Final = ("turns", "playing", "adapters", LITERALS, "verdicts")
"""The modules with definitions, in the order in which scripts hold them: those of ``parts``, and the one in which the
judge has its literal expectations."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or constant of a module. ``names``: those it reads, of which some may be defined elsewhere."""

    name: str
    text: str
    names: frozenset[str]


def read_part(part: str) -> str:
    """Return the text of ``parts/<part>.py``, or of the judge's ``literals.py``."""
    package = "bridgecheck.model" if part == LITERALS else "bridgecheck.repro.parts"
    return files(package).joinpath(f"{part}.py").read_text(encoding="utf-8")


def write_used_operators(expected: Sequence[object]) -> str:
    """Return the table of the operators that these expectations use, in place of the table of all."""
    used = {
        "equals",
        *(node.value for node in ast.walk(ast.parse(to_literal(list(expected)))) if isinstance(node, ast.Constant)),
    }
    table = next(found for found in _definitions(read_part(LITERALS)) if found.name == "OPERATORS")
    literal = next(node for node in ast.walk(ast.parse(table.text)) if isinstance(node, ast.Dict))
    rows = zip(literal.keys, literal.values, strict=True)
    chosen = [(key, value) for key, value in rows if isinstance(key, ast.Constant) and key.value in used]
    lines = [f"    {ast.unparse(key)}: {ast.unparse(value)}," for key, value in chosen]
    return "\n".join(["OPERATORS = {", *lines, "}"])


def assemble(code: Sequence[str], data: Mapping[str, str]) -> str:
    """Return one module: the imports, the data and the definitions that the code needs, and the code itself.

    ``code``: texts of modules; they may use definitions of ``parts`` without importing them, and have precedence.
    ``data``: Python source by name."""
    parts = [read_part(part) for part in PARTS]
    own_names = {definition.name for text in code for definition in _definitions(text)}
    known = {definition.name: definition for text in parts for definition in _definitions(text)}
    known = {name: definition for name, definition in known.items() if name not in own_names}
    needed: dict[str, Definition] = {}
    pending = [name for text in code for name in _names(ast.parse(text))]
    while pending:
        name = pending.pop()
        if name in known and name not in needed:
            needed[name] = known[name]
            pending += known[name].names
    used = frozenset().union(*map(_names, map(ast.parse, code)), *(part.names for part in needed.values()))
    values = "\n".join(f"{name} = {value}" for name, value in data.items() if name in used)
    definitions = [definition.text for name, definition in known.items() if name in needed]
    bodies = [text for text in map(_without_imports_and_docstring, code) if text]
    return "\n\n\n".join([f"{_imports([*parts, *code], used)}\n\n{values}", *definitions, *bodies]) + "\n"


def _definitions(text: str) -> Iterator[Definition]:
    """Yield every definition at the top of a module with the comments above it, without imports and docstring."""
    lines = text.split("\n")
    tree = ast.parse(text)
    end = 0
    for node in tree.body:
        segment = "\n".join(lines[end : node.end_lineno]).strip("\n")
        end = node.end_lineno or end
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield Definition(node.name, segment, _names(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            yield Definition(ast.unparse(target), segment, _names(node))


def _names(tree: ast.AST) -> frozenset[str]:
    """Return the names that are read, those in quoted annotations included."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(names | {text.partition("[")[0].partition(".")[0] for text in texts})


def _imports(texts: Sequence[str], used: frozenset[str]) -> str:
    """Return the imports of names that are used, each once, but for imports of our own modules."""
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for text in texts for node in ast.parse(text).body):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names if alias.name.partition(".")[0] in used}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("bridgecheck"):
            names.setdefault(node.module, set()).update(alias.name for alias in node.names if alias.name in used)
    lines = [f"import {name}" for name in sorted(modules)]
    lines += [f"from {module} import {', '.join(sorted(found))}" for module, found in sorted(names.items()) if found]
    return "\n".join(lines)


def _without_imports_and_docstring(text: str) -> str:
    body = ast.parse(text).body
    head: list[ast.stmt] = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    head += body[:1] if ast.get_docstring(ast.parse(text)) is not None else []
    return "\n".join(text.split("\n")[max((node.end_lineno or 0 for node in head), default=0) :]).strip("\n")


def to_literal(value: object) -> str:
    """Return a literal that ``eval`` turns into the value again, wrapped to be read; of JSON values and bytes."""
    return pformat(value, width=WIDTH, sort_dicts=False)


def to_list_literal(values: Sequence[object]) -> str:
    """Return a list with every entry on lines of its own."""
    if not values:
        return "[]"
    rows = [pformat(value, width=WIDTH - 4, sort_dicts=False).replace("\n", "\n    ") for value in values]
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"


def to_text_literal(text: str) -> str:
    """Return a literal of lines of code: as they are, unless they hold ``'''`` or invisible characters."""
    lines = text.strip("\n") + "\n"
    if "'''" in lines or not all(char.isprintable() or char == "\n" for char in lines):
        return "(\n" + "".join(f"    {line!r}\n" for line in lines.splitlines(keepends=True)) + ")"
    return f"r'''\n{lines}'''"
