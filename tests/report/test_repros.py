"""``make repros`` notices a published finding that has no script, or one that its own script does not show."""

import os
import sys
from pathlib import Path

import pytest

from bridgecheck.files.findings_toml import FILE, read_published
from bridgecheck.report.read import read_report
from bridgecheck.repro.report_scripts import (
    PublishedScript,
    driver_of_report,
    make_published_script,
    write_published_scripts,
)

from ..repros import published_folders, python_of, show
from .test_published import ENTRY

ROOT = Path(__file__).resolve().parents[2]
SHOWS = 'import os, sys\nprint(os.getcwd(), "OPENAI_API_KEY" in os.environ)\nprint("The fault shows.")\nsys.exit(1)\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reports/mine"
    folder.mkdir(parents=True)
    (folder / "findings.toml").write_text(ENTRY.replace("{mark}", "0123456789"), encoding="utf-8")
    assert published_folders(tmp_path, []) == published_folders(tmp_path, ["mine"]) == [folder]
    assert published_folders(tmp_path, ["yours"]) == []
    return folder


def show_finding(folder: Path, script: str) -> str:
    (finding,) = read_published(folder / "findings.toml")
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    return show(folder, PublishedScript(finding, path)).wrong


def test_a_script_that_shows_its_finding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script runs in a folder of its own, without the caller's environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert show_finding(folder, SHOWS) == ""
    wrong = show_finding(folder, SHOWS.replace("exit(1)", "exit(0)"))
    assert " False\n" in wrong and str(folder) not in wrong and str(Path.cwd()) not in wrong


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ('print("The fault does not show.")\n', "exit code 0, expected 1"),
        ("import there_is_no_such_module\n", "exit code 1, expected 1 and 'The fault shows.':\nTraceback"),
        ('import sys\nprint("Nothing can be said: x")\nsys.exit(2)\n', "exit code 2"),
    ],
)
def test_a_script_that_does_not_show_its_finding(folder: Path, script: str, wrong: str) -> None:
    assert wrong in show_finding(folder, script)


def test_the_adapters_own_python_is_used(folder: Path) -> None:
    assert python_of(folder) == sys.executable
    (folder / "requirements.txt").write_text("mine==1\n", encoding="utf-8")
    assert show_finding(folder, SHOWS) == "its environment is missing: make repros"
    own = folder / ".venv/bin/python"
    own.parent.mkdir(parents=True)
    own.symlink_to(os.path.realpath(sys.executable))
    assert python_of(folder) == str(own)
    assert show_finding(folder, SHOWS) == ""


def test_a_finding_without_a_script_says_why(folder: Path) -> None:
    (finding,) = read_published(folder / "findings.toml")
    shown = show(folder, PublishedScript(finding, None, "[not-reproduced] the report does not hold the case"))
    assert shown.oracle and str(shown).startswith("NO SCRIPT  mine/one-index\n[not-reproduced]")


def test_published_scripts_are_made_without_their_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the report alone: the script holds the shim, what it imports, the pinned list and its own case."""
    monkeypatch.chdir(ROOT)
    folders = [path for path in published_folders(Path(), []) if (path / "requirements.txt").is_file()]
    folder, made = next(
        (path, script)
        for path in folders
        if read_published(path / FILE)
        for script in write_published_scripts(path, read_report(path).report, tmp_path)
    )
    assert made.path is not None, made.why
    text = made.path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\nCASE = ")
    assert (folder / "requirements.txt").read_text(encoding="utf-8").strip().split("\n")[-1].partition(" ")[0] in head
    assert str(ROOT) not in text and "bridgecheck.repro" not in rest.partition("# From here on every reproduction")[2]
    compile(text, made.path.name, "exec")


def test_an_error_in_plain_text_has_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report holds no status: it is the one with which the check finds the same, of a text as of a document."""
    monkeypatch.chdir(ROOT)
    folder = Path("reports/claude-code-proxy")
    report = read_report(folder).report
    (finding,) = (item for item in read_published(folder / FILE) if item.id == "errors-become-500")
    (case,) = (case for case in report.cases if str(case.key) == finding.case)
    assert case.views["client_response"] == '"Internal Server Error"'
    made = make_published_script(finding, case, driver_of_report(str(folder / "adapter.toml"), report))
    assert made.replayed.transcript.client[0].response.status == 500
    assert made.oracle["asks"]
