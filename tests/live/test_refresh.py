"""``refresh``: recorded anew beside the old, replaced when that is accepted, and nothing lost on the way."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from tests.live.conftest import SCENARIOS, FakeClock, Live
from typer.main import get_command

from bridgecheck.cli.app import app
from bridgecheck.drift.finding import Finding as DriftFinding
from bridgecheck.errors import RefusedAtStart
from bridgecheck.live.change import MAX_BYTES, LiveChange, change_text
from bridgecheck.live.ledger_file import LedgerRow
from bridgecheck.live.options import LiveOptions
from bridgecheck.live.refresh import new_folder, refresh
from bridgecheck.live.spending import Limits
from bridgecheck.live.verdicts import NotJudged
from bridgecheck.model.corpus_variables import CORPUS_VARIABLE


def _options(against: Live, *ids: str, **options: object) -> LiveOptions:
    key_env = tuple(f"{dialect}=LIVE_TEST_KEY" for dialect in against.dialects)
    every = {
        "out": against.out,
        "live": against.serve,
        "scenario": ids,
        "tries": 2,
        "key_env": key_env,
        "command": "refresh",
    }
    return LiveOptions(**every | options)  # type: ignore[arg-type]


def test_new_recordings_stand_beside_the_old_until_they_are_accepted(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    live.record("messages/plain-text", "tools/single-call")
    before = live.cassettes()
    assert refresh(_options(live, "tools/*"), accept=False, clock=live.clock) == 0
    printed = capsys.readouterr().out
    new = new_folder(live.out)
    assert live.cassettes() == before
    assert len(list(new.rglob("*.yaml"))) == 6
    assert "NO DRIFT: nothing differs" in printed
    assert f"bridgecheck refresh --out {live.out} --accept" in printed
    assert refresh(_options(live, live=()), accept=True) == 0
    assert "NO DRIFT" in capsys.readouterr().out
    after = live.cassettes()
    assert set(after) == set(before)
    assert not list(new.rglob("*.yaml"))


def test_a_behaviour_that_is_gone_leaves_the_old_cassette_after_accepting(live: Live) -> None:
    live.record("tools/single-call")
    before = live.cassettes()
    live.provider.faults.never_show = ("gemini",)
    assert refresh(_options(live), accept=True, clock=live.clock) == 3
    after = live.cassettes()
    assert {name for name in after if after[name] == before[name]} >= {name for name in before if "gemini" in name}
    assert set(after) == set(before)


def test_the_model_is_that_of_the_cassette(live: Live) -> None:
    options = {"model": ("openai-chat=gpt-4.1-mini-2025-04-14",)}
    with pytest.raises(RefusedAtStart):  # nothing was recorded yet
        refresh(_options(live), accept=False, clock=live.clock)
    live.provider.aliases["gpt-4.1-mini-2025-04-14"] = "gpt-4.1-mini"
    assert live.at("openai-chat").record("messages/plain-text", **options) == 0
    live.provider.models.clear()
    assert refresh(_options(live.at("openai-chat")), accept=False, clock=live.clock) == 0
    assert live.provider.models == {"gpt-4.1-mini-2025-04-14"}


def test_an_interrupted_refresh_goes_on_and_says_how(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    live.record("messages/plain-text", "tools/single-call")
    before = live.cassettes()
    live.provider.faults.throttle = live.provider.number + 4
    assert refresh(_options(live), accept=False, clock=FakeClock(interrupt_at=1)) == 3
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if line.startswith("go on: "))
    assert line.startswith(f"go on: bridgecheck refresh --out {live.out} --live") and line.endswith("--resume")
    assert live.cassettes() == before
    live.provider.faults.throttle = 0
    assert refresh(_options(live, resume=True), accept=False, clock=live.clock) == 0
    assert len(list(new_folder(live.out).rglob("*.yaml"))) == 12


def test_a_dry_run_calls_nobody_and_a_budget_stops(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    live.record("messages/plain-text")
    number = live.provider.number
    assert refresh(_options(live, dry_run=True, key_env=()), accept=False) == 0
    assert "plan: 6 recordings of 1 scenario" in capsys.readouterr().out
    assert live.provider.number == number
    assert refresh(_options(live, limits=Limits(calls=2)), accept=False, clock=live.clock) == 3
    assert live.provider.number == number + 2
    assert "--max-calls 2" in capsys.readouterr().out


def test_the_command_that_goes_on_repeats_every_option_and_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CORPUS_VARIABLE, "")  # which --corpus sets
    options = LiveOptions(
        out=tmp_path / "a folder", live=("gemini=https://host",), scenario=("tools/*",), key_env=("K",), model=("m",),
        price=("m=1,2",), tries=5, limits=Limits(1, 2, 0.5), longest_wait=30.0, ca_file=tmp_path / "ca.pem",
        timeout=7.5, corpus=tmp_path / "corpus",
    )  # fmt: skip
    for command in ("record", "refresh"):
        _, name, *arguments = shlex.split(replace(options, command=command).line(resume=True))
        parsed = get_command(app).commands[name].make_context(name, list(arguments)).params  # type: ignore[attr-defined]
        assert parsed["corpus"] == options.corpus and parsed["resume"] and parsed["out"] == options.out
        assert parsed["scenario" if command == "record" else "scenario_ids"] == ["tools/*"]
        numbers = [parsed[key] for key in ("tries", "max_calls", "max_tokens", "max_usd", "longest_wait", "timeout")]
        assert numbers == [5, 1, 2, 0.5, 30, 7.5]
        assert (parsed["model"], parsed["price"], parsed["ca_file"]) == (["m"], ["m=1,2"], options.ca_file)


def test_nothing_to_accept_is_refused(live: Live) -> None:
    with pytest.raises(RefusedAtStart, match="nothing was recorded anew"):
        refresh(_options(live, live=()), accept=True)


def test_what_the_provider_changed_is_reported_and_fails(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    only_chat = live.at("openai-chat")
    only_chat.record("tools/args-fragments-accumulate")
    before = live.cassettes()
    for key, answer in live.provider.answers.items():
        writes = tuple(write.replace(b'"finish_reason"', b'"end_reason"') for write in answer.writes)
        live.provider.answers[key] = replace(answer, writes=writes)
    assert refresh(_options(only_chat), accept=False, clock=live.clock) == 1
    printed = capsys.readouterr().out
    assert "recorded 1 of 1 planned recording" in printed
    assert "BREAKING" in printed and "end_reason" in printed
    assert live.cassettes() == before
    assert refresh(_options(live, live=()), accept=True) == 0
    (accepted,) = live.cassettes().values()
    assert b"end_reason" in accepted


def test_missing_recordings_are_made_too_and_stand_there_when_accepted(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = live.at("openai-chat")
    assert refresh(_options(chat, *SCENARIOS[:2], missing=True), accept=False, clock=live.clock) == 0
    assert live.cassettes() == {}
    assert "4 recordings without an older one: messages/plain-text/openai-chat.stream.yaml" in capsys.readouterr().out
    assert refresh(_options(live, live=()), accept=True) == 0
    assert len(live.cassettes()) == 4 and "4 recordings without" in capsys.readouterr().out
    assert refresh(_options(chat, SCENARIOS[0], missing=True), accept=True, clock=live.clock) == 0
    printed = capsys.readouterr().out
    assert "plan: 2 recordings of 1 scenario" in printed and "without an older one" not in printed
    with pytest.raises(RefusedAtStart, match="no cassette"):
        refresh(_options(live, "errors/not-found"), accept=False, clock=live.clock)


def test_a_change_for_review_holds_drift_cost_and_verdicts_and_accepts(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chat = live.at("openai-chat")
    chat.record("tools/args-fragments-accumulate", "messages/plain-text")
    before = live.cassettes()
    for key, answer in live.provider.answers.items():
        writes = tuple(write.replace(b'"prompt_tokens"', b'"input_tokens"') for write in answer.writes)
        live.provider.answers[key] = replace(answer, writes=writes)
    change = tmp_path / "change.md"
    options = _options(chat, change=change, adapter="native:", limits=Limits(calls=2))
    assert refresh(options, accept=True, clock=live.clock) == 3
    printed = capsys.readouterr().out
    assert f"for review: {change} (Refresh live recordings: 1 breaking" in printed
    lines = change.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# Refresh live recordings: 1 breaking")
    (row,) = (line for line in lines if line.startswith("| **breaking** |"))
    assert "input_tokens" in row and "`response.usage`" in row and "scenarios" in row
    (total,) = (line for line in lines if line.startswith("| **all** |"))
    assert total.split(" | ")[2:4] == ["2", "2"]
    assert sum(line.startswith("- not attempted: `tools/args-fragments-accumulate::") for line in lines) == 1
    verdicts = [line for line in lines if line.startswith(("| before |", "| now |"))]
    assert len(verdicts) == 2 and all("judged case" in line for line in verdicts)
    accepted = live.cassettes()
    assert {name for name in accepted if accepted[name] != before[name]} == {
        f"messages/plain-text/openai-chat.{mode}.yaml" for mode in ("stream", "unary")
    }
    assert not list(new_folder(live.out).rglob("*.yaml"))


def test_verdicts_that_cannot_be_made_leave_everything_as_it_was(live: Live, tmp_path: Path) -> None:
    chat = live.at("openai-chat")
    chat.record("messages/plain-text")
    before = live.cassettes()
    options = _options(chat, change=tmp_path / "change.md", adapter="python:no.such:thing")
    with pytest.raises(NotJudged, match="before the change"):
        refresh(options, accept=True, clock=live.clock)
    assert live.cassettes() == before
    assert len(list(new_folder(live.out).rglob("*.yaml"))) == 2
    assert not (tmp_path / "change.md").exists()


def test_a_long_change_is_cut_and_keeps_its_title() -> None:
    rows = [LedgerRow(f"a/{number}::gemini.unary", "gemini", "m", "refused", 1, 2, 3, 0.5) for number in range(9)]
    finding = DriftFinding("new", "notable", "gemini", ("x" * 200,), "a|b", "c" * 200, "why", modes=("unary",))
    text = change_text(LiveChange("2026-11-28", [finding], 9, (), rows, ["b/1::gemini.unary"], None))
    assert "a\\|b" in text and "| gemini | m | 0 | 9 | 18 + 27 | 4.5000 |" in text
    assert "Not judged." in text and "- not attempted: `b/1::gemini.unary`" in text
    longer = change_text(LiveChange("", [replace(finding, paths=("x" * 9000,))] * 30, 9, (), rows, (), None))
    assert len(longer.encode()) <= MAX_BYTES and longer.startswith("# Refresh live recordings: 30 notable\n")
    assert longer.endswith("show all of it.*\n")
