"""The result of ``smoke``: what was played, the faults, each once, and the exit code."""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.drivers import Driver
from bridgecheck.model.adapter import CAPABILITIES, Route
from bridgecheck.run.plan import find_working_capabilities
from bridgecheck.smoke.diagnosis import Diagnosis, diagnose_unrouted_models
from bridgecheck.smoke.symptoms import Culprit
from bridgecheck.smoke.trials import DiagnosedTrial, Step

EXIT_CODES: Final[tuple[tuple[Culprit, int], ...]] = (("harness", 3), ("configuration", 2), ("adapter", 1))
"""The exit code of each culprit, the first that is at fault."""

NOTHING_PLAYED: Final = 4

MOST_LOCATIONS: Final = 4
"""Routes that a fault lists."""


@dataclass(frozen=True, slots=True)
class AdapterRoutesAndClaims:
    """An adapter as it describes itself. ``upstream_port``: where a running gateway calls its provider, 0 for every
    other adapter."""

    name: str
    version: str
    routes: tuple[Route, ...]
    claims: tuple[str, ...]
    upstream_port: int = 0


def routes_and_claims_of_adapter(driver: Driver) -> AdapterRoutesAndClaims:
    """Return the summary of an adapter; claims that bridgecheck does not know are left out."""
    info, port = driver.info, driver.gateway.upstream_port if driver.gateway else 0
    claims = tuple(name for name in CAPABILITIES if name in info.claims)
    return AdapterRoutesAndClaims(info.name, info.version, tuple(sorted(info.routes)), claims, port)


@dataclass(slots=True)
class SmokeResult:
    """``adapter``: None where there is none. ``stopped``: why nothing more could be played, None if everything was.
    ``skipped``: number of cases that were not played."""

    target: str
    adapter: AdapterRoutesAndClaims | None = None
    trials: list[DiagnosedTrial] = field(default_factory=list)
    stopped: Diagnosis | None = None
    skipped: int = 0
    seconds: float = 0.0

    def trials_of(self, step: Step) -> list[DiagnosedTrial]:
        return [trial for trial in self.trials if trial.step == step]

    def trials_of_capability(self, name: str) -> list[DiagnosedTrial]:
        return [trial for trial in self.trials_of("capability") if name in trial.capabilities]

    @property
    def claims(self) -> frozenset[str]:
        """The claims of the adapter, as it describes itself."""
        return frozenset(self.adapter.claims if self.adapter else ())

    @property
    def claimed_or_working_capabilities(self) -> frozenset[str]:
        """What the adapter claims, and what works in some direction."""
        return self.claims | find_working_capabilities(trial.result for trial in self.trials_of("capability"))

    @property
    def reasons_for_unplayed(self) -> tuple[str, ...]:
        """Why plain cases were not played, each reason once; () where all of them were."""
        return tuple(filter(None, dict.fromkeys(map(_reason_for_unplayed, self.trials_of("plain")))))

    @property
    def wrong_capabilities(self) -> tuple[str, ...]:
        """What the adapter neither refuses nor does right in any direction."""
        tried = self.trials_of("capability")
        wrong = {name for trial in tried if trial.is_answered for name in trial.capabilities}
        return tuple(name for name in CAPABILITIES if name in wrong - self.claimed_or_working_capabilities)

    def why_not(self, capability: str) -> str:
        """Return why a capability does not work, or was not tried; "" if it works."""
        tried = self.trials_of_capability(capability)
        if not tried:
            return NO_SCENARIO
        causes = (trial.diagnosis.cause for trial in tried if trial.diagnosis)
        return next(causes, "") or next(filter(None, map(_reason_for_unplayed, tried)), "")

    @property
    def exit_code(self) -> int:
        culprits = {fault.diagnosis.culprit for fault in group_faults(self)}
        code = next((code for culprit, code in EXIT_CODES if culprit in culprits), None)
        if code is not None:
            return code
        return 0 if any(trial.works for trial in self.trials_of("plain")) else NOTHING_PLAYED


NO_SCENARIO: Final = "no scenario shows it between these APIs"


def _reason_for_unplayed(trial: DiagnosedTrial) -> str:
    is_unplayed = trial.diagnosis is None and not trial.works
    return trial.result.verdicts[0].message if is_unplayed and trial.result.verdicts else ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. ``number``: from 1, as the table shows it. ``trials``: the cases that show it, none
    where nothing could be played."""

    number: int
    diagnosis: Diagnosis
    trials: tuple[DiagnosedTrial, ...] = ()

    @property
    def locations(self) -> str:
        """The first routes with the fault, ``openai-chat > gemini unary, stream (sdk)``; "" where nothing could be
        played."""
        found: dict[tuple[str, str], list[str]] = {}
        for trial in self.trials:
            key = trial.result.key
            native = "native " if key.path == "native" else ""
            capabilities = f"{'/'.join(trial.capabilities)} " if trial.step == "capability" else ""
            found.setdefault((f"{native}{key.client} > {key.upstream}", key.layer), []).append(capabilities + key.mode)
        lines = [f"{route} {', '.join(dict.fromkeys(modes))} ({layer})" for (route, layer), modes in found.items()]
        more = [f"and {len(lines) - MOST_LOCATIONS} more"] if len(lines) > MOST_LOCATIONS else []
        return "; ".join(lines[:MOST_LOCATIONS] + more)


def group_faults(result: SmokeResult) -> list[Fault]:
    """Return the faults in the order in which they appeared, after what stopped everything. Diagnoses with the same
    text are one fault, and so are all models that are not routed; a capability that does not work is a fault only where
    it is claimed."""
    groups: dict[tuple[str, ...], tuple[Diagnosis, list[DiagnosedTrial]]] = {}
    if result.stopped:
        groups["stopped",] = result.stopped, []
    for trial in result.trials:
        found = trial.diagnosis
        if found and trial.step == "model":
            models = (item.model for item in result.trials_of("model") if item.diagnosis)
            found = diagnose_unrouted_models(dict.fromkeys(models))
        if found and (trial.is_claimed or trial.step == "model"):
            groups.setdefault((found.culprit, found.name, found.cause), (found, []))[1].append(trial)
    return [Fault(number, found, tuple(trials)) for number, (found, trials) in enumerate(groups.values(), 1)]


def fault_number(trial: DiagnosedTrial, faults: list[Fault]) -> int:
    """Return the number of the fault that a case shows, 0 where nothing is wrong."""
    return next((fault.number for fault in faults if trial in fault.trials), 0)
