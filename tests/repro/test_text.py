"""What the text says of the case, and text and script of where the script runs."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bridgecheck.model.adapter import AdapterInfo
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.repro.issue import other_failures
from bridgecheck.repro.reach import Reach, reach_adapter


def test_failing_checks_of_the_case_are_named() -> None:
    row, late = Difference("tool_calls[1]", "{}", "(absent)"), Difference("tool_calls[0].id", '"a"', '"b"')
    own = Verdict("response.tool_calls", "FAIL", "lost", (row,))
    outcome, wire = Verdict("expect.outcome", "FAIL", "lost"), Verdict("expect.wire", "FAIL", "lost")
    usage, passed = Verdict("response.usage", "WARN", "lost"), Verdict("response.text", "PASS")

    def lines(*verdicts: Verdict, explained: tuple[Verdict, ...] = ()) -> list[str]:
        result, finding = SimpleNamespace(verdicts=verdicts), SimpleNamespace(differences=(row,))
        replayed: Any = SimpleNamespace(result=result, finding=finding, verdicts=(own, *explained))
        return list(other_failures(replayed))

    assert lines(own, passed) == []
    assert lines(own, outcome, wire, usage, explained=(outcome, wire)) == [
        "* consequences of it: the case fails `expect.outcome`, `expect.wire` too",
        "* for another reason, which is not shown here, the case fails `response.usage` too",
    ]
    both = Verdict("response.tool_calls", "FAIL", "lost", (row, late))
    assert lines(both) == ["* for another reason, which is not shown here, the case fails `response.tool_calls` too"]


def test_a_script_says_whether_it_may_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    about = AdapterInfo("mine", "1", frozenset())

    def place(target: str) -> str:
        return reach_adapter(target, about, "wire", None).place

    assert place("python:mine.adapter:adapter") == "It runs from any folder."
    Path("mine").mkdir()
    local = "It finds the adapter's own folder as seen from where it lies; moved elsewhere it needs --folder DIR: "
    assert place("python:mine.adapter:adapter") == f"{local}the folder of the module."
    assert place("command:python shim.py") == f"{local}the one of the recipe, {{here}}."
    assert Reach({"kind": "command", "cwd": "{here}"}, "", {"shim.py": ""}).place == "It runs from any folder."
