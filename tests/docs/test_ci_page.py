"""docs/ci.md can be copied: its YAML is YAML, its commands and options are there, the action has what it names."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from bridgecheck.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
COMMAND = re.compile(r"(?:^|[\s;&|-])(?:\.venv/bin/)?(bridgecheck (?!-).*?)(?= \|\| |$)", re.MULTILINE)
GITHUB = [yaml.safe_load(text) for kind, text in BLOCKS if kind == "yaml" and "runs-on" in text]


def _commands() -> Iterator[list[str]]:
    for _, text in BLOCKS:
        lines = [line for line in text.split("\n") if "pip install" not in line and "uses:" not in line]
        for found in COMMAND.findall("\n".join(lines)):
            yield shlex.split(found)[1:]
    for found in re.findall(r"`bridgecheck ([^`]+)`", PAGE):
        yield shlex.split(found)


def test_there_are_snippets_for_all() -> None:
    assert [kind for kind, _ in BLOCKS] == ["yaml", "yaml", "yaml", "yaml", "sh"]
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE) == [
        "GitHub, with the action", "GitHub, without the action", "GitLab", "Anywhere else",
        "This project's own CI",
    ]  # fmt: skip
    assert len(list(_commands())) >= 7


@pytest.mark.parametrize("command", list(_commands()), ids=" ".join)
def test_every_command_and_option_is_one(command: list[str]) -> None:
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group, since there are several
    assert command[0] in known
    if "TARGET" not in command:
        known[command[0]].make_context("bridgecheck", command[1:], resilient_parsing=False)


@pytest.mark.parametrize("workflow", GITHUB, ids=["with", "without"])
def test_workflows_have_the_shape_of_one(workflow: dict[Any, Any]) -> None:
    """``on`` is a boolean to YAML 1.1, which this reader speaks."""
    assert set(workflow) == {"name", True, "permissions", "jobs"}
    for job in workflow["jobs"].values():
        assert set(job) == {"runs-on", "steps"}
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"id", "name", "if", "uses", "with", "run"}


def test_what_it_gives_to_the_action_is_an_input() -> None:
    steps = GITHUB[0]["jobs"]["bridgecheck"]["steps"]
    [step] = [step for step in steps if "bridgecheck@" in step.get("uses", "")]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert step["id"] == "bridgecheck"
    named = re.findall(r"steps\.bridgecheck\.outputs\.([a-z-]+)", PAGE)
    assert named and set(named) <= set(ACTION["outputs"])


def test_its_tables_have_every_input_and_output() -> None:
    tables = re.findall(r"^\| (input|output) \|.*\n\|.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    listed = {
        kind: set(re.findall(r"`([a-z-]+)`", re.sub(r"(?m)^(\|[^|]*\|).*$", r"\1", rows))) for kind, rows in tables
    }
    assert listed == {"input": set(ACTION["inputs"]), "output": set(ACTION["outputs"])}


def test_gitlab_jobs_have_the_shape_of_one() -> None:
    for kind, text in BLOCKS:
        if kind != "yaml" or "runs-on" in text:
            continue
        for name, job in yaml.safe_load(text).items():
            if name == "stages":
                continue
            assert set(job) <= {"image", "script", "before_script", "artifacts", "stage", "extends", "parallel"}
            assert all(isinstance(line, str) for line in job.get("script", ["one"]))
