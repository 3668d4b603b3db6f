"""Plays a case so that its time limit says something of the adapter, and not of the machine or of the first use.

Before its clock runs, SDKs, adapter and what stands between are used once for its route, mode and layer. A limit that
was hit is tried again while nothing else plays, with longer limits as long as the machine is busy; if that stood still
at the last, the case is an ERROR. After hangs in ten different scenarios the rest is not played.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.checks.table import APPLIES, HARNESS
from bridgecheck.codec.body import encode_document
from bridgecheck.drivers import Driver
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run import play_wire
from bridgecheck.run.execute import PlayedCase, catch_harness_errors, import_sdks, run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.run.machine_load import MachineLoad
from bridgecheck.run.plan import Case
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.relations import frame_stream
from bridgecheck.run.run_state import MAX_HUNG_SCENARIOS, RunState
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.run.turns import minimal_request, minimal_response, scenario_turns
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS

LONGER_LIMITS: Final = (1.5, 2.0, 2.5)
"""Of the adapter's limit, when a case that hit it is tried again."""
FIRST_USE_LIMIT: Final = 3.0
"""Of the same, for the first use of a route, in which nothing is judged."""

NOT_ASKED: Final = f"not asked: the adapter hung in {MAX_HUNG_SCENARIOS} scenarios"
STALLED: Final = "no answer in time, alone too; but the machine stood still meanwhile: nothing is known of the adapter"

WarmRoute = tuple[Dialect, Dialect, Mode, str, int]


@dataclass(slots=True)
class Patience:
    """``measure_load``: makes what measures the machine while a case is tried again."""

    state: RunState = field(default_factory=RunState)
    measure_load: Callable[[], MachineLoad] = MachineLoad
    _warm: set[WarmRoute] = field(default_factory=set)
    _is_worth_warming: bool = True

    def play(
        self, case: Case, scenario: Scenario, driver: Driver, library: Library,
        relation_choice: RelationChoice = NO_RELATIONS,
    ) -> CaseResult:  # fmt: skip
        """Play and judge one case. Never raises."""

        def play_with_limit(factor: float) -> tuple[CaseResult, bool]:
            acting = replace(driver, timeout=factor * driver.timeout)
            result, transcript, _ = run_with_transcript(case, scenario, acting, library, relation_choice)
            return result, _has_hung(transcript)

        is_adapters = case.key.path == "bridged" and not (case.why_not and not case.unclaimed)
        if is_adapters and self.state.has_hung_too_often():
            result = CaseResult(case.key, driver.info.name, (), scenario.title, scenario.topic)
            return replace(result, where=f"scenarios/{scenario.id}.json", verdicts=(_INCONCLUSIVE,))
        with self.state.play_beside_others():
            if is_adapters:
                self._use_once(case.key, scenario, driver, library)
            result, has_hung = play_with_limit(1)
        return self._try_again(result, scenario.id, play_with_limit) if has_hung else result

    def _try_again(
        self, first: CaseResult, scenario: str, play_with_limit: Callable[[float], tuple[CaseResult, bool]]
    ) -> CaseResult:
        """Return the result of a case that hit its limit: one with an answer, an ERROR, or the first one."""
        is_stalled = False
        # Where the first use, with three times the limit, hung too, one try more says enough.
        for factor in LONGER_LIMITS if self._is_worth_warming else LONGER_LIMITS[1:2]:
            with self.state.play_alone(), self.measure_load() as load:
                result, has_hung = play_with_limit(factor)
            if not has_hung:
                return result
            is_stalled = load.is_stalled
            if not load.is_busy:
                break
        if is_stalled:
            return replace(first, verdicts=(Verdict(HARNESS, "ERROR", STALLED),))
        self.state.note_hang(scenario)
        return first

    def _use_once(self, key: CaseKey, scenario: Scenario, driver: Driver, library: Library) -> None:
        """Send the case's first request, for a short answer, if its route was not used yet in the process that runs."""
        route = (key.client, key.upstream, key.mode, key.layer)
        running = driver.running_process(key.upstream)
        if not self._is_worth_warming or (running and (*route, running) in self._warm):
            return
        records: list[Record] = []

        def use() -> PlayedCase:
            import_sdks(key, driver)
            acting = replace(driver, timeout=FIRST_USE_LIMIT * driver.timeout)
            records.append(_play_short_answer(key, scenario, acting, library))
            return PlayedCase((), {})

        catch_harness_errors(use)  # the case itself tells what is wrong
        self._warm.add((*route, driver.running_process(key.upstream)))
        self._is_worth_warming = not any(record.crash_kind == "hung" for record in records)


_INCONCLUSIVE: Final = Verdict(APPLIES, "INCONCLUSIVE", NOT_ASKED)


def _has_hung(transcript: CaseTranscript | None) -> bool:
    return transcript is not None and transcript.crash_kind == "hung"


def _play_short_answer(key: CaseKey, scenario: Scenario, driver: Driver, library: Library) -> Record:
    recorded = library.load_recorded_cassette(scenario.id, key.upstream, key.mode)
    answers = [interaction.response for interaction in recorded.decode_interactions(key.upstream, key.mode)]
    first = scenario_turns(scenario, key, answers)[0]
    turns: Sequence[Turn] = [Turn(first.make_request, (minimal_response(key.upstream, key.mode),))]
    if key.layer == "wire":
        return play_wire.play(driver, key, turns)
    strategy = choose_strategy_above_wire(driver, key, turns, library, in_step=False)
    return strategy.play(_short_cassette(key.upstream, key.mode))


def _short_cassette(dialect: Dialect, mode: Mode) -> Cassette:
    record, response = RECORDS[dialect], minimal_response(dialect, mode)
    request = minimal_request(dialect, mode, record.example_model or "any-model")
    path = record.full_path_template(mode).replace("{model}", quote(request.model))
    sent = HttpRequest("POST", path, (), json.dumps(request.body).encode())
    is_stream = mode == "stream"
    chunks = frame_stream(replace(response, terminated=True)) if is_stream else None
    media_type = "text/event-stream" if is_stream else "application/json"
    body = chunks or (encode_document(dialect, response.documents[0]),)
    return Cassette({}, (RecordedInteraction(sent, 200, (("content-type", media_type),), body),))
