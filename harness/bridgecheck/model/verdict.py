"""Statuses, differences, verdicts, and the result of one case.

A *verdict* is one check on one case; a *case* is scenario x path x client x upstream x mode x level. The worst verdict
is the case's status. Exit codes (fixed): 2 refused at start, 1 any unlisted FAIL, 3 any ERROR, 4 nothing judged, 0."""

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bridgecheck.model.provenance import Recording
from bridgecheck.wire import Dialect, Mode

Status: TypeAlias = Literal[
    "PASS", "FAIL", "WARN", "NOTE", "REJECTED", "DISPUTED", "INHERITED", "NOT_APPLICABLE", "INCONCLUSIVE", "ERROR"
]

STATUSES: Final[tuple[Status, ...]] = (
    "ERROR", "FAIL", "WARN", "INCONCLUSIVE", "REJECTED", "DISPUTED", "INHERITED", "NOTE", "PASS", "NOT_APPLICABLE",
)  # fmt: skip
"""Worst first: the first that any verdict of a case has is the case's status."""

Path: TypeAlias = Literal["native", "bridged"]
Layer: TypeAlias = Literal["wire", "sdk", "http", "chat"]
Level: TypeAlias = Literal["MUST", "SHOULD", "MAY"]

STATUS_OF_LEVEL: Final[dict[Level, Status]] = {"MUST": "FAIL", "SHOULD": "WARN", "MAY": "NOTE"}


@dataclass(frozen=True, slots=True)
class Difference:
    """``path``: in the normal form or document. ``expected`` / ``actual``: short canonical text, or "(absent)"."""

    path: str
    expected: str
    actual: str
    note: str = ""


ADAPTERS_WORD: Final = "types."


@dataclass(frozen=True, slots=True)
class AppliedLoss:
    """A declared loss that this case met: the row of ``compare/losses`` and the path it covered; of what a library's
    types have no place for by its adapter's word (``cannot_say``) ADAPTERS_WORD and the feature."""

    rule: str
    path: str
    reason: str

    @property
    def is_by_adapter(self) -> bool:
        return self.rule.startswith(ADAPTERS_WORD)


ExcuseKind: TypeAlias = Literal["deviation", "newer"]

EXCUSES: Final[tuple[ExcuseKind, ...]] = ("deviation", "newer")


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why a FAIL or WARN does not gate: a ``deviation`` that was accepted, or a requirement that is ``newer`` than the
    set asked for. ``by``: the entry of deviations.toml or the id of the set."""

    kind: ExcuseKind
    by: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """``check``: stable id, the same for pass and fail. ``rules``: names of the rules used (counted). ``turn``:
    0-based. ``excuse``: None on all that gates or need not."""

    check: str
    status: Status
    message: str = ""
    differences: tuple[Difference, ...] = ()
    rules: tuple[str, ...] = ()
    losses: tuple[AppliedLoss, ...] = ()
    turn: int = 0
    excuse: Excuse | None = None


@dataclass(frozen=True, slots=True)
class CaseKey:
    """What identifies a case, stable over runs. ``str()`` is the address that --scenario takes, e.g.
    ``tools/parallel::bridged-openai-chat-to-gemini-stream-wire``."""

    scenario: str
    path: Path
    client: Dialect
    upstream: Dialect
    mode: Mode
    layer: Layer

    @property
    def route_mode_layer(self) -> str:
        return f"{self.path}-{self.client}-to-{self.upstream}-{self.mode}-{self.layer}"

    def __str__(self) -> str:
        return f"{self.scenario}::{self.route_mode_layer}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """All verdicts of one case. ``source``: of the cassette (scripted, live, imported, edited) or ``traffic``;
    ``recording``: what the cassette says of when and of whom it was recorded, None of a scripted one and of traffic.
    ``views``: named short documents for the report (client_request, upstream_request, upstream_response,
    client_response), as JSON text. ``crash``: the adapter's traceback, "" if none."""

    key: CaseKey
    adapter: str
    verdicts: tuple[Verdict, ...]
    title: str = ""
    topic: str = ""
    source: str = "scripted"
    seconds: float = 0.0
    crash: str = ""
    where: str = ""
    views: dict[str, str] = field(default_factory=dict)
    recording: Recording | None = None

    @property
    def status(self) -> Status:
        found = {verdict.status for verdict in self.verdicts}
        return next((status for status in STATUSES if status in found), "INCONCLUSIVE")

    @property
    def counted_as(self) -> Status | ExcuseKind:
        """What the case counts as: its status, or the kind of an excuse where all that is wrong is excused."""
        excuses = [verdict.excuse.kind for verdict in self.verdicts if verdict.excuse]
        rest = {verdict.status for verdict in self.verdicts if verdict.excuse is None}
        gating = next((status for status in ("ERROR", "FAIL", "WARN") if status in rest), None)
        return gating or (excuses[0] if excuses else self.status)
