"""One case of a scenario, played and judged. Never raises: what goes wrong in the harness is that case's ERROR."""

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.cassette.recorded import Cassette
from bridgecheck.checks import judge
from bridgecheck.checks.notices import APPLIES, HARNESS, UNCLAIMED
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.errors import BridgecheckError, MissingSdk
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, CaseResult, Status, Verdict
from bridgecheck.relations.choose import NONE, Relating
from bridgecheck.run import native as sdk_native
from bridgecheck.run import relations, relations_sdk, wire
from bridgecheck.run.discreet import discreet
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case
from bridgecheck.run.record import NotPlayable
from bridgecheck.run.sdk_limits import refuse_unreadable
from bridgecheck.run.turns import turns
from bridgecheck.run.verdicts import evidence, views
from bridgecheck.run.ways import way

WORKS: Final[frozenset[Status]] = frozenset({"PASS", "NOTE", "INHERITED", "DISPUTED"})
"""The verdicts of a case that came through."""


@dataclass(frozen=True, slots=True)
class Played:
    """``transcript``: None where nothing was played. ``error``: why the harness could not play it."""

    verdicts: tuple[Verdict, ...]
    views: dict[str, str]
    crash: str = ""
    transcript: Transcript | None = None
    error: BridgecheckError | None = None


def run_case(case: Case, scenario: Scenario, driver: Driver, library: Library, relating: Relating = NONE) -> CaseResult:
    """Plays and judges one case; a case that does not count gets one NOT_APPLICABLE verdict that says why, or a NOTE
    where it shows that more could be claimed."""
    return watched(case, scenario, driver, library, relating)[0]


def watched(
    case: Case, scenario: Scenario, driver: Driver, library: Library, relating: Relating = NONE
) -> tuple[CaseResult, Transcript | None, BridgecheckError | None]:
    """As ``run_case``, and all that was seen on both sides: with nothing masked, so not for a report. None where
    nothing was played. Third, the error of the harness that kept it from being played."""
    started = time.perf_counter()
    key = case.key
    source = "scripted"
    played = not_applicable(case.why_not)
    if case.unclaimed or not case.why_not:
        try:
            cassette = library.cassette(scenario.id, key.upstream, key.mode)
            source = cassette.source
            acting = _claiming(driver, case.unclaimed)
            played = guarded(lambda: _play(key, scenario, acting, cassette, library, relating))
        except BridgecheckError as error:
            played = failed(str(error), error)
    if case.unclaimed:
        played = _unclaimed(case, played)
    result = CaseResult(
        key=key,
        adapter=driver.info.name,
        verdicts=played.verdicts,
        title=scenario.title,
        topic=scenario.topic,
        source=source,
        seconds=round(time.perf_counter() - started, 6),
        crash=played.crash,
        where=f"scenarios/{scenario.id}.json",
        views=played.views,
    )
    return discreet(result), played.transcript, played.error


def guarded(play: Callable[[], Played]) -> Played:
    """Whatever the harness itself raises becomes an ERROR verdict with the traceback."""
    try:
        return play()
    except NotPlayable as reason:
        return not_applicable(reason.what)
    except MissingSdk as missing:
        return not_applicable(f"{missing.what}: {missing.next_step}")
    except BridgecheckError as error:
        return failed(str(error), error)
    except Exception:
        return failed(traceback.format_exc(limit=-12))


def _claiming(driver: Driver, capabilities: Sequence[str]) -> Driver:
    """The adapter as if it claimed these too, so that it shows whether they work."""
    if not capabilities:
        return driver
    return replace(driver, info=replace(driver.info, claims=driver.info.claims.union(capabilities)))


def _unclaimed(case: Case, played: Played) -> Played:
    """Nothing is held against an adapter that does not claim it."""
    if any(verdict.status not in WORKS for verdict in played.verdicts):
        return not_applicable(case.why_not)
    return Played((Verdict(UNCLAIMED, "NOTE", f"{case.why_not}, but it works here"),), {})


def not_applicable(why: str) -> Played:
    return Played((Verdict(APPLIES, "NOT_APPLICABLE", why),), {})


def failed(message: str, error: BridgecheckError | None = None) -> Played:
    return Played((Verdict(HARNESS, "ERROR", message),), {}, error=error)


def _play(
    key: CaseKey, scenario: Scenario, driver: Driver, cassette: Cassette, library: Library, relating: Relating
) -> Played:
    recorded = [interaction.response for interaction in cassette.decoded(key.upstream, key.mode)]
    plays = turns(scenario, key, recorded)
    acting = IDENTITY if key.path == "native" else driver
    native = None
    if key.layer == "sdk":
        refuse_unreadable(key.upstream, key.mode, cassette)
    if key.layer == "wire":
        record = wire.play(acting, key, plays)
    elif key.path == "native":
        record, native = sdk_native.play(key, plays, cassette)
    else:
        record = way(acting, key, plays, library).play(cassette)
        native = library.native.of(key, plays, cassette) if key.layer == "sdk" else None
    found = evidence(key, record, scenario, acting, native)
    if key.layer == "wire":
        varied = relations.on_wire(found, acting, relating)
    else:
        again = way(acting, key, plays, library, in_step=False)
        varied = relations_sdk.on_sdk(found, plays, cassette, acting, relating, again)
    verdicts = (*judge(found), *varied)
    return Played(verdicts, views(found.transcript, verdicts), record.crash, found.transcript)
