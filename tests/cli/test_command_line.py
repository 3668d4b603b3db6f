"""The command line itself: a help that is not cut, errors in our own words, completion, and ``--corpus``."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bridgecheck.cli.app import app

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]

READ_NO_CORPUS = frozenset({"badge", "compare", "export", "fuzz", "import", "ledger"})


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its path; ``requirements`` is a group of two."""
    for name, command in group.commands.items():
        yield from commands(command, (*path, name)) if hasattr(command, "commands") else [((*path, name), command)]


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize("group", [(), ("requirements",)])
def test_the_list_of_commands_is_one_whole_line_each_at_80_columns(cli: Cli, group: tuple[str, ...]) -> None:
    shown = cli(*group, "--help", COLUMNS="80").stdout
    listed = re.findall(r"^  (\S+)  +(\S.*)$", shown.partition("Commands:\n")[2].partition("\n\n")[0], re.M)
    assert [name for name, _ in listed] == list(
        dict.fromkeys(path[len(group)] for path in COMMANDS if path[: len(group)] == group)
    )
    assert all(text.endswith(".") and not text.endswith("...") for _, text in listed)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("run", "--mode", "sometimes"), ("--mode is 'sometimes'", "at: bridgecheck run", "expected: one of 'unary', 'stream'")),
        (("run", "-n", "-1"), ("-n is '-1'", "at: bridgecheck run", "expected: 0 or more")),
        (("run", "--seed=many"), ("--seed is 'many'", "at: bridgecheck run", "expected: a whole number")),
        (("run", "--scenaro", "x"), ("there is no option --scenaro", "at: bridgecheck run", "did you mean --scenario")),
        (("run", "--seed"), ("--seed has no value", "at: bridgecheck run", "expected: --seed N")),
        (("run", "--strict=1"), ("--strict takes no value", "at: bridgecheck run", "expected: --strict")),
        (("runn",), ("there is no command 'runn'", "at: bridgecheck", "expected: did you mean run?")),
        (("show", "a", "b"), ("unexpected argument: b", "at: bridgecheck show", "expected: bridgecheck show [OPTIONS] {ID}")),
        (("compare", "a"), ("NEW is missing", "at: bridgecheck compare", "expected: report.json or a folder with one")),
        (("init",), ("--adapter is missing", "at: bridgecheck init", "an object, a command, a recipe")),
        (("requirements", "list", "--corpus"), ("--corpus has no value", "at: bridgecheck requirements list", "--corpus PATH")),
    ],
)  # fmt: skip
def test_an_error_of_the_command_line_says_what_came_and_what_to_run(
    refusal_of: Refused, arguments: tuple[str, ...], lines: tuple[str, ...]
) -> None:
    message = refusal_of(*arguments)
    for line in ("[bad-option]", *lines):
        assert line in message
    command = lines[1].removeprefix("at: ")
    assert message.endswith(f"next: {command} --help\n")
    assert "Error:" not in message


def test_the_command_alone_prints_its_help(refusal_of: Refused) -> None:
    message = refusal_of()
    assert message.startswith("Usage: bridgecheck")
    assert "[bad-option]" not in message


def test_every_command_that_reads_the_corpus_can_be_given_another() -> None:
    with_option = {
        path[0] for path, command in COMMANDS.items() if any("--corpus" in each.opts for each in command.params)
    }
    assert with_option == {path[0] for path in COMMANDS} - READ_NO_CORPUS


def test_the_corpus_is_the_one_that_is_named(cli: Cli, tmp_path: Path, own_corpus: Path, recorded_corpus: Path) -> None:
    found = cli("list", "--corpus", str(own_corpus), corpus=tmp_path)
    assert found.returncode == 0
    assert found.stdout.startswith("messages/plain ")
    # The processes of a run read the same corpus.
    run = cli("run", "--adapter", "python:adapters:trims", "--corpus", str(own_corpus), "-n", "1", corpus=tmp_path)
    assert run.returncode == 1
    assert "response.text" in run.stdout


def test_printed_commands_read_the_corpus_that_was_named(
    cli: Cli, project: Path, tmp_path: Path, own_corpus: Path
) -> None:
    """As seen from here, in run and in init, and in the summary."""
    cli("run", "--adapter", "python:adapters:trims", "--corpus", str(own_corpus), corpus=tmp_path)
    text = (project / "reports" / "local" / "report.json").read_text(encoding="utf-8")
    (command,) = {finding["command"] for finding in json.loads(text)["findings"]}
    assert f"--corpus {os.path.relpath(own_corpus, project)} " in command
    again = cli(*shlex.split(command)[1:], corpus=tmp_path)
    assert again.returncode == 1 and " 1 case: O>G 1 " in again.stdout
    assert f"{command}\n" in (project / "reports" / "local" / "summary.md").read_text(encoding="utf-8")
    started = cli("init", "--adapter", "python:adapters:trims", "--corpus", str(own_corpus), corpus=tmp_path)
    (next_command,) = re.findall("in CI: bridgecheck (.*)", started.stdout)
    assert cli(*shlex.split(next_command), corpus=tmp_path).returncode == 0


def test_no_scenario_names_the_folder_that_was_searched(
    refusal_of: Refused, recorded_corpus: Path, tmp_path: Path
) -> None:
    for arguments in (("show", "tools/none"), ("run", "--scenario", "tools/none"), ("run", "--tag", "nope")):
        message = refusal_of(*arguments)
        assert f"at: {recorded_corpus / 'scenarios'}\n" in message
        assert "--corpus PATH" in message
    assert f"at: {tmp_path}\n" in refusal_of("list", "--corpus", str(tmp_path))


@pytest.mark.parametrize(
    ("shell", "variables", "expected"),
    [
        ("bash", {"COMP_WORDS": "bridgecheck re", "COMP_CWORD": "1"}, {"record", "refresh", "regenerate", "repro", "requirements"}),
        ("bash", {"COMP_WORDS": "bridgecheck run --sh", "COMP_CWORD": "2"}, {"--shard", "--shuffle"}),
        ("bash", {"COMP_WORDS": "bridgecheck run --mode s", "COMP_CWORD": "3"}, {"stream"}),
        ("bash", {"COMP_WORDS": "bridgecheck run --scenario mess", "COMP_CWORD": "3"}, {"messages/plain"}),
        ("bash", {"COMP_WORDS": "bridgecheck show ", "COMP_CWORD": "2"}, {"messages/plain"}),
        ("bash", {"COMP_WORDS": "bridgecheck regenerate other", "COMP_CWORD": "2"}, set()),
        ("bash", {"COMP_WORDS": "bridgecheck show --corpus /nowhere ", "COMP_CWORD": "4"}, set()),
    ],
)  # fmt: skip
def test_the_shell_completes_commands_options_and_values(
    environment: dict[str, str], variables: dict[str, str], shell: str, expected: set[str]
) -> None:
    call = "import sys; sys.argv = ['bridgecheck']; from bridgecheck.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", call], env=environment | variables | {"_BRIDGECHECK_COMPLETE": f"complete_{shell}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert set(result.stdout.split()) == expected


def test_completion_can_be_installed(cli: Cli) -> None:
    assert "--install-completion" in cli("--help").stdout
