"""JSON that is larger than anybody can compare is no JSON, wherever it stands."""

import pytest

from bridgecheck.codec.body import decode_response
from bridgecheck.drivers.command.protocol import InvalidLine, decode_answer
from bridgecheck.drivers.http_client import EventCounter
from bridgecheck.drivers.python_frames import BadFrame, decode_message
from bridgecheck.model.jsonvalue import MAX_MEMBERS, MAX_NESTING, TooLargeToCompare, parse_json
from bridgecheck.normalise.tree import decode_arguments

TOO_DEEP = [MAX_NESTING + 1, 900, 100_000]


def nested_object(levels: int) -> str:
    """Return an object that holds lists in lists, so many levels in all."""
    return '{"id": 1, "x": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


def test_what_is_not_too_deep_is_read() -> None:
    assert isinstance(parse_json(nested_object(MAX_NESTING)), dict)
    assert isinstance(parse_json("[" + "[]," * 1000 + "{}]"), list)
    assert decode_arguments(nested_object(MAX_NESTING))[1] is None


def test_an_object_has_no_more_members_than_can_be_compared() -> None:
    members = ", ".join(f'"k{number}": 1' for number in range(MAX_MEMBERS))
    assert isinstance(parse_json(f"[{{{members}}}, {{{members}}}]"), list)
    with pytest.raises(TooLargeToCompare, match="more than 10000 members"):
        parse_json(f'[{{{members}, "further": 1}}]')


def test_a_limit_is_named() -> None:
    document = nested_object(MAX_NESTING + 1).encode()
    for mode, data in (("unary", document), ("stream", b"data: " + document), ("stream", b"[" + document + b"]")):
        answer = decode_response("gemini", mode, 200, (), (data,), "complete")
        assert answer.text.startswith(f"(not read: it nests deeper than {MAX_NESTING} levels) {{")


@pytest.mark.parametrize("levels", TOO_DEEP)
def test_what_is_too_deep_is_refused_everywhere(levels: int) -> None:
    document = nested_object(levels).encode()
    for refused, read in ((ValueError, parse_json), (BadFrame, decode_message), (InvalidLine, decode_answer)):
        with pytest.raises(refused):
            read(document)
    answer = decode_response("openai-chat", "unary", 200, (), (document,), "complete")
    assert (answer.documents, bool(answer.text)) == ((), True)
    assert decode_arguments(nested_object(levels))[1] is not None
    assert EventCounter().count_new_events(b"data: " + document + b"\n\ndata: {}\n\n") == 1
