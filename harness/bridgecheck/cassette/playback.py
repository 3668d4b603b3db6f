"""What a cassette answers to the requests of one case, and what was asked of it."""

import json
from threading import Lock
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from bridgecheck.cassette import side
from bridgecheck.cassette.indexed import IndexedCassette
from bridgecheck.cassette.match import Key, key_of
from bridgecheck.cassette.recorded import Cassette, Recorded, decoded_request
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.exchange import HttpRequest, Interaction, Request

_JSON: Final = (("content-type", "application/json"), ("x-should-retry", "false"))


class Exchange(NamedTuple):
    """A request as really sent, what it got, and the number of the interaction that answered it: -1 if none did."""

    request: HttpRequest
    answer: Recorded
    number: int


class Playback:
    """One cassette being played.

    ``exchanges``: all but side traffic, in order; ``misses``: in words, what the cassette did not hold; ``side``:
    requests answered from the stub table; ``repeats``: how often an error was played again; ``arrivals``: the letters
    of ``Transcript.arrivals`` for what passed here, and "q" for a connection that was let go; whoever plays takes them
    out. Header and body bytes are as the client sent them, credentials included: never write them to a file.
    """

    def __init__(self, cassette: Cassette) -> None:
        self.exchanges: list[Exchange] = []
        self.misses: list[str] = []
        self.side: list[HttpRequest] = []
        self.repeats = 0
        self.arrivals: list[str] = []
        self._cassette = IndexedCassette(cassette)
        self._lock = Lock()

    @property
    def requests(self) -> list[HttpRequest]:
        """The requests as really sent, side traffic left out."""
        return [exchange.request for exchange in self.exchanges]

    @property
    def answered(self) -> tuple[int, ...]:
        """Per request the number of the interaction that answered it, -1 if none did."""
        return tuple(exchange.number for exchange in self.exchanges)

    @property
    def unasked(self) -> int:
        """How many recorded interactions were never asked for."""
        return len(self._cassette) - len(self._cassette.play_counts)

    def interactions(self) -> tuple[Interaction, ...]:
        """The exchanges decoded. Where the request is not understood it is None, and the answer is left undecoded."""
        return tuple(_interaction(exchange) for exchange in self.exchanges)

    def answer(self, request: HttpRequest, url: str) -> Recorded:
        """The answer to a request; an explicit error response for a miss."""
        with self._lock:
            host = urlsplit(url).netloc
            key = key_of(request, host)
            found = self._cassette.take(key, request.body) if key else None
            if found is not None:
                self.repeats += found.repeated
                return self._exchanged(request, self._cassette.recorded[found.number], found.number)
            document = side.answer(key.dialect, key.operation) if key else None
            if document is not None:
                self.side.append(request)
                return _document(request, 200, document)
            return self._miss(request, key, host)

    def note(self, letter: str) -> None:
        self.arrivals.append(letter)

    def _exchanged(self, request: HttpRequest, answer: Recorded, number: int) -> Recorded:
        self.note("r")
        self.exchanges.append(Exchange(request, answer, number))
        return answer

    def _miss(self, request: HttpRequest, key: Key | None, host: str) -> Recorded:
        place = f"{request.method} {host}{urlsplit(request.path).path}"
        if key is None:
            message = f"endpoint not modelled: {place}"
        else:
            held = ", ".join(str(held) for held in self._cassette.index.keys) or "nothing"
            message = f"the cassette holds no further answer to {place} ({key}); it holds {held}"
        self.misses.append(message)
        return self._exchanged(
            request, _document(request, 404, side.miss(key.dialect if key else "openai-chat", message)), -1
        )


def _document(request: HttpRequest, status: int, document: object) -> Recorded:
    return Recorded(request, status, _JSON, (json.dumps(document).encode(),))


def _interaction(exchange: Exchange) -> Interaction:
    request = _decoded(exchange.request)
    if request is None:
        return Interaction(None, exchange.answer.response("openai-chat", "unary"))
    return Interaction(request, exchange.answer.response(request.dialect, request.mode))


def _decoded(request: HttpRequest) -> Request | None:
    try:
        return decoded_request(request)
    except BridgecheckError:
        return None
