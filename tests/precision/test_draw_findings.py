"""A draw depends on its seed alone, and a sheet tells nothing of the verdict."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from draw_findings import DrawnFinding, PlayedAgain, draw, list_failed_fingerprints, playing_again, write_draw

from bridgecheck.model.verdict import CaseKey, CaseResult, Difference, Excuse, Status, Verdict
from bridgecheck.report import Report, RunInfo

ROOT = Path(__file__).resolve().parents[2]
KEY = CaseKey("settings/temperature-zero", "bridged", "openai-chat", "gemini", "unary", "wire")
LOST = Difference("settings.temperature", "0", "(absent)", "silent loss")


def make_report(adapter: str, *verdicts: Verdict, target: str = "python:nobody:adapter") -> Report:
    return Report.from_results(RunInfo(adapter, "1", target), [CaseResult(KEY, adapter, verdicts)])


def lost_setting(path: str, status: Status = "FAIL") -> Verdict:
    difference = Difference(path, "1", "(absent)")
    return Verdict("request.settings", status, f"{path}: expected 1, got (absent)", (difference,))


def findings_of(adapter: str, count: int) -> list[DrawnFinding]:
    found = list(
        list_failed_fingerprints(
            make_report(adapter, *(lost_setting(f"settings.s{chr(97 + n)}") for n in range(count)))
        )
    )
    assert len(found) == count
    return found


def draw_names(
    first: list[DrawnFinding], rest: list[DrawnFinding], seed: str, count: int, missing: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """Draw without playing: those whose marks are in ``missing`` do not show again."""
    drawn = draw(first, rest, seed, count, lambda found: PlayedAgain(found.cases[0], None, found.mark not in missing))
    return [(found.adapter, found.mark) for found, _ in drawn]


def test_the_same_seed_draws_the_same_and_another_seed_does_not() -> None:
    first, rest = findings_of("new", 9), [*findings_of("known", 9), *findings_of("older", 9)]
    assert draw_names(first, rest, "a", 8) == draw_names(first[::-1], rest[::-1], "a", 8)
    assert draw_names(first, rest, "a", 8) != draw_names(first, rest, "b", 8)


def test_half_is_of_the_first_reports_and_adapters_take_turns() -> None:
    rest = [*findings_of("many", 12), *findings_of("few", 3)]
    drawn = [adapter for adapter, _ in draw_names(findings_of("new", 9), rest, "a", 12)]
    assert (drawn.count("new 1"), drawn.count("many 1"), drawn.count("few 1")) == (6, 3, 3)


def test_a_half_with_too_few_is_filled_from_the_other() -> None:
    assert len(draw_names(findings_of("new", 2), findings_of("known", 9), "a", 10)) == 10
    assert len(draw_names(findings_of("new", 9), findings_of("known", 2), "a", 10)) == 10
    assert len(set(draw_names(findings_of("new", 9), [], "a", 10))) == 9


def test_what_does_not_show_again_gives_its_place_to_the_next() -> None:
    found = findings_of("new", 9)
    missing = tuple(mark for _, mark in draw_names(found, [], "a", 4))
    again = draw_names(found, [], "a", 4, missing)
    assert len(again) == 4 and not {mark for _, mark in again} & {*missing}


def test_accepted_failures_are_drawn_and_warnings_are_not() -> None:
    accepted = replace(lost_setting("settings.stop"), excuse=Excuse("deviation", "0123456789"))
    report = make_report("adapter", accepted, lost_setting("settings.seed", "WARN"))
    assert [found.finding.differences[0].path for found in list_failed_fingerprints(report)] == ["settings.stop"]


def test_the_control_is_nothing_that_an_adapter_did() -> None:
    native = replace(KEY, path="native", client="openai-chat")
    case = CaseResult(native, "adapter", (lost_setting("settings.stop"),))
    assert not list(list_failed_fingerprints(Report.from_results(RunInfo("adapter"), [case])))


def test_a_sheet_shows_the_exchange_and_nothing_of_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    target = "python:faulty_adapter:adapter"
    verdict = Verdict(
        "request.settings", "FAIL", "settings.temperature: expected 0, got (absent) (silent loss)", (LOST,)
    )
    found = list(list_failed_fingerprints(make_report("faulty", verdict, target=target)))
    with playing_again("seed") as play:
        write_draw(draw(found, [], "seed", 1, play), "seed", tmp_path)
    sheet = (tmp_path / "sheets/001.md").read_text(encoding="utf-8")
    [entry] = json.loads((tmp_path / "key.json").read_text(encoding="utf-8"))["findings"].values()
    assert all(
        f"## What the {end}" in sheet for end in ("client sent", "adapter sent", "provider answered", "client rec")
    )
    assert f"scenarios/{KEY.scenario}.json" in sheet
    assert not [
        word for word in (entry["check"], "silent loss", entry["headline"], entry["fingerprint"]) if word in sheet
    ]
    assert entry["case"] == str(KEY)
