"""``run --max-age`` and ``run --require``, and what ``plan`` says of them."""

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridgecheck.cli.options import RunOptions
from bridgecheck.cli.run_command import play

from .live_corpus import make_live

Cli = Callable[..., subprocess.CompletedProcess[str]]
RUN = ("run", "--path", "native", "--layer", "wire")


def run_at(now: datetime, folder: Path, **fields: object) -> tuple[int, list[str]]:
    """Return the exit code of a native run at that moment, and the cassettes that it names."""
    options = RunOptions(path="native", layers=("wire",), workers=0, folder=folder, now=lambda: now, **fields)  # type: ignore[arg-type]
    with play(options) as run:
        return run.report.exit_code, [row.id for row in run.report.unmet_demands]


def test_a_live_cassette_grows_too_old_with_the_clock(
    own_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(own_corpus))
    monkeypatch.chdir(tmp_path)
    make_live(own_corpus, "gemini.stream", "2026-01-05T10:00:00Z")
    day_30, day_31 = datetime(2026, 2, 4, tzinfo=UTC), datetime(2026, 2, 5, tzinfo=UTC)
    assert run_at(day_30, tmp_path / "a", max_age=30) == (0, [])
    assert run_at(day_31, tmp_path / "b", max_age=30) == (1, ["messages/plain gemini.stream"])
    assert run_at(day_31, tmp_path / "c") == (0, [])


def test_a_run_requires_live_recordings(cli: Cli, own_corpus: Path) -> None:
    make_live(own_corpus, "gemini.stream", datetime.now(UTC).isoformat(timespec="seconds"))
    result = cli(*RUN, "--require", "live:messages", "--max-age", "30", corpus=own_corpus)
    assert result.returncode == 1
    assert "Not live, and required by live:messages: 1\n  messages/plain gemini.unary: scripted\n" in result.stdout
    assert "Cassettes: 1 scripted, 1 live (0 days old)" in result.stdout
    planned = cli("plan", "--path", "native", "--require", "live", corpus=own_corpus)
    assert planned.returncode == 0
    assert (
        "  messages/plain gemini.unary: scripted\n  next: bridgecheck record --scenario messages/plain"
        in planned.stdout
    )
    make_live(own_corpus, "gemini.unary", datetime.now(UTC).isoformat(timespec="seconds"))
    assert cli(*RUN, "--require", "live", "--max-age", "30", corpus=own_corpus).returncode == 0


def test_a_project_states_the_gates_once_and_a_command_line_wins(cli: Cli, own_corpus: Path, project: Path) -> None:
    make_live(own_corpus, "gemini.stream", "2026-01-05T10:00:00Z")
    table = '[tool.bridgecheck]\nmax_age = 30\nrequire = ["live:messages"]\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    result = cli(*RUN[:-2], "-n", "0", corpus=own_corpus)
    assert result.returncode == 1
    assert "Live cassettes older than 30 days: 1\n" in result.stdout
    assert "Not live, and required by live:messages: 1\n" in result.stdout
    part = cli(*RUN[:-2], "-n", "0", "--scenario", "messages/plain", "--max-age", "0", corpus=own_corpus)
    assert part.returncode == 0, part.stdout
    for line, expected in (("max_age = -1", "a number of days, 30"), ('require = "live"', 'a list of "live" or')):
        (project / "pyproject.toml").write_text(f"[tool.bridgecheck]\n{line}\n", encoding="utf-8")
        refused = cli(*RUN, corpus=own_corpus)
        assert refused.returncode == 2 and expected in refused.stderr


def test_recordings_of_another_folder_are_played_in_place_of_the_corpus_s(
    cli: Cli, own_corpus: Path, recorded_corpus: Path, tmp_path: Path
) -> None:
    live = make_live(own_corpus, "gemini.stream", datetime.now(UTC).isoformat(timespec="seconds"))
    recordings = tmp_path / "recordings"
    target = recordings / "messages/plain/gemini.stream.yaml"
    target.parent.mkdir(parents=True)
    live.rename(target)
    options = ("--recordings", str(recordings))
    result = cli(*RUN, *options, "--require", "live", corpus=recorded_corpus)
    assert result.returncode == 1
    assert "Not live, and required by live: 1\n  messages/plain gemini.unary: scripted\n" in result.stdout
    assert "live (0 days old), scripted" in cli("list", *options, corpus=recorded_corpus).stdout
    assert "1 recording in place of them" in cli("lint", *options, corpus=recorded_corpus).stdout
    refused = cli(*RUN, "--recordings", str(tmp_path / "none"))
    assert refused.returncode == 2 and "no recordings there" in refused.stderr


def test_a_gate_that_could_never_fail_is_refused(cli: Cli) -> None:
    for option, expected in (
        ("live:tols", "expected: one of messages"), ("imported", "expected: live, or live:TOPIC"),
        ("live:", "expected: live, or live:TOPIC"),
    ):  # fmt: skip
        refused = cli(*RUN, "--require", option)
        assert refused.returncode == 2
        assert f"[bad-require] --require {option}: " in refused.stderr
        assert expected in refused.stderr
