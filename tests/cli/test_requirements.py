"""``requirements`` and ``run --requirements``: only what was frozen gates."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.files.requirements import freeze_requirements, write_requirements

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]
Put = Callable[[dict[str, Any]], Path]
TRIMS = ("run", "--adapter", "python:adapters:trims", "-n", "0")


@pytest.fixture
def frozen(own_corpus: Path) -> Path:
    """The corpus with its one scenario frozen."""
    root = own_corpus / "scenarios"
    return write_requirements(root, freeze_requirements("2026.1", "2026-11-30", root))


def test_frozen_requirements_gate_and_newer_ones_are_shown(
    cli: Cli, frozen: Path, own_corpus: Path, put: Put, scenario: dict[str, Any], project: Path
) -> None:
    assert cli(*TRIMS, "--requirements", "2026.1", corpus=own_corpus).returncode == 1
    frozen.unlink()
    root = own_corpus / "scenarios"
    later = freeze_requirements("2026.1", "2026-11-30", root)
    scenario["id"] = "messages/newer"
    put(scenario)
    assert cli("regenerate", corpus=own_corpus).returncode == 0
    later.scenarios.clear()
    later.scenarios.update(
        {name: mark for name, mark in freeze_requirements("x", "y", root).scenarios.items() if "newer" in name}
    )
    write_requirements(root, later)
    result = cli(*TRIMS, "--requirements", "2026.1", "--scenario", "messages/plain", corpus=own_corpus)
    assert result.returncode == 0, result.stdout
    assert "Newer than 2026.1, gates with the next set:" in result.stdout
    report = json.loads((project / "reports" / "local" / "report.json").read_text(encoding="utf-8"))
    assert report["totals"]["newer"] > report["totals"]["FAIL"] == 0
    assert report["run"]["requirements"] == "2026.1"
    assert [finding["status"] for finding in report["newer"]] == ["FAIL"]
    assert cli(*TRIMS, "--requirements", "2026.1", "--scenario", "messages/newer", corpus=own_corpus).returncode == 1


def test_requirement_sets_are_listed(cli: Cli, frozen: Path, own_corpus: Path) -> None:
    listed = cli("requirements", "list", corpus=own_corpus)
    assert listed.stdout.startswith("2026.1  2026-11-30  1 scenario with ")


def test_a_missing_requirement_set_is_stated(cli: Cli, own_corpus: Path) -> None:
    assert cli("requirements", "list", corpus=own_corpus).stdout == "no set is frozen yet: everything gates\n"


def test_an_invalid_corpus_is_not_frozen(refusal_of: Refused, own_corpus: Path) -> None:
    assert "next: bridgecheck lint" in refusal_of("requirements", "freeze", "2026.2", corpus=own_corpus)
    assert not (own_corpus / "scenarios" / "requirements").exists()


def test_an_unknown_set_is_refused(refusal_of: Refused) -> None:
    assert "no requirement set '2026.9'" in refusal_of("run", "--requirements", "2026.9")


def test_a_set_that_names_a_missing_scenario_is_refused_by_run_and_lint(
    refusal_of: Refused, cli: Cli, frozen: Path, own_corpus: Path, put: Put, scenario: dict[str, Any]
) -> None:
    (own_corpus / "scenarios" / "messages" / "plain.json").unlink()
    scenario["id"] = "messages/other"
    put(scenario)
    assert cli("regenerate", corpus=own_corpus).returncode == 0
    messages = (refusal_of("run", "--requirements", "2026.1", corpus=own_corpus), cli("lint", corpus=own_corpus).stderr)
    for message in messages:
        assert "the scenario is not there" in message
        assert "2026.1.json: scenarios.messages/plain" in message


def test_an_edited_set_is_refused_by_run_and_lint(
    refusal_of: Refused, cli: Cli, frozen: Path, own_corpus: Path
) -> None:
    frozen.write_text(frozen.read_text(encoding="utf-8").replace("2026-11-30", "2026-12-01"), encoding="utf-8")
    assert "its digest does not fit" in refusal_of("run", "--requirements", "2026.1", corpus=own_corpus)
    assert "its digest does not fit" in cli("lint", corpus=own_corpus).stderr
