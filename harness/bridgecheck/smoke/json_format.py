"""The result of ``smoke --json``.

    {"target": "python:a:b", "exit_code": 2, "seconds": 1.9, "left": 0,
     "adapter": {"name": "...", "version": "...", "routes": [["gemini", "openai-chat"]], "claims": [...]},
     "cases": [{"stage": "plain", "case": "messages/plain-text::bridged-...", "status": "FAIL", "seconds": 0.01,
                "fault": 1}],
     "capabilities": [{"name": "tools", "works": 3, "routes": 4, "claimed": true, "why_not": "..."}],
     "faults": [{"whose": "configuration", "name": "not-asked", "cause": "...", "evidence": [["called", "..."]],
                 "next": "...", "cases": ["messages/plain-text::bridged-..."]}],
     "claims": ["tools"]}

``adapter`` is null where there is none. ``left``: number of cases that were not played. ``model``: what the client
calls it, of a case that is played for its model. ``fault``: number of the fault, from 1; absent where nothing is wrong.
``whose``: the culprit. ``claims``: what to claim.
"""

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.smoke.result import AdapterRoutesAndClaims, Fault, SmokeResult, fault_number, group_faults
from bridgecheck.smoke.trials import DiagnosedTrial
from bridgecheck.wire import JsonObject


def result_to_json(result: SmokeResult) -> JsonObject:
    """Return the whole result, as the module shows."""
    faults = group_faults(result)
    return {
        "target": result.target, "exit_code": result.exit_code, "seconds": round(result.seconds, 3),
        "left": result.skipped,
        "adapter": _adapter_json(result.adapter),
        "cases": [_case_json(trial, fault_number(trial, faults)) for trial in result.trials],
        "capabilities": [_capability_json(name, result) for name in CAPABILITIES],
        "faults": [_fault_json(fault) for fault in faults],
        "claims": [name for name in CAPABILITIES if name in result.claimed_or_working_capabilities],
    }  # fmt: skip


def _adapter_json(adapter: AdapterRoutesAndClaims | None) -> JsonObject | None:
    if adapter is None:
        return None
    routes = [list(route) for route in adapter.routes]
    return {"name": adapter.name, "version": adapter.version, "routes": routes, "claims": list(adapter.claims)}


def _case_json(trial: DiagnosedTrial, number_of_fault: int) -> JsonObject:
    data: JsonObject = {"stage": trial.step, "case": str(trial.result.key), "status": trial.result.status}
    data |= {"model": trial.model} if trial.model else {}
    return data | {"seconds": trial.result.seconds} | ({"fault": number_of_fault} if number_of_fault else {})


def _capability_json(name: str, result: SmokeResult) -> JsonObject:
    played = result.trials_of_capability(name)
    return {
        "name": name, "works": sum(trial.works for trial in played), "routes": len(played),
        "claimed": name in result.claims,
        "why_not": result.why_not(name),
    }  # fmt: skip


def _fault_json(fault: Fault) -> JsonObject:
    diagnosis = fault.diagnosis
    return {
        "whose": diagnosis.culprit, "name": diagnosis.name, "cause": diagnosis.cause,
        "evidence": [list(pair) for pair in diagnosis.evidence], "next": diagnosis.next_step,
        "cases": [str(trial.result.key) for trial in fault.trials],
    }  # fmt: skip
