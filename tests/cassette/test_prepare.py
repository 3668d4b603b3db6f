"""What a recorded conversation becomes before it is written: ids get stand-ins, secrets are refused."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.prepare import StandIns, prepare_for_writing, without_ids
from bridgecheck.errors import SecretFound
from bridgecheck.model.exchange import HttpRequest

EMAIL = "ann.lee@mail.example.org"
ORGANISATION = "org-" + "Ab12Cd34Ef56"
REQUEST_ID = "req_" + "011CT9abcdXYZ"
PROJECT = "acme-prod-417309"
IDS = (EMAIL, ORGANISATION, REQUEST_ID, PROJECT)


def conversation(chat: Callable[..., RecordedInteraction]) -> Cassette:
    body = json.dumps({"user": EMAIL, "text": f"for {ORGANISATION}", "consumer": f"projects/{PROJECT}"}).encode()
    first, second = f"mail to {EMAIL[:6]}", f"{EMAIL[6:]} of projects/{PROJECT}"
    events = "".join(
        f"data: {json.dumps({'delta': {'content': part}})}\n\n" for part in (first, second, f" {REQUEST_ID}")
    )
    at = events.index(REQUEST_ID) + 7
    answer = chat(b"")
    streamed = replace(
        answer,
        request=HttpRequest("POST", f"/v1/chat?user={EMAIL}", (("OpenAI-Organization", ORGANISATION),), body),
        headers=(("x-request-id", REQUEST_ID), ("content-type", "text/event-stream")),
        chunks=(events[:at].encode(), events[at:].encode()),
    )
    packed = gzip.compress(json.dumps({"request_id": REQUEST_ID, "note": f"of \\u0061 {EMAIL}"}).encode())
    whole = replace(streamed, headers=(("content-encoding", "gzip"),), chunks=(packed[:20], packed[20:]))
    return Cassette({}, (streamed, whole), "here")


def test_ids_become_stand_ins_that_are_the_same_everywhere(chat: Callable[..., RecordedInteraction]) -> None:
    recorded = conversation(chat)
    streamed, whole = prepare_for_writing(recorded, "here").interactions
    for item in (streamed, whole):
        written = b"\n".join((item.request.path.encode(), item.request.body, item.body, repr(item.headers).encode()))
        joined = written.decode().replace('"}}\n\ndata: {"delta": {"content": "', "")
        assert [true for true in IDS if true in joined] == []
    body = json.loads(streamed.request.body)
    email, organisation, project = body["user"], body["text"][4:], body["consumer"].partition("/")[2]
    assert len(email) == len(EMAIL)
    assert (email[3], email[7], email[-4:]) == (".", "@", ".zzz")
    assert organisation.startswith("org-")
    assert [character.isdigit() for character in organisation] == [item.isdigit() for item in ORGANISATION]
    assert f"user={email}" in streamed.request.path
    texts = [json.loads(line[6:])["delta"]["content"] for line in streamed.body.decode().split("\n\n") if line]
    assert "".join(texts[:2]) == f"mail to {email} of projects/{project}"
    assert list(map(len, streamed.chunks)) == list(map(len, recorded.interactions[0].chunks))
    assert json.loads(whole.body)["note"].endswith(email)
    assert json.loads(whole.body)["request_id"] == texts[2].strip()
    assert streamed.request.headers == ()


def test_two_ids_never_get_the_same_stand_in() -> None:
    stand_ins = StandIns()
    made = [stand_ins.stand_in(f"{10_000_000 + number}") for number in range(300)]
    assert len(set(made)) == 300


def test_a_recording_and_the_request_that_asks_for_it_compare_equal_without_their_ids() -> None:
    text = json.dumps({"user": EMAIL, "project": f"projects/{PROJECT}"})
    recorded = StandIns().replace_in(text)
    assert recorded != text
    assert without_ids(recorded).replace(".zzz", ".aaa") == without_ids(text)


def test_what_looks_like_a_credential_is_refused_and_not_repeated(chat: Callable[..., RecordedInteraction]) -> None:
    secret = "sk-" + "A1b2" * 8
    with pytest.raises(SecretFound) as caught:
        prepare_for_writing(Cassette({}, (chat(secret.encode()),)), "here")
    assert caught.value.where == "here: interactions[0].response.body"
    assert "sk-" in str(caught.value)
    assert secret[4:] not in str(caught.value)
