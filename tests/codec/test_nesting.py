"""JSON that nests deeper than anybody can read is no JSON, wherever it stands."""

import pytest

from bridgecheck.codec.body import decode_response
from bridgecheck.drivers.command.protocol import InvalidLine, decode_answer
from bridgecheck.drivers.http_client import EventCounter
from bridgecheck.drivers.python_frames import BadFrame, decode_message
from bridgecheck.model.jsonvalue import MAX_NESTING, parse_json
from bridgecheck.normalise.tree import decode_arguments

TOO_DEEP = [MAX_NESTING + 1, 900, 100_000]


def nested_object(levels: int) -> str:
    """Return an object that holds lists in lists, so many levels in all."""
    return '{"id": 1, "x": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


def test_what_is_not_too_deep_is_read() -> None:
    assert isinstance(parse_json(nested_object(MAX_NESTING)), dict)
    assert isinstance(parse_json("[" + "[]," * 1000 + "{}]"), list)
    assert decode_arguments(nested_object(MAX_NESTING))[1] is None


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
