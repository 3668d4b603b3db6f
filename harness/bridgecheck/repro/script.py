"""The script: data, the definitions it needs, and an end that reports whether the finding shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.drivers.gateway_client import default_clients
from bridgecheck.model.exchange import Headers, Request
from bridgecheck.relations import RELATIONS, Relation
from bridgecheck.repro.loading import Loading
from bridgecheck.repro.replay import ReplayedCase
from bridgecheck.repro.script_check_choice import Oracle
from bridgecheck.repro.source import assemble, to_list_literal, to_literal, write_used_operators
from bridgecheck.run.relations import vary_recorded, vary_response
from bridgecheck.upstream.relay import DOCUMENTED_FIELDS
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS, base_url

READ_HEADERS: Final = frozenset({"content-encoding", "content-type", "retry-after", "retry-after-ms"})
"""The headers of a recorded response that its reader interprets."""

_WITHOUT_RELAY: Final = """\
from typing import Any


def fill_request(body: Any, received: list[Any]) -> Any:
    return body
"""
"""In place of the function of ``parts/turns``, where no request holds what was received before."""

_MAIN: Final = '''\
import faulthandler
import json
import sys


def main() -> int:
    """1 while the fault shows, 0 when it is repaired."""
    faulthandler.dump_traceback_later(60, exit=True)  # a hang is a fault too: exit code 1, and where it stands
    traffic = {play}(load())
    for number, body in enumerate(traffic["sent"]):
        print(f"SENT to the provider [{{number}}]: {{json.dumps(body)}}")
    showing = {shows}(traffic)
    print("The fault shows." if showing else "The fault does not show.")
    return 1 if showing else 0


if __name__ == "__main__":
    sys.exit(main())
'''


@dataclass(frozen=True, slots=True)
class Script:
    """``relayed``: requests of later turns hold what the client received before; else what it had received when the
    case was replayed."""

    replayed: ReplayedCase
    oracle: Oracle
    loading: Loading
    relayed: bool = True

    @property
    def converts(self) -> bool:
        """Whether the adapter gets documents, not bytes for its HTTP client."""
        return self.replayed.key.layer == "wire" and not self.loading.quick

    @property
    def client_is_outcome_pseudo_dialect(self) -> bool:
        """Whether the client dialect is ``outcome``: no scenario has such requests, so those of the replay are sent."""
        return self.replayed.key.client == "outcome"

    @property
    def play_function_name(self) -> str:
        return "play_converter" if self.converts else "play_session"

    def text(self, varying: Sequence[str] = (), digest: str = "") -> str:
        """Return the script. ``varying``: paths that differ from run to run; ``digest``: of what came out. Both are
        known after a first run."""
        relays = len(self.replayed.scenario.turns) > 1 and self.relayed and not self.client_is_outcome_pseudo_dialect
        main = _MAIN.format(play=self.play_function_name, shows=self.oracle.kind)
        code = [self.loading.text, main] if relays else [_WITHOUT_RELAY, self.loading.text, main]
        if self.oracle.kind == "is_expectation_unmet":
            code.insert(0, write_used_operators(self.oracle.expected))
        return f"{self._docstring()}\n\n{assemble(code, self._data(varying, digest))}"

    def _docstring(self) -> str:
        key, finding = self.replayed.key, self.replayed.finding
        info, scenario = self.replayed.driver.info, self.replayed.scenario
        adapter = _docstring_line(f"{info.name} {info.version}".strip())
        return f'''"""{adapter}: {_docstring_line(finding.one_line_summary)}

{_docstring_line(scenario.title)}: a client of {key.client}, a provider of {key.upstream}, {key.mode}.
Needs Python 3.11 and {_docstring_line(self.loading.needs)}.
Exit code 1 while the fault shows, 0 when it is repaired.
"""'''

    def _data(self, varying: Sequence[str], digest: str) -> dict[str, str]:
        """Return Python source by name."""
        key, gateway = self.replayed.key, self.replayed.driver.gateway
        recorded = responses_to_play_as_documents(self.replayed)
        if not self.converts:
            recorded = [
                {
                    "status": response.status, "headers": [list(pair) for pair in response.headers],
                    "chunks": list(response.chunks), "end": response.end,
                }
                for response in responses_to_play_as_bytes(self.replayed)
            ]  # fmt: skip
        fields = DOCUMENTED_FIELDS[key.client] if key.client in DOCUMENTED_FIELDS and self.relayed else None
        lists = {"REQUESTS": list(self._requests()), "RECORDED": recorded, "EXPECTED": self.oracle.expected}
        values = {
            "CLIENT": key.client, "UPSTREAM": key.upstream, "MODE": key.mode,
            "BASE_PATH": "" if self.loading.bare_url else base_url(key.upstream, ""),
            "PORT": gateway.upstream_port if gateway else 0, **lists, "WATCHED_PATHS": list(self.oracle.watched),
            "VARYING_PATHS": list(varying), "FAULTY_DIGEST": digest, "KNOWN_FIELDS": fields,
        }  # fmt: skip
        return {name: to_list_literal(lists[name]) if name in lists else to_literal(values[name]) for name in values}

    def _requests(self) -> Iterator[JsonObject]:
        key, client = self.replayed.key, self.replayed.transcript.client
        if self.client_is_outcome_pseudo_dialect:
            for request in (turn.request for turn in client if turn.request is not None):
                yield {"body": request.body, "model": request.model, "headers": {}}
            return
        for number, turn in enumerate(self.replayed.scenario.turns):
            stated = turn.client[key.client]
            replayed = client[number].request if number < len(client) and not self.relayed else None
            body = replayed.body if replayed else RECORDS[key.client].body_in_mode(stated.body, key.mode)
            body_model = body.get("model")
            model = stated.model or (body_model if isinstance(body_model, str) else "")
            row: JsonObject = {"body": body, "model": model, "headers": dict(stated.headers)}
            over_http = self.loading.over_http
            yield row | (_path_headers_and_model(self.replayed, model, stated.headers) if over_http else {})


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
    return {"headers": dict(sent.headers), "path": sent.path, "requested_model": requested_model}


def _docstring_line(text: str) -> str:
    """Return one line that ends no string."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown.replace("\\", "/").replace('"""', "'''").strip()[:160]
