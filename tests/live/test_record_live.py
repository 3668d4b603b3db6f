"""``record --live`` against a stand-in: what is recorded, what it takes, and how every bad end is reported."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.live.conftest import KEY, FakeClock, Live

from bridgecheck.cassette.store import load_cassette
from bridgecheck.errors import BridgecheckError, RefusedAtStart
from bridgecheck.files.corpus import cassettes_root
from bridgecheck.live.ledger_file import NAME
from bridgecheck.live.spending import Limits


def _rows(live: Live) -> list[dict[str, object]]:
    return [json.loads(line) for line in (live.out / NAME).read_text(encoding="utf-8").splitlines()]


def test_everything_is_recorded_by_scenario_dialect_and_mode(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    assert live.record() == 0
    printed = capsys.readouterr().out
    assert "recorded 24 of 24 planned recordings" in printed
    assert "[left]" not in printed and "go on:" not in printed
    assert sorted(path.split("/")[-1] for path in live.cassettes() if path.startswith("tools/")) == sorted(
        f"{dialect}.{mode}.yaml" for dialect in ("anthropic", "gemini", "openai-chat") for mode in ("stream", "unary")
    )
    assert live.provider.unknown_requests == []


def test_what_a_stand_in_said_is_never_called_live_and_stays_out_of_the_corpus(live: Live) -> None:
    live.record("messages/plain-text")
    cassette = load_cassette(live.out / "messages" / "plain-text" / "gemini.unary.yaml")
    assert cassette.source == "scripted"
    assert "recorded_at" not in cassette.metadata
    assert cassette.metadata["scenario"] == "messages/plain-text"
    with pytest.raises(RefusedAtStart, match="a stand-in on this machine"):
        live.record("messages/plain-text", out=cassettes_root())


def test_histories_are_what_the_provider_answered(live: Live) -> None:
    live.record("conversations/two-parallel-tools")
    folder = live.out / "conversations" / "two-parallel-tools"
    first, second, third = load_cassette(folder / "anthropic.unary.yaml").interactions
    answered = json.loads(first.body)["content"]
    history = json.loads(second.request.body)["messages"]
    assert history[1]["content"] == answered
    ids = [block["tool_use_id"] for block in history[2]["content"]]
    assert ids == [block["id"] for block in answered if block["type"] == "tool_use"]
    assert len(json.loads(third.request.body)["messages"]) > len(history)


def test_the_key_is_written_nowhere(live: Live) -> None:
    live.record()
    assert all(KEY.encode() not in path.read_bytes() for path in live.out.rglob("*") if path.is_file())


def test_a_refused_key_stops_its_provider_and_is_not_repeated_in_the_ledger(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    live.provider.faults.refuse_key = live.dialects
    assert live.record("messages/plain-text") == 3
    assert live.provider.number == 3  # one for each provider
    printed = capsys.readouterr().out
    assert printed.count("refused the key: HTTP 401") == 3
    ledger = (live.out / NAME).read_text(encoding="utf-8")
    assert "no such key" in ledger and KEY not in ledger
    assert not live.cassettes()


def test_an_answer_with_a_credential_is_not_written_and_not_paid_for_again(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    for key, answer in live.provider.answers.items():
        writes = tuple(
            write.replace(b"Brest", b"AIza" + b"SyD4k9Qm2Vt7Xw1Lp8Rn5Bc3Hj6Fg0TzUeY") for write in answer.writes
        )
        live.provider.answers[key] = replace(answer, writes=writes)
    assert live.at("openai-chat").record("tools/single-call") == 3
    printed = capsys.readouterr().out
    assert "[refused] tools/single-call::openai-chat.unary of gpt-4.1-mini in 1 attempt" in printed
    assert "secret-found" in printed
    assert live.provider.number == 2  # the stream holds it in no one piece
    assert list(live.cassettes()) == ["tools/single-call/openai-chat.stream.yaml"]


def test_a_dry_run_prints_the_plan_and_calls_nobody(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    assert live.record("tools/*", dry_run=True, key_env=()) == 0
    printed = capsys.readouterr().out
    assert live.provider.number == 0
    assert not live.out.exists()
    assert "gemini-2.5-flash-lite" in printed and "2026-10-07" in printed
    assert "[not-playable] tools/parallel-same-name-no-ids (gemini): it has no request and answer in gemini" in printed


def test_a_retry_after_is_waited_for_and_the_failure_is_not_kept(live: Live) -> None:
    live.provider.faults.throttle = 2
    live.provider.faults.seconds = 7
    assert live.at("openai-chat").record("messages/plain-text") == 0
    assert set(live.clock.slept) == {7.0}
    cassette = load_cassette(live.out / "messages" / "plain-text" / "openai-chat.stream.yaml")
    assert [item.status for item in cassette.interactions] == [200]


def test_a_provider_that_throttles_for_an_hour_stops_only_itself(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    live.provider.faults.always_throttle = ("gemini",)
    live.provider.faults.seconds = 3600
    assert live.record("messages/plain-text") == 3
    printed = capsys.readouterr().out
    assert "[stopped] gemini: http://localhost" in printed and "wants 3600 s of patience" in printed
    assert "recorded 4 of 6 planned recordings" in printed
    assert "[left] 2 recordings, beginning with messages/plain-text::gemini.unary" in printed
    assert "go on: bridgecheck record --scenario messages/plain-text" in printed and "--resume" in printed
    assert live.clock.slept == []


def test_an_answer_that_never_shows_the_behaviour_keeps_the_earlier_cassette(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live.record("tools/single-call") == 0
    before = live.cassettes()
    live.provider.faults.never_show = ("openai-chat",)
    assert live.record("tools/single-call") == 3
    printed = capsys.readouterr().out
    assert "[not-elicited] tools/single-call::openai-chat.unary of gpt-4.1-mini in 2 attempts" in printed
    assert "choices[0].message.tool_calls[].id present true" in printed
    assert {name: data for name, data in live.cassettes().items() if "openai" in name} == {
        name: data for name, data in before.items() if "openai" in name
    }


def test_a_model_that_does_not_exist_is_named_once(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    live.provider.faults.unknown = ("gpt-of-yesterday",)
    options = {"model": ("openai-chat=gpt-of-yesterday",), "price": ("gpt-of-yesterday=1,2",)}
    assert live.record("messages/plain-text", "tools/single-call", **options) == 3
    printed = capsys.readouterr().out
    assert "has no model gpt-of-yesterday, or has it no longer" in printed
    assert "--model openai-chat=NAME" in printed
    assert sum(row["model"] == "gpt-of-yesterday" for row in _rows(live)) == 1
    assert "recorded 8 of 12" in printed


def test_a_spent_budget_stops_before_the_call_and_a_larger_one_goes_on(
    live: Live, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live.record(limits=Limits(calls=5)) == 3
    printed = capsys.readouterr().out
    assert "[stopped] the budget is spent: " in printed and " of 5 calls are spent" in printed
    assert live.provider.number <= 5
    assert "--max-calls 5 --tries 2 --resume" in printed
    assert live.record(resume=True) == 0
    assert "recorded 24 of 24" in capsys.readouterr().out
    assert sum(int(str(row["calls"])) for row in _rows(live)) == live.provider.number


@pytest.mark.parametrize("limits", [Limits(tokens=100), Limits(dollars=0.0)])
def test_no_attempt_begins_that_could_exceed_a_limit(live: Live, limits: Limits) -> None:
    assert live.record("messages/plain-text", limits=limits) == 3
    assert live.provider.number == 0


def test_an_interrupted_run_goes_on_where_it_was(live: Live, capsys: pytest.CaptureFixture[str]) -> None:
    live.provider.faults.throttle = 9
    live.provider.faults.seconds = 1
    assert live.record(clock=FakeClock(interrupt_at=1)) == 3
    printed = capsys.readouterr().out
    assert "[interrupted] before it was done" in printed and "--resume" in printed
    recorded = live.cassettes()
    assert 0 < len(recorded) < 24
    assert (
        _rows(live)[-1]["state"] == "left"
        and sum(int(str(row["calls"])) for row in _rows(live)) == live.provider.number
    )
    before = live.provider.number
    assert live.record(resume=True) == 0
    assert len(live.cassettes()) == 24
    assert {name: live.cassettes()[name] for name in recorded} == recorded
    assert sum(int(str(row["calls"])) for row in _rows(live)) == live.provider.number > before


def test_a_new_run_keeps_the_ledger_of_the_one_before(live: Live) -> None:
    live.record("messages/plain-text")
    before = (live.out / NAME).read_bytes()
    live.record("tools/single-call")
    assert (live.out / "live.earlier.ledger").read_bytes() == before


def test_a_ledger_cut_by_a_crash_is_gone_on_with(live: Live) -> None:
    live.record("messages/plain-text")
    path = live.out / NAME
    path.write_bytes(path.read_bytes()[:-20])
    assert live.record("messages/plain-text", resume=True) == 0
    assert len(_rows_that_read(path)) == 6


def _rows_that_read(path: Path) -> list[object]:
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"live": ()}, "no provider is named"),
        ({"key_env": ()}, "no key for"),
        ({"key_env": ("gemini=NOT_SET_AT_ALL",)}, "NOT_SET_AT_ALL is not set"),
        ({"model": ("gpt-4.1-mini",)}, "one model for several providers"),
        ({"price": ("gpt-4.1-mini=cheap",)}, "no price"),
        ({"resume": True}, "there is no run to go on with"),
        ({"model": ("gemini=gemini-unheard-of",), "limits": Limits(dollars=1.0)}, "the price of gemini-unheard-of"),
        ({"scenario": ("broken-streams/reset",)}, "nothing that is selected can be played live"),
    ],
)
def test_bad_options_are_refused_before_any_call(live: Live, options: dict[str, object], message: str) -> None:
    with pytest.raises(BridgecheckError) as refused:
        live.record(**options)  # type: ignore[arg-type]
    assert message in str(refused.value)
    assert live.provider.number == 0
