"""The result of ``smoke --json``, and the messages that its worker process sends.

    {"target": "python:a:b", "exit_code": 2, "seconds": 1.9, "left": 0,
     "adapter": {"name": "...", "version": "...", "routes": [["gemini", "openai-chat"]], "claims": [...]},
     "cases": [{"stage": "plain", "case": "messages/plain-text::bridged-...", "status": "FAIL", "seconds": 0.01,
                "fault": 1}],
     "capabilities": [{"name": "tools", "works": 3, "routes": 4, "claimed": true, "why_not": "..."}],
     "faults": [{"whose": "configuration", "name": "not-asked", "cause": "...", "evidence": [["called", "..."]],
                 "next": "...", "cases": ["messages/plain-text::bridged-..."]}],
     "claims": ["tools"]}

``adapter`` is null where there is none. ``left``: number of cases that were not played. ``fault``: number of the fault,
from 1; absent where nothing is wrong. ``whose``: the culprit. ``claims``: what to claim.
"""

from dataclasses import asdict
from typing import cast

from bridgecheck.drivers import Driver
from bridgecheck.model.adapter import CAPABILITIES, Route
from bridgecheck.model.case_json import case_from_dict, case_to_dict
from bridgecheck.model.jsonvalue import arr, integer, obj, text
from bridgecheck.smoke.diagnosis import Diagnosis
from bridgecheck.smoke.result import AdapterSummary, Fault, SmokeResult, fault_number, group_faults
from bridgecheck.smoke.symptoms import Culprit, Skips
from bridgecheck.smoke.trials import Step, TrialResult
from bridgecheck.wire import JsonObject


def result_to_json(result: SmokeResult) -> JsonObject:
    """Return the whole result, as the module shows."""
    faults = group_faults(result)
    return {
        "target": result.target,
        "exit_code": result.exit_code,
        "seconds": round(result.seconds, 3),
        "left": result.skipped,
        "adapter": _adapter_json(result.adapter),
        "cases": [_case_json(trial, fault_number(trial, faults)) for trial in result.trials],
        "capabilities": [_capability_json(name, result) for name in CAPABILITIES],
        "faults": [_fault_json(fault) for fault in faults],
        "claims": [name for name in CAPABILITIES if name in result.proposed_claims],
    }


def _adapter_json(adapter: AdapterSummary | None) -> JsonObject | None:
    if adapter is None:
        return None
    return {
        "name": adapter.name,
        "version": adapter.version,
        "routes": [list(route) for route in adapter.routes],
        "claims": [name for name in CAPABILITIES if name in adapter.claims],
    }


def _case_json(trial: TrialResult, number: int) -> JsonObject:
    data: JsonObject = {"stage": trial.step, "case": str(trial.result.key), "status": trial.result.status}
    return data | {"seconds": trial.result.seconds} | ({"fault": number} if number else {})


def _capability_json(name: str, result: SmokeResult) -> JsonObject:
    played = [trial for trial in result.trials_of("capability") if name in trial.capabilities]
    return {
        "name": name,
        "works": sum(trial.works for trial in played),
        "routes": len(played),
        "claimed": name in result.claims,
        "why_not": next((trial.diagnosis.cause for trial in played if trial.diagnosis), ""),
    }


def _fault_json(fault: Fault) -> JsonObject:
    diagnosis = fault.diagnosis
    return {
        "whose": diagnosis.culprit,
        "name": diagnosis.name,
        "cause": diagnosis.cause,
        "evidence": [list(pair) for pair in diagnosis.evidence],
        "next": diagnosis.next_step,
        "cases": [str(trial.result.key) for trial in fault.trials],
    }


def adapter_message(driver: Driver) -> JsonObject:
    """Return a description of the adapter for the other process."""
    info = driver.info
    return {
        "name": info.name,
        "version": info.version,
        "routes": sorted(map(list, info.routes)),
        "claims": sorted(info.claims),
        "judged_on_all": driver.judged_on_all,
        "upstream_port": driver.gateway.upstream_port if driver.gateway else 0,
    }


def read_adapter(value: object) -> AdapterSummary:
    """Read an ``adapter_message``."""
    data = obj(value)
    return AdapterSummary(
        name=text(data.get("name")),
        version=text(data.get("version")),
        routes=tuple(cast(Route, tuple(map(text, arr(route)))) for route in arr(data.get("routes"))),
        claims=frozenset(map(text, arr(data.get("claims")))) & frozenset(CAPABILITIES),
        judged_on_all=data.get("judged_on_all") is True,
        upstream_port=integer(data.get("upstream_port")) or 0,
    )


def trial_message(trial: TrialResult) -> JsonObject:
    """Return a played case for the other process."""
    diagnosis = asdict(trial.diagnosis) if trial.diagnosis else None
    case = case_to_dict(trial.result)
    return {"step": trial.step, "result": case, "diagnosis": diagnosis, "is_claimed": trial.is_claimed}


def read_trial(value: object) -> TrialResult:
    """Read a ``trial_message``. Raises ValueError."""
    data = obj(value)
    diagnosis = data.get("diagnosis")
    return TrialResult(
        cast(Step, text(data.get("step"))),
        case_from_dict(data.get("result")),
        read_diagnosis(diagnosis) if diagnosis else None,
        data.get("is_claimed") is True,
    )


def read_diagnosis(value: object) -> Diagnosis:
    """Read a diagnosis that was sent as its ``asdict``."""
    data = obj(value)
    return Diagnosis(
        culprit=cast(Culprit, text(data.get("culprit"))),
        name=text(data.get("name")),
        cause=text(data.get("cause")),
        evidence=tuple((text(label), text(line)) for label, line in map(arr, arr(data.get("evidence")))),
        next_step=text(data.get("next_step")),
        skips=cast(Skips, text(data.get("skips"))),
    )
