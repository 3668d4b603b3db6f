"""The script: data, the parts it needs, and an end that says whether the fault shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.cassette.recorded import Recorded
from bridgecheck.drivers.gateway_client import default_clients
from bridgecheck.model.exchange import Headers, Request
from bridgecheck.repro.answers import documents, recordings
from bridgecheck.repro.assemble import body, imports, names_read, source
from bridgecheck.repro.fault import Fault
from bridgecheck.repro.literal import listed, literal
from bridgecheck.repro.load import Loading
from bridgecheck.repro.oracle import Oracle
from bridgecheck.upstream.known_fields import KNOWN
from bridgecheck.wire import JsonObject
from bridgecheck.wire.facts import RECORDS, base_url

_END: Final = '''\
import faulthandler
import json
import sys


def main() -> int:
    """1 while the fault shows, 0 when it is gone."""
    faulthandler.dump_traceback_later(60, exit=True)  # a hang is a fault too: exit code 1, and where it stands
    seen = play(load())
    for number, body in enumerate(seen["sent"]):
        print(f"SENT to the provider [{number}]: {json.dumps(body)}")
    showing = shows(seen)
    print("The fault shows." if showing else "The fault does not show.")
    return 1 if showing else 0


if __name__ == "__main__":
    sys.exit(main())
'''


@dataclass(frozen=True, slots=True)
class Script:
    """``relayed``: later turns ask with what the client received before; else with what it asked when the fault was
    found."""

    fault: Fault
    oracle: Oracle
    loading: Loading
    relayed: bool = True

    @property
    def converts(self) -> bool:
        """Whether documents are given to it, and not bytes to its HTTP client."""
        return self.fault.key.layer == "wire" and not self.loading.quick

    @property
    def own_types(self) -> bool:
        """Whether the client speaks ``outcome``: no scenario states that, so what was asked is asked again."""
        return self.fault.key.client == "outcome"

    @property
    def parts(self) -> tuple[str, ...]:
        several = len(self.fault.scenario.turns) > 1 and self.relayed and not self.own_types
        turns = "relayed_turns" if several else "plain_turns"
        play = ("converting",) if self.converts else ("provider", "reading", "connecting")
        return turns, *play, *self.loading.parts, self.oracle.kind

    def text(self, varying: Sequence[str] = (), faulty: str = "") -> str:
        """``varying``: places that differ from run to run; ``faulty``: digest of what came out (``parts/unchanged``).
        Both are known when it ran once."""
        parts = [source(name) for name in self.parts]
        data = self._data(varying, faulty)
        asked = names_read(parts)
        shown = "\n".join(f"{name} = {value}" for name, value in data.items() if name in asked)
        code = [*parts, self.loading.text, _END]
        sections = (f"{self._head()}\n\n{imports(code)}\n\n{shown}", *(body(text) for text in code))
        return "\n\n\n".join(sections) + "\n"

    def _head(self) -> str:
        key, finding = self.fault.key, self.fault.finding
        adapter = f"{self.fault.driver.info.name} {self.fault.driver.info.version}".strip()
        lines = (
            f'"""{_plain(adapter)}: {_plain(finding.headline)}',
            "",
            f"{_plain(self.fault.scenario.title)}: a client of {key.client}, a provider of {key.upstream}, {key.mode}.",
            f"Needs Python 3.11 and {_plain(self.loading.needs)}.",
            "Exit code 1 while the fault shows, 0 when it is gone.",
            '"""',
        )
        return "\n".join(lines)

    def _data(self, varying: Sequence[str], faulty: str) -> dict[str, str]:
        """Python source, by name."""
        key, gateway = self.fault.key, self.fault.driver.gateway
        recorded = documents(self.fault) if self.converts else list(map(_bytes, recordings(self.fault)))
        kept = KNOWN[key.client] if key.client in KNOWN and self.relayed else None
        return {
            "CLIENT": literal(key.client),
            "UPSTREAM": literal(key.upstream),
            "MODE": literal(key.mode),
            "BASE_PATH": literal("" if self.loading.bare_url else base_url(key.upstream, "")),
            "PORT": literal(gateway.upstream_port if gateway else 0),
            "ASKED": listed(list(self._asked())),
            "RECORDED": listed(recorded),
            "EXPECTED": listed(self.oracle.expected),
            "LOOKED_AT": literal(list(self.oracle.looked_at)),
            "VARYING": literal(list(varying)),
            "FAULTY": literal(faulty),
            "KEPT": literal(kept),
        }

    def _asked(self) -> Iterator[JsonObject]:
        key = self.fault.key
        if self.own_types:
            for then in (turn.request for turn in self.fault.seen.client if turn.request is not None):
                yield {"body": then.body, "model": then.model, "headers": {}}
            return
        for number, turn in enumerate(self.fault.scenario.turns):
            stated = turn.client[key.client]
            made = self.fault.seen.client[number].request if number < len(self.fault.seen.client) else None
            in_mode = RECORDS[key.client].body_in_mode(stated.body, key.mode)
            asked = in_mode if self.relayed or made is None else made.body
            named = asked.get("model")
            model = stated.model or (named if isinstance(named, str) else "")
            row: JsonObject = {"body": asked, "model": model, "headers": dict(stated.headers)}
            yield row | (_over_http(self.fault, model, stated.headers) if self.loading.over_http else {})


def _over_http(fault: Fault, model: str, headers: Headers) -> JsonObject:
    """What the client in front of a gateway sends beside the body."""
    key, gateway = fault.key, fault.driver.gateway
    client = (gateway.clients if gateway else default_clients())[key.client]
    before = urlsplit(gateway.url).path if gateway else ""
    sent = client.request(Request(key.client, key.mode, {}, model, headers), key.upstream, before)
    called, _ = client.named(Request(key.client, key.mode, {}, model), key.upstream)
    return {"headers": dict(sent.headers), "path": sent.path, "called": called}


def _bytes(recorded: Recorded) -> JsonObject:
    return {
        "status": recorded.status,
        "headers": [list(pair) for pair in recorded.headers],
        "chunks": list(recorded.chunks),
        "end": recorded.end,
    }


def _plain(text: str) -> str:
    """One line that ends no string."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    return shown.replace("\\", "/").replace('"""', "'''").strip()[:160]
