"""A scripted answer becomes exact writes."""

import json

import pytest

from bridgecheck.model.scenario import ScriptedAnswer
from bridgecheck.upstream import wire_response
from bridgecheck.wire import Dialect

EVENTS: tuple[object, ...] = ({"type": "a"}, {"type": "b", "t": "é"})


@pytest.mark.parametrize(
    ("dialect", "writes"),
    [
        ("gemini", (b'data: {"type": "a"}\r\n\r\n', 'data: {"type": "b","t": "é"}\r\n\r\n'.encode())),
        ("openai-chat", (b'data: {"type":"a"}\n\n', 'data: {"type":"b","t":"é"}\n\n'.encode(), b"data: [DONE]\n\n")),
        ("anthropic", (b'event: a\ndata: {"type":"a"}\n\n', 'event: b\ndata: {"type":"b","t":"é"}\n\n'.encode())),
    ],
)
def test_one_write_an_event_framed_as_the_dialect_does(dialect: Dialect, writes: tuple[bytes, ...]) -> None:
    answer = wire_response.scripted_response(ScriptedAnswer(events=EVENTS), dialect, "stream")
    assert answer.writes == writes
    assert answer.headers == (("content-type", "text/event-stream"),)


@pytest.mark.parametrize(
    "scripted", [ScriptedAnswer(events=EVENTS, terminator=False), ScriptedAnswer(events=EVENTS, end="cut")]
)
def test_no_terminator_where_disabled_or_the_stream_broke(scripted: ScriptedAnswer) -> None:
    assert len(wire_response.scripted_response(scripted, "openai-chat", "stream").writes) == 2


def test_a_body_is_one_indented_document() -> None:
    answer = wire_response.scripted_response(ScriptedAnswer(body={"a": "é"}, status=201), "gemini", "unary")
    assert answer.writes == ('{\n  "a": "é"\n}\n'.encode(),)
    assert (answer.status, answer.headers) == (201, (("content-type", "application/json"),))


def test_a_lone_surrogate_is_escaped() -> None:
    (write,) = wire_response.scripted_response(ScriptedAnswer(body={"a": "\ud800é"}), "gemini", "unary").writes
    assert json.loads(write.decode("utf-8")) == {"a": "\ud800é"}


def test_an_error_body_in_stream_mode_is_json() -> None:
    answer = wire_response.scripted_response(ScriptedAnswer(body={"error": {}}, status=429), "openai-chat", "stream")
    assert answer.headers == (("content-type", "application/json"),)


def test_raw_writes_and_the_scripts_own_headers() -> None:
    scripted = ScriptedAnswer(raw=(b"a\x00", b"", b"b"), headers=(("Retry-After", "2"), ("Content-Type", "text/html")))
    answer = wire_response.scripted_response(scripted, "openai-chat", "stream")
    assert answer.writes == (b"a\x00", b"b")
    assert answer.headers == (("retry-after", "2"), ("content-type", "text/html"))


@pytest.mark.parametrize(("split", "count"), [("one", 1), ("events", 3), ((3, 7), 3), ("bytes7", 9)])
def test_split_decides_where_writes_are_cut(split: str | tuple[int, ...], count: int) -> None:
    whole = b"".join(wire_response.scripted_response(ScriptedAnswer(events=EVENTS), "openai-chat", "stream").writes)
    answer = wire_response.scripted_response(ScriptedAnswer(events=EVENTS, split=split), "openai-chat", "stream")
    assert b"".join(answer.writes) == whole
    assert len(answer.writes) == count
