"""A live cassette that contradicts a MUST: refused by lint, DISPUTED in a run; one that agrees; one that is old."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bridgecheck import lint as corpus_lint
from bridgecheck.cli.corpus_commands import lint_corpus_and_reports

from .live_corpus import make_live

Cli = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[[dict[str, Any]], Path]
PARTS = [{"text": "Four."}, {"text": "Five."}]


@pytest.fixture
def live_cassette(cli: Cli, put: Put, own_corpus: Path, scenario: dict[str, Any]) -> Path:
    """A live cassette of a scenario that expects two parts of an answer to differ, as they do here."""
    for mode, member in (("unary", "body"), ("stream", "events")):
        answer = scenario["upstream"]["gemini"][mode][0][member]
        (answer if member == "body" else answer[0])["candidates"][0]["content"]["parts"] = PARTS
    path = "candidates[0].content.parts[].text"
    wire = [{"on": "client_response", "dialect": "gemini", "mode": "unary", "path": path, "distinct": True}]
    put({**scenario, "expect": {"wire": wire}})
    assert cli("regenerate", corpus=own_corpus).returncode == 0
    return make_live(own_corpus, "gemini.unary", datetime.now(UTC).isoformat(timespec="seconds"))


def contradict(cassette: Path) -> None:
    text = cassette.read_text(encoding="utf-8")
    assert "Five." in text
    cassette.write_text(text.replace("Five.", "Four."), encoding="utf-8")


def run(cli: Cli, corpus: Path, folder: Path) -> tuple[int, dict[str, str]]:
    result = cli("run", "--report", str(folder), corpus=corpus)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return result.returncode, {case["id"].partition("::")[2]: case["status"] for case in report["cases"]}


def test_a_live_answer_that_contradicts_a_must_is_disputed_and_one_that_agrees_passes(
    cli: Cli, own_corpus: Path, tmp_path: Path, live_cassette: Path
) -> None:
    native = "native-gemini-to-gemini-unary-wire"
    code, statuses = run(cli, own_corpus, tmp_path / "agrees")
    assert (code, statuses[native]) == (0, "PASS")
    assert "disputed" not in cli("lint", corpus=own_corpus).stderr
    contradict(live_cassette)
    code, statuses = run(cli, own_corpus, tmp_path / "contradicts")
    assert (code, statuses[native]) == (0, "DISPUTED")
    linted = cli("lint", corpus=own_corpus)
    assert linted.returncode == 2
    assert "contradicts expect.wire, a MUST: client_response[0]" in linted.stderr
    assert f"  at: {live_cassette}\n" in linted.stderr
    command = "bridgecheck refresh messages/plain --live gemini=URL --key-env gemini=NAME --out "
    assert command in linted.stderr and "corpus/cassettes\n" in linted.stderr.partition(command)[2]


def test_a_contradiction_in_another_folder_of_recordings_is_found_there(
    cli: Cli, own_corpus: Path, tmp_path: Path, live_cassette: Path
) -> None:
    recordings = tmp_path / "recordings/messages/plain"
    recordings.mkdir(parents=True)
    target = recordings / live_cassette.name
    scripted = live_cassette.read_text(encoding="utf-8")
    target.write_text(scripted, encoding="utf-8")
    contradict(target)
    option = ("--recordings", str(tmp_path / "recordings"))
    assert "contradicts expect.wire, a MUST" in cli("lint", *option, corpus=own_corpus).stderr
    played = cli("run", *option, "--report", str(tmp_path / "r"), corpus=own_corpus)
    assert played.returncode == 0 and "DISPUTED" in played.stdout
    assert "contradicts" not in cli("lint", corpus=own_corpus).stderr


def test_a_script_that_contradicts_its_scenario_still_fails(
    cli: Cli, own_corpus: Path, tmp_path: Path, live_cassette: Path
) -> None:
    contradict(live_cassette)
    text = live_cassette.read_text(encoding="utf-8")
    live_cassette.write_text(text.replace("source: live", "source: edited"), encoding="utf-8")
    code, statuses = run(cli, own_corpus, tmp_path / "edited")
    assert (code, statuses["native-gemini-to-gemini-unary-wire"]) == (1, "FAIL")


@pytest.mark.parametrize(("today", "count"), [(date(2026, 3, 5), 0), (date(2026, 3, 6), 1)])
def test_lint_warns_of_live_cassettes_of_sixty_days(
    own_corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    today: date,
    count: int,
) -> None:
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(own_corpus))
    monkeypatch.chdir(tmp_path)  # where no reports are published, which take a minute to read
    path = make_live(own_corpus, "gemini.stream", "2026-01-05T10:00:00Z")
    lint_corpus_and_reports(lambda: today)
    printed = capsys.readouterr()
    assert (
        printed.err.count("[old-recording] warning: live, gemini-2.5-flash, v1beta, 2026-01-05, 60 days old") == count
    )
    assert printed.err.count(f"  at: {path}\n  expected: less than 60 days\n") == count
    assert printed.out.count("1 live cassette to record anew\n") == count


def test_lint_warns_of_no_script(own_corpus: Path) -> None:
    scenarios, cassettes = own_corpus / "scenarios", own_corpus / "cassettes"
    assert corpus_lint.find_old_recordings(scenarios, [cassettes], date(2099, 1, 1)) == []
