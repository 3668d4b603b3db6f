"""docs/examples/adapter_author: it passes with its documented limitations, and a planted fault is found."""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., subprocess.CompletedProcess[str]]
CASE = re.compile(r"^(\S+)::bridged-openai-chat-to-gemini-(?:unary|stream)-wire$", re.MULTILINE)


def _counts(result: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """``{"passed": 3, "xfailed": 1}``, of the last line."""
    last = result.stdout.strip().rpartition("\n")[2]
    return {word: int(count) for count, word in re.findall(r"(\d+) ([a-z]+)", last.partition(" in ")[0])}


@pytest.mark.slow
def test_the_suite_and_the_command_agree_on_every_case(call: Call, example: Path) -> None:
    planned = CASE.findall(call("bridgecheck", "plan", "--cases").stdout)
    suite = call("pytest", "-n", "2")
    counts = _counts(suite)
    assert suite.returncode == 0, suite.stdout
    assert len(planned) > 300
    assert sum(counts.values()) == len(planned) + 1
    assert counts.keys() == {"passed", "skipped", "xfailed"}
    run = call("bridgecheck", "run", "--path", "bridged", "--layer", "wire")
    report = json.loads((example / "reports/local/report.json").read_text(encoding="utf-8"))
    assert run.returncode == 0, run.stdout + run.stderr
    totals = report["totals"]
    assert counts["xfailed"] == totals["deviation"] > 5
    assert counts["passed"] == totals["PASS"] + totals["NOTE"] + totals["WARN"] + totals["INHERITED"] + 1
    entries = tomllib.loads((example / "deviations.toml").read_text(encoding="utf-8"))["deviation"]
    assert len(report["deviations"]) == len(entries) >= 3


FAULTS = {
    "every call has the number 0": ('"index": self.calls - 1', '"index": 0', "tools", "stream"),
    "thinking is not billed": ('usage.get("candidatesTokenCount", 0) + thought', 'usage.get("candidatesTokenCount", 0)',
                               "usage", "response.usage"),
    "a filtered answer ends as a clean stop": ('"content_filter")', '"stop")', "safety", "finish"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(call: Call, example: Path, fault: str) -> None:
    right, wrong, where, message = FAULTS[fault]
    source = (example / "tiny_bridge.py").read_text(encoding="utf-8")
    assert right in source
    assert call("pytest", "-k", where).returncode == 0
    (example / "tiny_bridge.py").write_text(source.replace(right, wrong), encoding="utf-8")
    result = call("pytest", "-k", where)
    assert result.returncode == 1
    assert _counts(result)["failed"] >= 1
    assert message in result.stdout
    assert "repeat: pytest 'tests/test_conformance.py::TestTinyBridge::" in result.stdout


@pytest.mark.slow
def test_a_fixed_limitation_is_stale(call: Call, example: Path) -> None:
    entry = '\n[[deviation]]\nfingerprint = "0123456789"\ncheck = "response.text"\nreason = "long ago"\n'
    entry += 'direction = "openai-chat-to-gemini"\ncases = ["tools/single-call::unary-wire *"]\n'
    with (example / "deviations.toml").open("a", encoding="utf-8") as file:
        file.write(entry)
    result = call("pytest", "-n", "2")
    assert result.returncode == 1
    assert "no_deviation_is_stale[0123456789]" in result.stdout
    assert _counts(result)["failed"] == 1


def test_the_readme_names_existing_files(example: Path) -> None:
    readme = (example / "README.md").read_text(encoding="utf-8")
    for file in ("tiny_bridge.py", "pyproject.toml", "tests/test_conformance.py", "deviations.toml"):
        assert f"`{file}`" in readme
        assert (example / file).is_file()
    assert FAULTS["every call has the number 0"][0] in readme
    lines = (example / "tests/test_conformance.py").read_text(encoding="utf-8").strip().split("\n")
    assert len(lines) <= 5
