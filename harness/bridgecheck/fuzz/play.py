"""A generated scenario, judged in every direction that an adapter routes: no file, no cassette, no SDK."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from bridgecheck.checks import judge
from bridgecheck.codec import body as body_codec
from bridgecheck.drivers import Driver
from bridgecheck.drivers.driver import IDENTITY
from bridgecheck.files.scenario_file import to_scenario
from bridgecheck.model.exchange import Response
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.run import laws, wire
from bridgecheck.run.execute import Played, guarded
from bridgecheck.run.plan import Selection, plan
from bridgecheck.run.turns import turns
from bridgecheck.run.verdicts import evidence
from bridgecheck.upstream import script
from bridgecheck.wire import Dialect, JsonObject, Mode


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which cases of a scenario are played."""

    clients: tuple[Dialect, ...]
    upstreams: tuple[Dialect, ...]

    def take(self, key: CaseKey) -> bool:
        return key.layer == "wire" and key.client in self.clients and key.upstream in self.upstreams


def play(document: JsonObject, driver: Driver, bounds: Bounds) -> Iterator[CaseResult]:
    """Every case of the scenario at the wire layer, the identity's among them."""
    scenario = to_scenario(document)
    answers: dict[tuple[Dialect, Mode], list[Response]] = {}
    for case in plan(scenario, driver, Selection()):
        key = case.key
        if case.why_not or not bounds.take(key):
            continue
        place = key.upstream, key.mode
        if place not in answers:
            answers[place] = _answers(scenario, *place)
        played = guarded(partial(_play, scenario, key, driver, answers[place]))
        yield CaseResult(key, driver.info.name, played.verdicts, scenario.title, scenario.topic, crash=played.crash)


def _answers(scenario: Scenario, dialect: Dialect, mode: Mode) -> list[Response]:
    made = [one for turn in scenario.turns for one in script.answers(turn.upstream[dialect][mode], dialect, mode)]
    return [body_codec.decode_response(dialect, mode, one.status, one.headers, one.writes, one.end) for one in made]


def _play(scenario: Scenario, key: CaseKey, driver: Driver, answers: list[Response]) -> Played:
    acting = IDENTITY if key.path == "native" else driver
    record = wire.play(acting, key, turns(scenario, key, answers))
    found = evidence(key, record, scenario, acting)
    return Played((*judge(found), *laws.verdicts(found, acting)), {}, record.crash)
