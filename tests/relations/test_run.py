"""``--relations`` from the command line to the verdicts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import cassettes_root, load_scenario, scenarios_root
from bridgecheck.relations.choice import FAST_COUNT, RelationChoice
from bridgecheck.run import execute, plan
from bridgecheck.run.library import Library


def checks(scenario_id: str, variant: str, relation_choice: RelationChoice) -> list[str]:
    driver, scenario = resolve(DEFAULT_TARGET), load_scenario(scenarios_root() / f"{scenario_id}.json")
    selection = plan.Selection(addresses=(f"{scenario_id}::{variant}",))
    (case,) = plan.plan(scenario, driver, selection)
    result = execute.run_case(case, scenario, driver, Library(cassettes_root()), relation_choice)
    assert result.status in ("PASS", "INHERITED")
    return [verdict.check for verdict in result.verdicts if verdict.check.startswith(("relation.", "law."))]


@pytest.mark.parametrize("layer", ["wire", "sdk"])
def test_relations_run_for_each_choice(layer: str) -> None:
    variant = f"bridged-openai-chat-to-gemini-stream-{layer}"
    assert checks("tools/single-call", variant, RelationChoice()) == []
    few = [
        name for name in checks("tools/single-call", variant, RelationChoice("fast", 5)) if name != "law.fold_square"
    ]
    assert 0 < len(few) <= FAST_COUNT["wire" if layer == "wire" else "sdk"]
    every = checks("tools/single-call", variant, RelationChoice("all"))
    assert set(few) <= set(every)
    assert ("relation.bytes_1" in every) == (layer == "sdk")
    assert ("law.fold_square" in every) == (layer == "wire")


def test_a_unary_response_is_not_varied() -> None:
    variant = "bridged-openai-chat-to-gemini-unary-wire"
    assert checks("tools/single-call", variant, RelationChoice("all")) == []


def test_every_turn_of_a_conversation_is_varied() -> None:
    variant = "bridged-openai-chat-to-gemini-stream-wire"
    assert "relation.two_streams" in checks("signatures/call-roundtrip", variant, RelationChoice("all"))


def test_the_command_prints_and_stores_the_seed(tmp_path: Path) -> None:
    address = "messages/plain-text::bridged-openai-chat-to-gemini-stream-wire"
    arguments = ["--scenario", address, "--relations", "fast", "--seed", "11", "--report", str(tmp_path)]
    result = subprocess.run(
        [sys.executable, "-m", "bridgecheck", "run", *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Relations: fast, seed 11; " in result.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert ["--seed", "11"] in report["run"]["selection"]
