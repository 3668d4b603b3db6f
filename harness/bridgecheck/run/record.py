"""What was recorded of one case while it was played, and from that: its transcript, the evidence for the checks, and
the documents that a report shows."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from bridgecheck import normalise, validate
from bridgecheck.drivers import Driver
from bridgecheck.drivers.foreign_code import Crashed, NoMethod, Refused
from bridgecheck.errors import HarnessError
from bridgecheck.model.adapter import AdapterInfo
from bridgecheck.model.evidence import AND_THEN, OWN_ERROR, CaseTranscript, Evidence, HungNotHttpOrEmpty, ReportedLoss
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Outcome
from bridgecheck.model.prompt import TextPart
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, Status, Verdict
from bridgecheck.run.mask import strip_paths
from bridgecheck.secrets import mask_text
from bridgecheck.upstream.relay import NothingReceived
from bridgecheck.wire import Dialect, JsonObject

if TYPE_CHECKING:
    from bridgecheck.cassette.playback import Playback, PlayedExchange

RequestMaker: TypeAlias = Callable[[Sequence[Response]], Request]
"""The client's request of a turn, from what it received in the turns before. May raise NothingReceived."""

MAX_MISTAKES: Final = 5
"""Mistakes listed of one answer."""

REFUSALS: Final = frozenset({*range(400, 500), 501})
"""Statuses that say that the request cannot be served, whoever made it."""
_INVALID: Final = 400
_MAX_TEXT: Final = 2_000

VIEW_LIMIT: Final = 20_000
"""Characters shown of one document in a report."""

UNREMARKABLE: Final[frozenset[Status]] = frozenset({"PASS", "NOT_APPLICABLE"})
"""A case with no other verdict needs no documents in the report."""


class NotPlayable(HarnessError):
    """This case cannot be played on this layer: its verdict is NOT_APPLICABLE with this message."""

    code = "not-playable"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn to play: the client's request, and the provider's recorded answers in order. ``leaves_after``: events of
    a stream after which a client at sdk level goes away, 0: it stays. ``recorded_answer``: what a client of this
    dialect received from its own provider, for the history of later turns where the adapter's answer is lost; None
    where nothing is recorded."""

    make_request: RequestMaker
    answers: tuple[Response, ...]
    leaves_after: int = 0
    recorded_answer: Callable[[], Response | None] = lambda: None


def request_group(key: CaseKey, turns: Sequence[Turn]) -> str:
    """Return what cases have in common whose first request to the provider may be the same: the provider, and what the
    user says. Not the mode: some adapters always request a stream."""
    with suppress(NothingReceived):
        prompt = normalise.request(turns[0].make_request(()))
        texts = [part.text for turn in prompt.turns for part in turn.parts if isinstance(part, TextPart)]
        return canonical([key.upstream, *texts])
    return canonical([key.upstream])


def first_answer_positions(turns: Sequence[Turn]) -> list[int]:
    """Return where in the cassette the first answer of each turn stands; the rest of a turn is for retries."""
    return [sum(len(turn.answers) for turn in turns[:number]) for number in range(len(turns))]


@dataclass(slots=True)
class Record:
    """What happened in a case so far; it grows while the case is played, so that a crash loses nothing.

    ``pending``: the request of the turn under way, None between turns. ``unfetched``: turns whose first answer was
    never fetched. ``stopped``: why the request of a later turn could not be made of what was received, "" if it could.
    ``repeats``: the upstream request of each turn, converted once more. ``recorded_answers``: of the turns so far.
    ``exchanges``: what ``upstream`` was decoded from, () at wire level.
    """

    client: list[Interaction] = field(default_factory=list)
    upstream: list[Interaction] = field(default_factory=list)
    answered_by: list[int] = field(default_factory=list)
    losses: list[ReportedLoss] = field(default_factory=list)
    arrivals: list[str] = field(default_factory=list)
    crash: str = ""
    crash_kind: HungNotHttpOrEmpty = ""
    refused: str = ""
    no_method: str = ""
    unanswered: set[int] = field(default_factory=set)
    recorded_history: set[int] = field(default_factory=set)
    recorded_answers: list[Callable[[], Response | None]] = field(default_factory=list)
    misses: tuple[str, ...] = ()
    unfetched: int = 0
    stopped: str = ""
    repeats: list[JsonObject | None] = field(default_factory=list)
    pending: Request | None = None
    exchanges: "tuple[PlayedExchange, ...]" = ()

    @property
    def received(self) -> list[Response]:
        return [interaction.response for interaction in self.client]

    def start_turn(self, turn: Turn, *, headers: bool = False) -> Request | None:
        """Return the request of the next turn; None if what it refers to was never received, and was not recorded
        either. ``headers``: whether the adapter gets those that the client sends."""
        try:
            request = turn.make_request(self.received)
        except NothingReceived as error:
            if not self.unanswered:
                self.stopped = self.stopped or error.what
            history = [find() or actual for find, actual in zip(self.recorded_answers, self.received, strict=False)]
            try:
                request = turn.make_request(history)
            except NothingReceived:
                return None
            self.recorded_history.add(len(self.client))
        self.recorded_answers.append(turn.recorded_answer)
        self.pending = request if headers else replace(request, headers=())
        return self.pending

    def add_failure(self, error: Crashed | Refused) -> None:
        """Add a crash or a refusal: the first crash, and every refusal in other words than those before it."""
        if isinstance(error, NoMethod):
            self.no_method = self.no_method or str(error)
        elif isinstance(error, Refused):
            earlier = self.refused.split(AND_THEN) if self.refused else []
            self.refused = AND_THEN.join(dict.fromkeys((*earlier, str(error))))
        elif not self.crash:
            self.crash, self.crash_kind = str(error), error.kind

    def add_client_answer(self, request: Request | None, response: Response, call: int, arrivals: str = "") -> None:
        """Add the client's answer, which ends the turn. ``call``: the upstream call that it comes from, -1 for none."""
        mistakes = normalise.find_response_problems(response)
        if mistakes and not self.crash:
            self.crash = f"the adapter's answer is no outcome document: {'; '.join(mistakes[:MAX_MISTAKES])}"
        if mistakes:
            self.unanswered.add(len(self.client))
        self.client.append(Interaction(request, response))
        self.arrivals.append(arrivals)
        self.answered_by.append(call)
        self.pending = None

    def add_own_error(self, response: Response) -> None:
        """Where the last answer is an error, in which no provider had a part, add it as a refusal or as a crash."""
        error = normalise.response(response).error
        if response.status < 400 and error is None:
            return
        document = response.documents[-1] if response.documents else None
        text = response.text if document is None else json.dumps(document, ensure_ascii=False)
        text, status = mask_text(strip_paths(text))[:_MAX_TEXT] or "(an empty body)", response.status
        self.unanswered.add(len(self.client) - 1)
        own_types = response.dialect == "outcome"  # add_client_answer has read these
        is_wrong = document is None or (not own_types and validate.response(response.dialect, response.mode, document))
        remark = "" if not is_wrong else ", with no error of the client's dialect"
        if status < 400 and not is_wrong:  # of a library, whose exceptions may have none, or in a stream
            status = (error.status if error is not None else None) or _INVALID
        if status not in REFUSALS:  # nor does a success that nobody can read refuse anything, whatever it names
            self.crash = self.crash or f"answered {status} {OWN_ERROR}{remark}: {text}"
        else:
            self.add_failure(Refused(f"answered {status} {OWN_ERROR}{remark}: {text}" if remark else text))

    def break_off_pending_turn(self, call: int = -1) -> None:
        """End a turn under way: the client saw its connection break. ``call``: its upstream call, -1 for none."""
        if self.pending is not None:
            self.unanswered.add(len(self.client))
            self.add_client_answer(self.pending, Response(self.pending.dialect, self.pending.mode, end="reset"), call)

    def add_upstream_calls_and_misses(self, turns: Sequence[Turn], playback: "Playback") -> None:
        """Add what the player of the cassette saw on the upstream side."""
        self.exchanges = tuple(playback.exchanges)
        self.upstream += playback.interactions()
        self.misses = tuple(playback.misses)
        self.unfetched = len(set(first_answer_positions(turns)) - set(playback.interaction_numbers))

    def transcript(self) -> CaseTranscript:
        return CaseTranscript(
            client=tuple(self.client), upstream=tuple(self.upstream), crash=self.crash, crash_kind=self.crash_kind,
            refused=self.refused, no_method=self.no_method, unanswered=frozenset(self.unanswered),
            recorded_history=frozenset(self.recorded_history), misses=self.misses, unplayed=self.unfetched,
            losses=tuple(self.losses), arrivals=tuple(self.arrivals), stopped=self.stopped,
            repeated_bodies=tuple(self.repeats),
        )  # fmt: skip


def build_evidence(
    key: CaseKey, record: Record, scenario: Scenario | None, driver: Driver, native: tuple[Outcome, ...] | None = None
) -> Evidence:
    """Return everything a check may look at, decoded and normalised."""
    transcript = record.transcript()
    return Evidence(
        key=key, transcript=transcript, scenario=scenario,
        client_prompts=tuple(normalise.request(turn.request) if turn.request else None for turn in transcript.client),
        upstream_prompts=tuple(
            normalise.request(call.request) if call.request else None for call in transcript.upstream
        ),
        upstream_outcomes=tuple(normalise.response(call.response) for call in transcript.upstream),
        client_outcomes=tuple(normalise.response(turn.response) for turn in transcript.client),
        pivot=pivot_dialect(key, driver.info), native_outcomes=native, answered_by=tuple(record.answered_by),
        inexpressible=driver.inexpressible_or_unclaimed_features if key.client == "outcome" else frozenset(),
        unclaimed=driver.features_without_claim,
        through_sdk=key.layer == "sdk" and (key.path == "native" or driver.gateway is not None),
    )  # fmt: skip


def pivot_dialect(key: CaseKey, info: AdapterInfo) -> Dialect | None:
    """Return the other dialect that a bridged case of one dialect goes through; None elsewhere."""
    pivot = info.pivot((key.client, key.upstream)) if key.path == "bridged" else None
    return None if pivot in (key.client, key.upstream) else pivot


def document_views(transcript: CaseTranscript, verdicts: tuple[Verdict, ...]) -> dict[str, str]:
    """Return the documents of a case as JSON text, clipped; {} where every verdict is unremarkable."""
    if all(verdict.status in UNREMARKABLE for verdict in verdicts):
        return {}
    client, upstream = transcript.client, transcript.upstream
    documents: dict[str, list[object]] = {
        "client_request": [turn.request.body if turn.request else None for turn in client],
        "upstream_request": [call.request.body if call.request else None for call in upstream],
        "upstream_response": [list(call.response.documents) or call.response.text for call in upstream],
        "client_response": [list(turn.response.documents) or turn.response.text for turn in client],
    }
    return {name: _view_documents(values) for name, values in documents.items()}


def _view_documents(documents: list[object]) -> str:
    """Return one document a turn as JSON text; a single document stands for itself."""
    value = documents[0] if len(documents) == 1 else documents
    text = mask_text(json.dumps(value, ensure_ascii=False, indent=1, default=str))  # whole: half a key is not known
    return text if len(text) <= VIEW_LIMIT else f"{text[:VIEW_LIMIT]}… ({len(text)} characters)"
