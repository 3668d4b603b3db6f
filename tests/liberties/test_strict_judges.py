"""Every judge that asks for more than its rule is shown to: a liberty, an adapter that is right, is accused by it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faulty_adapters"))

from all_liberties import ALL_LIBERTIES
from forks import Forks
from planting import PACKAGES
from strict_judge import StrictJudge
from strict_judges import STRICT_JUDGES
from strict_matrix import play_before
from strict_results import FILE, load_strict_results, save_strict_results

from bridgecheck.checks import CHECKS

RESULTS = load_strict_results()
AGAIN = "run: .venv/bin/python tests/liberties/strict_matrix.py"
SAMPLE = STRICT_JUDGES[::9]


def test_the_results_are_of_the_current_table() -> None:
    assert {judge.name: judge.key for judge in STRICT_JUDGES} == {
        name: result.key for name, result in RESULTS.items()
    }, AGAIN


def test_every_judge_is_accused_by_its_liberty() -> None:
    assert [judge.name for judge in STRICT_JUDGES if judge.check not in RESULTS[judge.name].accused] == []
    assert [name for name, result in RESULTS.items() if result.today] == []


def test_there_are_enough_over_enough_checks() -> None:
    assert len(STRICT_JUDGES) >= 30
    assert len({judge.name for judge in STRICT_JUDGES}) == len(STRICT_JUDGES)
    assert len({judge.check for judge in STRICT_JUDGES}) >= 15


def test_liberties_and_checks_exist() -> None:
    assert {judge.liberty for judge in STRICT_JUDGES} - {liberty.name for liberty in ALL_LIBERTIES} == set()
    assert {judge.check for judge in STRICT_JUDGES} - {check.id for check in CHECKS} == set()


@pytest.mark.parametrize("judge", STRICT_JUDGES, ids=[judge.name for judge in STRICT_JUDGES])
def test_its_edits_fit_exactly_once(judge: StrictJudge) -> None:
    texts: dict[str, str] = {}
    for file, old, new in judge.mutant.edits:
        text = texts.get(file) or (PACKAGES["bridgecheck"].parent / file).read_text(encoding="utf-8")
        assert (text.count(old), old != new) == (1, True), f"{file}: {old!r}"
        texts[file] = text.replace(old, new)
    for text in texts.values():
        ast.parse(text)


def test_results_round_trip(tmp_path: Path) -> None:
    save_strict_results(RESULTS, tmp_path / FILE.name)
    assert load_strict_results(tmp_path / FILE.name) == RESULTS
    assert load_strict_results(tmp_path / "none.json") == {}


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks() as forks:
        yield forks


@pytest.mark.slow
@pytest.mark.parametrize("judge", SAMPLE, ids=[judge.name for judge in SAMPLE])
def test_the_liberty_still_accuses_it(judge: StrictJudge, forks: Forks) -> None:
    played = play_before(judge, forks)
    assert judge.check in played.accused
    assert played.today == {}
