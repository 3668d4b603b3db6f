"""docs/proposals.md is current, has no gaps, and names only scenarios and tests that exist."""

import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROPOSALS = json.loads((ROOT / "tests" / "corpus" / "proposals.json").read_text(encoding="utf-8"))
NAMES = [name for names in PROPOSALS["levels"].values() for name in names]
CATALOGUE = ROOT.parent / "shared" / "scenario_catalogue"
LISTED = ("proposals.jsonl", "proposals_2.jsonl", "proposals_conversations.jsonl")


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import write_proposals

    return write_proposals


@pytest.mark.slow
def test_the_page_is_current_and_every_must_and_should_is_answered(script: ModuleType) -> None:
    tests = script.collect_marks("proposal")
    assert set(tests) <= set(NAMES), "a marker names no proposal"
    optional = set(PROPOSALS["levels"]["MAY"])
    assert [name for name in script.open_proposals(PROPOSALS, tests) if name not in optional] == []
    written = (ROOT / "docs" / "proposals.md").read_text(encoding="utf-8")
    assert written == script.page(PROPOSALS, tests), "run python docs/write_proposals.py"


def test_every_proposal_is_listed_once_and_answered_waiting_or_rejected() -> None:
    assert len(NAMES) == len(set(NAMES))
    states = [name for state in ("scenarios", "waiting", "rejected") for name in PROPOSALS[state]]
    assert set(states) <= set(NAMES)
    assert len(states) == len(set(states))
    otherwise = {name for item in PROPOSALS["otherwise"] for name in item["proposals"]}
    assert otherwise <= set(NAMES) - set(PROPOSALS["rejected"])
    reasons = [*(item["why"] for item in PROPOSALS["otherwise"]), *PROPOSALS["rejected"].values()]
    assert all(len(reason) > 40 for reason in reasons)


def test_every_named_scenario_is_in_the_corpus() -> None:
    named = {scenario for scenarios in PROPOSALS["scenarios"].values() for scenario in scenarios}
    assert sorted(name for name in named if not (ROOT / "scenarios" / f"{name}.json").is_file()) == []


def test_the_list_matches_the_catalogue() -> None:
    if not CATALOGUE.is_dir():
        pytest.skip(f"no catalogue at {CATALOGUE}")
    lines = [line for name in LISTED for line in (CATALOGUE / name).read_text(encoding="utf-8").splitlines()]
    levels = {proposal["id"]: proposal["level"] for proposal in map(json.loads, lines)}
    assert levels == {name: level for level, names in PROPOSALS["levels"].items() for name in names}


def test_an_unanswered_proposal_is_shown_as_open(script: ModuleType) -> None:
    known = {
        "levels": {"MUST": ["a", "b", "d"]}, "scenarios": {"a": ["tools/x"]}, "otherwise": [],
        "waiting": {"d": "that"}, "rejected": {"c": "why"},
    }  # fmt: skip
    assert script.open_proposals(known, {}) == ["b"]
    assert "| d | MUST | waits for that |" in script.page(known, {})
    assert "| a | MUST | scenario `tools/x` |" in script.page(known, {})
    assert "| b | MUST | **open** |" in script.page(known, {})
    assert "* c: why" in script.page(known, {})
    assert "| b | MUST | `convert/test_x.py::test_y` |" in script.page(
        known, {"b": ["tests/reference/convert/test_x.py::test_y"]}
    )
