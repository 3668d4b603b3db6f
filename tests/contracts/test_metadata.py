"""What package indexes and pre-commit read of this project."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import typer
import yaml

from bridgecheck.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_metadata_is_complete() -> None:
    classifiers = PROJECT["classifiers"]
    families = {text.partition(" :: ")[0] for text in classifiers}
    assert families >= {
        "Development Status", "Environment", "Intended Audience", "Operating System", "Programming Language", "Topic",
    }  # fmt: skip
    oldest = PROJECT["requires-python"].removeprefix(">=")
    versions = [found[1] for text in classifiers if (found := re.fullmatch(r".* :: Python :: (3\.\d+)", text))]
    assert versions[0] == oldest
    assert len(versions) >= 3
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"^types: (.*)$", makefile, re.M) == [f"types-{versions[0]} types-{versions[-1]}"]
    assert PROJECT["license"] == "Apache-2.0"
    assert [name for name in PROJECT["license-files"] if not (ROOT / name).is_file()] == []
    assert PROJECT["keywords"] == sorted(PROJECT["keywords"])


def test_the_hooks_for_pre_commit_call_existing_commands() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group, since there are several
    assert [hook["id"] for hook in hooks] == ["bridgecheck-smoke", "bridgecheck-run"]
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
        program, command, *options = shlex.split(hook["entry"])
        assert program == "bridgecheck"
        commands[command].make_context("bridgecheck", options, resilient_parsing=False)
