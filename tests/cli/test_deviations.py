"""Known failures of an adapter: accepted, regressed, stale, and recorded by the command."""

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bridgecheck.report.schema import report_schema

from .conftest import ENTRY, FIXED, MARK, TEXT_IS_OFF, run_module

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]
TRIMS = ("--adapter", "python:adapters:trims", "-n", "0")
BRIDGE = ("--adapter", "python:adapters:bridge", "-n", "0")


def _report(project: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((project / "reports" / "local" / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, report_schema())
    return document


@pytest.fixture
def path(project: Path) -> Path:
    """The path where a run looks for the deviations of these adapters, all called ``mine``."""
    return project / "reports" / "mine" / "deviations.toml"


def _write(path: Path, *entries: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(f"[[deviation]]\n{entry}\n" for entry in entries), encoding="utf-8")


def test_update_records_failures_which_are_then_accepted(cli: Cli, project: Path, path: Path) -> None:
    assert cli("run", *TRIMS).returncode == 1
    assert not path.exists()
    updated = cli("run", *TRIMS, "--update-deviations")
    assert updated.returncode == 0, updated.stdout
    assert "\nKNOWN FAILURES: 1 accepted finding in 6 judged cases" in updated.stdout
    assert f"{path.relative_to(project)}: updated\n  accepted: " in updated.stdout
    assert "CONFORMANT" not in updated.stdout
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["deviation"]
    assert {"fingerprint", "check", "direction", "reason", "cases"} == set(entries[0])
    assert "say why" in entries[0]["reason"]
    again = cli("run", *TRIMS)
    assert again.returncode == 0, again.stdout
    report = _report(project)
    assert report["totals"]["FAIL"] == 0 < report["totals"]["deviation"]
    assert {entry["state"] for entry in report["deviations"]} == {"accepted"}
    assert report["findings"] == []
    assert cli("run", *TRIMS, "--update-deviations", "--stale", "fail").returncode == 0
    assert tomllib.loads(path.read_text(encoding="utf-8"))["deviation"] == entries


def test_a_fixed_failure_is_stale_and_removed_by_update(cli: Cli, project: Path, path: Path) -> None:
    own = "# kept\n# its own\n"
    assert cli("run", *TRIMS, "--update-deviations").returncode == 0
    path.write_text(f"# the owner's words\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    warned = cli("run", *BRIDGE)
    assert warned.returncode == 0, warned.stdout
    assert "stale: " in warned.stdout
    assert "next: bridgecheck run --adapter python:adapters:bridge --update-deviations" in warned.stdout
    assert cli("run", *BRIDGE, "--stale", "fail").returncode == 1
    assert cli("run", *BRIDGE, "--stale", "fail", "--path", "native").returncode == 0
    assert cli("run", *BRIDGE, "--stale", "fail", "--update-deviations").returncode == 0
    text = path.read_text(encoding="utf-8")
    assert "# the owner's words" in text
    assert "[[deviation]]" not in text
    assert own not in text


@pytest.mark.slow
def test_a_partial_run_removes_only_entries_it_covers(cli: Cli, project: Path, path: Path) -> None:
    plain = ("--scenario", "messages/plain", "--update-deviations")
    assert cli("run", *TRIMS, "--update-deviations").returncode == 0
    assert cli("run", *BRIDGE, *plain, "--mode", "unary").returncode == 0
    assert '"messages/plain::stream-wire ' in path.read_text(encoding="utf-8")
    assert cli("run", *BRIDGE, *plain).returncode == 0
    assert "[[deviation]]" not in path.read_text(encoding="utf-8")


def test_another_fault_in_an_accepted_case_is_a_regression(cli: Cli, project: Path, path: Path) -> None:
    assert cli("run", *TRIMS, "--update-deviations").returncode == 0
    adapters = project / "adapters.py"
    source = adapters.read_text(encoding="utf-8")
    trim = '.rstrip(".")'
    assert source.count(trim) == 1
    adapters.write_text(source.replace(trim, '.rstrip(".") + "!"'), encoding="utf-8")
    worse = cli("run", *TRIMS)
    assert worse.returncode == 1, worse.stdout
    assert "where something else differs now" in worse.stdout
    assert cli("run", *TRIMS, "--update-deviations").returncode == 0
    assert cli("run", *TRIMS).returncode == 0


def test_an_unlisted_failure_is_a_regression(cli: Cli, project: Path, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(FIXED, encoding="utf-8")
    assert cli("run", *TRIMS).returncode == 1
    elsewhere = project / "known.toml"
    elsewhere.write_text(TEXT_IS_OFF, encoding="utf-8")
    accepted = cli("run", *TRIMS, "--deviations", str(elsewhere))
    assert accepted.returncode == 0, accepted.stdout
    assert "1 accepted finding" in accepted.stdout


def test_an_entry_by_check_accepts_nothing_until_an_update_lists_its_cases(cli: Cli, path: Path) -> None:
    _write(path, '# mine\ncheck = "response.text"\nscenario = "messages/*"\nreason = "as agreed"')
    refused = cli("run", *TRIMS)
    assert refused.returncode == 1
    assert "without cases: messages/*:response.text (as agreed)" in refused.stdout
    assert "--update-deviations writes the cases; without any nothing is accepted" in refused.stdout
    assert cli("run", *TRIMS, "--update-deviations").returncode == 0
    (entry,) = tomllib.loads(path.read_text(encoding="utf-8"))["deviation"]
    assert (entry["reason"], entry["check"], "scenario" in entry) == ("as agreed", "response.text", False)
    assert cli("run", *TRIMS, "--stale", "fail").returncode == 0


def test_an_expired_entry_accepts_nothing(cli: Cli, path: Path) -> None:
    path.parent.mkdir(parents=True)
    entry = ENTRY.format(MARK, "response.text", "for a while")
    path.write_text(f"{entry}expires = 2020-01-31\n", encoding="utf-8")
    result = cli("run", *TRIMS)
    assert result.returncode == 1
    assert f"expired: {MARK}, until 2020-01-31 (for a while)" in result.stdout


@pytest.mark.slow
def test_workers_and_shards_apply_deviations(cli: Cli, project: Path, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(TEXT_IS_OFF, encoding="utf-8")
    assert cli("run", "--adapter", "python:adapters:trims", "-n", "2").returncode == 0
    for shard in ("1/2", "2/2"):
        assert cli("run", *TRIMS, "--shard", shard, "--report", f"part{shard[0]}").returncode == 0
    merged = cli("merge", "part1", "part2")
    assert merged.returncode == 0, merged.stdout
    assert [entry["state"] for entry in _report(project)["deviations"]] == ["accepted"]


def test_pytest_expects_deviations_to_fail(project: Path, recorded_corpus: Path, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(TEXT_IS_OFF, encoding="utf-8")
    options = (
        "--bridgecheck",
        "--bridgecheck-adapter",
        "python:adapters:trims",
        "--bridgecheck-deviations",
        str(path),
    )
    result = run_module(
        "pytest", "-q", "-p", "no:cacheprovider", *options,
        folder=project, env={**os.environ, "BRIDGECHECK_CORPUS": str(recorded_corpus)},
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    assert "xfailed" in result.stdout


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('check = "response.text"', "an entry without a reason"),
        ('check = "response.txt"\nreason = "x"', "did you mean response.text"),
        ('check = "response.text"\nscenario = "messages/plian"\nreason = "x"', "did you mean messages/plain"),
    ],
)
def test_bad_entries_are_refused_with_their_line(refusal_of: Refused, tmp_path: Path, entry: str, message: str) -> None:
    _write(tmp_path / "d.toml", entry)
    error = refusal_of("run", "--deviations", str(tmp_path / "d.toml"))
    assert message in error
    assert f"{tmp_path / 'd.toml'}:1" in error


def test_a_missing_file_is_refused(refusal_of: Refused) -> None:
    assert "--deviations names no file" in refusal_of("run", "--deviations", "nowhere.toml")
