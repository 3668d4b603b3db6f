"""Plays and judges one case of a scenario. Never raises: what goes wrong in the harness is that case's ERROR."""

import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.provenance import LIVE
from bridgecheck.checks import cap_at_level, judge
from bridgecheck.checks.live_contradictions import dispute
from bridgecheck.checks.table import APPLIES, HARNESS, UNCLAIMED
from bridgecheck.drivers import Driver, sdk_clients
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BridgecheckError, MissingSdk
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Response
from bridgecheck.model.provenance import Recording
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.script_expectations import without_script_expectations
from bridgecheck.model.verdict import CaseKey, CaseResult, Status, Verdict
from bridgecheck.relations.choice import NO_RELATIONS, RelationChoice
from bridgecheck.run import play_chat, play_provider_sdk, play_wire, relations
from bridgecheck.run.contradictions import name_answer
from bridgecheck.run.library import Library
from bridgecheck.run.longer_limits import HangCount
from bridgecheck.run.mask import mask_case
from bridgecheck.run.plan import Case
from bridgecheck.run.record import NotPlayable, build_evidence, document_views, request_group
from bridgecheck.run.strategy import choose_strategy_above_wire
from bridgecheck.run.turns import scenario_turns

PASSING: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "INHERITED", "DISPUTED"})
"""The verdicts of a case that works without being claimed."""


@dataclass(frozen=True, slots=True)
class PlayedCase:
    """``transcript``: None where nothing was played. ``error``: why the harness could not play it.
    ``has_hung_in_relation``: whether the adapter did not answer in time where a law or a relation was played."""

    verdicts: tuple[Verdict, ...]
    views: dict[str, str]
    crash: str = ""
    transcript: CaseTranscript | None = None
    error: BridgecheckError | None = None
    has_hung_in_relation: bool = False

    @property
    def has_hung(self) -> bool:
        return self.has_hung_in_relation or (self.transcript is not None and self.transcript.crash_kind == "hung")

    def result(
        self, key: CaseKey, adapter: str, started: float, title: str, topic: str, source: str, where: str,
        recording: Recording | None = None,
    ) -> CaseResult:  # fmt: skip
        """Return what a report holds of the case, masked. ``started``: when it began, on ``perf_counter``."""
        seconds = round(time.perf_counter() - started, 6)
        return mask_case(
            CaseResult(
                key, adapter, self.verdicts, title, topic, source, seconds, self.crash, where, self.views, recording
            )
        )


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """``result``: for the report. ``has_hung``: whether the adapter did not answer in time, in whatever was played."""

    result: CaseResult
    transcript: CaseTranscript | None = None
    error: BridgecheckError | None = None
    has_hung: bool = False


def run_case(
    case: Case, scenario: Scenario, driver: Driver, library: Library, relation_choice: RelationChoice = NO_RELATIONS
) -> CaseResult:
    """Play and judge one case; a case that does not count gets one NOT_APPLICABLE verdict that says why, or a NOTE
    where it shows that more could be claimed."""
    return run_with_transcript(case, scenario, driver, library, relation_choice)[0]


def run_with_transcript(
    case: Case, scenario: Scenario, driver: Driver, library: Library, relation_choice: RelationChoice = NO_RELATIONS
) -> tuple[CaseResult, CaseTranscript | None, BridgecheckError | None]:
    """Play and judge as ``run_case`` does; return also the traffic of both sides, with nothing masked, so not for a
    report, None where nothing was played; and the error of the harness that kept it from being played."""
    judged = judge_case(case, scenario, driver, library, relation_choice)
    return judged.result, judged.transcript, judged.error


def judge_case(
    case: Case, scenario: Scenario, driver: Driver, library: Library, relation_choice: RelationChoice = NO_RELATIONS
) -> JudgedCase:
    """Play and judge as ``run_case`` does; return all that is known of it."""
    started, key = time.perf_counter(), case.key
    rests_on = library.provenance(scenario.id, key.upstream, key.mode)
    played = not_applicable(case.why_not)
    if case.unclaimed or not case.why_not:
        try:
            cassette = library.load_recorded_cassette(scenario.id, key.upstream, key.mode)
            if cassette.is_elicited:
                scenario = without_script_expectations(scenario)
            # Played as if it claimed these too, which shows whether they work.
            claims = driver.info.claims.union(case.unclaimed)
            acting = replace(driver, info=replace(driver.info, claims=claims)) if case.unclaimed else driver
            played = catch_harness_errors(lambda: _play(key, scenario, acting, cassette, library, relation_choice))
        except BridgecheckError as error:
            played = harness_error(str(error), error)
    if case.unclaimed:
        played = _judge_unclaimed(case, played)
    where = f"scenarios/{scenario.file_id}.json"
    result = played.result(
        key, driver.info.name, started, scenario.title, scenario.topic, rests_on.source, where, rests_on.recording
    )
    return JudgedCase(result, played.transcript, played.error, played.has_hung)


def seconds_until_free(key: CaseKey, scenario: Scenario, driver: Driver, library: Library) -> float:
    """Return for how many seconds a gateway that this harness did not start may yet send the request of this case for
    an earlier play of it, or of another case."""
    gateway = driver.gateway
    if gateway is None or gateway.is_started_by_harness or key.path == "native":
        return 0
    try:
        cassette = library.load_recorded_cassette(scenario.id, key.upstream, key.mode)
        recorded = [interaction.response for interaction in cassette.decode_interactions(key.upstream, key.mode)]
        group = request_group(key, scenario_turns(scenario, key, recorded))
    except BridgecheckError:  # the case itself tells
        return 0
    return library.edge_at(gateway.upstream_port).seconds_until_no_repeat(group)


def catch_harness_errors(play: Callable[[], PlayedCase]) -> PlayedCase:
    """Play; an exception of the harness becomes an ERROR verdict with the traceback."""
    try:
        return play()
    except NotPlayable as reason:
        return not_applicable(reason.what)
    except MissingSdk as missing:
        return not_applicable(f"{missing.what}: {missing.next_step}")
    except BridgecheckError as error:
        return harness_error(str(error), error)
    except Exception:
        return harness_error(traceback.format_exc(limit=-12))


def _judge_unclaimed(case: Case, played: PlayedCase) -> PlayedCase:
    """Return a NOTE if it works: nothing is held against an adapter that does not claim it."""
    if any(verdict.status not in PASSING for verdict in played.verdicts):
        return not_applicable(case.why_not)
    return PlayedCase((Verdict(UNCLAIMED, "NOTE", f"{case.why_not}, but it works here"),), {})


def not_applicable(reason: str) -> PlayedCase:
    return PlayedCase((Verdict(APPLIES, "NOT_APPLICABLE", reason),), {})


def harness_error(message: str, error: BridgecheckError | None = None) -> PlayedCase:
    return PlayedCase((Verdict(HARNESS, "ERROR", message),), {}, error=error)


def import_sdks(key: CaseKey, driver: Driver) -> None:
    """Import the SDKs of this case before its time limits begin: an adapter in this process uses that of the upstream,
    and a gateway is called with that of the client. Raises MissingSdk."""
    if key.layer == "chat":
        for dialect in {key.upstream, key.client}:
            sdk_clients.import_sdk(dialect)
    elif key.layer == "sdk":
        sdk_clients.import_sdk(key.upstream)
        if driver.gateway is not None:
            sdk_clients.import_sdk(key.client)
    elif key.layer == "http" and driver.handles is not None and driver.process is None:
        with suppress(MissingSdk):
            sdk_clients.import_sdk(key.upstream)


def _load_answers_in_client_dialect(key: CaseKey, library: Library) -> Sequence[Response]:
    cassette = library.load_recorded_cassette(key.scenario, key.client, key.mode)
    return [interaction.response for interaction in cassette.decode_interactions(key.client, key.mode)]


def _play(
    key: CaseKey,
    scenario: Scenario,
    driver: Driver,
    cassette: Cassette,
    library: Library,
    relation_choice: RelationChoice,
) -> PlayedCase:
    recorded = [interaction.response for interaction in cassette.decode_interactions(key.upstream, key.mode)]
    turns = scenario_turns(scenario, key, recorded, partial(_load_answers_in_client_dialect, key, library))
    acting = IDENTITY if key.path == "native" and key.layer != "chat" else driver
    native = None
    if key.layer in ("sdk", "chat"):
        play_provider_sdk.refuse_unreadable(key.upstream, key.mode, cassette)
    import_sdks(key, acting)
    if key.layer == "chat":
        evidence = play_chat.play(acting, key, turns, cassette, scenario, library)
        verdicts = judge(evidence)
        return PlayedCase(
            verdicts, document_views(evidence.transcript, verdicts), evidence.transcript.crash, evidence.transcript
        )
    if key.layer == "wire":
        record = play_wire.play(acting, key, turns)
    elif key.path == "native":
        record, native = play_provider_sdk.play(turns, cassette)
    else:
        record = choose_strategy_above_wire(acting, key, turns, library).play(cassette)
        native = library.native.find_outcomes(key, turns, cassette) if key.layer == "sdk" else None
    evidence, hangs = build_evidence(key, record, scenario, acting, native), HangCount()
    if key.layer == "wire":
        related = relations.relate_on_wire(evidence, acting, relation_choice, hangs)
    else:
        strategy = choose_strategy_above_wire(acting, key, turns, library, in_step=False)
        related = relations.relate_on_sdk(evidence, turns, cassette, acting, relation_choice, strategy, hangs)
    verdicts = (*judge(evidence), *(cap_at_level(verdict, evidence) for verdict in related))
    if cassette.source == LIVE:
        contradictions = library.contradictions(scenario, key.upstream, key.mode, cassette)
        verdicts = tuple(dispute(verdicts, contradictions, key.client, name_answer(cassette)))
    views = document_views(evidence.transcript, verdicts)
    return PlayedCase(verdicts, views, record.crash, evidence.transcript, has_hung_in_relation=hangs.count > 0)
