"""The benchmark's rules: when a figure passes, and that each measurement measures what it names."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from bridgecheck_reference import GeminiToOpenAIStream, OpenAIToGeminiStream, openai_request_to_gemini

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(autouse=True)
def _bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


@pytest.mark.parametrize(
    ("measured", "better", "slack", "verdict"),
    [
        (2.5, "at most", 2, "met"),
        (2.6, "at most", 2, "close"),
        (5.0, "at most", 2, "close"),
        (5.1, "at most", 2, "missed"),
        (2.6, "at most", 1, "missed"),
        (2.5, "at least", 2, "met"),
        (1.3, "at least", 2, "close"),
        (1.2, "at least", 2, "missed"),
    ],
)
def test_a_figure_passes_within_its_limit(measured: float, better: str, slack: float, verdict: str) -> None:
    figures = import_module("figures")
    figure = figures.Figure("x", measured, 2.5, "x", better, slack)
    assert figure.verdict == verdict
    assert figure.as_json()["verdict"] == verdict


def test_a_figure_without_a_target_is_printed_and_never_fails() -> None:
    figures = import_module("figures")
    figure = figures.Figure("x", 9e9, None, "x floor")
    assert (figure.verdict, figure.limit) == ("untargeted", None)
    assert figure.as_json()["verdict"] == "untargeted"


def test_a_figure_near_its_target_is_measured_again_and_the_best_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    against_floor = import_module("against_floor")
    times = iter([{"convert": 9.0, "floor": 1.0}, {"convert": 6.0, "floor": 2.0}, {"convert": 8.0, "floor": 1.0}])
    monkeypatch.setattr(against_floor, "best", lambda functions, rounds: next(times))
    figure = against_floor.against_floor("x", lambda: None, lambda: None, 2.5, 1)
    assert (figure.measured, figure.verdict) == (3.0, "missed")
    assert next(times, None) is None


def test_the_best_round_counts_and_rounds_alternate() -> None:
    rounds = import_module("rounds")
    calls: list[str] = []
    times = rounds.best({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=2, number=2)
    assert calls == ["a", "b", *"aabbaabb"]
    assert set(times) == {"a", "b"} and all(0 < seconds < 1 for seconds in times.values())


def test_generated_documents_are_deterministic_and_have_the_stated_size() -> None:
    documents = import_module("documents")
    assert documents.history(1000) == documents.history(1000)
    assert len(documents.history(1000)["contents"]) == 1000
    events = documents.transcript(100)
    calls = [event for event in events if "functionCall" in event["candidates"][0]["content"]["parts"][0]]
    assert (len(events), len(calls)) == (100, 10)


def test_the_gemini_and_chat_histories_are_the_same_conversation() -> None:
    gemini = import_module("documents").history(40)
    chat = import_module("chat_documents").chat_history(40)
    converted = openai_request_to_gemini(chat)
    contents = converted.value["contents"]
    assert isinstance(contents, list)
    for content in contents:
        for part in content["parts"]:
            for kind in part.keys() & {"functionCall", "functionResponse"}:
                assert part[kind].pop("id").startswith("call_")
    for content in gemini["contents"]:
        for part in content["parts"]:
            part.pop("thoughtSignature", None)
    assert contents == gemini["contents"]
    assert converted.losses == ()
    assert converted.value["systemInstruction"] == gemini["systemInstruction"]


def test_the_chunks_of_each_dialect_convert_to_one_event_with_the_same_content() -> None:
    gemini = import_module("documents").text_chunk(3)
    chat = import_module("chat_documents").chat_text_chunk(3)
    [event] = OpenAIToGeminiStream().feed(chat)
    assert event["candidates"][0]["content"]["parts"] == [{"text": chat["choices"][0]["delta"]["content"]}]
    [chunk] = GeminiToOpenAIStream().feed(gemini)
    [choice] = chunk["choices"]
    [part] = gemini["candidates"][0]["content"]["parts"]
    assert choice["delta"] == {"role": "assistant", "content": part["text"]}


@pytest.mark.row("S1.55")
def test_converting_twice_is_measured_on_a_stream_that_round_trips() -> None:
    doubling = import_module("doubling")
    events = doubling.stream_of(doubling.SIZE)
    assert 10_000 < len(str(events)) < 30_000
    texts = [
        "".join(part["text"] for event in stream for part in event["candidates"][0].get("content", {}).get("parts", ()))
        for stream in (events, doubling.there_and_back(events))
    ]
    assert texts[0] == texts[1]
    assert import_module("bench").MEASUREMENTS["doubling"] is doubling.measure


def test_generated_lengths_have_the_recorded_distribution() -> None:
    lengths = import_module("lengths")
    documents = import_module("documents")
    parts = [documents.call_chunk(i)["candidates"][0]["content"]["parts"][0] for i in range(10)]
    assert sorted(len(part.get("thoughtSignature", "")) for part in parts) == list(lengths.GEMINI_SIGNATURES)
    texts = [documents.text_chunk(i)["candidates"][0]["content"]["parts"][0]["text"] for i in range(10)]
    assert sorted(map(len, texts)) == list(lengths.GEMINI_TEXT)
    arguments = sorted(len(json.dumps(part["functionCall"]["args"], ensure_ascii=False)) for part in parts)
    assert all(abs(made - recorded) <= 6 for made, recorded in zip(arguments, lengths.GEMINI_ARGUMENTS, strict=True))


def test_the_fragments_of_a_call_are_buffered() -> None:
    stream = OpenAIToGeminiStream()
    documents = import_module("chat_documents")
    assert [stream.feed(documents.chat_call_chunk(i)) for i in range(3)] == [[], [], []]


def test_the_plain_comparison_distinguishes_documents() -> None:
    comparing = import_module("comparing")
    transcript = import_module("documents").transcript
    assert comparing.plain_equal(transcript(5), transcript(5))
    assert not comparing.plain_equal(transcript(5), transcript(6))
    assert not comparing.plain_equal({"a": 1}, {"a": True})


def test_a_failed_measurement_is_reported_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = import_module("bench")

    def missing() -> list[object]:
        raise ImportError("no such part")

    monkeypatch.setattr(bench, "MEASUREMENTS", {"absent": missing})
    monkeypatch.setattr(bench, "OUTPUT", tmp_path / "reports" / "local" / "bench.json")
    assert bench.main([]) == 1
    assert "absent: could not be measured: no such part" in capsys.readouterr().out
    assert '"absent": "no such part"' in bench.OUTPUT.read_text(encoding="utf-8")


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert import_module("bench").main(["nonsense"]) == 2
    assert "unknown: nonsense; there are converting," in capsys.readouterr().err


@pytest.mark.slow
def test_every_conversion_measurement_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round each exercises the documents and entry points; times are not checked."""
    against_floor = import_module("against_floor")
    monkeypatch.setattr(against_floor, "ROUNDS", 1)
    monkeypatch.setattr(against_floor, "TRIES", 1)
    names = [figure.name for part in ("converting", "converting_anthropic") for figure in import_module(part).measure()]
    assert len(names) == len(set(names)) == 13


def test_the_anthropic_history_is_the_same_conversation() -> None:
    chat = import_module("chat_documents").chat_history(40)
    anthropic = import_module("anthropic_documents").anthropic_history(40)
    user_texts = [message["content"] for message in chat["messages"] if message["role"] == "user"]
    assert (
        user_texts
        == [message["content"] for message in anthropic["messages"] if isinstance(message["content"], str)][::2]
    )
    assert len(anthropic["messages"]) == 40


def test_the_growing_streams_end_with_the_whole_call(monkeypatch: pytest.MonkeyPatch) -> None:
    growing = import_module("growing")
    fed = growing._fragments()
    assert len(fed) == 5
    for feed in fed.values():
        feed(3)
    event = growing._chat({"index": 0, "function": {"arguments": growing.PIECE}})
    assert event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] == "0123456789"


def test_the_table_of_peers_shows_the_factor_and_whether_it_is_met() -> None:
    peers = import_module("peer_figures")
    figures = [
        peers.PeerFigure("text chunk", 2e-6, 100e-6, 25),
        peers.PeerFigure("call", 4e-6, 40e-6, 25),
        peers.PeerFigure("request", 1e-3, 3e-3),
    ]
    head, *rows = peers.lines(figures)
    assert head.split() == ["converted", "own", "peer", "factor", "target"]
    assert [row.split()[-1] for row in rows] == ["met", "missed", "3x"]
    assert "2.0 us" in rows[0] and "50x" in rows[0] and ">= 25x" in rows[0]
    assert [figure.as_json()["verdict"] for figure in figures] == ["met", "missed", ""]
