"""The time limit of foreign code, and the imports in it."""

import importlib
import sys
import time
from pathlib import Path

import pytest

from bridgecheck.drivers import foreign_code
from bridgecheck.drivers.foreign_code import Crashed, run_foreign_code

SLOW = "import time\nfor _ in range({steps}):\n    time.sleep(0.02)\nvalue = 7\n"


def plant_module(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, steps: int) -> None:
    (folder / f"{name}.py").write_text(SLOW.format(steps=steps))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)


def test_a_thread_is_not_interrupted_during_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_module(tmp_path, monkeypatch, "imported_slowly", 30)
    assert run_foreign_code(lambda runner: importlib.import_module("imported_slowly").value, 0.2) == 7


def test_a_hang_after_a_slow_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(runner: object) -> None:
        importlib.import_module("imported_before_a_hang")
        while True:
            time.sleep(0.02)

    plant_module(tmp_path, monkeypatch, "imported_before_a_hang", 20)
    with pytest.raises(Crashed, match="no answer"):
        run_foreign_code(hang, 0.2)
    assert sys.modules["imported_before_a_hang"].value == 7


def test_an_endless_import_is_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_module(tmp_path, monkeypatch, "imported_for_ever", 10_000)
    monkeypatch.setattr(foreign_code, "IMPORT_S", 0.3)
    with pytest.raises(Crashed, match="imported_for_ever"):
        run_foreign_code(lambda runner: importlib.import_module("imported_for_ever"), 0.2)


def test_no_import_is_ended_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_module(tmp_path, monkeypatch, "imported_after_its_time", 40)
    monkeypatch.setattr(foreign_code, "IMPORT_S", 0.1)
    with pytest.raises(Crashed, match="imported_after_its_time"):
        run_foreign_code(lambda runner: importlib.import_module("imported_after_its_time"), 0.05)
    assert importlib.import_module("imported_after_its_time").value == 7
