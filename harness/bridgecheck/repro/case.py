"""The data of a script: ``case``, as ``runtime`` reads it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.drivers.gateway_client import default_clients
from bridgecheck.model.exchange import Headers, HttpRequest, Request, Response
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.repro.reach import Reach
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.run.relations import frame_stream, vary_recorded, vary_response
from bridgecheck.run.turns import minimal_request, minimal_response
from bridgecheck.upstream.relay import DOCUMENTED_FIELDS
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS, base_url

READ_HEADERS: Final = frozenset({"content-encoding", "content-type", "retry-after", "retry-after-ms"})
"""The headers of a recorded response that its reader interprets."""


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """``oracle``: {} before it is chosen. ``relayed``: requests of later turns hold what the client received before;
    else what it had received when the case was played."""

    replayed: ReplayedCase
    reach: Reach
    oracle: Mapping[str, object] = field(default_factory=dict)
    relayed: bool = True

    @property
    def converts(self) -> bool:
        """Whether the adapter gets documents, not bytes for its HTTP client."""
        return self.replayed.key.layer == "wire"

    @property
    def is_never_asked(self) -> bool:
        """Whether the provider is not asked where the finding shows, so that a plain turn has to reach it first."""
        return not self.replayed.transcript.upstream

    def data(self) -> dict[str, Any]:
        """Return the object, of JSON values and bytes."""
        replayed, reach = self.replayed, self.reach
        key = replayed.key
        fields = DOCUMENTED_FIELDS[key.client] if key.client in DOCUMENTED_FIELDS and self.relayed else None
        recorded = responses_to_play_as_documents(replayed)
        if not self.converts:
            recorded = [_bytes_to_play(response) for response in responses_to_play_as_bytes(replayed)]
        requests = list(self._requests())
        plain = self._plain_turn(requests) if self.is_never_asked else None
        return {
            "client": key.client, "upstream": key.upstream, "mode": key.mode, "converts": self.converts,
            "requests": requests, "recorded": recorded, "plain": plain,
            "oracle": dict(self.oracle), "advice": self._advice(), "known_fields": fields,
            "base_path": "" if reach.target["kind"] == "gateway" else base_url(key.upstream, ""),
            "port": reach.upstream_port, "target": reach.target, "here": reach.here, "files": dict(reach.files),
            "requirements": list(reach.requirements), "node_packages": dict(reach.node_packages),
        }  # fmt: skip

    def _advice(self) -> str:
        return f"judged by bridgecheck: {self.replayed.finding.command_line}"

    def _requests(self) -> Iterator[JsonObject]:
        key, client = self.replayed.key, self.replayed.transcript.client
        if key.client == "outcome":  # no scenario has such requests
            for request in (turn.request for turn in client if turn.request is not None):
                yield {"body": request.body, "model": request.model, "headers": {}}
            return
        for number, turn in enumerate(self.replayed.scenario.turns):
            stated = turn.client[key.client]
            replayed = client[number].request if number < len(client) and not self.relayed else None
            body = replayed.body if replayed else RECORDS[key.client].body_in_mode(stated.body, key.mode)
            body_model = body.get("model")
            model = stated.model or (body_model if isinstance(body_model, str) else "")
            yield self._request_row(body, model, stated.headers)

    def _request_row(self, body: JsonObject, model: str, headers: Headers) -> JsonObject:
        row: JsonObject = {"body": body, "model": model, "headers": dict(headers)}
        return row | (_path_headers_and_model(self.replayed, model, headers) if self.reach.over_http else {})

    def _plain_turn(self, requests: list[JsonObject]) -> JsonObject:
        """Return a request and a response of one text, for the same model."""
        key = self.replayed.key
        model = str(requests[0]["model"]) if requests else ""
        request, response = minimal_request_body(key.client, key.mode, model), minimal_response(key.upstream, key.mode)
        recorded: JsonObject = {"status": 200, "documents": list(response.documents)}
        if not self.converts:
            recorded = _bytes_to_play(_as_recorded(response))
        return {"request": self._request_row(request, model, ()), "recorded": recorded}


def minimal_request_body(client: str, mode: str, model: str) -> JsonObject:
    if client == "outcome":
        return {"version": 1, "model": model, "turns": [{"role": "user", "parts": [{"text": "Hello"}]}]}
    return minimal_request(client, mode, model).body  # type: ignore[arg-type]


def _as_recorded(response: Response) -> RecordedInteraction:
    if response.mode == "stream":
        kind, chunks = (
            "text/event-stream",
            frame_stream(replace(response, terminated=True)),
        )
    else:
        kind, chunks = "application/json", (json.dumps(response.documents[0]).encode(),)
    return RecordedInteraction(HttpRequest("POST", "/"), 200, (("content-type", kind),), chunks)


def _bytes_to_play(response: RecordedInteraction) -> JsonObject:
    return {
        "status": response.status, "headers": [list(pair) for pair in response.headers],
        "chunks": list(response.chunks), "end": response.end,
    }  # fmt: skip


def relation_of_finding(replayed: ReplayedCase) -> Relation | None:
    return next((relation for relation in RELATIONS if relation.check == replayed.finding.check), None)


def responses_to_play_as_documents(replayed: ReplayedCase) -> list[JsonObject]:
    """Return one response a turn, for a converter does not retry; where a relation broke, varied as it demands."""
    relation = relation_of_finding(replayed)
    key = replayed.key
    responses = [interaction.response for interaction in replayed.cassette.decode_interactions(key.upstream, key.mode)]
    found: list[JsonObject] = []
    start = 0
    for turn in replayed.scenario.turns:
        response = responses[start]
        response = (vary_response(relation, response) if relation else None) or response
        found.append({"status": response.status, "documents": list(response.documents)})
        start += len(turn.upstream[key.upstream][key.mode])
    return found


def responses_to_play_as_bytes(replayed: ReplayedCase) -> list[RecordedInteraction]:
    """Return all responses in order, as bytes for an adapter with an HTTP client, varied likewise."""
    relation = relation_of_finding(replayed)
    responses = [
        vary_recorded(relation, recorded, replayed.key.upstream) if relation else recorded
        for recorded in replayed.cassette.interactions
    ]
    return [
        replace(recorded, headers=tuple(pair for pair in recorded.headers if pair[0] in READ_HEADERS))
        for recorded in responses
    ]


def _path_headers_and_model(replayed: ReplayedCase, model: str, headers: Headers) -> JsonObject:
    """Return what the client in front of a gateway sends besides the body."""
    key, gateway = replayed.key, replayed.driver.gateway
    client = (gateway.clients if gateway else default_clients())[key.client]
    prefix = urlsplit(gateway.url).path if gateway else ""
    sent = client.request(Request(key.client, key.mode, {}, model, headers), key.upstream, prefix)
    requested_model, _ = client.model_and_body(Request(key.client, key.mode, {}, model), key.upstream)
    return {"headers": [list(pair) for pair in sent.headers], "path": sent.path, "requested_model": requested_model}
