"""What a cassette answers to the requests of one case, and what was asked of it."""

from threading import Lock
from typing import NamedTuple
from urllib.parse import urlsplit

from bridgecheck.cassette.answers import Answers, Given
from bridgecheck.cassette.recorded import Cassette, Recorded, decoded_request
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.exchange import HttpRequest, Interaction, Request
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import MOST_SPOKEN


class Exchange(NamedTuple):
    """A request as really sent, what it got, and the number of the interaction that answered it: -1 if none did."""

    request: HttpRequest
    answer: Recorded
    number: int


class Playback:
    """One cassette being played.

    ``exchanges``: all but side traffic, in order; ``misses``: in words, what the cassette did not hold; ``unmodelled``:
    those of the misses that asked for what bridgecheck knows nothing of (the Responses API, Vertex AI, the other mode
    of a stream that breaks off); ``side``: requests answered from the stub table; ``derived``: numbers of the
    interactions that were played in the mode they were not recorded in; ``repeats``: how often an error was played
    again; ``arrivals``: the letters of ``Transcript.arrivals`` for what passed here, and "q" for a connection that was
    let go; whoever plays takes them out. ``dialect``: of the provider that is played, which tells apart what paths do
    not; None: the host does. Header and body bytes are as the client sent them, credentials included: never write them
    to a file.
    """

    def __init__(self, cassette: Cassette, dialect: Dialect | None = None) -> None:
        self.exchanges: list[Exchange] = []
        self.misses: list[str] = []
        self.unmodelled: list[str] = []
        self.side: list[HttpRequest] = []
        self.derived: list[int] = []
        self.repeats = 0
        self.arrivals: list[str] = []
        self._answers = Answers(cassette, dialect)
        self._lock = Lock()

    @property
    def requests(self) -> list[HttpRequest]:
        """The requests as really sent, side traffic left out."""
        return [exchange.request for exchange in self.exchanges]

    @property
    def answered(self) -> tuple[int, ...]:
        """Per request the number of the interaction that answered it, -1 if none did."""
        return tuple(exchange.number for exchange in self.exchanges)

    def last_since(self, before: int) -> int:
        """Which exchange is the last, where there were ``before``; -1 if there was none since."""
        asked = len(self.exchanges)
        return asked - 1 if asked > before else -1

    @property
    def unasked(self) -> int:
        """How many recorded interactions were never asked for."""
        return self._answers.unasked

    def interactions(self) -> tuple[Interaction, ...]:
        """The exchanges decoded. Where the request is not understood it is None, and the answer is left undecoded."""
        return tuple(_interaction(exchange) for exchange in self.exchanges)

    def answer(self, request: HttpRequest, url: str) -> Recorded:
        """The answer to a request; an explicit error response for a miss."""
        with self._lock:
            given = self._answers.to(request, urlsplit(url).netloc)
            self._keep(request, given)
            return given.answer

    def note(self, letter: str) -> None:
        self.arrivals.append(letter)

    def _keep(self, request: HttpRequest, given: Given) -> None:
        if given.kind == "side":
            self.side.append(request)
            return
        self.note("r")
        self.exchanges.append(Exchange(request, given.answer, given.number))
        self.repeats += given.repeated
        self.misses += [given.words] if given.words else []
        self.unmodelled += [given.words] if given.kind == "unmodelled" else []
        self.derived += [given.number] if given.kind == "derived" else []


def _interaction(exchange: Exchange) -> Interaction:
    request = _decoded(exchange.request)
    if request is None:
        return Interaction(None, exchange.answer.response(MOST_SPOKEN, "unary"))
    return Interaction(request, exchange.answer.response(request.dialect, request.mode))


def _decoded(request: HttpRequest) -> Request | None:
    try:
        return decoded_request(request)
    except BridgecheckError:
        return None
