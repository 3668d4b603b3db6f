"""The table of checks: it lists the id of every verdict with its rule and basis."""

import ast
from pathlib import Path

import pytest

import bridgecheck
from bridgecheck.cassette import traffic as recordings
from bridgecheck.checks import CHECKS, NOTICES, judge
from bridgecheck.checks.check import MOST_DIFFERENCES, Result
from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.verdict import CaseResult, Difference
from bridgecheck.run import execute, plan, traffic
from bridgecheck.run.library import Library

IDS = {check.id for check in CHECKS}
KNOWN = IDS | set(NOTICES)
MAKERS = ("Verdict", "Check")
PACKAGE = Path(bridgecheck.__file__).parent
SAMPLE_STEP = 40
"""One recorded interaction of so many is played."""


def _named_in(path: Path) -> set[str]:
    """Return the check ids that a source file contains; "" is the id of no check."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    makers = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in MAKERS and call.args]
    ids = [call.args[0] for call in makers]
    return {name.value for name in ids if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value}


def _unknown(results: list[CaseResult]) -> set[str]:
    return {verdict.check for result in results for verdict in result.verdicts} - KNOWN


def test_every_id_in_the_source_is_in_the_table():
    named = set().union(*(_named_in(path) for path in sorted(PACKAGE.rglob("*.py"))))
    assert len(named) > 25
    assert named - KNOWN == set()


def test_laws_and_notices_are_listed():
    assert {"law.fold", "law.fold_square", "law.request_roundtrip", "relay.next_turn"} <= IDS
    assert set(NOTICES) == {"harness.error", "case.applies", "case.unclaimed"}
    assert not IDS & set(NOTICES)
    assert all(check.basis.ref for check in CHECKS)


def test_laws_have_no_verdict_on_a_single_case(case):
    assert not [verdict for verdict in judge(case()) if verdict.check.startswith("law.")]


@pytest.mark.slow
def test_every_verdict_over_the_corpus_is_in_the_table():
    driver, library = resolve(DEFAULT_TARGET), Library(cassettes_root())
    found = [
        execute.run_case(case, scenario, driver, library)
        for scenario in scenarios(scenarios_root())
        for case in plan.plan(scenario, driver, plan.Selection())
        if case.key.layer == "wire" or scenario.id == "messages/plain-text"
    ]
    assert len(found) > 400
    assert _unknown(found) == set()


@pytest.mark.traffic
def test_every_verdict_over_traffic_is_in_the_table(traffic_folder):
    driver = resolve(DEFAULT_TARGET)
    items = [item for path in sorted(traffic_folder.glob("*.jsonl")) for item in recordings.read_traffic(path)][
        ::SAMPLE_STEP
    ]
    found = [
        traffic.run_case(case, item, driver) for item in items for case in traffic.plan(item, driver, plan.Selection())
    ]
    assert _unknown(found) == set()
    assert {"law.fold", "law.fold_square", "law.request_roundtrip"} <= {
        verdict.check for result in found for verdict in result.verdicts
    }


def _explained_by(check: str, path: tuple[str, ...] = ()) -> set[str]:
    """Return every check that explains a failure of this check, directly or indirectly."""
    assert check not in path, f"{' -> '.join((*path, check))} goes in a circle"
    direct = set(next(check_.blocked_by for check_ in CHECKS if check_.id == check))
    return direct.union(*(_explained_by(check_, (*path, check)) for check_ in direct))


def test_no_check_is_blocked_by_itself_or_an_unknown_check():
    assert {name for check in CHECKS for name in check.blocked_by} <= IDS
    assert {"adapter.completes", "relay.expected_calls"} <= _explained_by("response.finish")
    for check in IDS:
        _explained_by(check)


def test_versions_start_at_one():
    assert {check.version for check in CHECKS} == {1}


def test_a_verdict_keeps_a_thousand_differences_and_the_number_of_the_rest() -> None:
    differences = [Difference(f"key_{number}", "(absent)", "1") for number in range(MOST_DIFFERENCES + 1)]
    assert len(Result(differences[:-1]).verdict("request.added", "MUST").differences) == MOST_DIFFERENCES
    preserved = Result(differences).verdict("request.added", "MUST").differences
    assert preserved[MOST_DIFFERENCES:] == (Difference("(further differences)", "none", "1"),)
