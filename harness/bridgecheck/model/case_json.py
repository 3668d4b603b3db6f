"""CaseResult and its parts <-> plain JSON objects: the shape they have in report.json and between worker processes.

Keys are the field names of ``model/verdict``. An empty field of a case or verdict ("", 0, [] or {}) is not written, and
one that is absent reads as empty: most verdicts are plain passes and there are hundreds of thousands of them. Reading
raises ``ValueError``, which names the key and what was expected there.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeVar, cast, get_args

from bridgecheck.model.verdict import (
    EXCUSES,
    STATUSES,
    AppliedLoss,
    CaseKey,
    CaseResult,
    Difference,
    Excuse,
    Layer,
    Path,
    Status,
    Verdict,
)
from bridgecheck.wire import CLIENT_DIALECTS, DIALECTS, MODES, JsonObject

T = TypeVar("T")

PATHS: Final[tuple[Path, ...]] = get_args(Path)
_PLAIN_KEYS: Final = frozenset({"check", "status"})
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)


def case_to_dict(case: CaseResult) -> JsonObject:
    """JSON values only. ``status`` is written for readers of the file; reading derives it anew from the verdicts."""
    data: JsonObject = {
        "key": key_to_dict(case.key),
        "id": str(case.key),
        "status": case.status,
        "adapter": case.adapter,
        "title": case.title,
        "topic": case.topic,
        "source": case.source,
        "seconds": case.seconds,
        "crash": case.crash,
        "where": case.where,
        "verdicts": [verdict_to_dict(verdict) for verdict in case.verdicts],
        "views": dict(case.views),
    }
    return _without_empty_fields(data)


def case_from_dict(value: object) -> CaseResult:
    """Inverse of ``case_to_dict``. Raises ValueError."""
    data = _expect_object(value, "case")
    views = _expect_object(data.get("views", {}), "views")
    return CaseResult(
        key=key_from_dict(data.get("key")),
        adapter=_text_field(data, "adapter"),
        verdicts=_read_list(data, "verdicts", verdict_from_dict),
        title=_text_field(data, "title"),
        topic=_text_field(data, "topic"),
        source=_text_field(data, "source"),
        seconds=float(_number_field(data, "seconds")),
        crash=_text_field(data, "crash"),
        where=_text_field(data, "where"),
        views={name: _text_field(views, name) for name in views},
    )


def key_to_dict(key: CaseKey) -> JsonObject:
    return {
        "scenario": key.scenario,
        "path": key.path,
        "client": key.client,
        "upstream": key.upstream,
        "mode": key.mode,
        "layer": key.layer,
    }


def key_from_dict(value: object) -> CaseKey:
    data = _expect_object(value, "key")
    return CaseKey(
        scenario=_text_field(data, "scenario"),
        path=_choice_field(data, "path", PATHS),
        client=_choice_field(data, "client", CLIENT_DIALECTS),
        upstream=_choice_field(data, "upstream", DIALECTS),
        mode=_choice_field(data, "mode", MODES),
        layer=_choice_field(data, "layer", LAYERS),
    )


def verdict_to_dict(verdict: Verdict) -> JsonObject:
    data: JsonObject = {"check": verdict.check, "status": verdict.status}
    if verdict.turn:
        data["turn"] = verdict.turn
    if verdict.message:
        data["message"] = verdict.message
    if verdict.differences:
        data["differences"] = [difference_to_dict(difference) for difference in verdict.differences]
    if verdict.rules:
        data["rules"] = list(verdict.rules)
    if verdict.losses:
        data["losses"] = [loss_to_dict(loss) for loss in verdict.losses]
    if verdict.excuse:
        data["excuse"] = {"kind": verdict.excuse.kind, "by": verdict.excuse.by}
    return data


def verdict_from_dict(value: object) -> Verdict:
    data = _expect_object(value, "verdict")
    check, status = _text_field(data, "check"), _choice_field(data, "status", STATUSES)
    if data.keys() == _PLAIN_KEYS:
        return _plain_verdict(check, status)
    return Verdict(
        check=check,
        status=status,
        message=_text_field(data, "message"),
        differences=_read_list(data, "differences", difference_from_dict),
        rules=_read_list(data, "rules", _expect_string),
        losses=_read_list(data, "losses", loss_from_dict),
        turn=int(_number_field(data, "turn")),
        excuse=_read_excuse(data.get("excuse")),
    )


@lru_cache(maxsize=4096)
def _plain_verdict(check: str, status: Status) -> Verdict:
    """Return the verdict of this check that has nothing but its status: nearly all verdicts of a run are such."""
    return Verdict(check, status)


def _read_excuse(value: object) -> Excuse | None:
    if not value:
        return None
    data = _expect_object(value, "excuse")
    return Excuse(_choice_field(data, "kind", EXCUSES), _text_field(data, "by"))


def difference_to_dict(difference: Difference) -> JsonObject:
    return {
        "path": difference.path,
        "expected": difference.expected,
        "actual": difference.actual,
        "note": difference.note,
    }


def difference_from_dict(value: object) -> Difference:
    data = _expect_object(value, "difference")
    return Difference(
        _text_field(data, "path"), _text_field(data, "expected"), _text_field(data, "actual"), _text_field(data, "note")
    )


def loss_to_dict(loss: AppliedLoss) -> JsonObject:
    return {"rule": loss.rule, "path": loss.path, "reason": loss.reason}


def loss_from_dict(value: object) -> AppliedLoss:
    data = _expect_object(value, "loss")
    return AppliedLoss(_text_field(data, "rule"), _text_field(data, "path"), _text_field(data, "reason"))


def _without_empty_fields(data: JsonObject) -> JsonObject:
    return {key: value for key, value in data.items() if value}


def _expect_object(value: object, name: str) -> JsonObject:
    if not isinstance(value, dict):
        raise ValueError(f"{name}: expected an object, got {type(value).__name__}")
    return cast(JsonObject, value)


def _expect_string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {type(value).__name__}")
    return value


def _text_field(data: JsonObject, key: str) -> str:
    try:
        return _expect_string(data.get(key, ""))
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _number_field(data: JsonObject, key: str) -> float:
    value = data.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{key}: expected a number, got {type(value).__name__}")
    return value


def _choice_field(data: JsonObject, key: str, allowed: tuple[T, ...]) -> T:
    value = data.get(key)
    for member in allowed:
        if member == value:
            return member
    raise ValueError(f"{key}: expected one of {', '.join(map(str, allowed))}, got {value!r}")


def _read_list(data: JsonObject, key: str, read: Callable[[object], T]) -> tuple[T, ...]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"{key}: expected a list, got {type(value).__name__}")
    return tuple(read(item) for item in value)
