"""The report of every kind of run is valid against the published schema and accepted by every command that reads one."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgecheck.cli import main
from bridgecheck.report.compare import comparison_schema
from bridgecheck.report.read import read_report

pytestmark = pytest.mark.slow

Cli = Callable[..., subprocess.CompletedProcess[str]]

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "reports" / "schema.json").read_text(encoding="utf-8"))
UNROUTED = "messages/plain::bridged-gemini-to-gemini-*"


@pytest.fixture
def here(
    project: Path, recorded_corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run a command without an adapter in this process and return its exit code and output."""

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(project)
        monkeypatch.setattr(sys, "argv", ["bridgecheck", *arguments])
        monkeypatch.setenv("BRIDGECHECK_CORPUS", str(recorded_corpus))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out + captured.err

    return call


def _valid(folder: Path) -> dict[str, Any]:
    """Return the report after validating it and reading it back, with the same partial flag."""
    document: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    report = read_report(folder).report
    assert report.info.partial == (not document["complete"])
    assert len(report.cases) == len(document["cases"])
    return document


def _shard(cli: Cli, adapter: str, index: int) -> None:
    cli(
        "run", "--adapter", f"python:adapters:{adapter}", "-n", "0", "--shard", f"{index}/3", "--report", f"part{index}"
    )


def merge_shards(cli: Cli, project: Path, *shards: int) -> None:
    for index in shards:
        _shard(cli, "trims", index)
        _valid(project / f"part{index}")
    cli("merge", *(f"part{index}" for index in shards), "--report", "r")


KINDS: dict[str, tuple[Callable[[Cli, Path], object], int, bool]] = {
    "whole": (lambda cli, project: cli("run", "--adapter", "python:adapters:bridge", "-n", "0", "--report", "r"), 8, True),
    "findings": (lambda cli, project: cli("run", "--adapter", "python:adapters:trims", "-n", "0", "--report", "r"), 8, True),
    "crash": (lambda cli, project: cli("run", "--adapter", "python:adapters:raises", "-n", "0", "--report", "r"), 8, True),
    "garbage": (lambda cli, project: cli("run", "--adapter", "python:adapters:garbles", "-n", "0", "--report", "r"), 8, True),
    "worker killed": (lambda cli, project: cli("run", "--adapter", "python:adapters:dies", "-n", "2", "--report", "r"), 8, True),
    "nothing judged": (
        lambda cli, project: cli("run", "--adapter", "python:adapters:bridge", "--scenario", UNROUTED, "-n", "0", "--report", "r"), 2, True,
    ),
    "cut off": (lambda cli, project: cli("run", "--adapter", "python:adapters:raises", "-n", "0", "--max-fail", "1", "--report", "r"), -1, False),
    "merged": (lambda cli, project: merge_shards(cli, project, 1, 2, 3), 8, True),
    "merged, a shard missing": (lambda cli, project: merge_shards(cli, project, 1, 3), -1, False),
    "init": (lambda cli, project: cli("init", "--adapter", "python:adapters:trims", "r") and cli("run", "--adapter", "r/adapter.toml", "-n", "0", "--report", "r"), 8, True),
    "relations": (lambda cli, project: cli("run", "--adapter", "python:adapters:trims", "-n", "0", "--relations", "all", "--report", "r"), 8, True),
}  # fmt: skip
"""Kind -> how it is produced, how many cases it has (-1: fewer than planned), and whether it is complete."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_of_every_kind_is_valid_and_read_by_every_command(
    cli: Cli, project: Path, here: Callable[..., tuple[int, str]], kind: str
) -> None:
    make, cases, complete = KINDS[kind]
    make(cli, project)
    document = _valid(project / "r")
    assert document["complete"] is complete
    held = len(document["cases"])
    assert held == cases if cases >= 0 else 0 < held < document["run"]["planned"] or kind.startswith("merged")

    code, output = here("merge", "r", "--report", "again")
    assert code in (0, 1, 3, 4), output
    again = _valid(project / "again")
    assert (again["complete"], len(again["cases"])) == (complete, held)
    code, output = here("badge", "r", "--output", "badges")
    assert (code, "partial" in output) == (0, not complete), output
    assert here("html", "r", "--output", "page.html")[0] == 0
    code, output = here("compare", "r", "again", "--json", "c.json")
    if kind == "nothing judged":
        assert (code, "not one case was judged" in output) == (2, True)
        return
    assert (code, "is partial" in output) == (0, not complete), output
    assert "none fixed, none new, none gone" in output
    jsonschema.validate(json.loads((project / "c.json").read_text(encoding="utf-8")), comparison_schema())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_killed_worker_is_a_crash_in_a_complete_report(cli: Cli, project: Path) -> None:
    KINDS["worker killed"][0](cli, project)
    document = _valid(project / "r")
    died = [
        case for case in document["cases"] if "the process of the adapter exited with" in json.dumps(case["verdicts"])
    ]
    assert died
    assert {case["status"] for case in died} == {"FAIL"}


def test_an_invalid_report_would_be_noticed(cli: Cli, project: Path) -> None:
    """The control of the test above: a planted fault is reported."""
    KINDS["whole"][0](cli, project)
    path = project / "r" / "report.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"mode": "stream"', '"mode": "streamed"', 1), encoding="utf-8"
    )
    with pytest.raises(jsonschema.ValidationError):
        _valid(project / "r")
