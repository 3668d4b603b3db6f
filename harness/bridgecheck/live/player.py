"""Plays the cases of a plan, as far as limits and providers allow, and writes a cassette for each that is elicited.

A cassette that was there before is replaced only by one whose answer shows the behaviour."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.store import cassette_path, save_cassette
from bridgecheck.errors import SecretFound
from bridgecheck.live.attempt import Attempt, Clock, Connection, Interrupted, attempt
from bridgecheck.live.ledger_file import FINAL_STATES, LedgerRow, State, append_row
from bridgecheck.live.plan import LiveCase, Plan, Tokens
from bridgecheck.live.spending import Spending
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import text
from bridgecheck.model.literals import find_violation, select, show_values
from bridgecheck.wire import Dialect

RECORDER: Final = "bridgecheck record --live"
_REFUSED_KEY: Final = (401, 403)
_NO_SUCH_MODEL: Final = 404
_LONGEST: Final = 300
"""Characters of a provider's message that are repeated."""


@dataclass(slots=True)
class PlayedCases:
    """``rows``: the attempts, those of the run that is gone on with among them; ``stopped``: why a provider, a model or
    everything ("") is asked nothing more; ``notes``: what else went wrong."""

    rows: list[LedgerRow] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_interrupted: bool = False

    def state_of(self, case: LiveCase) -> State | None:
        """Return the state of the last attempt at a case; None where there was none."""
        return next((row.state for row in reversed(self.rows) if row.case == case.id), None)


@dataclass(slots=True)
class LivePlayer:
    """``connections``: by dialect; ``out``: the folder of cassettes, by scenario, and of the ledger; ``advance``:
    called after each case with what it came to."""

    plan: Plan
    connections: Mapping[Dialect, Connection]
    out: Path
    spending: Spending
    clock: Clock
    advance: Callable[[LiveCase, State], None] = lambda case, state: None
    played: PlayedCases = field(default_factory=PlayedCases)

    def play(self) -> PlayedCases:
        """Play what is not done; return what came of it, also when it is interrupted."""
        try:
            for case in self.plan.cases:
                if self.played.state_of(case) in FINAL_STATES:
                    continue
                if self._is_stopped(case):
                    continue
                self.advance(case, self._play_case(case))
        except KeyboardInterrupt:
            self.played.is_interrupted = True
        return self.played

    def _is_stopped(self, case: LiveCase) -> bool:
        return any(key in self.played.stopped for key in ("", case.dialect, case.model))

    def _play_case(self, case: LiveCase) -> State:
        state: State = "left"
        before = sum(row.case == case.id and row.state == "not shown" for row in self.played.rows)
        for number in range(before + 1, max(self.plan.tries, before + 1) + 1):
            exceeded = self.spending.exceeded_by(case)
            if exceeded:
                self.played.stopped[""] = f"the budget is spent: {exceeded}"
                return "left"
            state = self._attempt(case, is_last=number >= self.plan.tries)
            if state != "not shown":
                return state
        return state

    def _attempt(self, case: LiveCase, *, is_last: bool) -> State:
        try:
            made = attempt(case, self.connections[case.dialect])
        except Interrupted as stopped:
            self._note(case, "left", stopped.calls, stopped.tokens, "interrupted")
            raise
        state, why = self._judge(case, made, is_last=is_last)
        if state == "recorded":
            try:
                self._save(case, made)
            except (SecretFound, OSError) as error:
                state, why = "left", f"the cassette is not written: {error}"
                self.played.notes.append(f"{case.id}: {why}")
        self._note(case, state, made.calls, made.tokens, why)
        return state

    def _judge(self, case: LiveCase, made: Attempt, *, is_last: bool) -> tuple[State, str]:
        """Return what an attempt came to; where nothing more can come of a provider or model, note that too."""
        failure = made.failure
        if failure is not None:
            message = failure.error.message[:_LONGEST] if failure.error else ""
            why = f"{self._url(case)} wants {made.waits:.0f} s of patience: {message}"
            self.played.stopped[case.dialect] = f"{why} (--longest-wait {made.waits:.0f} waits for it)"
            return "left", why
        refused = next((response for response in made.responses if response.status in _REFUSED_KEY), None)
        if refused is not None:
            why = f"{self._url(case)} refused the key: HTTP {refused.status}, {_message(refused)}"
            why = f"{why}; check it, and that it may use {case.model}"
            self.played.stopped[case.dialect] = why
            return "left", why
        missing = find_missing_behaviour(case, made.responses)
        if not missing:
            return ("refused", made.problem) if made.problem else ("recorded", "")
        answered = made.responses[-1] if made.responses else None
        if answered is not None and answered.status == _NO_SUCH_MODEL:
            why = f"{self._url(case)} has no model {case.model}, or has it no longer: {_message(answered)}"
            self.played.stopped[case.model] = f"{why}; ask another: --model {case.dialect}=NAME"
            return "left", why
        if answered is not None and answered.status >= 400:
            return "refused", f"HTTP {answered.status}: {_message(answered)}"
        why = missing or made.problem
        return ("not elicited" if is_last else "not shown"), why

    def _save(self, case: LiveCase, made: Attempt) -> None:
        interactions = made.interactions[1:] if case.elicitation.first is not None else made.interactions
        cassette = Cassette(live_metadata(case, made), interactions)
        save_cassette(cassette_path(self.out, case.scenario.id, case.dialect, case.mode), cassette)

    def _note(self, case: LiveCase, state: State, calls: int, tokens: Tokens, why: str) -> None:
        dollars = case.price.cost(tokens) if case.price else 0.0
        at = datetime.fromtimestamp(self.clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        row = LedgerRow(
            case.id, case.dialect, case.model, state, calls, tokens.input, tokens.output, round(dollars, 8), why, at
        )
        self.spending.add(case.dialect, calls, tokens, dollars)
        self.played.rows.append(row)
        append_row(self.out, row)

    def _url(self, case: LiveCase) -> str:
        return self.connections[case.dialect].serve.partition("=")[2]


def find_missing_behaviour(case: LiveCase, responses: Sequence[Response]) -> str:
    """Return what the answers do not show, "" if they show all."""
    for predicate in case.elicitation.shows_in(case.mode):
        if predicate.turn >= len(responses):
            return f"turn {predicate.turn} was not answered"
        documents = list(responses[predicate.turn].documents)
        if predicate.on == "client_response" and not documents:
            return f"turn {predicate.turn} has no document"
        document = documents if predicate.on == "client_events" else documents[0]
        violation = find_violation(predicate.operator, predicate.operand, document, predicate.path, predicate.on, False)
        if violation:
            expected = f"{predicate.path} {predicate.operator} {show_values([predicate.operand])}"
            return f"turn {predicate.turn}: {expected}, actual: {violation[:_LONGEST]}"
    return ""


def live_metadata(case: LiveCase, made: Attempt) -> dict[str, object]:
    """Return the metadata of a case's cassette. A provider on this machine is a stand-in or a gateway, so what it says
    is no evidence about any provider: the cassette is labelled scripted, without a date."""
    elicited = {"family": case.elicitation.family, "prompt": case.elicitation.prompt,
                "settings": case.elicitation.settings}  # fmt: skip
    metadata: dict[str, object] = {
        **made.metadata, "scenario": case.scenario.id, "dialect": case.dialect, "mode": case.mode, "model": case.model,
        "recorder": RECORDER, "elicited": {key: value for key, value in elicited.items() if value},
    }  # fmt: skip
    metadata.pop("attempts", None)
    if is_on_this_machine(text(metadata.get("endpoint"))):
        metadata.pop("recorded_at", None)
        metadata["source"] = "scripted"
    return metadata


def is_on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _message(response: Response) -> str:
    document = response.documents[-1] if response.documents else response.text
    return (
        show_values(select(document, "error.message", "")) if isinstance(document, dict) else str(document)[:_LONGEST]
    )
