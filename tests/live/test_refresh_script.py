"""The script of the live loop, as a person or a workflow runs it: in a checkout of its own, against a stand-in."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.live.conftest import KEY, Live

SCRIPT = ROOT / "docs/examples/live_loop/refresh.sh"
Run = Callable[..., subprocess.CompletedProcess[str]]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / ".gitignore").write_text("live.new/\nlive-change.md\nreports/\n", encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


@pytest.fixture
def run(live: Live, checkout: Path) -> Run:
    url = live.serve[0].partition("=")[2]
    names = ("GEMINI", "OPENAI", "ANTHROPIC")
    clean = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_URL"))}
    author = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid"}
    committer = {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid"}
    urls = {f"{name}_URL": url for name in names}
    command = {"BRIDGECHECK": f"{sys.executable} -m bridgecheck"}

    def call(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**clean, **author, **committer, **urls, **command, **more}
        return subprocess.run(
            ["sh", str(SCRIPT), *arguments], cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )

    return call


def test_a_refresh_leaves_one_commit_on_a_branch_and_says_how_to_open_it(run: Run, checkout: Path) -> None:
    result = run("messages/plain-text", "--adapter", "native:", OPENAI_API_KEY=KEY)
    assert result.returncode == 0, result.stdout + result.stderr
    assert not git(checkout, "status", "--porcelain")
    assert git(checkout, "branch", "--show-current").startswith("live-")
    assert git(checkout, "rev-list", "--count", "main..") == "1"
    assert git(checkout, "log", "-1", "--format=%s") == "Record live answers: 2 recordings"
    assert "## Verdicts before and after" in git(checkout, "log", "-1", "--format=%b")
    files = git(checkout, "show", "--name-only", "--format=").split()
    assert files == [
        "live/live.ledger", "live/messages/plain-text/openai-chat.stream.yaml",
        "live/messages/plain-text/openai-chat.unary.yaml",
    ]  # fmt: skip
    assert "gh pr create --head live-" in result.stdout
    assert KEY not in result.stdout + result.stderr + (checkout / "live-change.md").read_text(encoding="utf-8")


def test_no_key_and_changes_of_ones_own_are_refused_and_nothing_is_touched(run: Run, checkout: Path) -> None:
    assert run("messages/plain-text").returncode == 2
    (checkout / "live").mkdir()
    (checkout / "live/note").write_text("mine", encoding="utf-8")
    refused = run("messages/plain-text", OPENAI_API_KEY=KEY)
    assert refused.returncode == 2 and "not committed" in refused.stderr
    assert git(checkout, "branch", "--show-current") == "main"


def test_a_provider_that_refuses_leaves_no_branch(run: Run, live: Live, checkout: Path) -> None:
    live.provider.faults.refuse_key = ("openai-chat",)
    result = run("messages/plain-text", OPENAI_API_KEY=KEY)
    assert result.returncode == 3 and "go on: bridgecheck refresh" in result.stdout
    assert git(checkout, "branch", "--show-current") == "main"
