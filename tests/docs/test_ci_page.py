"""docs/ci.md can be copied: its YAML parses, its commands and options exist, and so do the inputs and outputs of the action."""

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


def commands() -> Iterator[list[str]]:
    for _, text in BLOCKS:
        lines = [line for line in text.split("\n") if "pip install" not in line and "uses:" not in line]
        for command in COMMAND.findall("\n".join(lines)):
            yield shlex.split(command)[1:]
    for text in re.findall(r"`bridgecheck ([^`]+)`", PAGE):
        yield shlex.split(text)


def test_every_section_has_a_snippet() -> None:
    assert [kind for kind, _ in BLOCKS] == ["yaml", "yaml", "yaml", "yaml", "yaml", "sh"]
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE) == [
        "GitHub, with the action", "GitHub, without the action", "GitHub, for a gateway", "GitLab", "Anywhere else",
        "This project's own CI",
    ]  # fmt: skip
    assert len(list(commands())) >= 7


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_and_option_exists(command: list[str]) -> None:
    subcommands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group, since there are several
    assert command[0] in subcommands
    if "TARGET" not in command:
        subcommands[command[0]].make_context("bridgecheck", command[1:], resilient_parsing=False)


@pytest.mark.parametrize("workflow", GITHUB, ids=["with", "without", "gateway"])
def test_workflows_have_the_keys_of_a_workflow(workflow: dict[Any, Any]) -> None:
    """The key ``on`` is read as True, a boolean of YAML 1.1."""
    assert set(workflow) == {"name", True, "permissions", "jobs"}
    for job in workflow["jobs"].values():
        assert set(job) == {"runs-on", "steps"}
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"id", "name", "if", "uses", "with", "run"}


def test_the_workflow_sets_existing_inputs_of_the_action() -> None:
    steps = GITHUB[0]["jobs"]["bridgecheck"]["steps"]
    [step] = [step for step in steps if "bridgecheck@" in step.get("uses", "")]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert step["id"] == "bridgecheck"
    named = re.findall(r"steps\.bridgecheck\.outputs\.([a-z-]+)", PAGE)
    assert named and set(named) <= set(ACTION["outputs"])


def test_the_tables_list_every_input_and_output() -> None:
    tables = re.findall(r"^\| (input|output) \|.*\n\|.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    listed = {
        kind: set(re.findall(r"`([a-z-]+)`", re.sub(r"(?m)^(\|[^|]*\|).*$", r"\1", rows))) for kind, rows in tables
    }
    assert listed == {"input": set(ACTION["inputs"]), "output": set(ACTION["outputs"])}


def test_gitlab_jobs_have_the_keys_of_a_job() -> None:
    for kind, text in BLOCKS:
        if kind != "yaml" or "runs-on" in text:
            continue
        for name, job in yaml.safe_load(text).items():
            if name == "stages":
                continue
            assert set(job) <= {"image", "script", "before_script", "artifacts", "stage", "extends", "parallel"}
            assert all(isinstance(line, str) for line in job.get("script", ["one"]))
