"""Playing the ledger: every probe of a side through the adapter, in every direction that it routes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.checks import judge
from bridgecheck.compare.losses import conversion_hops
from bridgecheck.compare.rewrites import canonical
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, Refused
from bridgecheck.ledger.base import Base
from bridgecheck.ledger.entry import Entry, Unrun
from bridgecheck.ledger.fate import Ruling, Run, Way, base_ruling, far_text, rule
from bridgecheck.ledger.features import in_classes, of_outcome, of_prompt
from bridgecheck.ledger.kinds import SIDES, Side
from bridgecheck.ledger.needed import needed
from bridgecheck.ledger.probes import Probe, Unplaced, probes
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.verdict import CaseKey, Path
from bridgecheck.run.record import Record, build_evidence, pivot_dialect
from bridgecheck.run.turns import minimal_request, minimal_response
from bridgecheck.wire import DIALECTS, Dialect, Mode

MODEL: Final = "base-model"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is run of what there is; None means all."""

    client: Dialect | None = None
    upstream: Dialect | None = None
    side: Side | None = None


def ledger(driver: Driver, wanted: Wanted) -> Iterator[Entry | Unrun]:
    """Every entry, direction by direction: requests, answers, streams; the bases of each first."""
    for client in DIALECTS:
        for upstream in DIALECTS:
            asked = wanted.client in (None, client) and wanted.upstream in (None, upstream)
            if asked and (client, upstream) in driver.info.routes:
                for side in SIDES:
                    if wanted.side in (None, side) and _can(driver, side):
                        yield from _Direction(driver, client, upstream, side).entries()


_METHODS: Final[dict[Side, str]] = {"request": "to_upstream", "response": "from_upstream", "stream": "stream"}


def _can(driver: Driver, side: Side) -> bool:
    """Whether the adapter converts such documents at all: any method may be missing."""
    return driver.identity or callable(getattr(driver.converter, _METHODS[side], None))


@dataclass(slots=True)
class _Direction:
    """One side of one route. ``played``: bases that several probes share are played once."""

    driver: Driver
    client: Dialect
    upstream: Dialect
    side: Side
    played: dict[str, Run] = field(default_factory=dict)

    def entries(self) -> Iterator[Entry | Unrun]:
        origin = self.client if self.side == "request" else self.upstream
        for probe in probes(origin, self.side):
            if isinstance(probe, Unplaced):
                yield Unrun(probe.leaf, probe.why)
            else:
                yield from self._probe(probe)

    def _probe(self, probe: Probe) -> Iterator[Entry]:
        known = far_text(probe.base.documents)
        new = known not in self.played
        if new:
            self.played[known] = self._play(probe.base)
        base = self.played[known]
        if new:
            yield self._entry(probe, "", base_ruling(self._way(), base), base)
        a, b = self._play(probe.a), self._play(probe.b)
        yield self._entry(probe, probe.leaf.path, rule(probe, self._way(), base, a, b), a)

    def _entry(self, probe: Probe, path: str, ruling: Ruling, run: Run) -> Entry:
        return Entry(self.client, self.upstream, self.side, path, probe.place, ruling, run.said_lost)

    def _way(self) -> Way:
        origin, target = (self.client, self.upstream) if self.side == "request" else (self.upstream, self.client)
        return Way(self.side, conversion_hops(origin, target, self._pivot()), needed(self.side, target))

    def _pivot(self) -> Dialect | None:
        key = CaseKey("ledger", self._path, self.client, self.upstream, "unary", "wire")
        return pivot_dialect(key, self.driver.info)

    @property
    def _path(self) -> Path:
        return "native" if self.driver.identity else "bridged"

    def _play(self, base: Base) -> Run:
        """One document of the client's (requests) or of the provider's. The other half of the case is not converted: it
        is the minimal answer on both sides, or the minimal request."""
        record = Record()
        request, response = self._ends(base)
        try:
            self._convert(record, request, response)
        except Crashed as crash:
            record.crash = str(crash)
        except Refused as refusal:
            record.refused = str(refusal)
        if not record.client:
            record.pending = request
            record.add_broken_connection()
        key = CaseKey("ledger", self._path, self.client, self.upstream, request.mode, "wire")
        found = build_evidence(key, record, None, self.driver)
        return _asked(found, record) if self.side == "request" else _answered(found, record)

    def _convert(self, record: Record, request: Request, response: Response) -> None:
        if self.side == "request":
            sent = inprocess.convert_request(self.driver, request, self.upstream)
            record.upstream.append(Interaction(sent.request, response))
            record.losses += sent.losses
            record.add_answer(request, minimal_response(self.client, request.mode), 0)
        else:
            record.upstream.append(Interaction(None, response))
            answered = inprocess.convert_response(self.driver, response, request)
            record.losses += answered.losses
            record.arrivals += answered.arrivals
            record.add_answer(request, answered.response, 0)

    def _ends(self, base: Base) -> tuple[Request, Response]:
        if self.side == "request":
            body = base.documents[0]
            mode: Mode = "stream" if body.get("stream") is True else "unary"
            named = body.get("model")
            asked = Request(self.client, mode, body, named if isinstance(named, str) else MODEL)
            return asked, minimal_response(self.upstream, mode)
        mode = "stream" if self.side == "stream" else "unary"
        answer = Response(self.upstream, mode, base.documents, base.status)
        return minimal_request(self.client, mode, MODEL), answer


def _asked(found: Evidence, record: Record) -> Run:
    """What the provider was sent of a request."""
    said, got = found.client_prompts[0], next(iter(found.upstream_prompts), None)
    if said is None:
        raise AssertionError("every probe has a request")
    arrived = record.upstream[0].request if record.upstream else None
    return Run(
        near=of_prompt(said),
        seen=of_prompt(got) if got is not None else {},
        near_level=of_prompt(canonical(said)),
        seen_level=of_prompt(canonical(got)) if got is not None else {},
        text=far_text([said.model, record.client[0].request.body]) if record.client[0].request else "",
        far=far_text([arrived.model, arrived.body]) if arrived is not None else "",
        verdicts=judge(found),
        refused=record.refused,
        crash=record.crash,
        said_lost=tuple(record.losses),
    )


def _answered(found: Evidence, record: Record) -> Run:
    """What the client received of an answer."""
    near = of_outcome(found.upstream_outcomes[0]) if found.upstream_outcomes else {}
    answer = record.client[0].response
    return Run(
        near=near,
        seen=of_outcome(found.client_outcomes[0]),
        near_level=in_classes(found.upstream_outcomes[0]) if found.upstream_outcomes else {},
        seen_level=in_classes(found.client_outcomes[0]),
        text=far_text([*record.upstream[0].response.documents]) if record.upstream else "",
        far=far_text([answer.status, *answer.documents]),
        verdicts=judge(found),
        refused=record.refused,
        crash=record.crash,
        said_lost=tuple(record.losses),
    )
