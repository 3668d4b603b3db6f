"""Deriving the mode that was not recorded, and recordings that have no other mode."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace

import httpx2
import pytest

from bridgecheck import normalise
from bridgecheck.cassette import derive, player, store
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.files import cassettes_root
from bridgecheck.model.exchange import End, HttpRequest
from bridgecheck.model.outcome import Outcome
from bridgecheck.wire import DIALECTS, MODES, Dialect, Mode

Make = Callable[..., RecordedInteraction]
Build = Callable[..., Cassette]

URL = "https://api.openai.com/v1/chat/completions"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/g:"
OTHER_MODE: dict[Mode, Mode] = {"unary": "stream", "stream": "unary"}


def outcome_json(outcome: Outcome) -> str:
    """Return the outcome as JSON, in which a surrogate pair equals its character."""
    return json.dumps({"choices": [asdict(choice) for choice in outcome.choices], "usage": str(outcome.usage)})


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode()


STREAM = (chunk("ab"), chunk("cd"), chunk("", "stop"), b"data: [DONE]\n\n")
WHOLE = {
    "id": "x", "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "one two three four five"}, "finish_reason": "stop"}],
}  # fmt: skip


def gemini(path: str, *texts: str) -> RecordedInteraction:
    events = [{"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]} for text in texts]
    events[-1]["candidates"][0]["finishReason"] = "STOP"  # type: ignore[index]
    chunks = tuple(f"data: {json.dumps(event)}\r\n\r\n".encode() for event in events)
    request = HttpRequest("POST", path, (), b"{}")
    origin = "https://generativelanguage.googleapis.com"
    return RecordedInteraction(request, 200, (("content-type", "text/event-stream"),), chunks, origin=origin)


def test_a_recorded_stream_converts_to_a_unary_response(chat: Make, cassette_of: Build) -> None:
    with player.play_cassette(cassette_of(chat(*STREAM), chat(*STREAM))) as playback:
        answer = httpx2.post(URL, json={"model": "m"})
        streamed = httpx2.post(URL, json={"model": "m"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "abcd"}, "finish_reason": "stop"}
    ]
    assert streamed.json() == answer.json()
    assert (playback.derived, playback.interaction_numbers, playback.misses, playback.unused) == ([0, 1], (0, 1), [], 0)
    assert playback.interactions()[0].response.mode == "unary"
    assert "".join(playback.arrivals).startswith("ruq")


def test_a_recorded_unary_response_converts_to_a_stream(chat: Make, cassette_of: Build) -> None:
    recorded = chat(
        json.dumps(WHOLE).encode(), stream=False, headers=(("content-type", "application/json"), ("x-a", "1"))
    )
    with player.play_cassette(cassette_of(recorded)) as playback:
        answer = httpx2.post(URL, json={"model": "m", "stream": True})
    assert (answer.headers["content-type"], answer.headers["x-a"]) == ("text/event-stream", "1")
    assert answer.text.endswith("data: [DONE]\n\n")
    (interaction,) = playback.interactions()
    assert (interaction.response.mode, interaction.response.terminated) == ("stream", True)
    outcome = normalise.response(interaction.response).first
    assert (outcome.joined_text, outcome.finish.native) == ("one two three four five", "stop")
    assert len(interaction.response.chunks or ()) > 4, "a text of some length comes in several events"


def test_a_recorded_mode_is_played_unconverted(chat: Make, cassette_of: Build) -> None:
    whole = chat(json.dumps(WHOLE).encode(), stream=False)
    with player.play_cassette(cassette_of(whole, chat(*STREAM))) as playback:
        httpx2.post(URL, json={"stream": True})
        httpx2.post(URL, json={})
        again = httpx2.post(URL, json={})
    assert (playback.interaction_numbers, playback.derived) == ((1, 0, -1), [])
    assert again.status_code == 404


def test_an_error_response_is_the_same_in_both_modes_and_repeats(chat: Make, cassette_of: Build) -> None:
    refusal = chat(b'{"error": {}}', status=429, headers=(("retry-after", "1"),))
    with player.play_cassette(cassette_of(refusal)) as playback:
        answers = [httpx2.post(URL, json={}) for _ in range(2)]
    assert [(answer.status_code, answer.headers["retry-after"]) for answer in answers] == [(429, "1")] * 2
    assert (playback.repeats, playback.misses) == (1, [])


@pytest.mark.parametrize(
    ("chunks", "end"),
    [
        (STREAM, "cut"),
        (STREAM, "reset"),
        ((chunk("ab"), b"data: [DONE]\n\n"), "complete"),
        ((chunk("ab"), b'data: {"error": {"message": "m"}}\n\n'), "complete"),
        ((chunk("ab"), b'data: {"broken\n\n', chunk("", "stop")), "complete"),
        ((b"data: [DONE]\n\n",), "complete"),
        ((b"<html>",), "complete"),
        ((b"",), "complete"),
    ],
)
def test_a_broken_recording_has_no_other_mode(
    chunks: tuple[bytes, ...], end: End, chat: Make, cassette_of: Build
) -> None:
    with player.play_cassette(cassette_of(chat(*chunks, end=end))) as playback:
        answer = httpx2.post(URL, json={})
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == playback.unmodelled[0]
    assert playback.misses == playback.unmodelled
    assert "in this mode: openai-chat generate unary" in playback.misses[0]
    assert (playback.unused, playback.derived) == (1, [])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_over_the_corpus_the_converted_mode_has_the_same_outcome(dialect: Dialect, mode: Mode) -> None:
    """The converted recording round-trips, or has the same normal form."""
    count = 0
    for path in sorted(cassettes_root().glob(f"*/*/{dialect}.{mode}.yaml")):
        for recorded in store.load_cassette(path).interactions:
            converted = derive.convert_mode(recorded, dialect, OTHER_MODE[mode])
            if converted is None or recorded.status >= 400:
                continue
            first, second = (
                normalise.response(each)
                for each in (recorded.response(dialect, mode), converted.response(dialect, OTHER_MODE[mode]))
            )
            assert outcome_json(first) == outcome_json(second), path
            count += 1
    assert count > 120


def test_a_gemini_stream_is_an_array_where_no_events_are_requested() -> None:
    held = Cassette({}, (gemini("/v1beta/models/g:streamGenerateContent?alt=sse", "a", "b"),) * 3)
    with player.play_cassette(held) as playback:
        array = httpx2.post(f"{GEMINI}streamGenerateContent", json={})
        events = httpx2.post(f"{GEMINI}streamGenerateContent?key=k&alt=sse", json={})
    assert array.headers["content-type"] == "application/json"
    assert [event["candidates"][0]["content"]["parts"] for event in array.json()] == [[{"text": "a"}], [{"text": "b"}]]
    assert events.text.startswith("data: ")
    first, second = playback.interactions()
    assert first.response.documents == second.response.documents
    assert len(first.response.chunks or ()) == 3  # two members and the end


def test_an_array_is_cut_where_the_stream_was_cut() -> None:
    recorded = replace(gemini("/v1beta/models/g:streamGenerateContent?alt=sse", "a", "b"), end="cut")
    assert derive.to_json_array(recorded, "gemini").body.endswith(b"}\n")
    refusal = replace(recorded, status=400, chunks=(b'{"error": {}}',))
    assert derive.to_json_array(refusal, "gemini") is refusal


def test_a_unary_gemini_response_converts_to_an_array() -> None:
    document = {"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}, "finishReason": "STOP"}]}
    request = HttpRequest("POST", "/v1beta/models/g:generateContent", (), b"{}")
    held = Cassette({}, (RecordedInteraction(request, 200, (), (json.dumps(document).encode(),)),))
    with player.play_cassette(held) as playback:
        answer = httpx2.post(f"{GEMINI}streamGenerateContent", json={})
    assert answer.json()[0]["candidates"][0]["content"]["parts"] == [{"text": "a"}]
    assert playback.derived == [0]
