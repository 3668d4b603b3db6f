"""``list``, ``show``, ``lint``, ``regenerate``."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[[dict[str, Any]], Path]


def test_list(cli: Cli) -> None:
    assert cli("list").stdout == "messages/plain  MUST    A question and its answer\n"
    found = json.loads(cli("list", "--json").stdout)
    assert isinstance(found, list)
    assert [scenario["id"] for scenario in found] == ["messages/plain"]
    assert found[0]["clients"] == ["gemini", "openai-chat"]
    assert found[0]["modes"] == ["unary", "stream"]


def test_show(cli: Cli) -> None:
    shown = cli("show", "messages/plain")
    assert shown.returncode == 0
    for piece in (
        "Everything else rests on it.",
        "https://ai.google.dev",
        "cassettes/messages/plain/gemini.stream.yaml",
    ):
        assert piece in shown.stdout
    unknown = cli("show", "messages/plian")
    assert unknown.returncode == 2
    assert "messages/plain" in unknown.stderr


def test_regenerate_changes_no_byte_when_nothing_changed(cli: Cli, own_corpus: Path) -> None:
    before = {path: path.read_bytes() for path in own_corpus.rglob("*.yaml")}
    done = cli("regenerate", "messages/plain", corpus=own_corpus)
    assert done.stdout == "1 scenarios, 0 cassettes changed\n"
    assert {path: path.read_bytes() for path in own_corpus.rglob("*.yaml")} == before


def test_regenerate_follows_the_script(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    answer = scenario["upstream"]["gemini"]["unary"][0]["body"]
    answer["candidates"][0]["content"]["parts"][0]["text"] = "Vier."
    put(scenario)
    done = cli("regenerate", corpus=own_corpus)
    assert done.stdout.count("written: ") == 1
    assert "Vier." in (own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml").read_text()


def lint(cli: Cli, corpus: Path) -> str:
    """What lint says is wrong with a corpus that is not the project's own: capabilities and schema aside."""
    done = cli("lint", corpus=corpus)
    assert done.returncode == 2
    other = ("[bad-capability]", "exported schema")
    return "\n".join(line for line in done.stderr.splitlines() if not any(word in line for word in other))


def test_lint_finds_what_is_wrong(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> None:
    assert "plain" not in lint(cli, own_corpus)
    stray = own_corpus / "cassettes" / "messages" / "plain" / "anthropic.unary.yaml"
    stray.write_text("interactions: []\n")
    cassette = own_corpus / "cassettes" / "messages" / "plain" / "gemini.unary.yaml"
    secret = "sk-" + "proj-" + "Ab3" * 14
    cassette.write_text(cassette.read_text().replace("2 + 2?", secret))
    put({**scenario, "id": "messages/unrecorded"})
    put({**scenario, "id": "messages/bad", "level": "MAYBE"})
    (own_corpus / "scenarios" / "stray.json").write_text("{}")
    said = lint(cli, own_corpus)
    assert f"{stray}" in said
    assert "secret-found" in said
    assert secret not in said
    assert "messages/unrecorded/gemini.unary.yaml" in said
    assert "messages/bad.json" in said
    assert "stray.json" in said


def test_help_is_short_and_quick(cli: Cli, environment: dict[str, str]) -> None:
    assert "0 conformant" in " ".join(cli("--help").stdout.split())
    assert "--traffic" in cli("run", "--help").stdout
    slow = ("pydantic", "vcr", "openai", "google.genai", "pytest", "deepdiff")
    command = [sys.executable, "-X", "importtime", "-m", "bridgecheck", "--help"]
    loaded = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True).stderr
    assert " bridgecheck.cli.app\n" in loaded
    assert not [name for name in slow if f" {name}\n" in loaded]


def test_a_fault_of_the_harness_is_no_traceback_at_the_user(project: Path, environment: dict[str, str]) -> None:
    (project / "sitecustomize.py").write_text(
        "import bridgecheck.files as f\ndef broken(*a, **k): raise RuntimeError('tripped')\nf.scenarios = broken\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "bridgecheck", "list"],
        cwd=project, env=environment | {"PYTHONPATH": f"{project}:{Path(__file__).resolve().parents[2] / 'harness'}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "RuntimeError: tripped" in done.stderr
    assert "Traceback" not in done.stderr
    kept = project / "reports" / "local" / "harness-error.txt"
    assert str(kept.relative_to(project)) in done.stderr
    assert "Traceback" in kept.read_text()
