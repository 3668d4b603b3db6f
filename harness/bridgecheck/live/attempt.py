"""One attempt at a case: its requests through the official SDK and a recorder of its own, in a folder of its own.

What is kept is what the recorder wrote, so the cassette is what went over the wire. Histories are made of what the SDK
gave, as a client's are."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from bridgecheck import normalise
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.match_by_key import RETRYABLE
from bridgecheck.drivers.environment import DUMMY_KEY
from bridgecheck.drivers.sdk_clients import call_sdk_sync
from bridgecheck.live.plan import LiveCase, Tokens, answer_limit
from bridgecheck.model.exchange import Response
from bridgecheck.model.outcome import Outcome
from bridgecheck.record.folder import load_folder
from bridgecheck.record.options import RecordOptions
from bridgecheck.record.recorder import Recorder
from bridgecheck.upstream.relay import NothingReceived, resolve_placeholders
from bridgecheck.wire.facts import RECORDS, base_url

CONVERSATION: Final = "live"
"""The name of the conversation in the recorder's folder."""
_BACKOFF_S: Final = 2.0
"""What is waited after the first failure without a Retry-After; twice as long after each further one."""
_RETRIES: Final = 6
"""How often one request is repeated after failures that may pass."""


class Clock(Protocol):
    """Waits, and says when it is; injected, so that tests wait for nothing."""

    def now(self) -> float:
        """Return seconds since the epoch."""

    def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """``responses``: the last answer to each request, as recorded; fewer than requests where one failed.
    ``interactions``: those of the answers, without failures that passed. ``failure``: the last answer's, None where it
    was none; ``waits``: seconds that the provider still wants, beyond what may be waited. ``problem``: why nothing
    could be recorded."""

    responses: tuple[Response, ...]
    interactions: tuple[RecordedInteraction, ...]
    metadata: dict[str, object]
    calls: int
    tokens: Tokens
    failure: Outcome | None = None
    waits: float = 0.0
    problem: str = ""


@dataclass(slots=True)
class Connection:
    """How providers are reached. ``serve``, ``key_env``: as in RecordOptions, of one dialect; ``longest_wait``: seconds
    that one Retry-After may take; ``on_wait``: called before each wait with its seconds."""

    serve: str
    key_env: tuple[str, ...]
    clock: Clock
    ca_file: Path | None = None
    timeout: float = 120
    longest_wait: float = 120
    on_wait: Callable[[float], None] = lambda seconds: None


def attempt(case: LiveCase, connection: Connection) -> Attempt:
    """Play the case once. Raises RefusedAtStart where the recorder cannot begin, and KeyboardInterrupt as Interrupted
    with what was spent until then."""
    with TemporaryDirectory(prefix="bridgecheck-live-") as folder:
        out = Path(folder) / "recordings"
        options = RecordOptions(
            serve=(connection.serve,), out=out, key_env=connection.key_env, ca_file=connection.ca_file,
            timeout=connection.timeout,
        )  # fmt: skip
        conversation = _Conversation(case, connection)
        try:
            with Recorder(options) as recorder:
                conversation.play(f"{recorder.origin}/~{CONVERSATION}")
        except KeyboardInterrupt as stopped:
            raise Interrupted(conversation.calls, conversation.tokens()) from stopped
        problems = [
            *recorder.result.counts.problems.items(),
            *((" ".join(why.split()), "") for why in recorder.result.not_saved),
        ]
        cassette = next(iter(load_folder(out).values()), Cassette({}, ()))
        return conversation.attempt(cassette, "; ".join(f"{what}: {why}".rstrip(": ") for what, why in problems))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C within an attempt. ``calls`` and ``tokens``: what it took until then."""

    def __init__(self, calls: int, tokens: Tokens) -> None:
        super().__init__()
        self.calls = calls
        self.tokens = tokens


class _Conversation:
    """The requests of a case, sent one after the other."""

    def __init__(self, case: LiveCase, connection: Connection) -> None:
        self.calls = 0
        self._case = case
        self._connection = connection
        self._received: list[Response] = []
        self._last_calls: list[int] = []
        self._used: list[Tokens] = []
        self._failure: Outcome | None = None
        self._waits = 0.0
        self._problem = ""

    def play(self, origin: str) -> None:
        """Send the requests until one fails."""
        for request in self._case.requests:
            try:
                body = resolve_placeholders(request.body, self._received)
            except NothingReceived as stopped:
                self._problem = stopped.what
                return
            response = self._send(origin, body, request.model, request.headers)
            if response is None:
                return
            self._last_calls.append(self.calls - 1)
            self._received.append(response)

    def _send(
        self, origin: str, body: dict[str, object], model: str, headers: tuple[tuple[str, str], ...]
    ) -> Response | None:
        """Return the answer; None where every repetition failed, or the provider wants more patience than there is."""
        case, clock = self._case, self._connection.clock
        url = base_url(case.dialect, origin)
        in_mode = RECORDS[case.dialect].body_in_mode(body, case.mode)
        for repetition in range(_RETRIES + 1):
            self.calls += 1
            result = call_sdk_sync(case.dialect, case.mode, url, DUMMY_KEY, in_mode, model, headers)
            response = result.response(case.dialect, case.mode)
            outcome = normalise.response(response)
            self._used.append(used_tokens(outcome, body))
            if not may_pass(response):
                return response
            self._failure = outcome
            wait = _wait_after(outcome, repetition)
            if wait > self._connection.longest_wait or repetition == _RETRIES:
                self._waits = wait
                return None
            self._connection.on_wait(wait)
            clock.sleep(wait)
            self._failure = None
        return None

    def tokens(self) -> Tokens:
        return Tokens(sum(row.input for row in self._used), sum(row.output for row in self._used))

    def attempt(self, cassette: Cassette, problem: str) -> Attempt:
        case, recorded = self._case, cassette.interactions
        # A refused key leaves no trace in a recording; then the answers are those that the SDK gave.
        is_whole = len(recorded) == self.calls
        interactions = tuple(recorded[number] for number in self._last_calls) if is_whole else ()
        responses = tuple(item.response(case.dialect, case.mode) for item in interactions)
        if not is_whole and not problem and not self._failure:
            problem = f"{len(recorded)} of {self.calls} exchanges were recorded"
        return Attempt(
            responses or tuple(self._received), interactions, dict(cassette.metadata), self.calls, self.tokens(),
            self._failure, self._waits, self._problem or problem,
        )  # fmt: skip


def may_pass(response: Response) -> bool:
    """Whether the same request may succeed later: throttled, overloaded, or a broken connection."""
    return response.status in RETRYABLE or response.status >= 500 or response.end != "complete"


def _wait_after(outcome: Outcome, repetition: int) -> float:
    named = outcome.error.retry_after if outcome.error else None
    return named if named is not None else _BACKOFF_S * 2**repetition


def used_tokens(outcome: Outcome, body: dict[str, object]) -> Tokens:
    """Return the tokens that an answer says it took. Where it says nothing, an answer took what it may at most, and an
    error nothing."""
    usage = outcome.usage
    if usage is not None and (usage.prompt is not None or usage.completion is not None):
        return Tokens((usage.prompt or 0) + (usage.tool_prompt or 0), usage.completion or 0)
    return Tokens(0, 0) if outcome.error else Tokens(len(str(body)), answer_limit(body))
