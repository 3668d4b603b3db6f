"""docs/add-a-dialect.md lists every file of the judge that spells a dialect's name, and no other."""

import ast
from pathlib import Path

from bridgecheck.wire import DIALECTS

ROOT = Path(__file__).parents[2]
JUDGE = ROOT / "harness" / "bridgecheck"
PAGE = (ROOT / "docs" / "add-a-dialect.md").read_text(encoding="utf-8")
OWN_NAMES = ("gemini", "openai", "anthropic", "chat")


def is_own_file(path: Path) -> bool:
    """Return whether a file or its folder is named for a dialect."""
    return any(name in part for part in path.relative_to(JUDGE).parts for name in OWN_NAMES)


def spells_a_dialect(path: Path) -> bool:
    """Return whether a string of the code, except docstrings, is the name of a dialect."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return any(isinstance(node.value, str) and node.value in DIALECTS for node in constants)


def listed_files() -> set[str]:
    """Return the files in the first column of the tables of sections 2 to 4."""
    section = PAGE.partition("## 2.")[2].partition("## 5.")[0]
    return {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}


def test_the_page_lists_the_files_that_spell_a_dialect() -> None:
    files = [path for path in JUDGE.rglob("*.py") if not is_own_file(path)]
    spelling = {path.relative_to(JUDGE).as_posix() for path in files if spells_a_dialect(path)}
    assert sorted(spelling - listed_files()) == [], "read the record of the dialect, or list the file on the page"
    assert sorted(listed_files() - spelling) == [], "no longer spells a dialect: take it off the page"


def test_the_files_of_a_normaliser_are_those_of_gemini() -> None:
    section = PAGE.partition("## 1.")[2].partition("## 2.")[0]
    listed = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    existing = {path.relative_to(JUDGE).as_posix() for path in JUDGE.rglob("*.py")}
    normaliser = [name.replace("openai_responses", "gemini") for name in listed if name.startswith("normalise/")]
    assert [name for name in normaliser if name not in existing] == []
