"""``badge``: where it writes, and what it shows for a real run."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

Cli = Callable[..., subprocess.CompletedProcess[str]]


def test_the_latest_report_without_an_argument(cli: Cli, project: Path) -> None:
    assert cli("run", "--adapter", "python:adapters:trims", "-n", "0").returncode == 1
    result = cli("badge")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("bridgecheck: 1 finding\n")
    folder = project / "reports" / "local"
    made = json.loads((folder / "badge.json").read_text(encoding="utf-8"))
    assert (made["schemaVersion"], made["label"], made["message"]) == (1, "bridgecheck", "1 finding")
    ElementTree.parse(folder / "badge.svg")


def test_a_named_report_and_another_folder(cli: Cli, project: Path) -> None:
    assert cli("run", "--adapter", "python:adapters:bridge", "-n", "0", "--report", "r").returncode == 0
    report_path = project / "r" / "report.json"
    result = cli("badge", "r/report.json", "--output", "docs/badges")
    assert result.stdout.startswith("bridgecheck: conformant\n")
    assert sorted(path.name for path in (project / "docs" / "badges").iterdir()) == ["badge.json", "badge.svg"]
    text = report_path.read_text(encoding="utf-8")
    started = json.loads(text)["run"]["started"]
    report_path.write_text(text.replace(started, "2020-01-01T00:00:00+00:00"), encoding="utf-8")
    assert cli("badge", "r").stdout.startswith("bridgecheck: expired\n")


def test_an_unwritable_folder_is_refused(cli: Cli, project: Path) -> None:
    assert cli("run", "--adapter", "python:adapters:bridge", "-n", "0").returncode == 0
    result = cli("badge", "--output", "adapters.py")
    assert (result.returncode, "--output names a file" in result.stderr) == (2, True)
