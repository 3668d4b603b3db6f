"""A stand-in for all three providers on loopback, for live recordings: each request that a plan sends has an answer that
was recorded of a real provider and shows the behaviour; where none was, the answer of the scenario's script.

It throttles and fails on purpose: see Faults. What is recorded of it is no live recording.

    python -m tests.live.provider_stand_in [TRAFFIC]     # prints its address and serves until it is interrupted
"""

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.corpus.live_recordings import RecordedAnswer, holds, recorded_answers
from tests.record.stand_in import Answer, StandIn, serve

from bridgecheck import normalise
from bridgecheck.codec.body import decode_request
from bridgecheck.errors import BridgecheckError
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.live.plan import LiveCase, make_plan
from bridgecheck.model.exchange import HttpRequest, Response
from bridgecheck.model.jsonvalue import arr, obj, text
from bridgecheck.model.scenario import ScriptedAnswer
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.upstream.relay import NothingReceived, resolve_placeholders
from bridgecheck.upstream.wire_response import WireResponse, scripted_response
from bridgecheck.wire import DIALECTS, Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS

_OWN_HOSTS: Final = ("gemini", "openai", "anthropic")
_NAMES: Final = frozenset(
    {"id", "name", "tool_use_id", "tool_call_id", "role", "type", "signature", "data", "mediaResolution"}
)
_SETTINGS: Final = ("max_tokens", "max_completion_tokens", "logprobs", "top_k", "n")
_LOOKED_THROUGH: Final = 40
"""Recorded answers that are tried for one turn."""

Key = tuple[Dialect, Mode, str, int, str]


@dataclass
class Faults:
    """What goes wrong, by the number of the request; 0: never. ``throttle``: HTTP 429 with a Retry-After of
    ``seconds``; ``fail``: HTTP 503; ``cut``: a stream ends in mid-answer; ``miss``: an answer without the behaviour.
    ``always_throttle``, ``never_show``, ``refuse_key``: dialects, the last quoting the key; ``unknown``: models that do not exist."""

    throttle: int = 0
    seconds: float = 0
    fail: int = 0
    cut: int = 0
    miss: int = 0
    always_throttle: tuple[str, ...] = ()
    never_show: tuple[str, ...] = ()
    refuse_key: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass
class ProviderStandIn:
    """``answers``: by request, what shows the behaviour; ``recorded``, ``scripted``: how many are which.
    ``number``: of requests so far; ``models``: that were requested; ``aliases``: other names of models."""

    faults: Faults = field(default_factory=Faults)
    answers: dict[Key, WireResponse] = field(default_factory=dict)
    recorded: int = 0
    scripted: int = 0
    number: int = 0
    models: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    unknown_requests: list[str] = field(default_factory=list)

    def add(self, cases: Sequence[LiveCase], pool: dict[tuple[Dialect, Mode], list[RecordedAnswer]]) -> None:
        """Add answers for the requests of these cases; requests that are alike get one that shows what each needs."""
        shown: dict[Key, list[WireDocumentPredicate]] = defaultdict(list)
        for case in cases:
            for turn in range(len(case.requests)):
                shown[_key(case, turn)] += [item for item in case.elicitation.shows_in(case.mode) if item.turn == turn]
        for case in cases:
            received: list[Response] = []
            for turn in range(len(case.requests)):
                key = _key(case, turn)
                self.answers.setdefault(key, self._find_answer(case, turn, tuple(shown[key]), pool, received))

    def _find_answer(
        self, case: LiveCase, turn: int, shown: tuple[WireDocumentPredicate, ...],
        pool: dict[tuple[Dialect, Mode], list[RecordedAnswer]], received: list[Response],
    ) -> WireResponse:  # fmt: skip
        fitting = (item for item in pool[case.dialect, case.mode] if holds(shown, item.document))
        for _, item in zip(range(_LOOKED_THROUGH), fitting, strict=False):
            documents = tuple(arr(item.document)) if case.mode == "stream" else (item.document,)
            response = Response(case.dialect, case.mode, documents)
            if item.status == 200 and _goes_on(case, turn, [*received, response]):
                received.append(response)
                self.recorded += 1
                return scripted_response(_as_script(item), case.dialect, case.mode)
        self.scripted += 1
        own = turn - (case.elicitation.first is not None)
        script = case.scenario.turns[max(own, 0)].upstream[case.dialect][case.mode][0]
        documents = tuple(script.events or ()) if case.mode == "stream" else (script.body,)
        received.append(Response(case.dialect, case.mode, documents))
        return scripted_response(script, case.dialect, case.mode)

    def answer(self, request: HttpRequest, _: int) -> Answer:
        """Return what a request gets; faults come first."""
        self.number += 1
        decoded = decode_request(request.method, request.path, request.headers, request.body)
        dialect, mode, model = decoded.dialect, decoded.mode, decoded.model or text(decoded.body.get("model"))
        self.models.add(model)
        model = self.aliases.get(model, model)
        faults, number = self.faults, self.number
        if dialect in faults.always_throttle or (faults.throttle and number % faults.throttle == 0):
            return _error(dialect, 429, "too many requests", (("retry-after", f"{faults.seconds:g}"),))
        if faults.fail and number % faults.fail == 0:
            return _error(dialect, 503, "overloaded, try again", (("retry-after", "0"),))
        if dialect in faults.refuse_key:
            keys = [
                value for name, value in request.headers if name in ("authorization", "x-api-key", "x-goog-api-key")
            ]
            return _error(dialect, 401, f"no such key: {' '.join(keys)}")
        if model in faults.unknown:
            return _error(dialect, 404, f"the model {model} does not exist")
        found = self.answers.get(request_key(dialect, mode, model, decoded.body))
        if found is None:
            self.unknown_requests.append(str(request_key(dialect, mode, model, decoded.body)))
            return _error(dialect, 400, "the stand-in has no answer to this request")
        if dialect in faults.never_show or (faults.miss and number % faults.miss == 0):
            found = _plain_answer(dialect, mode)
        if faults.cut and number % faults.cut == 0 and mode == "stream":
            return Answer(found.writes[:1], found.status, found.headers, end="cut")
        return Answer(found.writes, found.status, found.headers)


def _key(case: LiveCase, turn: int) -> Key:
    request = case.requests[turn]
    return request_key(case.dialect, case.mode, request.model, request.body)


def request_key(dialect: Dialect, mode: Mode, model: str, body: JsonObject) -> Key:
    """Return what a request has in common with the plan's, whatever an SDK and a live history made of it: the words of
    the user, the number of messages, the tools."""
    messages = arr(body.get(RECORDS[dialect].turns_member))
    user_texts = [leaf for message in messages if _is_of_client(message) for leaf in _texts(message)]
    rest = {key: value for key, value in body.items() if key in ("system", "tools", "stop", "temperature")}
    limits = [str(value) for value in _texts_and_numbers(body.get("generationConfig"))]
    limits += [f"{name} {body[name]:g}" for name in _SETTINGS if isinstance(body.get(name), int | float)]
    return dialect, mode, model, len(messages), json.dumps([sorted(user_texts), sorted(_texts(rest)), sorted(limits)])


def _is_of_client(message: object) -> bool:
    return obj(message).get("role", "user") not in ("model", "assistant") and "$received" not in obj(message)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.lower()
    for item in value if isinstance(value, list) else ():
        yield from _texts(item)
    for key, item in value.items() if isinstance(value, dict) else ():
        if key not in _NAMES:
            yield from _texts(item)


def _texts_and_numbers(value: object) -> Iterator[object]:
    for key, item in obj(value).items():
        if key in _NAMES:
            continue
        if isinstance(item, dict):
            yield from _texts_and_numbers(item)
        elif isinstance(item, int | float):
            yield f"{item:g}"
        elif isinstance(item, str):
            yield item.lower()


def _goes_on(case: LiveCase, turn: int, received: Sequence[Response]) -> bool:
    """Whether the SDK's next request can be made of these answers."""
    try:
        normalise.response(received[-1])
        if turn + 1 < len(case.requests):
            resolve_placeholders(case.requests[turn + 1].body, received)
    except (BridgecheckError, NothingReceived):
        return False
    return True


def _as_script(answer: RecordedAnswer) -> ScriptedAnswer:
    if answer.mode == "stream":
        return ScriptedAnswer(events=tuple(arr(answer.document)), status=answer.status)
    return ScriptedAnswer(body=answer.document, status=answer.status)


def _plain_answer(dialect: Dialect, mode: Mode) -> WireResponse:
    (scenario,) = (found for found in scenarios(scenarios_root(), ["messages/plain-text"]) if not found.client_model)
    return scripted_response(scenario.turns[0].upstream[dialect][mode][0], dialect, mode)


def _error(dialect: Dialect, status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    document = normalise.error_document(dialect, status, message)
    body = json.dumps(document).encode()
    return Answer([body], status, (("content-type", "application/json"), *headers))


def load_pool(traffic: Path) -> dict[tuple[Dialect, Mode], list[RecordedAnswer]]:
    """Return the recordings of the providers' own hosts, by dialect and mode."""
    pool: dict[tuple[Dialect, Mode], list[RecordedAnswer]] = defaultdict(list)
    for answer in recorded_answers(traffic):
        if answer.provider in _OWN_HOSTS:
            pool[answer.dialect, answer.mode].append(answer)
    return pool


@contextmanager
def serve_providers(stand_in: ProviderStandIn) -> Iterator[list[str]]:
    """Listen while the block runs; yield the options --live of all three."""
    with serve(StandIn(stand_in.answer)) as listening:
        yield [part for dialect in DIALECTS for part in ("--live", f"{dialect}={listening.url}")]


def main() -> None:
    stand_in = ProviderStandIn()
    pool = load_pool(Path(sys.argv[1])) if len(sys.argv) > 1 else defaultdict(list)
    stand_in.add(make_plan(scenarios(scenarios_root()), DIALECTS).cases, pool)
    with serve_providers(stand_in) as live:
        sys.stdout.write(f"{' '.join(live)}\n{stand_in.recorded} answers recorded, {stand_in.scripted} scripted\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
