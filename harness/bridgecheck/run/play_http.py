"""Plays one case at http level: a gateway between an HTTP client and the edge server, bytes over real sockets.

WireClient     bytes over a socket, and the order in which things come and go
SdkClient      the official SDK of the client's dialect, its base URL the gateway's
HandleClient   a gateway that is an object in this process: the bytes of its client's HTTP go in, those of the answer
               come out, and its provider is the edge server

What the gateway does wrong by itself (it ends, hangs, sends nothing or no HTTP, never stops) is its crash. An error
that it returns without having called the provider is a refusal where the status blames the request, and a crash where
it blames the gateway. So is an answer that the SDK cannot read, since it is not there for its users, unless it is the
provider's own, passed on, that the SDK cannot read."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import Driver, sdk_clients
from bridgecheck.drivers.environment import scrubbed_environment
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.drivers.gateway import Gateway
from bridgecheck.drivers.gateway_client import ClientSide
from bridgecheck.drivers.gateway_object import InProcessGateway, ProviderClient, call_gateway
from bridgecheck.drivers.http_client import Address, EventCounter, NoResponse, ReceivedResponse, send_request
from bridgecheck.drivers.sdk_result import DocumentsAndSdkError, ResponseTooLong
from bridgecheck.model.adapter import Handles
from bridgecheck.model.exchange import End, HttpRequest, Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.library import Library
from bridgecheck.run.play_sdk import SETTLE_S
from bridgecheck.run.record import NotPlayable, Record, Turn, request_group
from bridgecheck.upstream.edge import Edge
from bridgecheck.upstream.play import UNSEEN_S, Play, PlaySettings
from bridgecheck.wire import Dialect

DYING_S: Final = 0.5
"""Seconds between the breaking of a connection and the end of the process that held it."""

BROKEN: Final[frozenset[End]] = frozenset({"cut", "reset"})


def play(
    driver: Driver, key: CaseKey, turns: Sequence[Turn], cassette: Cassette, library: Library,
    client: "type[HttpClient]", *, in_step: bool = True,
) -> Record:  # fmt: skip
    """Play one turn after another. ``in_step``: a stream waits for the client, if it is one that notes its events.
    Raises NotReady if the gateway cannot be reached."""
    gateway = _require_gateway(driver)
    record = Record()
    if ended := gateway.discard_if_ended(key.upstream):
        record.start_turn(turns[0], headers=True)
        record.crash = f"the adapter {ended}\n(after an earlier answer, before this request)"
        record.break_off_pending_turn()
        return record
    address, edge = _reach_gateway(gateway, key, library)
    before_break_s = 0 if client.notes_events else UNSEEN_S
    play_settings = PlaySettings(in_step=in_step and client.notes_events, before_break_s=before_break_s)
    with edge.play_cassette(
        cassette, key.upstream, key.mode, settings=play_settings, request_group=request_group(key, turns),
        hangs_up=False,
    ) as played:  # fmt: skip
        caller = client(gateway, address, key, driver.timeout, played, record)
        for turn in turns:
            request, before = record.start_turn(turn, headers=True), len(played.exchanges)
            if request is None or not caller.play_turn(request, turn.leaves_after):
                record.break_off_pending_turn(played.last_exchange_index_since(before))
                break
        record.add_upstream_calls_and_misses(turns, played)
        if not played.is_settled:
            gateway.retire(key.upstream)
    return record


def play_twice(
    driver: Driver, key: CaseKey, turn: Turn, cassette: Cassette, library: Library, client: "type[HttpClient]"
) -> tuple[Record, Record]:
    """Play the same turn twice at once; the recording holds an answer for each. Raises NotReady."""
    gateway = _require_gateway(driver)
    address, edge = _reach_gateway(gateway, key, library)
    records = Record(), Record()
    group = request_group(key, [turn])
    with (
        edge.play_cassette(cassette, key.upstream, key.mode, request_group=group, hangs_up=False) as played,
        ThreadPoolExecutor(2) as threads,
    ):
        clients = [client(gateway, address, key, driver.timeout, played, record) for record in records]
        list(threads.map(lambda caller: caller.play_turn_recording_client_side_only(turn), clients))
        played.wait_until_idle(SETTLE_S)
        if not played.is_settled:
            gateway.retire(key.upstream)
    return records


def as_gateway(driver: Driver, handles: Handles) -> Driver:
    """Return the driver of an object with ``handle`` as that of a gateway in this process."""
    return replace(driver, gateway=InProcessGateway(handles, driver.target, driver.retire))


def _require_gateway(driver: Driver) -> Gateway:
    if driver.gateway is None:
        raise NotPlayable(f"{driver.info.name} is not reached over HTTP")
    return driver.gateway


def _reach_gateway(gateway: Gateway, key: CaseKey, library: Library) -> tuple[Address, Edge]:
    """Return where the gateway listens, and where it calls its provider. Raises NotReady and PortTaken."""
    port = gateway.upstream_port
    open_upstream = library.open_edge if gateway.is_started_by_harness else lambda: library.edge_at(port)
    reached = gateway.reach(key.upstream, open_upstream)
    assert isinstance(reached.upstream, Edge)
    return reached.address, reached.upstream


@dataclass(slots=True)
class HttpClient:
    """One client of a gateway. ``seconds``: for each turn. ``request_as_sent``: what the client made of its last
    request, None where it sends requests as they are. ``notes_events``: whether it notes each event as it arrives."""

    gateway: Gateway
    address: Address
    key: CaseKey
    seconds: float
    played: Play
    record: Record
    request_as_sent: Request | None = None

    notes_events: ClassVar[bool] = False

    def _client(self, dialect: Dialect) -> ClientSide:
        return self.gateway.client(dialect, self.key.upstream)

    def play_turn(self, request: Request, leaves_after: int = 0) -> bool:
        """Send the request and record what came of it; whether there can be a next turn."""
        record, before = self.record, len(self.played.exchanges)
        self.played.begin_turn(leaves_after > 0)
        try:
            response = self.get_response(request, leaves_after)
        except NoResponse as error:
            record.crash, record.crash_kind = _describe_crash(self.gateway, self.key, error), error.kind
            if error.reason in ("silent", "endless"):
                self.played.note("x")
            return False
        self.played.wait_until_idle(SETTLE_S)
        by = self.played.last_exchange_index_since(before)
        record.add_client_answer(self.request_as_sent or request, response, by, "".join(self.played.arrivals))
        if ended := self.gateway.discard_if_ended(self.key.upstream, DYING_S if response.end in BROKEN else 0):
            record.crash = f"the adapter {ended}"
        elif by < 0:
            record.add_own_error(response)
        return not (record.crash or record.refused)

    def play_turn_recording_client_side_only(self, turn: Turn) -> None:
        """Play one turn while others are played; record only what the client receives."""
        request = self.record.start_turn(turn, headers=True)
        if request is None:
            return
        try:
            self.record.add_client_answer(request, self.get_response(request, 0), 0)
        except NoResponse as error:
            self.record.crash = str(error)

    def get_response(self, request: Request, leaves_after: int) -> Response:
        """Return what the client receives; after ``leaves_after`` events (0: never) it goes away. Raises NoResponse."""
        raise NotImplementedError


class WireClient(HttpClient):
    """Sends and receives bytes over a socket."""

    notes_events = True

    def get_response(self, request: Request, leaves_after: int) -> Response:
        listener = EventListener(self.played, leaves_after if request.mode == "stream" else 0)
        sent = self._client(request.dialect).request(request, self.key.upstream, self.address.path)
        http = self.exchange_bytes(sent, listener)
        received = (http.status, http.headers, http.chunks, http.end)
        return body_codec.decode_response(request.dialect, request.mode, *received)

    def exchange_bytes(self, request: HttpRequest, listener: "EventListener") -> ReceivedResponse:
        return send_request(self.address, request, self.seconds, listener.receive)


class EventListener:
    """Notes each event of a stream as it arrives, and goes away after so many (0: never), but not before the adapter
    has read anything of the provider's: some send events of their own first."""

    def __init__(self, played: Play, leaves_after: int) -> None:
        self._played = played
        self._leaves_after = leaves_after
        self._counter = EventCounter()
        self._count = 0

    def receive(self, data: bytes) -> bool:
        """Count the events in these bytes; whether the client leaves now."""
        for _ in range(self._counter.count_new_events(data)):
            self._count += 1
            self._played.note("c")
            if self._leaves_after and self._count >= self._leaves_after and "u" in self._played.arrivals:
                self._played.note("x")
                return True
        return False


class HandleClient(WireClient):
    """Calls an object in this process in place of a socket."""

    def play_turn(self, request: Request, leaves_after: int = 0) -> bool:
        try:
            return super().play_turn(request, leaves_after)
        except Crashed as crash:
            self.record.crash, self.record.crash_kind = str(crash), crash.kind
        except Refused as refusal:
            self.record.refused = str(refusal)
        return False

    def play_turn_recording_client_side_only(self, turn: Turn) -> None:
        try:
            super().play_turn_recording_client_side_only(turn)
        except (Crashed, Refused) as error:
            self.record.crash = str(error)

    def exchange_bytes(self, request: HttpRequest, listener: EventListener) -> ReceivedResponse:
        """Raises Crashed and Refused."""
        assert isinstance(self.gateway, InProcessGateway)
        provider = ProviderClient(self.address.url, self.key.upstream)
        with scrubbed_environment():
            return call_gateway(self.gateway.handles, request, provider, self.seconds, listener.receive)


class SdkClient(HttpClient):
    """Calls the gateway with an official SDK, which shows no bytes, and no order in which things come and go."""

    def get_response(self, request: Request, leaves_after: int) -> Response:
        """Raises NotPlayable too."""
        if leaves_after:
            raise NotPlayable("the client goes away in the middle: played by the wire client")
        seconds = self.seconds
        try:
            json.dumps(request.body, ensure_ascii=False).encode()
        except UnicodeEncodeError as surrogate:
            raise NotPlayable("no SDK sends half of a surrogate pair: played by the wire client") from surrogate
        try:
            answer = asyncio.run(asyncio.wait_for(self._call(request), seconds))
        except TimeoutError:
            raise NoResponse("silent", f"the SDK of {request.dialect} had no answer within {seconds:g} s") from None
        if answer.sent_body is not None:
            self.request_as_sent = self.record.pending = replace(request, body=answer.sent_body)
        error = answer.error
        if error is not None and error.kind == ResponseTooLong.__name__:
            raise NoResponse("endless", error.message)
        if error is not None and error.end != "complete" and not answer.documents:
            raise NoResponse("closed", f"the SDK of {request.dialect} got no answer: {error.kind}: {error.message}")
        if answer.unreadable_reason and self.key.client != self.key.upstream:
            message = f"the SDK of {request.dialect} cannot read the answer: {answer.unreadable_reason}"
            raise NoResponse("unreadable", message)
        return answer.response(request.dialect, request.mode)

    async def _call(self, request: Request) -> DocumentsAndSdkError:
        # Where an SDK raises in the middle of a stream, it leaves generators behind that complain of being closed.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        client = self._client(request.dialect)
        model, body = client.model_and_body(request, self.key.upstream)
        headers = tuple({**dict(client.headers), **dict(request.headers)}.items())
        url = f"{self.address.url}{client.base_path}"
        return await sdk_clients.call_sdk(request.dialect, request.mode, url, client.key, body, model, headers)


def _describe_crash(gateway: Gateway, key: CaseKey, error: NoResponse) -> str:
    """Return what went wrong, how the process ended if it did, and what it wrote last."""
    if ended := gateway.discard_if_ended(key.upstream, DYING_S if error.reason in ("unreachable", "closed") else 0):
        return f"the adapter {ended}\n(during this request: {error})"
    last = gateway.last_lines(key.upstream)
    return f"{error}\nits last lines:\n{last}" if last else str(error)
