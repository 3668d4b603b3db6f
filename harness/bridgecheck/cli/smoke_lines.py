"""What smoke's two processes say to each other, as plain JSON objects; and what is known when it is over."""

from dataclasses import asdict, dataclass, field
from typing import Final, cast

from bridgecheck.drivers import Driver
from bridgecheck.model.adapter import Route
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.case_json import case_from_dict, case_to_dict
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.run.claims import claimed
from bridgecheck.run.diagnose import Diagnosis
from bridgecheck.run.smoke import Stage, Tried
from bridgecheck.run.symptoms import Ends, Whose
from bridgecheck.wire import JsonObject

EXITS: Final[tuple[tuple[Whose, int], ...]] = (("harness", 3), ("configuration", 2), ("adapter", 1))
"""What smoke ends with: the first whose fault it is."""

NOTHING: Final = 4


@dataclass(frozen=True, slots=True)
class Described:
    """An adapter by its own words. ``judged_on_all``: it claims nothing, so that all is demanded of it.
    ``upstream_port``: where a gateway that runs already looks for its provider, 0 for every other adapter."""

    name: str
    version: str
    routes: tuple[Route, ...]
    claims: frozenset[str]
    judged_on_all: bool
    upstream_port: int = 0


@dataclass(slots=True)
class Smoked:
    """``adapter``: None where there is none. ``stopped``: why nothing more could be tried, None if all was. ``left``:
    how many cases were not tried."""

    target: str
    adapter: Described | None = None
    tried: list[Tried] = field(default_factory=list)
    stopped: Diagnosis | None = None
    left: int = 0
    seconds: float = 0.0

    def of(self, stage: Stage) -> list[Tried]:
        return [one for one in self.tried if one.stage == stage]

    @property
    def claims(self) -> frozenset[str]:
        """What the adapter claims, and what came through in some direction."""
        own = self.adapter.claims if self.adapter else frozenset()
        return own | claimed(one.result for one in self.of("capability"))

    @property
    def faults(self) -> list[Diagnosis]:
        """All that is wrong. A capability that does not work is a fault where it is claimed."""
        found = [one.diagnosis for one in self.tried if one.diagnosis and one.demanded]
        return [*found, *([self.stopped] if self.stopped else [])]

    @property
    def exit_code(self) -> int:
        whose = {fault.whose for fault in self.faults}
        code = next((code for name, code in EXITS if name in whose), None)
        if code is not None:
            return code
        return 0 if any(one.works for one in self.of("plain")) else NOTHING


def adapter_to_dict(driver: Driver) -> JsonObject:
    info = driver.info
    return {
        "name": info.name,
        "version": info.version,
        "routes": sorted(map(list, info.routes)),
        "claims": sorted(info.claims),
        "judged_on_all": driver.judged_on_all,
        "upstream_port": driver.gateway.upstream_port if driver.gateway else 0,
    }


def adapter_from_dict(value: object) -> Described:
    data = obj(value)
    return Described(
        name=text(data.get("name")),
        version=text(data.get("version")),
        routes=tuple(cast(Route, tuple(map(text, arr(route)))) for route in arr(data.get("routes"))),
        claims=frozenset(map(text, arr(data.get("claims")))) & frozenset(CAPABILITIES),
        judged_on_all=data.get("judged_on_all") is True,
        upstream_port=integer(data.get("upstream_port")) or 0,
    )


def tried_to_dict(one: Tried) -> JsonObject:
    found = asdict(one.diagnosis) if one.diagnosis else None
    return {"stage": one.stage, "case": case_to_dict(one.result), "diagnosis": found, "demanded": one.demanded}


def tried_from_dict(value: object) -> Tried:
    """Raises ValueError."""
    data = obj(value)
    found = data.get("diagnosis")
    return Tried(
        cast(Stage, text(data.get("stage"))),
        case_from_dict(data.get("case")),
        _diagnosis(obj(found)) if found else None,
        data.get("demanded") is True,
    )


def _diagnosis(data: JsonObject) -> Diagnosis:
    return Diagnosis(
        whose=cast(Whose, text(data.get("whose"))),
        name=text(data.get("name")),
        cause=text(data.get("cause")),
        evidence=tuple(
            (text(pair[0]), text(pair[1])) for pair in map(arr, arr(data.get("evidence"))) if len(pair) == 2
        ),
        next_step=text(data.get("next_step")),
        ends=cast(Ends, text(data.get("ends"))),
    )
