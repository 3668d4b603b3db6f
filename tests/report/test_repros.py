"""``make repros`` notices a published finding that its own script does not show."""

import os
import sys
from pathlib import Path

import pytest

from bridgecheck.model.published_finding import Published

from ..repros import python_of, read_all_published, show
from .test_published import ENTRY

SHOWS = 'import os, sys\nprint(os.getcwd(), "OPENAI_API_KEY" in os.environ)\nprint("The fault shows.")\nsys.exit(1)\n'


@pytest.fixture
def finding(tmp_path: Path) -> tuple[Path, Published]:
    folder = tmp_path / "reports/mine"
    (folder / "repro").mkdir(parents=True)
    (folder / "findings.toml").write_text(ENTRY.replace("{mark}", "0123456789"), encoding="utf-8")
    ((path, published_finding),) = read_all_published(tmp_path)
    assert path == folder
    return path, published_finding


def show_finding(finding: tuple[Path, Published], script: str) -> str:
    folder, finding_ = finding
    (folder / finding_.repro_path_in_folder).write_text(script, encoding="utf-8")
    return show(folder, finding_, folder.parents[1]).wrong


def test_a_script_that_shows_its_finding(
    finding: tuple[Path, Published], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The script runs from the top of the checkout, without the caller's environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert show_finding(finding, SHOWS) == ""
    assert f"{tmp_path} False" in show_finding(finding, SHOWS.replace("exit(1)", "exit(0)"))


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ('print("The fault does not show.")\n', "exit code 0, expected 1"),
        ("import there_is_no_such_module\n", "exit code 1, expected 1 and 'The fault shows.':\nTraceback"),
        ('import sys\nprint("The fault shows.")\nsys.exit(2)\n', "exit code 2"),
    ],
)
def test_a_script_that_does_not_show_its_finding(finding: tuple[Path, Published], script: str, wrong: str) -> None:
    assert wrong in show_finding(finding, script)


def test_the_adapters_own_python_is_used(finding: tuple[Path, Published]) -> None:
    folder, _ = finding
    assert python_of(folder) == sys.executable
    (folder / "requirements.txt").write_text("mine==1\n", encoding="utf-8")
    assert show_finding(finding, SHOWS) == "its environment is missing: make repros"
    own = folder / ".venv/bin/python"
    own.parent.mkdir(parents=True)
    own.symlink_to(os.path.realpath(sys.executable))
    assert python_of(folder) == str(own)
    assert show_finding(finding, SHOWS) == ""
