"""vcrpy's Cassette with an index in place of its linear search, and our matching in place of its matchers.

vcrpy looks through every interaction for every request, and describes each that does not match: 1,000 interactions of
one address take more than a minute. This one stays an ordinary, read-only ``vcr.cassette.Cassette`` to whoever holds
it.
"""

from collections.abc import Iterator
from typing import Protocol
from urllib.parse import urlsplit

from vcr.cassette import Cassette as VcrCassette
from vcr.errors import UnhandledHTTPRequestError
from vcr.record_mode import RecordMode
from vcr.request import Request as VcrRequest

from bridgecheck.cassette import parse
from bridgecheck.cassette.match import Found, Index, Key, key_of
from bridgecheck.cassette.recorded import Cassette, Recorded
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import obj
from bridgecheck.wire import JsonObject


class _Sent(Protocol):
    """What vcrpy's Request offers."""

    method: str
    uri: str
    body_bytes: bytes | None


class IndexedCassette(VcrCassette):
    """Every answer costs the same, however many interactions there are."""

    def __init__(self, cassette: Cassette) -> None:
        super().__init__(path=cassette.where, record_mode=RecordMode.NONE)
        self.recorded: tuple[Recorded, ...] = cassette.interactions
        self.index = Index(cassette.interactions)
        self.rewound = True
        self.data = [(_vcr_request(recorded), _vcr_response(recorded)) for recorded in cassette.interactions]

    def take(self, key: Key, body: bytes) -> Found | None:
        """Plays the next answer to a request."""
        found = self.index.take(key, body)
        if found is not None:
            self.play_counts[found.number] += 1
        return found

    def can_play_response_for(self, request: _Sent) -> bool:
        return request in self

    def play_response(self, request: _Sent) -> JsonObject:
        key = _key(request)
        found = self.take(key, request.body_bytes or b"") if key else None
        if found is None:
            raise UnhandledHTTPRequestError(f"the cassette {self._path} holds no answer to {request!r}")
        return obj(self.data[found.number][1])

    def __contains__(self, request: _Sent) -> bool:
        return any(self._responses(request))

    def _responses(self, request: _Sent) -> Iterator[tuple[int, JsonObject]]:
        key = _key(request)
        found = self.index.peek(key, request.body_bytes or b"") if key else None
        if found is not None:
            yield found.number, obj(self.data[found.number][1])


def _key(request: _Sent) -> Key | None:
    address = urlsplit(request.uri)
    path = address.path + (f"?{address.query}" if address.query else "")
    return key_of(HttpRequest(request.method, path, body=request.body_bytes or b""), address.netloc)


def _vcr_request(recorded: Recorded) -> VcrRequest:
    request = recorded.request
    return VcrRequest(request.method, recorded.origin + request.path, request.body, dict(request.headers))


def _vcr_response(recorded: Recorded) -> JsonObject:
    response = obj(parse.to_yaml(recorded)["response"])
    return {**response, "body": {"string": recorded.body}}
