"""Liberties, their results and their page agree: each changes something, none is accused, and each says what allows it."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faulty_adapters"))

from all_liberties import ALL_LIBERTIES, COMPOSITIONS
from liberty_matrix import current_keys
from liberty_page import PAGE, liberties_page
from liberty_results import FILE, load_results, save_results
from play_liberties import recordings

RESULTS = load_results()
AGAIN = "run: make matrix"
NAMES = [liberty.name for liberty in ALL_LIBERTIES]


@pytest.mark.slow
def test_the_results_are_of_the_current_liberties() -> None:
    """Nightly: a change of the reference's defaults changes what all of them do, and to play them takes an hour."""
    assert current_keys() == {name: result.key for name, result in RESULTS.items()}, AGAIN


def test_none_is_accused() -> None:
    assert {name: result.accused for name, result in RESULTS.items() if result.accused} == {}


def test_each_changes_documents_in_at_least_ten_cases() -> None:
    assert {name: RESULTS[name].changed for name in NAMES if RESULTS[name].changed < 10} == {}


def test_there_are_enough_and_enough_were_accused_before() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 60
    assert sum(bool(RESULTS[name].accused_before) for name in NAMES) >= 25


def test_compositions_are_of_liberties() -> None:
    assert {part for parts in COMPOSITIONS.values() for part in parts} - set(NAMES) == set()
    assert len(COMPOSITIONS) >= 6


def test_the_page_matches_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == liberties_page(RESULTS), AGAIN


def test_each_names_a_dated_page_or_recordings() -> None:
    source = re.compile(r"https://\S+ \(2026-11-2\d\)|recorded: [\w-]+/\d+(, [\w-]+/\d+)*|docs/mapping\.md R-\d+")
    assert {liberty.name: liberty.source for liberty in ALL_LIBERTIES if not source.fullmatch(liberty.source)} == {}


def test_named_recordings_exist() -> None:
    known = {item.id for item in recordings()}
    if not known:
        pytest.skip("no recordings here")
    sources = [liberty.source for liberty in ALL_LIBERTIES if liberty.source.startswith("recorded: ")]
    named = {name for source in sources for name in source.removeprefix("recorded: ").split(", ")}
    assert named - known == set()


def test_results_round_trip(tmp_path: Path) -> None:
    save_results(RESULTS, tmp_path / FILE.name)
    assert load_results(tmp_path / FILE.name) == RESULTS
    assert load_results(tmp_path / "none.json") == {}
