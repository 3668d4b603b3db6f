"""``smoke --json``: the same as the page, for programs.

    {"target": "python:a:b", "exit_code": 2, "seconds": 1.9, "left": 0,
     "adapter": {"name": "...", "version": "...", "routes": [["gemini", "openai-chat"]], "claims": [...]},
     "cases": [{"stage": "plain", "case": "messages/plain-text::bridged-...", "status": "FAIL", "seconds": 0.01,
                "fault": 1}],
     "capabilities": [{"name": "tools", "works": 3, "routes": 4, "claimed": true, "why_not": "..."}],
     "faults": [{"whose": "configuration", "name": "not-asked", "cause": "...", "evidence": [["asked", "..."]],
                 "next": "...", "cases": ["messages/plain-text::bridged-..."]}],
     "claims": ["tools"]}

``adapter`` is null where there is none. ``fault``: number of the fault, from 1; absent where nothing is wrong.
``claims``: what to claim.
"""

from bridgecheck.cli.smoke_faults import Fault, faults
from bridgecheck.cli.smoke_lines import Smoked
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.run.smoke import Tried
from bridgecheck.wire import JsonObject


def to_json(smoked: Smoked) -> JsonObject:
    found = faults(smoked)
    return {
        "target": smoked.target,
        "exit_code": smoked.exit_code,
        "seconds": round(smoked.seconds, 3),
        "left": smoked.left,
        "adapter": _adapter(smoked),
        "cases": [_case(one, found) for one in smoked.tried],
        "capabilities": [_capability(name, smoked) for name in CAPABILITIES],
        "faults": [_fault(fault) for fault in found],
        "claims": [name for name in CAPABILITIES if name in smoked.claims],
    }


def _adapter(smoked: Smoked) -> JsonObject | None:
    adapter = smoked.adapter
    if adapter is None:
        return None
    return {
        "name": adapter.name,
        "version": adapter.version,
        "routes": [list(route) for route in adapter.routes],
        "claims": [name for name in CAPABILITIES if name in adapter.claims],
    }


def _case(one: Tried, found: list[Fault]) -> JsonObject:
    number = next((fault.number for fault in found if one in fault.cases), 0)
    data: JsonObject = {"stage": one.stage, "case": str(one.result.key), "status": one.result.status}
    return data | {"seconds": one.result.seconds} | ({"fault": number} if number else {})


def _capability(name: str, smoked: Smoked) -> JsonObject:
    played = [one for one in smoked.of("capability") if name in one.capabilities]
    return {
        "name": name,
        "works": sum(one.works for one in played),
        "routes": len(played),
        "claimed": smoked.adapter is not None and name in smoked.adapter.claims,
        "why_not": next((one.diagnosis.cause for one in played if one.diagnosis), ""),
    }


def _fault(fault: Fault) -> JsonObject:
    found = fault.diagnosis
    return {
        "whose": found.whose,
        "name": found.name,
        "cause": found.cause,
        "evidence": [list(pair) for pair in found.evidence],
        "next": found.next_step,
        "cases": [str(one.result.key) for one in fault.cases],
    }
