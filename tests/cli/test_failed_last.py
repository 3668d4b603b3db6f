"""``--lf`` and ``--sw`` select what failed last, by the ids that cases have in a class and in the corpus."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import in_this_process

CLASS = """
from bridgecheck.testing import Conformance
import adapters

class TestMine(Conformance):
    adapter = adapters.{}

    def test_own(self):
        pass
"""

Suite = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def suite(project: Path, recorded_corpus: Path) -> Suite:
    """pytest in the project, which remembers what failed."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["-p", "bridgecheck.pytest_plugin", "-rA", *arguments]
        env = {"BRIDGECHECK_CORPUS": str(recorded_corpus), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}
        return in_this_process(project, command, env)

    return call


def summary(result: subprocess.CompletedProcess[str]) -> str:
    return result.stdout.strip().splitlines()[-1]


def test_only_what_failed_last_is_played_in_a_class(suite: Suite, project: Path) -> None:
    (project / "test_mine.py").write_text(CLASS.format("trims"))
    assert "2 failed, 2 passed" in summary(suite())
    again = suite("--lf")
    assert "2 failed, 2 deselected" in summary(again)
    assert "rerun previous 2 failures" in again.stdout
    (project / "test_mine.py").write_text(CLASS.format("bridge"))
    assert "2 passed, 2 deselected" in summary(suite("--lf"))


def test_steps_go_on_at_the_case_that_failed(suite: Suite, project: Path) -> None:
    (project / "test_mine.py").write_text(CLASS.format("trims"))
    assert "1 failed, 1 passed" in summary(suite("--sw"))
    assert "1 failed, 1 deselected" in summary(suite("--sw"))
    assert "2 failed, 1 deselected" in summary(suite("--sw", "--sw-skip"))


def test_only_what_failed_last_is_played_of_the_corpus(suite: Suite, project: Path) -> None:
    arguments = ("--bridgecheck", "--bridgecheck-adapter=python:adapters:trims")
    first = suite(*arguments)
    assert "2 failed" in summary(first)
    again = summary(suite(*arguments, "--lf"))
    assert "2 failed" in again
    assert "passed" not in again
