"""Makes scripted cassettes anew from their scripts: each script is played once over a loopback socket, through the real
SDK of its dialect, and its requests and answers are recorded.

A scripted cassette holds no date and no version; chunks and endings are those of the script, the requests are those
the SDK sent, addressed to the provider's own host, with their JSON indented. Doing it again changes no byte.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from bridgecheck.cassette import redact, store
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import sdk_clients
from bridgecheck.errors import HarnessError
from bridgecheck.files.corpus import expected_recordings
from bridgecheck.model.counts import plural
from bridgecheck.model.exchange import HttpRequest, Response
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.scenario import ClientRequest, Scenario, TurnRequestsAndScripts
from bridgecheck.upstream import relay, wire_response
from bridgecheck.upstream.listener import AsyncScriptServer
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS

Progress = Callable[[Path, bool], None]
"""Called after each cassette: its path, and whether it changed."""

_KEY: Final = "not-a-key"


class Call(NamedTuple):
    """One SDK call: its request, and what the script answers."""

    body: JsonObject
    model: str
    answer: WireResponse


def regenerate(scenarios: Sequence[Scenario], root: Path, progress: Progress | None = None) -> list[Path]:
    """Write the cassettes of these scenarios below ``root``; return those that changed.

    Raises SecretFound, and HarnessError if an SDK does not send what it should."""
    return asyncio.run(_regenerate_all(scenarios, root, progress))


async def _regenerate_all(scenarios: Sequence[Scenario], root: Path, progress: Progress | None) -> list[Path]:
    changed = []
    for scenario in (scenario for scenario in scenarios if not scenario.client_model):
        for dialect, mode in expected_recordings(scenario):
            path = store.cassette_path(root, scenario.id, dialect, mode)
            if path.is_file() and store.load_cassette(path).is_elicited:
                continue  # live answers come from a provider; refresh records them anew
            wrote = store.save_cassette(path, await record(scenario, dialect, mode))
            if wrote:
                changed.append(path)
            if progress is not None:
                progress(path, wrote)
    return changed


async def record(scenario: Scenario, dialect: Dialect, mode: Mode) -> Cassette:
    """Play the scripts of all turns; nothing is written."""
    calls = tuple(_scripted_calls(scenario.turns, dialect, mode))
    base = urlsplit(RECORDS[dialect].base_url)
    async with AsyncScriptServer([_without_stall(call.answer) for call in calls], base.path) as server:
        for number, call in enumerate(calls):
            answer = await sdk_clients.call_sdk(dialect, mode, server.base_url, _KEY, call.body, call.model)
            if len(server.log) != number + 1:
                cause = f"{answer.error.kind}: {answer.error.message}" if answer.error else "no error"
                raise HarnessError(
                    f"the {dialect} SDK sent {plural(len(server.log) - number, 'request')} for one call ({cause})",
                    f"{scenario.id}, {dialect}.{mode}, answer {number}",
                    "one request a call",
                )
        log = tuple(server.log)
    origin = f"{base.scheme}://{base.netloc}"
    interactions = tuple(_to_recorded(sent, call.answer, origin) for sent, call in zip(log, calls, strict=True))
    metadata: JsonObject = {
        "scenario": scenario.id, "dialect": dialect, "mode": mode, "source": "scripted",
        "endpoint": RECORDS[dialect].base_url, "model": calls[0].model, "recorder": "bridgecheck regenerate",
    }  # fmt: skip
    return Cassette(metadata, interactions)


def _scripted_calls(turns: Sequence[TurnRequestsAndScripts], dialect: Dialect, mode: Mode) -> Iterator[Call]:
    """Yield one call for each scripted answer; a turn's last answer is what its client received."""
    received: list[Response] = []
    for turn in turns:
        request = _request_or_minimal(turn, dialect, received)
        answers = wire_response.scripted_responses(turn.upstream[dialect][mode], dialect, mode)
        for answer in answers:
            yield Call(RECORDS[dialect].body_in_mode(request.body, mode), request.model, answer)
        last = answers[-1]
        received.append(body_codec.decode_response(dialect, mode, last.status, last.headers, last.writes, last.end))


def _request_or_minimal(turn: TurnRequestsAndScripts, dialect: Dialect, received: Sequence[Response]) -> ClientRequest:
    """Return the request of the scenario's client in the upstream's dialect, or the smallest one where it has none."""
    stated = turn.client.get(dialect)
    if stated is None:
        return _minimal_request(dialect)
    try:
        body = relay.resolve_placeholders(stated.body, received)
    except relay.NothingReceived:
        return _minimal_request(dialect)
    return ClientRequest(body, stated.model or text(body.get("model")) or RECORDS[dialect].example_model)


def _minimal_request(dialect: Dialect) -> ClientRequest:
    record = RECORDS[dialect]
    model = record.example_model
    return ClientRequest(record.body_with_model(record.smallest_request, model), model)


def _without_stall(answer: WireResponse) -> WireResponse:
    """Return the answer without its stall, which would only cost the time until the SDK gives up: only its request is
    recorded."""
    return replace(answer, end="cut") if answer.end in ("timeout", "client_closed") else answer


def _to_recorded(sent: HttpRequest, answer: WireResponse, origin: str) -> RecordedInteraction:
    path, headers = redact.mask_keys_and_project_ids(sent.path), redact.allowed_request_headers(sent.headers)
    request = HttpRequest(sent.method, path, headers, _indent_json(sent.body))
    return RecordedInteraction(
        request, answer.status, redact.allowed_response_headers(answer.headers), answer.writes, answer.end,
        (0,) * len(answer.writes), origin,
    )  # fmt: skip


def _indent_json(body: bytes) -> bytes:
    """Return JSON indented: how an SDK happens to write white space and escapes does not matter."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False).encode()
    except (ValueError, UnicodeEncodeError):
        return body
