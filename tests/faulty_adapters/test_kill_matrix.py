"""The page, the mutants and the checks agree: no mutant survived, and every check notices a fault."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from all_mutants import ALL_MUTANTS
from matrix_page import PAGE, idle_checks, in_judge, page
from matrix_results import FILE, Result, checks_without_failure, key_of, load, save

from bridgecheck.checks import CHECKS
from bridgecheck.files import scenarios, scenarios_root

RESULTS = load()
AGAIN = "run: make matrix"


def test_the_results_are_of_the_current_mutants() -> None:
    assert {mutant.name: key_of(mutant) for mutant in ALL_MUTANTS} == {
        name: result.key for name, result in RESULTS.items()
    }, AGAIN


def test_no_mutant_survived() -> None:
    assert [name for name, result in RESULTS.items() if not result.killed] == []
    missing = {mutant.name: mutant.expected - RESULTS[mutant.name].tripped.keys() for mutant in ALL_MUTANTS}
    assert {name: checks for name, checks in missing.items() if checks} == {}


def test_every_check_notices_its_planted_fault() -> None:
    assert idle_checks(RESULTS) == []
    assert {check.id for check in CHECKS} - {check for mutant in ALL_MUTANTS for check in mutant.expected} == set()


def test_every_must_check_can_fail() -> None:
    """No verdict is worse than the level of its scenario, so a check whose faults show in SHOULD scenarios alone could
    only warn."""
    assert checks_without_failure(RESULTS) == [], AGAIN


def test_a_check_that_only_warns_is_listed() -> None:
    levels = {scenario.level: scenario.id for scenario in scenarios(scenarios_root(), ["*"])}
    musts = [check.id for check in CHECKS if check.level == "MUST"]
    fails = dict.fromkeys(musts, levels["MUST"])
    assert checks_without_failure({"one": Result("", True, {}, 1, fails)}) == []
    warns = {**fails, "response.text": levels["SHOULD"]}
    assert checks_without_failure({"one": Result("", True, {}, 1, warns)}) == ["response.text"]


def test_mutants_name_only_existing_checks() -> None:
    assert {check for mutant in ALL_MUTANTS for check in mutant.expected} - {check.id for check in CHECKS} == set()


def test_the_reference_and_the_judge_have_enough_faults() -> None:
    judges = sum(map(in_judge, ALL_MUTANTS))
    assert (len(ALL_MUTANTS) - judges >= 40, judges >= 8) == (True, True)
    assert len({mutant.name for mutant in ALL_MUTANTS}) == len(ALL_MUTANTS)


def test_every_fault_is_modelled_on_a_public_report() -> None:
    report = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+")
    assert [mutant.name for mutant in ALL_MUTANTS if not report.fullmatch(mutant.source)] == []


def test_the_page_matches_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(RESULTS), AGAIN


def test_a_check_that_notices_nothing_is_listed() -> None:
    alone = {"one": Result("", True, {check.id: 1 for check in CHECKS if check.id != "response.text"}, 1)}
    assert idle_checks(alone) == ["response.text"]


def test_results_round_trip(tmp_path: Path) -> None:
    path = tmp_path / FILE.name
    save(RESULTS, path)
    assert load(path) == RESULTS
    assert load(tmp_path / "none.json") == {}
