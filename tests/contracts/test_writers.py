"""Who writes files by another way than ``files/output.py``, which masks: each by name, with the reason."""

import ast
from pathlib import Path
from typing import Final

import pytest

HARNESS: Final = Path(__file__).resolve().parents[2] / "harness/bridgecheck"

OTHER_WRITERS: Final = {
    "cassette/store.py": "a cassette is refused, not masked, where the scanner finds anything",
    "cassette/write_files.py": "exports are made of cassettes, and imports pass the scanner first",
    "drivers/child_process.py": "what a child prints goes to a temporary file, and is masked where it is shown",
    "drivers/command/shim.py": "the log of a shim, as above",
    "drivers/process_supervisor.py": "a byte on a pipe",
    "drivers/python_process.py": "a byte on a pipe",
    "live/ledger_file.py": "a line at the end of the ledger, on the disk before the next call",
    "record/exchange_log.py": "the journal of an exchange, readable by its owner only, until its cassette is written",
    "record/folder.py": "the claim on a folder: a process id",
    "repro/proof.py": "a masked script, run once in a temporary folder",
    "repro/runtime.py": "part of a script, which writes its traffic where its reader wants it",
    "repro/runtime_adapters.py": "part of a script, which writes what its adapter needs",
    "run/python_worker.py": "a byte on a pipe",
    "run/run_state.py": "which cases were played, for a run that is killed",
}
_WRITING: Final = frozenset({"write_text", "write_bytes"})


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    if name == "write_text" and isinstance(function, ast.Name):  # the one of files/output.py
        return False
    if name in _WRITING or (name == "write" and isinstance(function, ast.Attribute) and _is_name(function.value, "os")):
        return True
    position = 1 if isinstance(function, ast.Name) else 0
    modes = [*node.args[position : position + 1], *(word.value for word in node.keywords if word.arg == "mode")]
    return name == "open" and any(_is_mode_of_writing(mode) for mode in modes)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_mode_of_writing(node: ast.AST) -> bool:
    mode = node.value if isinstance(node, ast.Constant) else None
    return isinstance(mode, str) and len(mode) <= 3 and set(mode) & set("wax") != set() and set(mode) <= set("waxrb+t")


def writers(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if any(_writes(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }


def test_files_are_written_in_one_place_or_by_a_module_that_is_known() -> None:
    found = writers(HARNESS)
    assert sorted(found - OTHER_WRITERS.keys()) == [], "write by files.output.write_text, or say here why not"
    assert sorted(OTHER_WRITERS.keys() - found) == [], "named here, and writes nothing"


@pytest.mark.parametrize(
    "line",
    ['path.write_text("x")', 'path.write_bytes(b"x")', 'open("a", "w")', 'path.open("ab")', 'open("a", mode="x")',
     'os.write(1, b"x")'],
)  # fmt: skip
def test_a_module_that_writes_is_noticed(line: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(f"{line}\n", encoding="utf-8")
    assert writers(tmp_path) == {"module.py"}


@pytest.mark.parametrize("line", ["path.read_text()", 'open("a")', 'open("war")', 'output.write_masked(path, "x")'])
def test_a_module_that_reads_is_not(line: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(f"{line}\n", encoding="utf-8")
    assert writers(tmp_path) == set()
