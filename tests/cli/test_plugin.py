"""The pytest plugin in someone's own suite."""

import subprocess
import sys
from pathlib import Path

from .conftest import run_module

PLUGINS = ("-p", "bridgecheck.pytest_plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider")
"""By name, whether or not the package is installed with its entry point."""
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(project: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module("pytest", *PLUGINS, *arguments, folder=project, env=environment | ALONE)


def test_the_unused_plugin_collects_and_imports_nothing(project: Path, environment: dict[str, str]) -> None:
    (project / "scenarios" / "tools").mkdir(parents=True)
    (project / "scenarios" / "tools" / "theirs.json").write_text("{}")
    (project / "test_theirs.py").write_text(
        "import sys\n"
        "def test_theirs():\n"
        "    ours = {name for name in sys.modules if name.startswith('bridgecheck')}\n"
        "    assert ours <= {'bridgecheck', 'bridgecheck.pytest_plugin'}, ours\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGINS], cwd=project, env=environment | ALONE, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "1 passed" in result.stdout, result.stdout
    assert result.returncode == 0


def test_the_option_adds_the_corpus_to_the_suite(project: Path, environment: dict[str, str]) -> None:
    (project / "test_theirs.py").write_text("def test_theirs():\n    pass\n")
    result = run(project, environment, "--bridgecheck", "--bridgecheck-adapter=python:adapters:trims", "-rA")
    assert "PASSED test_theirs.py::test_theirs" in result.stdout
    assert "PASSED scenarios/messages/plain.json::native-gemini-to-gemini-unary-wire" in result.stdout
    assert "FAILED scenarios/messages/plain.json::bridged-openai-chat-to-gemini-stream-wire" in result.stdout
    assert "response.text" in result.stdout
    assert "repeat: bridgecheck run" in result.stdout
    assert "NOT_APPLICABLE: mine does not route gemini to gemini" in result.stdout
    assert result.returncode == 1


def test_a_single_case_can_be_selected_under_workers(
    project: Path, environment: dict[str, str], recorded_corpus: Path
) -> None:
    scenario = recorded_corpus / "scenarios" / "messages" / "plain.json"
    result = run(
        project, environment, "--bridgecheck", "--bridgecheck-adapter=python:adapters:bridge", "-n", "1",
        f"{scenario}::bridged-openai-chat-to-gemini-unary-wire",
    )  # fmt: skip
    assert "1 passed" in result.stdout, result.stdout
    assert result.returncode == 0


def test_a_printed_id_selects_the_item(project: Path, environment: dict[str, str]) -> None:
    adapter = ("--bridgecheck", "--bridgecheck-adapter=python:adapters:bridge", "-v")
    item_id = "scenarios/messages/plain.json::bridged-openai-chat-to-gemini-unary-wire"
    result = run(project, environment, *adapter, item_id)
    assert f"{item_id} PASSED" in result.stdout, result.stdout
    assert "1 passed" in result.stdout
    assert run(project, environment, *adapter, "scenarios/messages/plian.json").returncode == 4
    (project / "scenarios").mkdir()
    (project / "scenarios" / "test_theirs.py").write_text("def test_theirs():\n    pass\n")
    own_suite = run(project, environment, *adapter, "scenarios/test_theirs.py", "-k", "theirs")
    assert "1 passed" in own_suite.stdout


def test_a_bad_target_is_a_usage_error(project: Path, environment: dict[str, str]) -> None:
    result = run(project, environment, "--bridgecheck", "--bridgecheck-adapter=nonsense")
    assert result.returncode == 4
    assert "no such kind of adapter" in result.stderr + result.stdout


def test_an_invalid_scenario_is_a_collection_error_with_its_location(
    project: Path, environment: dict[str, str], own_corpus: Path
) -> None:
    broken = own_corpus / "scenarios" / "messages" / "broken.json"
    broken.write_text('{"id": 3}')
    result = run(project, environment | {"BRIDGECHECK_CORPUS": str(own_corpus)}, "--bridgecheck",
               "--bridgecheck-adapter=python:adapters:bridge")  # fmt: skip
    assert result.returncode == 2
    assert f"{broken}:1:" in result.stdout
    assert "Traceback" not in result.stdout
