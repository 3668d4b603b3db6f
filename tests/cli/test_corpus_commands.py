"""``list``, ``show``, ``lint``, ``regenerate``."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bridgecheck.files import corpus_root

from .live_corpus import make_live

Cli = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[[dict[str, Any]], Path]


def test_list_prints_the_scenarios(cli: Cli) -> None:
    assert cli("list").stdout == "messages/plain  MUST    scripted  A question and its answer\n"
    found = json.loads(cli("list", "--json").stdout)
    assert isinstance(found, list)
    assert [scenario["id"] for scenario in found] == ["messages/plain"]
    assert found[0]["clients"] == ["gemini", "openai-chat"]
    assert found[0]["modes"] == ["unary", "stream"]
    assert found[0]["rests_on"] == [
        {"dialect": "gemini", "mode": "unary", "source": "scripted"},
        {"dialect": "gemini", "mode": "stream", "source": "scripted"},
    ]


def test_show_prints_a_scenario(cli: Cli) -> None:
    shown = cli("show", "messages/plain")
    assert shown.returncode == 0
    for piece in (
        "Everything else rests on it.",
        "https://ai.google.dev",
        "cassettes/messages/plain/gemini.stream.yaml",
    ):
        assert piece in shown.stdout
    assert "Judged where" not in shown.stdout
    needy = cli("show", "chunks/five-calls", corpus=corpus_root()).stdout
    assert "Judged where the adapter claims: parallel_tools, tools\n" in needy
    unknown = cli("show", "messages/plian")
    assert unknown.returncode == 2
    assert "messages/plain" in unknown.stderr


def test_list_and_show_tell_live_recordings_from_scripts(cli: Cli, own_corpus: Path) -> None:
    make_live(own_corpus, "gemini.stream", "2026-01-05T10:00:00Z")
    (own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml").unlink()
    age = (datetime.now(UTC).date() - date(2026, 1, 5)).days
    assert f"live ({age} days old)  A question" in cli("list", corpus=own_corpus).stdout
    (row,) = json.loads(cli("list", "--json", corpus=own_corpus).stdout)[0]["rests_on"]
    assert (row["source"], row["recorded_at"], row["age_in_days"]) == ("live", "2026-01-05T10:00:00Z", age)
    assert (row["model"], row["api_version"]) == ("gemini-2.5-flash", "v1beta")
    shown = cli("show", "messages/plain", corpus=own_corpus).stdout
    assert f"gemini.stream.yaml  live, gemini-2.5-flash, v1beta, 2026-01-05, {age} days old\n" in shown
    assert "gemini.unary.yaml  not recorded\n" in shown


def test_regenerate_changes_no_byte_when_nothing_changed(cli: Cli, own_corpus: Path) -> None:
    before = {path: path.read_bytes() for path in own_corpus.rglob("*.yaml")}
    result = cli("regenerate", "messages/plain", corpus=own_corpus)
    assert result.stdout == "1 scenario, 0 cassettes changed\n"
    assert {path: path.read_bytes() for path in own_corpus.rglob("*.yaml")} == before


def test_regenerate_follows_the_script(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    answer = scenario["upstream"]["gemini"]["unary"][0]["body"]
    answer["candidates"][0]["content"]["parts"][0]["text"] = "Vier."
    put(scenario)
    result = cli("regenerate", corpus=own_corpus)
    assert result.stdout.count("written: ") == 1
    assert "Vier." in (own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml").read_text()


def lint(cli: Cli, corpus: Path) -> str:
    """Return the problems that lint reports for the corpus, without those about capabilities and the exported schema."""
    result = cli("lint", corpus=corpus)
    assert result.returncode == 2
    ignored = ("[bad-capability]", "exported schema")
    return "\n".join(line for line in result.stderr.splitlines() if not any(word in line for word in ignored))


def test_lint_reports_every_problem(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    assert "plain" not in lint(cli, own_corpus)
    stray = own_corpus / "cassettes" / "messages" / "plain" / "anthropic.unary.yaml"
    stray.write_text("interactions: []\n")
    cassette = own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml"
    secret = "sk-" + "proj-" + "Ab3" * 14
    cassette.write_text(cassette.read_text().replace("2 + 2?", secret))
    put({**scenario, "id": "messages/unrecorded"})
    put({**scenario, "id": "messages/bad", "level": "MAYBE"})
    (own_corpus / "scenarios" / "stray.json").write_text("{}")
    problems = lint(cli, own_corpus)
    assert f"{stray}" in problems
    assert "secret-found" in problems
    assert secret not in problems
    assert "messages/unrecorded/gemini.unary.yaml" in problems
    assert "messages/bad.json" in problems
    assert "stray.json" in problems


def test_lint_searches_what_is_written_by_hand(
    own_corpus: Path, scenario: dict[str, Any], tmp_path: Path, put: Put
) -> None:
    from bridgecheck.lint import find_secrets_written_by_hand

    secret, scenarios = "sk-" + "proj-" + "Ab3" * 14, own_corpus / "scenarios"
    recipe = tmp_path / "reports" / "mine" / "adapter.toml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text('target = "command:run"\n[env]\nOPENAI_API_KEY = "{upstream_key}"\n')
    assert list(find_secrets_written_by_hand(scenarios, tmp_path)) == []
    recipe.write_text(f'target = "command:run"\n[env]\nOPENAI_API_KEY = "{secret}"\n')
    (tmp_path / "pyproject.toml").write_text(f'# {secret}\n[project]\nname = "mine"\n')
    put({**scenario, "id": "messages/told", "title": f"With {secret}"})
    found = list(find_secrets_written_by_hand(scenarios, tmp_path))
    assert secret not in "".join(found)
    for place in (f"{recipe}:3", f"{tmp_path / 'pyproject.toml'}:1", "told.json:"):
        assert any(place in problem for problem in found), place


def test_help_is_short_and_quick(cli: Cli, environment: dict[str, str]) -> None:
    assert "0 conformant" in " ".join(cli("--help").stdout.split())
    assert "--traffic" in cli("run", "--help").stdout
    slow = ("pydantic", "vcr", "openai", "google.genai", "pytest", "deepdiff")
    command = [sys.executable, "-X", "importtime", "-m", "bridgecheck", "--help"]
    loaded = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True).stderr
    assert " bridgecheck.cli.app\n" in loaded
    assert not [name for name in slow if f" {name}\n" in loaded]


def test_a_harness_error_shows_no_traceback(project: Path, environment: dict[str, str]) -> None:
    (project / "sitecustomize.py").write_text(
        "import bridgecheck.files as f\ndef broken(*a, **k): raise RuntimeError('tripped')\nf.scenarios = broken\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "bridgecheck", "list"],
        cwd=project, env=environment | {"PYTHONPATH": f"{project}:{Path(__file__).resolve().parents[2] / 'harness'}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 3
    assert "RuntimeError: tripped" in result.stderr
    assert "Traceback" not in result.stderr
    error_file = project / "reports" / "local" / "harness-error.txt"
    assert str(error_file.relative_to(project)) in result.stderr
    assert "Traceback" in error_file.read_text()
