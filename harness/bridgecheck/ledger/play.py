"""Plays the ledger: every probe of a side through the adapter, in every direction that it routes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bridgecheck.checks import CHECKS, judge
from bridgecheck.compare.losses import conversion_hops
from bridgecheck.compare.rewrites import canonical
from bridgecheck.documented_leaves import SIDES, Side
from bridgecheck.drivers import Driver, inprocess
from bridgecheck.drivers.foreign_code import Crashed, Ended, Hung, Refused
from bridgecheck.ledger.documents import Base
from bridgecheck.ledger.fate import REQUIRED_PATHS, Ruling, Run, SideConversion, judge_base, judge_leaf
from bridgecheck.ledger.features import canonical_features_without_error_and_ids, outcome_features, prompt_features
from bridgecheck.ledger.matrix import Entry, UnrunLeaf
from bridgecheck.ledger.probes import LeafWithoutBaseOrValues, Probe, make_probes
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import canonical as canonical_text
from bridgecheck.model.verdict import CaseKey, Path
from bridgecheck.run.longer_limits import MachineStalled, try_again_with_longer_limits
from bridgecheck.run.machine_load import MachineLoad
from bridgecheck.run.record import Record, build_evidence, pivot_dialect
from bridgecheck.run.turns import minimal_request, minimal_response
from bridgecheck.wire import DIALECTS, Dialect, Mode

MODEL: Final = "base-model"

MAX_ENDS: Final = 5
"""An adapter whose process ended, or that hung, so often is asked no more: each time costs seconds, of thousands."""
_NOT_ASKED: Final = f"not asked: the adapter ended its process, or hung, {MAX_ENDS} times"


@dataclass(frozen=True, slots=True)
class LedgerDialectsAndSide:
    """Which part of the ledger is run; None means all."""

    client: Dialect | None = None
    upstream: Dialect | None = None
    side: Side | None = None


def play_ledger(
    driver: Driver, selection: LedgerDialectsAndSide, measure_load: Callable[[], MachineLoad] = MachineLoad
) -> Iterator[Entry | UnrunLeaf]:
    """Yield every entry, direction by direction: requests, answers, streams; the bases of each first.
    ``measure_load``: makes what measures the machine while what hit a time limit is tried again."""
    ends: list[Crashed] = []
    for client in DIALECTS:
        for upstream in DIALECTS:
            is_selected = selection.client in (None, client) and selection.upstream in (None, upstream)
            if is_selected and (client, upstream) in driver.info.routes:
                for side in SIDES:
                    # Any of the three methods may be missing.
                    can_convert = driver.identity or callable(getattr(driver.converter, _METHODS[side], None))
                    if selection.side in (None, side) and can_convert:
                        yield from _DirectionSidePlay(
                            driver, client, upstream, side, ends, measure_load
                        ).play_probes_of_side()


_METHODS: Final[dict[Side, str]] = {"request": "to_upstream", "response": "from_upstream", "stream": "stream"}


@dataclass(slots=True)
class _DirectionSidePlay:
    """One side of one route. ``ends``: the crashes in the whole ledger that ended the adapter's process, and its hangs.
    ``played``: bases that several probes share are played once."""

    driver: Driver
    client: Dialect
    upstream: Dialect
    side: Side
    ends: list[Crashed]
    measure_load: Callable[[], MachineLoad]
    played: dict[str, Run] = field(default_factory=dict)

    def play_probes_of_side(self) -> Iterator[Entry | UnrunLeaf]:
        origin = self.client if self.side == "request" else self.upstream
        for probe in make_probes(origin, self.side):
            if isinstance(probe, LeafWithoutBaseOrValues):
                yield UnrunLeaf(probe.leaf, probe.why)
            elif len(self.ends) >= MAX_ENDS:
                yield UnrunLeaf(probe.leaf, _NOT_ASKED)
            else:
                try:
                    entries = list(self._play_probe_and_new_base(probe))
                except MachineStalled as stalled:
                    yield UnrunLeaf(probe.leaf, stalled.what)
                else:
                    yield from entries

    def _play_probe_and_new_base(self, probe: Probe) -> Iterator[Entry]:
        known = canonical_text([*probe.base.documents])
        new = known not in self.played
        if new:
            self.played[known] = self._play_document(probe.base)
        base = self.played[known]
        if new:
            yield self._make_entry(probe, "", judge_base(self._side_hops(), base), base)
        a, b = self._play_document(probe.a), self._play_document(probe.b)
        yield self._make_entry(probe, probe.leaf.path, judge_leaf(probe, self._side_hops(), base, a, b), a)

    def _make_entry(self, probe: Probe, path: str, ruling: Ruling, run: Run) -> Entry:
        return Entry(self.client, self.upstream, self.side, path, probe.base_name, ruling, run.declared_losses)

    def _side_hops(self) -> SideConversion:
        origin, target = (self.client, self.upstream) if self.side == "request" else (self.upstream, self.client)
        required = REQUIRED_PATHS.get((self.side, target), frozenset())
        return SideConversion(self.side, conversion_hops(origin, target, self._pivot()), required)

    def _pivot(self) -> Dialect | None:
        key = CaseKey("ledger", self._native_if_identity_else_bridged, self.client, self.upstream, "unary", "wire")
        return pivot_dialect(key, self.driver.info)

    @property
    def _native_if_identity_else_bridged(self) -> Path:
        return "native" if self.driver.identity else "bridged"

    def _play_document(self, document: Base) -> Run:
        """Play one document of the client's (requests) or of the provider's. Raises MachineStalled."""

        def play_with_limit(factor: float) -> tuple[Run, Crashed | None]:
            return self._play_document_once(document, self.driver.with_time(factor))

        played = play_with_limit(1)
        if isinstance(played[1], Hung):
            played = try_again_with_longer_limits(
                played, play_with_limit, lambda tried: isinstance(tried[1], Hung), measure_load=self.measure_load
            )
        run, crash = played
        if isinstance(crash, Ended | Hung):
            self.ends.append(crash)
        return run

    def _play_document_once(self, document: Base, driver: Driver) -> tuple[Run, Crashed | None]:
        """The other half of the case is not converted: it is the minimal answer on both sides, or the minimal
        request. Return also how the adapter crashed."""
        record, ended = Record(), None
        request, response = self._request_and_response(document)
        try:
            self._convert_request_or_response(record, request, response, driver)
        except Crashed as crash:
            record.crash, ended = str(crash), crash
        except Refused as refusal:
            record.refused = str(refusal)
        if not record.client:
            record.pending = request
            record.break_off_pending_turn()
        key = CaseKey("ledger", self._native_if_identity_else_bridged, self.client, self.upstream, request.mode, "wire")
        evidence = build_evidence(key, record, None, driver)
        run = _request_run(evidence, record) if self.side == "request" else _response_run(evidence, record)
        return run, ended

    def _convert_request_or_response(
        self, record: Record, request: Request, response: Response, driver: Driver
    ) -> None:
        if self.side == "request":
            sent = inprocess.convert_request(driver, request, self.upstream)
            record.upstream.append(Interaction(sent.request, response))
            record.losses += sent.losses
            record.add_client_answer(request, minimal_response(self.client, request.mode), 0)
        else:
            record.upstream.append(Interaction(None, response))
            answered = inprocess.convert_response(driver, response, request)
            record.losses += answered.losses
            record.arrivals += answered.arrivals
            record.add_client_answer(request, answered.response, 0)

    def _request_and_response(self, base: Base) -> tuple[Request, Response]:
        if self.side == "request":
            body = base.documents[0]
            mode: Mode = "stream" if body.get("stream") is True else "unary"
            in_body = body.get("model")
            request = Request(self.client, mode, body, in_body if isinstance(in_body, str) else MODEL)
            return request, minimal_response(self.upstream, mode)
        mode = "stream" if self.side == "stream" else "unary"
        answer = Response(self.upstream, mode, base.documents, base.status)
        return minimal_request(self.client, mode, MODEL), answer


def _request_run(evidence: Evidence, record: Record) -> Run:
    """Return what the provider received of a request."""
    expected, actual = evidence.client_prompts[0], next(iter(evidence.upstream_prompts), None)
    if expected is None:
        raise AssertionError("every probe has a request")
    request = record.client[0].request
    received = record.upstream[0].request if record.upstream else None
    return Run(
        expected=prompt_features(expected), actual=prompt_features(actual) if actual is not None else {},
        expected_canonical=prompt_features(canonical(expected)),
        actual_canonical=prompt_features(canonical(actual)) if actual is not None else {},
        sent_text=canonical_text([expected.model, request.body]) if request else "",
        received_text=canonical_text([received.model, received.body]) if received else "",
        verdicts=tuple(verdict for verdict in judge(evidence) if verdict.check not in _CHECKS_OF_RESPONSES),
        refused=record.refused, crash=record.crash, declared_losses=tuple(record.losses),
    )  # fmt: skip


_CHECKS_OF_RESPONSES: Final = frozenset(check.id for check in CHECKS if check.side in ("response", "stream"))
"""What judges the minimal answer of a request's run, which was not converted."""


def _response_run(evidence: Evidence, record: Record) -> Run:
    """Return what the client received of a response."""
    expected = next(iter(evidence.upstream_outcomes), None)
    response = record.client[0].response
    return Run(
        expected=outcome_features(expected) if expected else {}, actual=outcome_features(evidence.client_outcomes[0]),
        expected_canonical=canonical_features_without_error_and_ids(expected) if expected else {},
        actual_canonical=canonical_features_without_error_and_ids(evidence.client_outcomes[0]),
        sent_text=canonical_text([*record.upstream[0].response.documents]) if record.upstream else "",
        received_text=canonical_text([response.status, *response.documents]), verdicts=judge(evidence),
        refused=record.refused, crash=record.crash, declared_losses=tuple(record.losses),
    )  # fmt: skip
