"""The protocol between harness and command: the tables, the schema exported from them, and lines in any chunking."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bridgecheck.drivers.command import protocol
from bridgecheck.drivers.command.protocol import (
    ANSWERS,
    ANYWHERE,
    OPS,
    REQUESTS,
    InvalidLine,
    Op,
    protocol_schema,
    protocol_schema_text,
)
from bridgecheck.drivers.command.shim import LineSplitter, LineTooLong

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "docs" / "protocol.schema.json"

RIGHT: dict[str, list[dict[str, Any]]] = {
    "start": [{"bridgecheck": 1, "name": "a", "version": ""}],
    "capabilities": [
        {"routes": [["gemini", "gemini"]], "does": ["to_upstream"]},
        {
            "routes": [["openai-chat", "gemini"], ["gemini", "gemini"]], "does": ["stream", "call", "cancel"],
            "sessions": [["outcome", "gemini"]], "pivots": [["gemini", "gemini", "openai-chat"]],
            "claims": ["tools"], "headers": True, "cannot_say": ["citations"],
        },
    ],
    "to_upstream": [{"body": {}}, {"body": {"a": [1, None]}, "losses": [{"path": "seed", "reason": "none", "severity": "low"}]}],
    "from_upstream": [{"status": 429, "body": {"error": {}}}],
    "stream.open": [{"opened": True}],
    "stream.feed": [{"events": []}, {"events": [{}, {"a": 1}], "losses": []}],
    "stream.close": [{"events": [{}]}],
    "call": [
        {"body": {}}, {"event": {}}, {"end": True}, {"failed": {}},
        {"failed": {"status": 503, "body": {"error": 1}, "retry_after": 1.5}},
    ],
    "cancel": [{"cancelled": True}],
    "stop": [{"stopped": True}],
}  # fmt: skip

WRONG: list[tuple[Op, dict[str, Any], str]] = [
    ("start", {"bridgecheck": "1", "name": "a", "version": ""}, 'bridgecheck is "1"; expected a whole number'),
    ("start", {"bridgecheck": 1, "name": "", "version": ""}, "name is"),
    ("start", {"bridgecheck": True, "name": "a", "version": ""}, "bridgecheck is true"),
    ("capabilities", {"routes": [["gemini"]], "does": ["call"]}, "routes is"),
    (
        "capabilities",
        {"routes": [["gemini", "xml"]], "does": ["call"]},
        "dialects among gemini, openai-chat, anthropic",
    ),
    ("capabilities", {"routes": [], "does": []}, "does is"),
    (
        "capabilities",
        {"routes": [], "does": ["sing"]},
        "one or more of to_upstream, from_upstream, stream, call, cancel",
    ),
    ("capabilities", {"routes": [], "does": ["call"], "claims": ["telepathy"]}, "claims is"),
    ("capabilities", {"routes": [], "does": ["call"], "cannot_say": ["text"]}, "cannot_say is"),
    ("capabilities", {"routes": [], "does": ["call"], "pivots": [["gemini", "gemini"]]}, "pivots is"),
    ("capabilities", {"routes": [], "does": ["call"], "headers": 1}, "headers is 1; expected true or false"),
    ("to_upstream", {"body": []}, "body is []; expected a JSON object"),
    ("to_upstream", {"body": {}, "losses": [{"path": "a"}]}, "losses is"),
    ("from_upstream", {"status": "200", "body": {}}, 'status is "200"; expected a status from 100 to 599'),
    ("from_upstream", {"status": 20, "body": {}}, "status is 20"),
    ("from_upstream", {"body": {}}, "no answer to from_upstream"),
    ("stream.feed", {"events": {}}, "events is {}; expected a list of JSON objects"),
    ("stream.feed", {"events": [1]}, "events is [1]"),
    ("stream.open", {"opened": False}, "opened is false; expected true"),
    ("call", {"failed": {"status": None}}, "failed is"),
    ("call", {"failed": {"retry_after": -1}}, "failed is"),
    ("call", {"end": True, "more": 1}, "unknown member 'more'"),
    ("stop", {}, "no answer to stop: {}"),
    ("stop", {"unsupported": ""}, "unsupported is"),
    ("stop", {"errored": "x", "trace": "y"}, "unknown member 'trace'; expected errored, traceback"),
    ("to_upstream", {"body": {}, "errored": "x"}, "unknown member 'body'"),
]


def valid(op: Op, answer: dict[str, Any]) -> bool:
    schema = protocol_schema()
    part = {"$ref": f"#/$defs/answer.{op}", "$defs": schema["$defs"]}
    return Draft202012Validator(part).is_valid({"id": 1, **answer})


def test_the_exported_schema_matches_the_code() -> None:
    assert SCHEMA_FILE.read_text(encoding="utf-8") == protocol_schema_text(), "write it anew with: make schema"
    Draft202012Validator.check_schema(protocol_schema())


def test_every_operation_has_its_tables() -> None:
    assert set(OPS) == set(REQUESTS) == set(ANSWERS) == set(RIGHT)


@pytest.mark.parametrize("op", OPS)
def test_valid_answers_pass_table_and_schema(op: Op) -> None:
    for answer in (*RIGHT[op], {"unsupported": "seed"}, {"errored": "x"}, {"errored": "x", "traceback": "y"}):
        assert protocol.require_valid_answer_kind(op, answer) in answer
        assert valid(op, answer), answer
    shapes = {protocol.require_valid_answer_kind(op, answer) for answer in RIGHT[op]}
    assert shapes == {next(iter(shape.members or shape.optional)) for shape in ANSWERS[op]}


@pytest.mark.parametrize(
    ("op", "answer", "message"), WRONG, ids=[f"{op}-{json.dumps(answer)}" for op, answer, _ in WRONG]
)
def test_invalid_answers_fail_table_and_schema(op: Op, answer: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidLine) as wrong:
        protocol.require_valid_answer_kind(op, answer)
    assert message in str(wrong.value)
    assert not valid(op, answer)


def test_shapes_are_distinguished_by_their_first_member() -> None:
    for op in OPS:
        names = [next(iter(shape.members)) for shape in (*ANYWHERE, *ANSWERS[op])]
        assert len(names) == len(set(names)), op


SAMPLES: dict[str, Any] = {
    "bridgecheck": 1, "harness": "1.0", "dialects": ["gemini"], "client": "gemini", "upstream": "anthropic",
    "mode": "stream", "model": "m", "body": {}, "status": 200, "request": {}, "stream": 1, "event": {"a": 1},
    "base_url": "http://127.0.0.1:1", "api_key": "k", "headers": {"a": "b"}, "call": 4,
}  # fmt: skip


@pytest.mark.parametrize("op", OPS)
def test_requests_have_their_schema_and_may_grow(op: Op) -> None:
    request = json.loads(protocol.encode_request(3, op, {name: SAMPLES[name] for name in REQUESTS[op].members}))
    schema = protocol_schema()
    checker = Draft202012Validator({"$ref": f"#/$defs/request.{op}", "$defs": schema["$defs"]})
    assert checker.is_valid(request)
    assert checker.is_valid({**request, "new": 1})
    assert not checker.is_valid({**request, "id": 0})
    for name in REQUESTS[op].members:
        assert not checker.is_valid({key: value for key, value in request.items() if key != name}), name


def test_a_request_is_one_line_of_ascii() -> None:
    line = protocol.encode_request(1, "to_upstream", {"body": {"text": "a\nb\u2028c\x85\ud800é"}})
    assert line.isascii()
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert json.loads(line)["body"]["text"] == "a\nb\u2028c\x85\ud800é"


@pytest.mark.parametrize(
    "line", [b"", b"hello", b"[1]", b'"a"', b"{", b'{"a":1}', b'{"id":"1"}', b'{"id":true}', b'{"id":1,"a":Infinity}']
)
def test_invalid_lines_are_refused(line: bytes) -> None:
    with pytest.raises(InvalidLine):
        protocol.decode_answer(line)


def test_lines_are_read_from_any_chunking() -> None:
    data = "één\r\ntwo\n\n{}\nrest".encode()
    for size in range(1, len(data)):
        lines = LineSplitter()
        found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
        assert found == ["één\r".encode(), b"two", b"", b"{}"]
    assert lines.feed(b"!\n") == [b"rest!"]


def test_a_line_has_a_limit() -> None:
    assert LineSplitter(5).feed(b"12345\n12345\n") == [b"12345", b"12345"]
    lines = LineSplitter(5)
    assert lines.feed(b"123") == []
    with pytest.raises(LineTooLong, match="more than 5 bytes"):
        lines.feed(b"456")
    with pytest.raises(LineTooLong):
        LineSplitter(5).feed(b"1\n123456\n")
