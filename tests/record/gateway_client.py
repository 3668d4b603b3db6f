"""A gateway of reports/ as the client of the edge, and a client of that gateway."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bridgecheck.cassette.interactions import decode_recorded_request
from bridgecheck.checks import judge
from bridgecheck.codec.body import decode_response
from bridgecheck.drivers import Driver, resolve
from bridgecheck.drivers.http_client import send_request
from bridgecheck.model.exchange import HttpRequest, Interaction, Request, Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.verdict import CaseKey
from bridgecheck.run.record import Record, build_evidence
from bridgecheck.run.turns import minimal_request
from bridgecheck.wire import Dialect

from .clients import Received
from .gate import Gate
from .served_recordings import ServedRecording

MODEL = "gemini-2.5-flash"
"""A model that the gateways here know in front of every provider."""


@dataclass(frozen=True)
class EdgeOfOthers:
    """The edge as a gateway's provider; it does not end with the gateway."""

    base_url: str

    def stop(self) -> None: ...


class GatewayClient:
    """Asks the gateway a question that names the recording, in ``dialect``; its provider speaks ``upstream``. Where the
    edge has another address than before, the gateway is started again."""

    def __init__(self, driver: Driver, dialect: Dialect, upstream: Dialect) -> None:
        assert driver.gateway is not None
        self._driver, self._gateway = driver, driver.gateway
        self._dialect, self._upstream = dialect, upstream
        self._origin = ""

    def __call__(self, origin: str, sample: ServedRecording, gate: Gate) -> Received:
        gate.open()  # its events are not those of its provider
        if origin != self._origin:
            self._gateway.close()
            self._origin = origin
        address = self._gateway.reach(self._upstream, lambda: EdgeOfOthers(origin)).address
        request = question(self._dialect, sample)
        sent = self._gateway.client(self._dialect, self._upstream).request(request, self._upstream, address.path)
        http = send_request(address, sent, self._driver.timeout)
        response = decode_response(self._dialect, sample.mode, http.status, http.headers, http.chunks, http.end)
        return Received([Interaction(request, response)], "")

    def judge(
        self, sample: ServedRecording, received: Received, request: HttpRequest, response: Response
    ) -> list[object]:
        """Return the verdicts over what the gateway did. ``request``, ``response``: of its provider."""
        (client,) = received.documents
        assert isinstance(client, Interaction)
        record = Record()
        record.upstream.append(Interaction(decode_recorded_request(request), response))
        record.add_client_answer(client.request, client.response, 0)
        key = CaseKey(sample.item.id, "bridged", self._dialect, self._upstream, sample.mode, "wire")
        evidence = build_evidence(key, record, None, self._driver)
        return [(verdict.check, verdict.status) for verdict in judge(evidence)]


@contextmanager
def gateway_client(recipe: Path, dialect: Dialect, upstream: Dialect) -> Iterator[GatewayClient]:
    driver = resolve(str(recipe))
    try:
        yield GatewayClient(driver, dialect, upstream)
    finally:
        driver.close()


def question(dialect: Dialect, sample: ServedRecording) -> Request:
    """Return the smallest request, with the recording's name for the user's text."""
    request = minimal_request(dialect, sample.mode, MODEL)
    text = sample.name
    turn: dict[Dialect, object] = {"gemini": {"role": "user", "parts": [{"text": text}]}}
    member = "contents" if dialect == "gemini" else "messages"
    turns = [turn.get(dialect, {"role": "user", "content": text})]
    return replace(request, body=obj(request.body) | {member: turns})
