"""Names are words of the field: CONTRIBUTING.md lists the words that are none, and this holds the code to it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("harness", "reference_impl", "docs", "bench", "tests")
SHIMS = ROOT / "tests" / "precision" / "adapters"
"""Like those below reports/, in the words of the libraries that they drive, beside environments that are installed."""

IRREGULAR = frozenset({
    "begun", "bound", "broken", "built", "chosen", "dealt", "done", "drawn", "driven", "fallen", "felt", "found",
    "given", "gone", "grown", "held", "hidden", "kept", "known", "laid", "left", "lost", "made", "meant", "met",
    "paid", "risen", "said", "seen", "sent", "shown", "sought", "spent", "spoken", "sworn", "taken", "taught",
    "thought", "thrown", "told", "torn", "won", "worn", "written",
})  # fmt: skip
NO_PARTICIPLE = frozenset({"bleed", "breed", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"})
"""Verbs and nouns that end like one."""

UNMAPPED_LEAVES = frozenset({"harness/bridgecheck/model/outcome.py", "harness/bridgecheck/model/prompt.py"})
"""Outcome and Prompt have a field ``other``, the home of leaves without a field."""

METHODS_OF_PYTHON = frozenset({"__eq__", "__lt__", "__ne__", "__le__", "__gt__", "__ge__"})
"""Their parameter is called ``other`` everywhere."""


def forbidden_words() -> dict[str, str]:
    """Word -> what to write in its place: the table under "Words" in CONTRIBUTING.md."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Words")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")]
    return {word: cells[0].strip() for cells in rows for word in re.findall(r"`(\w+)`", cells[2])}


def is_participle(name: str) -> bool:
    bare = name.strip("_")
    return bare in IRREGULAR or bool(re.fullmatch(r"[a-z]+ed", bare) and bare not in NO_PARTICIPLE)


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each name that this file gives, with its line. Not the attributes that it only reads, and not ``other`` where
    Python calls it so."""
    pythons = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name in METHODS_OF_PYTHON
        for argument in node.args.args
    }
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg() if id(node) not in pythons:
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.alias(asname=str(name)):
                yield node.lineno, name
            case _:
                pass


def bad_names(source: str, forbidden: dict[str, str]) -> Iterator[str]:
    tree = ast.parse(source)
    for line, name in identifiers(tree):
        word = name.strip("_").lower()
        if word in forbidden:
            yield f"{line}: {name}: write {forbidden[word]}"
    for node in ast.walk(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and is_participle(node.name) and not is_property(node):
            yield f"{node.lineno}: {node.name}: a function needs a verb, or a noun for what it gives"


def forbidden_in(path: Path, forbidden: dict[str, str]) -> dict[str, str]:
    if path.relative_to(ROOT).as_posix() in UNMAPPED_LEAVES:
        return {word: instead for word, instead in forbidden.items() if word != "other"}
    return forbidden


def sources() -> list[Path]:
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if SHIMS not in path.parents)


def test_names_are_words_of_the_field() -> None:
    forbidden = forbidden_words()
    assert len(forbidden) > 30
    found = [
        f"{path.relative_to(ROOT)}:{problem}"
        for path in sources()
        for problem in bad_names(path.read_text(encoding="utf-8"), forbidden_in(path, forbidden))
    ]
    modules = [path for path in sources() if path.stem.strip("_") in forbidden or is_participle(path.stem)]
    found += [f"{path.relative_to(ROOT)}: a module of that name" for path in modules]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "said = 1",
        "def told(): ...",
        "def f(asked): ...",
        "class C:\n    _seen: int",
        "for one in []: ...",
        "def _folded(): ...",
    ],
)
def test_a_bad_name_is_found(line: str) -> None:
    assert list(bad_names(line, forbidden_words()))


@pytest.mark.parametrize(
    "line",
    [
        "expected = 1",
        "def feed(): ...",
        "class C:\n    @property\n    def ended(self): ...",
        "class C:\n    def __eq__(self, other): ...",
        "def read_file(): ...",
        "unused = seen.said",
    ],
)
def test_a_good_name_is_left_alone(line: str) -> None:
    assert not list(bad_names(line, forbidden_words()))
