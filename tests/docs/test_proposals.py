"""The page of proposals: what the script writes, without gaps, and naming only what there is."""

import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
KNOWN = json.loads((ROOT / "tests" / "corpus" / "proposals.json").read_text(encoding="utf-8"))
NAMES = [name for names in KNOWN["levels"].values() for name in names]
CATALOGUE = ROOT.parent / "shared" / "scenario_catalogue" / "proposals.jsonl"


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import write_proposals

    return write_proposals


@pytest.mark.slow
def test_the_page_is_what_the_script_writes_and_every_must_and_should_is_answered(script: ModuleType) -> None:
    tests = script.collect_marks("proposal")
    assert set(tests) <= set(NAMES), "a marker names no proposal"
    optional = set(KNOWN["levels"]["MAY"])
    assert [name for name in script.open_proposals(KNOWN, tests) if name not in optional] == []
    written = (ROOT / "docs" / "proposals.md").read_text(encoding="utf-8")
    assert written == script.page(KNOWN, tests), "run python docs/write_proposals.py"


def test_every_proposal_is_listed_once_and_answered_or_rejected_but_not_both() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert set(KNOWN["scenarios"]) | set(KNOWN["rejected"]) <= set(NAMES)
    assert not set(KNOWN["scenarios"]) & set(KNOWN["rejected"])
    otherwise = {name for item in KNOWN["otherwise"] for name in item["proposals"]}
    assert otherwise <= set(NAMES) - set(KNOWN["rejected"])
    reasons = [*(item["why"] for item in KNOWN["otherwise"]), *KNOWN["rejected"].values()]
    assert all(len(reason) > 40 for reason in reasons)


def test_every_named_scenario_is_in_the_corpus() -> None:
    named = {scenario for scenarios in KNOWN["scenarios"].values() for scenario in scenarios}
    assert sorted(name for name in named if not (ROOT / "scenarios" / f"{name}.json").is_file()) == []


def test_the_list_is_that_of_the_catalogue() -> None:
    if not CATALOGUE.is_file():
        pytest.skip(f"no catalogue at {CATALOGUE}")
    lines = CATALOGUE.read_text(encoding="utf-8").splitlines()
    levels = {proposal["id"]: proposal["level"] for proposal in map(json.loads, lines)}
    assert levels == {name: level for level, names in KNOWN["levels"].items() for name in names}


def test_an_unanswered_proposal_says_so(script: ModuleType) -> None:
    known = {"levels": {"MUST": ["a", "b"]}, "scenarios": {"a": ["tools/x"]}, "otherwise": [], "rejected": {"c": "why"}}
    assert script.open_proposals(known, {}) == ["b"]
    assert "| a | MUST | scenario `tools/x` |" in script.page(known, {})
    assert "| b | MUST | **open** |" in script.page(known, {})
    assert "* c: why" in script.page(known, {})
    assert "| b | MUST | `convert/test_x.py::test_y` |" in script.page(
        known, {"b": ["tests/reference/convert/test_x.py::test_y"]}
    )
