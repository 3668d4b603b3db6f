"""Why a case failed: what seems to be at fault, the evidence, and what to do next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from bridgecheck.errors import BridgecheckError
from bridgecheck.model.evidence import LAST_LINES, exception_line
from bridgecheck.smoke.observation import Observation, last_lines, mask_and_shorten, missed_dialects
from bridgecheck.smoke.symptoms import SYMPTOMS, Culprit, Skips, Symptom
from bridgecheck.wire.facts import RECORDS

IMPORT: Final = "the import of the adapter"
"""The activity before the first case."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """``name``: of the symptom, stable. ``cause``: one line. ``evidence``: pairs of a label and one line. Both may hold
    an adapter's own text, to be escaped where it is shown. ``skips``: as the symptom's."""

    culprit: Culprit
    name: str
    cause: str
    evidence: tuple[tuple[str, str], ...] = ()
    next_step: str = ""
    skips: Skips = ""


def diagnose(case: Observation, target: str) -> Diagnosis | None:
    """Return the diagnosis of a case, None where nothing is wrong. ``target``: the adapter as the user named it."""
    symptom = find_symptom(case)
    if symptom is None:
        return None
    values = template_values(case, target)
    cause, next_step = symptom.cause.format_map(values), symptom.next_step.format_map(values)
    evidence = tuple((label, line) for label, line in _collect_evidence(case) if line not in cause)
    return Diagnosis(symptom.culprit, symptom.name, cause, evidence, next_step, symptom.skips)


def diagnose_unrouted_models(models: Iterable[str]) -> Diagnosis:
    """Return the diagnosis where an adapter does not know models that scenarios name. ``models``: as clients call
    them."""
    cause = f"scenarios name models that the adapter does not route to that provider: {', '.join(models)}"
    next_step = "add them to its configuration, or say what it calls them: model or models in [client.DIALECT]"
    return Diagnosis("configuration", "models", cause, next_step=f"{next_step} of the recipe")


def find_symptom(case: Observation) -> Symptom | None:
    """Return the first symptom that applies, None where nothing is wrong."""
    if case.worst_verdict is None and not case.misses:
        return None
    return next((symptom for symptom in SYMPTOMS if symptom.applies(case)), None)


def template_values(case: Observation, target: str) -> Mapping[str, str]:
    """Return the values that the templates of symptoms may name."""
    key, bad, error = case.key, case.worst_verdict, case.error
    return {
        "key": str(key), "status": str(case.status or ""), "client": key.client, "upstream": key.upstream,
        "upstream_url": case.upstream_url or "its provider",
        "upstream_path": RECORDS[key.upstream].full_path_template(key.mode),
        "client_path": RECORDS[key.client].full_path_template(key.mode) if RECORDS[key.client].paths else "its address",
        "calls": ", ".join(case.upstream_calls), "called_dialects": ", ".join(sorted(missed_dialects(case.misses))),
        "exception": _exception_line(case),
        "refusal": mask_and_shorten(case.transcript.refused) or case.response_excerpt,
        "target": quote(target) if target else "", "claim": _describe_claim_or_route_to_remove(case),
        "check": bad.check if bad else "", "message": mask_and_shorten(bad.message.replace("\n", " ")) if bad else "",
        "error": error.what if error else "", "error_next": error.next_step if error else "",
        "case": f"bridgecheck run{f' --adapter {quote(target)}' if target else ''} --scenario '{key}'",
    }  # fmt: skip


def diagnose_refusal(error: BridgecheckError) -> Diagnosis:
    """Return the diagnosis where there is no such adapter, or its recipe is wrong."""
    culprit: Culprit = "harness" if error.code == "harness" else "configuration"
    return Diagnosis(culprit, error.code, error.what, tuple(_log_and_location_of_error(error)), error.next_step, "all")


def diagnose_exit(activity: str, end: str, log: str) -> Diagnosis:
    """Return the diagnosis of a worker process that ended too early. ``end``: "exited with code 9"; ``log``: what it
    wrote."""
    culprit: Culprit = "configuration" if activity == IMPORT else "adapter"
    cause = f"the adapter ended the process it was in: it {end} during {activity}"
    next_step = "look for sys.exit, os._exit or a native library"
    return Diagnosis(culprit, "dies", cause, _output_evidence(log), next_step, "all")


def diagnose_silence(activity: str, seconds: float, log: str) -> Diagnosis:
    """Return the diagnosis of a worker process that sent nothing for so many ``seconds``."""
    cause = f"the adapter's process sent nothing for {seconds:g} s, during {activity}"
    next_step = "look for what it waits for: a lock, input, a network"
    return Diagnosis("adapter", "hangs", cause, _output_evidence(log), next_step, "all")


def diagnose_harness_fault(traceback: str) -> Diagnosis:
    """Return the diagnosis of a fault of bridgecheck itself."""
    lines = [line for line in traceback.splitlines() if line.strip()]
    cause = f"bridgecheck itself failed: {lines[-1] if lines else 'without a message'}"
    return Diagnosis("harness", "fault", cause, _output_evidence("\n".join(lines[:-1])), "bridgecheck doctor", "all")


def _collect_evidence(case: Observation) -> list[tuple[str, str]]:
    """Return labels and lines; empty ones are left out, except for the calls to the provider."""
    if case.error is not None:
        return _log_and_location_of_error(case.error)
    if case.result.status == "ERROR" and case.worst_verdict is not None:
        return [*_output_evidence(case.worst_verdict.message)]
    rows = [
        *([] if case.response else [("raised", _exception_line(case)), ("at", case.crash_location)]),
        # A request that is not recorded gets an error from us, which adapters pass on.
        ("response", "" if case.misses else case.response_summary),
        *(("output", line) for line in _relevant_output(case)),
        ("called", ", ".join(case.upstream_calls) or "nothing at its provider"),
    ]
    return [(label, line) for label, line in rows if line]


def _log_and_location_of_error(error: BridgecheckError) -> list[tuple[str, str]]:
    rows = [*_output_evidence(error.log), ("at", error.where), ("expected", error.expected)]
    return [(label, line) for label, line in rows if line]


def _output_evidence(log: str) -> tuple[tuple[str, str], ...]:
    return tuple(("output", line) for line in last_lines(log))


def _describe_claim_or_route_to_remove(case: Observation) -> str:
    """Return what an adapter that refuses this should no longer claim, and where."""
    if case.capabilities:
        return f"{' and '.join(case.capabilities)} out of its capabilities"
    return f"({case.key.client}, {case.key.upstream}) out of its routes"


def _exception_line(case: Observation) -> str:
    """Return what was raised, as one line."""
    return mask_and_shorten(exception_line(case.crash)).removeprefix("the adapter ").removesuffix(f", {LAST_LINES}")


def _relevant_output(case: Observation) -> tuple[str, ...]:
    """Return what the adapter's process wrote last, where that may say more than its response or its crash."""
    if not case.upstream_calls and case.status >= 400:
        return last_lines(case.log)
    if case.crash_location or case.response:
        return ()
    return tuple(line for line in last_lines(case.crash.partition("\n")[2]) if line != LAST_LINES)
