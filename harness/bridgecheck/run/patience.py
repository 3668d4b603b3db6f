"""Plays a case so that its time limit says something of the adapter, and not of the machine or of the first use.

Before its clock runs, SDKs, adapter and what stands between are used once for its route, mode and layer. A limit that
was hit is tried again while nothing else plays, with longer limits as long as the machine is busy; if that stood still
at the last, the case is an ERROR. After hangs in ten different scenarios the rest is not played.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias
from urllib.parse import quote

from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.checks.table import APPLIES, HARNESS
from bridgecheck.codec.body import encode_document
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import do_nothing
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run import play_wire, traffic
from bridgecheck.run.execute import (
    JudgedCase,
    PlayedCase,
    catch_harness_errors,
    import_sdks,
    judge_case,
    seconds_until_free,
)
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import LONGER_LIMITS, MachineStalled, try_again_with_longer_limits
from bridgecheck.run.machine_load import MachineLoad
from bridgecheck.run.plan import Case
from bridgecheck.run.record import Record, Turn
from bridgecheck.run.relations import frame_stream
from bridgecheck.run.run_state import MAX_HUNG_SCENARIOS, RunState
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.run.turns import minimal_request, minimal_response, scenario_turns
from bridgecheck.upstream.play import UNSETTLED_S
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS

FIRST_USE_LIMIT: Final = 3.0
"""Of the same, for the first use of a route, in which nothing is judged."""

NOT_ASKED: Final = f"not asked: the adapter hung in {MAX_HUNG_SCENARIOS} scenarios"

WarmRoute = tuple[Dialect, Dialect, Mode, str, int]
Excusing: TypeAlias = Callable[[CaseResult], CaseResult]


def excuse_nothing(result: CaseResult) -> CaseResult:
    return result


@dataclass(slots=True)
class Patience:
    """``measure_load``: makes what measures the machine while a case is tried again. ``sleep``: called where a case has
    to wait for what a running gateway may yet send."""

    state: RunState = field(default_factory=RunState)
    measure_load: Callable[[], MachineLoad] = MachineLoad
    sleep: Callable[[float], object] = time.sleep
    _warm: set[WarmRoute] = field(default_factory=set)
    _is_worth_warming: bool = True

    def play(
        self, case: Case, scenario: Scenario, driver: Driver, library: Library,
        relation_choice: RelationChoice = NO_RELATIONS, excuse_failures: Excusing = excuse_nothing,
    ) -> CaseResult:  # fmt: skip
        """Play and judge one case. ``excuse_failures``: adds its excuses. Never raises."""
        where = f"scenarios/{scenario.file_id}.json"
        rests_on = library.provenance(scenario.id, case.key.upstream, case.key.mode)
        not_asked = CaseResult(
            case.key, driver.info.name, _NOT_ASKED, scenario.title, scenario.topic, rests_on.source, where=where,
            recording=rests_on.recording,
        )  # fmt: skip

        def play_with_limit(factor: float) -> JudgedCase:
            return judge_case(case, scenario, driver.with_time(factor), library, relation_choice)

        def use_once() -> None:
            self._use_once(case.key, scenario, driver, library)

        def wait_until_free() -> None:
            """What the gateway sends late for a play that hung must not come to the next one. Where it goes on sending,
            the next one will hang too."""
            seconds = seconds_until_free(case.key, scenario, driver, library)
            if seconds > 0:
                self.sleep(min(seconds, UNSETTLED_S))

        return self._play(case, scenario.id, not_asked, play_with_limit, use_once, excuse_failures, wait_until_free)

    def play_traffic(
        self, case: Case, item: TrafficItem, driver: Driver, relation_choice: RelationChoice = NO_RELATIONS,
        excuse_failures: Excusing = excuse_nothing,
    ) -> CaseResult:  # fmt: skip
        """Play and judge one case of recorded traffic, as ``play`` does."""
        topic = traffic.topic_of_file(item.where)
        not_asked = CaseResult(case.key, driver.info.name, _NOT_ASKED, item.title, topic, "traffic", where=item.where)

        def play_with_limit(factor: float) -> JudgedCase:
            return traffic.judge_case(case, item, driver.with_time(factor), relation_choice)

        return self._play(case, item.id, not_asked, play_with_limit, do_nothing, excuse_failures, do_nothing)

    def _play(
        self, case: Case, scenario: str, not_asked: CaseResult, play_with_limit: Callable[[float], JudgedCase],
        use_once: Callable[[], None], excuse_failures: Excusing, wait_until_free: Callable[[], None],
    ) -> CaseResult:  # fmt: skip
        is_adapters = case.key.path == "bridged" and not (case.why_not and not case.unclaimed)
        if is_adapters and self.state.has_hung_too_often():
            return not_asked
        with self.state.play_beside_others():
            if is_adapters:
                use_once()
                wait_until_free()
            first = play_with_limit(1)
        if not first.has_hung:
            return excuse_failures(first.result)

        @contextmanager
        def play_alone() -> Iterator[None]:
            wait_until_free()
            with self.state.play_alone():
                yield

        # Where the first use, which has three times the limit, or the same scenario hung, one try more says enough.
        is_expected = not self._is_worth_warming or self.state.has_hung_in(scenario)
        factors = LONGER_LIMITS[:1] if is_expected else LONGER_LIMITS
        try:
            last = try_again_with_longer_limits(
                first, play_with_limit, lambda judged: judged.has_hung,
                factors=factors, measure_load=self.measure_load, play_alone=play_alone,
            )  # fmt: skip
        except MachineStalled as stalled:
            return excuse_failures(replace(first.result, verdicts=(Verdict(HARNESS, "ERROR", stalled.what),)))
        result = excuse_failures(last.result)
        if last is first and result.counted_as == "FAIL":  # what is excused must not keep the rest from being judged
            self.state.note_hang(scenario)
        return result

    def _use_once(self, key: CaseKey, scenario: Scenario, driver: Driver, library: Library) -> None:
        """Send the case's first request, for a short answer, if its route was not used yet in the process that runs."""
        route = (key.client, key.upstream, key.mode, key.layer)
        running = driver.running_process(key.upstream)
        if not self._is_worth_warming or (running and (*route, running) in self._warm):
            return
        records: list[Record] = []

        def use() -> PlayedCase:
            import_sdks(key, driver)
            records.append(_play_short_answer(key, scenario, driver.with_time(FIRST_USE_LIMIT), library))
            return PlayedCase((), {})

        catch_harness_errors(use)  # the case itself tells what is wrong
        self._warm.add((*route, driver.running_process(key.upstream)))
        self._is_worth_warming = not any(record.crash_kind == "hung" for record in records)


_NOT_ASKED: Final = (Verdict(APPLIES, "INCONCLUSIVE", NOT_ASKED),)


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
