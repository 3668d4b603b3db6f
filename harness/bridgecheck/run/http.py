"""Playing one case at http level: a gateway between the wire client and the edge server, bytes over real sockets.

What the gateway does wrong by itself (it ends, hangs, says nothing or no HTTP, never stops) is its crash. An error that
it gives without having asked the provider is a refusal where the status blames the request, and a crash where it
blames the gateway.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from bridgecheck import validate
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import Driver
from bridgecheck.drivers.gateway import Gateway
from bridgecheck.drivers.wire_client import Address, NoAnswer, send
from bridgecheck.drivers.wire_events import EventCounter
from bridgecheck.model.exchange import End, Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import NotPlayable, Record, Turn
from bridgecheck.run.sdk import close
from bridgecheck.run.stage import SETTLE_S
from bridgecheck.upstream.play import Manner

if TYPE_CHECKING:
    from bridgecheck.upstream.edge import Edge
    from bridgecheck.upstream.play import Play

REFUSALS: Final = frozenset({*range(400, 500), 501})
"""Statuses that say that the request cannot be served, whoever made it."""

DYING_S: Final = 0.5
"""Seconds between the breaking of a connection and the end of the process that held it."""

BROKEN: Final[frozenset[End]] = frozenset({"cut", "reset"})

_LONGEST: Final = 2_000


def play(
    driver: Driver,
    key: CaseKey,
    turns: Sequence[Turn],
    cassette: Cassette,
    edge: "Edge",
    client: "type[Talk]",
    *,
    in_step: bool = True,
) -> Record:
    """One turn after another. ``in_step``: a stream waits for the client, if it is one that tells what it heard. Raises
    NotReady if the gateway cannot be asked."""
    manner = Manner(in_step=in_step and client.tells)
    gateway = gateway_of(driver)
    record = Record()
    if ended := gateway.ended(key.upstream):
        record.ask(turns[0], headers=True)
        record.crash = f"the adapter {ended}\n(after an earlier answer, before it was asked this)"
        record.break_off()
        return record
    at = reached(gateway, key, edge)
    with edge.playing(cassette, key.upstream, key.mode, manner=manner) as played:
        talk = client(gateway, at, key, driver.timeout, played, record)
        for turn in turns:
            request = record.ask(turn, headers=True)
            if request is None or not talk.turn(request, turn.leaves_after):
                break
        record.break_off()
        close(record, turns, played)
    return record


def side_by_side(
    driver: Driver, key: CaseKey, turn: Turn, cassette: Cassette, edge: "Edge", client: "type[Talk]"
) -> tuple[Record, Record]:
    """The same turn twice at once; the recording holds an answer for each. Raises NotReady."""
    gateway = gateway_of(driver)
    at = reached(gateway, key, edge)
    records = Record(), Record()
    with edge.playing(cassette, key.upstream, key.mode) as played, ThreadPoolExecutor(2) as threads:
        talks = [client(gateway, at, key, driver.timeout, played, record) for record in records]
        list(threads.map(lambda talk: talk.once(turn), talks))
    return records


def gateway_of(driver: Driver) -> Gateway:
    if driver.gateway is None:
        raise NotPlayable(f"{driver.info.name} is not reached over HTTP")
    return driver.gateway


def reached(gateway: Gateway, key: CaseKey, edge: "Edge") -> Address:
    """Where the gateway listens. While it starts it may list models and the like: it is answered, and that is nobody's
    case. Raises NotReady."""
    with edge.playing(Cassette({}, ()), key.upstream, key.mode):
        return gateway.reach(key.upstream, edge.base_url)


@dataclass(slots=True)
class Talk:
    """One client and a gateway. ``seconds``: for each turn. ``tells``: whether it notes each event as it arrives."""

    gateway: Gateway
    at: Address
    key: CaseKey
    seconds: float
    played: "Play"
    record: Record

    tells: ClassVar[bool] = False

    def turn(self, request: Request, leaves_after: int = 0) -> bool:
        """Asks, and writes down what came of it; whether there can be a next turn."""
        record, before = self.record, len(self.played.exchanges)
        self.played.arrivals.clear()
        try:
            response = self.answered(request, leaves_after)
        except NoAnswer as trouble:
            record.crash = crash(self.gateway, self.key, trouble)
            return False
        self.played.settled(SETTLE_S)
        by = self.played.last_since(before)
        record.answer(request, response, by, "".join(self.played.arrivals))
        if ended := self.gateway.ended(self.key.upstream, DYING_S if response.end in BROKEN else 0):
            record.crash = f"the adapter {ended}"
        elif by < 0 and response.status >= 400:
            by_itself(response, record)
        return not (record.crash or record.refused)

    def once(self, turn: Turn) -> None:
        """One turn, whatever else goes on; only what the client receives is written down."""
        request = self.record.ask(turn, headers=True)
        if request is None:
            return
        try:
            self.record.answer(request, self.answered(request, 0), 0)
        except NoAnswer as trouble:
            self.record.crash = str(trouble)

    def answered(self, request: Request, leaves_after: int) -> Response:
        """What the client receives; after ``leaves_after`` events of a stream (0: never) it goes away. Raises
        NoAnswer."""
        raise NotImplementedError


class WireTalk(Talk):
    """The wire client: bytes, and the order in which things come and go."""

    tells = True

    def answered(self, request: Request, leaves_after: int) -> Response:
        listener = Listener(self.played, leaves_after if request.mode == "stream" else 0)
        sent = self.gateway.clients[request.dialect].request(request, self.key.upstream, self.at.path)
        got = send(self.at, sent, self.gateway.patience(self.seconds), listener.heard)
        return body_codec.decode_response(request.dialect, request.mode, got.status, got.headers, got.chunks, got.end)


class Listener:
    """Notes each event as it arrives, and goes away after so many (0: never)."""

    def __init__(self, played: "Play", leaves_after: int) -> None:
        self._played = played
        self._leaves_after = leaves_after
        self._counter = EventCounter()
        self._count = 0

    def heard(self, data: bytes) -> bool:
        for _ in range(self._counter.feed(data)):
            self._count += 1
            self._played.note("c")
            if self._count == self._leaves_after:
                self._played.note("x")
                return True
        return False


def crash(gateway: Gateway, key: CaseKey, trouble: NoAnswer) -> str:
    """What went wrong, how the process ended if it did, and what it wrote last."""
    if ended := gateway.ended(key.upstream, DYING_S if trouble.why in ("unreachable", "closed") else 0):
        return f"the adapter {ended}\n(while it was asked: {trouble})"
    last = gateway.last_lines(key.upstream)
    gateway.suspected(key.upstream, hung=trouble.why == "silent")
    return f"{trouble}\nits last lines:\n{last}" if last else str(trouble)


def by_itself(response: Response, record: Record) -> None:
    """An error that no provider had a part in."""
    words, alone = _words(response), "without asking the provider"
    if not response.documents or validate.response(response.dialect, "unary", response.documents[0]):
        record.crash = f"answered {response.status} {alone}, with no error of the client's dialect: {words}"
    elif response.status in REFUSALS:
        record.refused = words
    else:
        record.crash = f"answered {response.status} {alone}: {words}"


def _words(response: Response) -> str:
    document = response.documents[0] if response.documents else None
    text = response.text if document is None else json.dumps(document, ensure_ascii=False)
    return text[:_LONGEST] or "(an empty body)"
