"""The container file: what can be said of it without a container daemon. No image is built here."""

import fnmatch
import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from bridgecheck.cli.app import app
from bridgecheck_reference.gateway.main import main

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
INSTRUCTIONS = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}


def test_every_line_is_an_instruction_of_a_stage() -> None:
    assert {line.split()[0] for line in LINES} <= INSTRUCTIONS
    stages = re.findall(r"^FROM (\S+) AS (\S+)$", TEXT, re.M)
    names = [name for _, name in stages]
    assert names == ["build", "base", "gateway", "harness"]
    assert all(source in names or source.startswith("python:") for source, _ in stages)
    assert "USER bridgecheck" in LINES


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    allowed = [rule[1:] for rule in rules if rule.startswith("!")]
    sources = [
        source for line in LINES if line.startswith("COPY ") and "--from" not in line for source in line.split()[1:-1]
    ]
    assert len(sources) >= 10
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if not any(fnmatch.fnmatch(source, rule) for rule in allowed)] == []
    assert not any(fnmatch.fnmatch("reports/local", rule) or fnmatch.fnmatch(".git", rule) for rule in allowed)


def test_the_entry_points_are_commands_that_exist(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, judge = (json.loads(line.partition(" ")[2]) for line in LINES if line.startswith("ENTRYPOINT"))
    assert serve[0] == "bridgecheck-reference"
    monkeypatch.setattr("sys.argv", [*serve, "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [word for word in serve[2:] if word.startswith("--") and word not in shown] == []
    assert judge == ["bridgecheck"]
    command, *options = json.loads(next(line for line in LINES if line.startswith("CMD")).partition(" ")[2])
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group, since there are several
    commands[command].make_context("bridgecheck", shlex.split(shlex.join(options)), resilient_parsing=False)
