"""Playing one case at http level with a gateway that is an object in this process: the bytes of its client's HTTP go
in, those of the answer come out, and its provider is the edge server."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import Driver
from bridgecheck.drivers.environment import scrubbed
from bridgecheck.drivers.handled import InProcess, Provider, exchange
from bridgecheck.drivers.supervise import Crashed, Refused
from bridgecheck.model.adapter import Handles
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run import http
from bridgecheck.run.record import Record, Turn

if TYPE_CHECKING:
    from bridgecheck.upstream.edge import Edge


def play(
    driver: Driver,
    handles: Handles,
    key: CaseKey,
    turns: Sequence[Turn],
    cassette: Cassette,
    edge: "Edge",
    *,
    in_step: bool,
) -> Record:
    """One turn after another."""
    return http.play(_as_gateway(driver, handles), key, turns, cassette, edge, HandledTalk, in_step=in_step)


def side_by_side(
    driver: Driver, handles: Handles, key: CaseKey, turn: Turn, cassette: Cassette, edge: "Edge"
) -> tuple[Record, Record]:
    """The same turn twice at once; the recording holds an answer for each."""
    return http.side_by_side(_as_gateway(driver, handles), key, turn, cassette, edge, HandledTalk)


def _as_gateway(driver: Driver, handles: Handles) -> Driver:
    return replace(driver, gateway=InProcess(handles, driver.target))


class HandledTalk(http.WireTalk):
    """The wire client, and an object in the place of a socket."""

    def turn(self, request: Request, leaves_after: int = 0) -> bool:
        try:
            return super().turn(request, leaves_after)
        except Crashed as crash:
            self.record.crash = str(crash)
        except Refused as refusal:
            self.record.refused = str(refusal)
        return False

    def answered(self, request: Request, leaves_after: int) -> Response:
        """Raises Crashed and Refused."""
        assert isinstance(self.gateway, InProcess)
        listener = http.Listener(self.played, leaves_after if request.mode == "stream" else 0)
        sent = self.gateway.clients[request.dialect].request(request, self.key.upstream)
        provider = Provider(self.at.url, self.key.upstream)
        with scrubbed():
            got = exchange(self.gateway.handles, sent, provider, self.seconds, listener.heard)
        return body_codec.decode_response(request.dialect, request.mode, got.status, got.headers, got.chunks, got.end)

    def once(self, turn: Turn) -> None:
        try:
            super().once(turn)
        except (Crashed, Refused) as wrong:
            self.record.crash = str(wrong)
