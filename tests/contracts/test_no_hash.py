"""``hash()`` of a string differs from process to process: deterministic code may not depend on it."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def hash_call_lines(text: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash"
    ]


def test_no_module_calls_hash() -> None:
    sources = [*(ROOT / "harness").rglob("*.py"), *(ROOT / "reference_impl").rglob("*.py")]
    assert len(sources) > 20
    assert {str(path): lines for path in sources if (lines := hash_call_lines(path.read_text(encoding="utf-8")))} == {}


def test_a_planted_call_is_found() -> None:
    assert hash_call_lines("x = 1\ny = hash(x)\n") == [2]
