"""The indexed cassette behaves like vcrpy's own cassette."""

from collections.abc import Callable

import pytest
from vcr.cassette import Cassette as VcrCassette
from vcr.errors import UnhandledHTTPRequestError
from vcr.request import Request

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.match_by_key import IndexedCassette

URL = "https://api.openai.com/v1/chat/completions"


def test_vcrpys_own_methods_play_an_indexed_cassette(
    chat: Callable[..., RecordedInteraction], cassette_of: Callable[..., Cassette]
) -> None:
    tape = IndexedCassette(cassette_of(chat(b"1"), chat(b"2")))
    assert isinstance(tape, VcrCassette)
    request = Request("POST", URL, b'{"stream": true}', {})
    assert len(tape) == 2
    assert tape.can_play_response_for(request)
    assert [tape.play_response(request)["body"]["string"] for _ in range(2)] == [b"1", b"2"]
    assert tape.all_played
    assert not tape.can_play_response_for(request)
    with pytest.raises(UnhandledHTTPRequestError):
        tape.play_response(request)


def test_an_indexed_cassette_records_nothing(
    chat: Callable[..., RecordedInteraction], cassette_of: Callable[..., Cassette]
) -> None:
    tape = IndexedCassette(cassette_of(chat(b"1")))
    assert tape.write_protected
    assert Request("GET", "https://elsewhere/", None, {}) not in tape
