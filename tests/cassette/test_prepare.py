"""What a recorded conversation becomes before it is written: ids get stand-ins, in requests and responses alike."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.cassette.prepare import prepare_for_writing
from bridgecheck.cassette.stand_ins import StandIns
from bridgecheck.model.exchange import HttpRequest

EMAIL = "ann.lee@mail.acme-works.org"
ORGANISATION = "org-" + "Ab12Cd34Ef56"
REQUEST_ID = "req_" + "011CT9abcdXYZ"
PROJECT = "acme-prod-417309"
IDS = (EMAIL, ORGANISATION, REQUEST_ID, PROJECT)


def conversation(chat: Callable[..., RecordedInteraction]) -> tuple[RecordedInteraction, ...]:
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
    return streamed, whole


def test_ids_become_stand_ins_that_are_the_same_everywhere(chat: Callable[..., RecordedInteraction]) -> None:
    recorded = conversation(chat)
    streamed, whole = prepare_for_writing(recorded, StandIns())
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
    assert list(map(len, streamed.chunks)) == list(map(len, recorded[0].chunks))
    assert json.loads(whole.body)["note"].endswith(email)
    assert json.loads(whole.body)["request_id"] == texts[2].strip()
    assert streamed.request.headers == ()


def test_a_stream_that_ends_inside_of_a_character_has_stand_ins_too(chat: Callable[..., RecordedInteraction]) -> None:
    (cut,) = prepare_for_writing([chat(f"from {EMAIL} \u00e9".encode()[:-1])], StandIns())
    assert EMAIL.encode() not in cut.body
    assert cut.body.endswith(b" \xc3")


def test_packed_bodies_without_ids_stay_as_they_are(chat: Callable[..., RecordedInteraction]) -> None:
    packed = replace(chat(gzip.compress(b'{"text": "hi"}')), headers=(("content-encoding", "gzip"),))
    assert prepare_for_writing([packed], StandIns())[0].chunks == packed.chunks


def test_ids_of_projects_in_addresses_and_bodies_get_one_stand_in(chat: Callable[..., RecordedInteraction]) -> None:
    request = HttpRequest("POST", f"/v1/projects/{PROJECT}/locations/eu/models/m:generateContent?key=abcdef", (), b"{}")
    denied = json.dumps({"error": {"message": f"denied on resource project {PROJECT}."}}).encode()
    (item,) = prepare_for_writing([replace(chat(denied), request=request)], StandIns())
    project = item.request.path.split("/")[3]
    assert PROJECT not in item.request.path + item.body.decode()
    assert json.loads(item.body)["error"]["message"] == f"denied on resource project {project}."
    assert item.request.path.endswith("?key=REDACTED")
