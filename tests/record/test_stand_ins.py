"""Ids of the live leg stay with it: cassettes hold stand-ins, and a client that sends its true ids is still answered."""

import json
from pathlib import Path

import trustme

from bridgecheck.record.folder import load_folder
from bridgecheck.wire.facts import base_url

from .conftest import Start
from .raw_client import post
from .stand_in import JSON, Answer, StandIn, in_order, serve
from .test_recorder import CHAT, ask

EMAIL = "ann.lee@mail.acme-works.org"
EVE = "eve.fox@mail.acme-works.org"
PROJECT = "acme-prod-417309"
REQUEST_ID = "req_011CT9abcdXYZ12"


def say(text: str, *, split: int = 0) -> Answer:
    """Return a streamed answer, its text in two events."""
    parts = (text[:split], text[split:])
    events = [{"choices": [{"index": 0, "delta": {"content": part}}], "request_id": REQUEST_ID} for part in parts]
    return Answer([f"data: {json.dumps(event)}\n\n".encode() for event in events])


def text_of(chunks: list[bytes]) -> str:
    events = [json.loads(line[6:]) for line in b"".join(chunks).decode().split("\n\n") if line]
    return "".join(event["choices"][0]["delta"]["content"] for event in events)


def read_cassettes(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.glob("*.yaml"))


def test_the_live_leg_has_true_ids_and_the_cassette_none(start: Start, tmp_path: Path, authority: trustme.CA) -> None:
    answers = say(f"I wrote to {EMAIL}.", split=16), say(f"Again to {EMAIL}.", split=3)
    first, second = ask(f"write to {EMAIL}"), ask("again", f"write to {EMAIL}", f"I wrote to {EMAIL}.")
    with serve(StandIn(in_order(*answers), "1.1", authority)) as provider:
        with start([f"openai-chat={provider.url}"]) as recorder:
            live = [post(recorder.origin, CHAT, body) for body in (first, second)]
        assert recorder.result.exit_code == 0
    assert [request.body for request in provider.requests] == [first, second]
    assert [text_of(answer.chunks) for answer in live] == [f"I wrote to {EMAIL}.", f"Again to {EMAIL}."]
    text = read_cassettes(tmp_path / "out")
    assert EMAIL not in text and EMAIL[:10] not in text and REQUEST_ID not in text
    (cassette,) = load_folder(tmp_path / "out").values()
    stand_in = json.loads(cassette.interactions[0].request.body)["messages"][0]["content"].removeprefix("write to ")
    assert text_of(list(cassette.interactions[0].chunks)) == f"I wrote to {stand_in}."
    assert text_of(list(cassette.interactions[1].chunks)) == f"Again to {stand_in}."
    assert [list(map(len, item.chunks)) for item in cassette.interactions] == [
        list(map(len, answer.chunks)) for answer in answers
    ]
    with start(mode="replay", unplayed="fail") as recorder:
        replayed = [post(recorder.origin, CHAT, body) for body in (first, second)]
    assert recorder.result.exit_code == 0, recorder.result
    assert [text_of(answer.chunks) for answer in replayed] == [text_of(answer.chunks) for answer in live]


def test_a_client_that_sends_stand_ins_or_other_ids_is_answered_too(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    with (
        serve(StandIn(in_order(say(f"To {EMAIL}."), say("Done.")), "1.1", authority)) as provider,
        start([f"openai-chat={provider.url}"]) as recorder,
    ):
        for body in (ask(f"write to {EMAIL}"), ask("and?", f"write to {EMAIL}", f"To {EMAIL}.")):
            post(recorder.origin, CHAT, body)
    (cassette,) = load_folder(tmp_path / "out").values()
    with start(mode="replay", unplayed="fail") as recorder:
        for item in cassette.interactions:
            assert post(recorder.origin, CHAT, item.request.body).chunks == list(item.chunks)
    assert recorder.result.exit_code == 0
    with start(mode="replay") as recorder:
        answer = post(recorder.origin, CHAT, ask(f"write to {EVE}"))
        mixed = post(recorder.origin, CHAT, ask("and?", f"write to {EVE}", f"To {EMAIL}."))
    assert text_of(answer.chunks) == f"To {EVE}."
    assert mixed.status == 599 and b"an id in it stands for another" in b"".join(mixed.chunks)


def test_new_exchanges_have_the_stand_ins_of_the_recorded_ones(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    first, second = ask(f"write to {EMAIL}"), ask(f"and to {EVE}", f"write to {EMAIL}", f"To {EMAIL}.")
    with serve(StandIn(in_order(say(f"To {EMAIL}."), say(f"Both: {EMAIL}")), "1.1", authority)) as provider:
        serving = [f"openai-chat={provider.url}"]
        with start(serving) as recorder:
            post(recorder.origin, CHAT, first)
        with start(serving, mode="new") as recorder:
            assert text_of(post(recorder.origin, CHAT, first).chunks) == f"To {EMAIL}."
            post(recorder.origin, CHAT, second)
    assert provider.requests[1].body == second
    (cassette,) = load_folder(tmp_path / "out").values()
    stand_in = json.loads(cassette.interactions[0].request.body)["messages"][0]["content"].removeprefix("write to ")
    history = [turn["content"] for turn in json.loads(cassette.interactions[1].request.body)["messages"]]
    assert history[:2] == [f"write to {stand_in}", f"To {stand_in}."]
    assert text_of(list(cassette.interactions[1].chunks)) == f"Both: {stand_in}"
    assert stand_in not in history[2] and EVE not in read_cassettes(tmp_path / "out")
    with start(mode="replay", unplayed="fail") as recorder:
        for body in (first, second):
            post(recorder.origin, CHAT, body)
    assert recorder.result.exit_code == 0, recorder.result


def test_project_ids_of_addresses_are_stand_ins_and_still_match(
    start: Start, tmp_path: Path, authority: trustme.CA
) -> None:
    path = f"/v1beta/projects/{PROJECT}/locations/eu/publishers/google/models/g:generateContent"
    answer = Answer([json.dumps({"error": {"message": f"denied on projects/{PROJECT}"}}).encode()], 400, JSON)
    with serve(StandIn(in_order(answer), "1.1", authority)) as provider:
        with start([f"gemini={provider.url}"]) as recorder:
            post(recorder.origin, path, b'{"contents": []}')
        assert provider.requests[0].path == base_url("gemini", "") + path
    assert PROJECT not in read_cassettes(tmp_path / "out")
    (cassette,) = load_folder(tmp_path / "out").values()
    (recorded,) = cassette.interactions
    assert recorded.request.path.split("/")[3] == json.loads(recorded.body)["error"]["message"].split("/")[1]
    with start(mode="replay") as recorder:
        assert post(recorder.origin, path, b'{"contents": []}').status == 400
