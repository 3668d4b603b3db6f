"""Unknown roles of a request taken for a known one (mapping row R-41)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import arr
from bridgecheck_reference.loss import Losses


def replace_unknown_roles(
    request: JsonObject, key: str, known: frozenset[str], role: str, losses: Losses
) -> JsonObject:
    """Replace the roles of the turns under ``key`` that are not ``known`` by ``role``."""
    turns = arr(request.get(key))
    if all(_has_no_unknown_role(turn, known) for turn in turns):
        return request
    losses.add(f"{key}[].role", f"an unknown role, taken for {role}")
    return {
        **request,
        key: [
            turn if _has_no_unknown_role(turn, known) or not isinstance(turn, dict) else {**turn, "role": role}
            for turn in turns
        ],
    }


def _has_no_unknown_role(turn: object, known: frozenset[str]) -> bool:
    if not isinstance(turn, dict):
        return True
    role = turn.get("role") or ""
    return isinstance(role, str) and role in known
