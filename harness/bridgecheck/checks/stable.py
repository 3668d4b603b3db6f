"""request.deterministic and request.prefix_stable: a prompt cache finds what was sent before, byte for byte.

Judged on the bodies as they are written, order of keys included: the providers' caches know nothing of JSON.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.diff import differences
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.jsonvalue import arr
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import Dialect, JsonObject

DETERMINISTIC: Final = "request.deterministic"
PREFIX: Final = "request.prefix_stable"

_HISTORY: Final[Mapping[Dialect, str]] = {
    "gemini": "contents",
    "openai-chat": "messages",
    "anthropic": "messages",
    "outcome": "turns",
}
_BEFORE_HISTORY: Final = ("tools", "system", "systemInstruction", "system_instruction")
"""What a provider puts before the history of a conversation."""


def deterministic(evidence: Evidence) -> list[Verdict]:
    """The same request, converted again, gives the same bytes."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        call = evidence.upstream_call(view.turn)
        again = evidence.transcript.repeated_bodies
        if call < len(again) and again[call] is not None:
            rows = _apart(view.upstream_request.body, again[call])
            verdicts.append(result(DETERMINISTIC, rows, level="SHOULD", turn=view.turn))
    return verdicts


def prefix_stable(evidence: Evidence) -> list[Verdict]:
    """Where a client's request only goes on from its last one, so does the request upstream."""
    views = request_views(evidence)
    return [
        result(PREFIX, _moved(before, view), level="SHOULD", turn=view.turn)
        for before, view in pairwise(views)
        if view.turn == before.turn + 1
        and _goes_on(before.client_request.body, view.client_request.body, view.client_request.dialect)
    ]


def _moved(before: RequestView, view: RequestView) -> list[Difference]:
    first, second, dialect = before.upstream_request.body, view.upstream_request.body, view.upstream_request.dialect
    rows = [
        row for key in _BEFORE_HISTORY if key in first or key in second for row in _apart(first, second, key) if row
    ]
    ours, theirs = _history(first, dialect), _history(second, dialect)
    for at, item in enumerate(ours):
        last = at == len(ours) - 1
        same = at < len(theirs) and (_begins(item, theirs[at]) if last else _bytes(item) == _bytes(theirs[at]))
        if not same:
            found = differences(item, theirs[at] if at < len(theirs) else None, f"{_HISTORY[dialect]}[{at}]")
            return [*rows, *(found or _reordered(f"{_HISTORY[dialect]}[{at}]"))]
    return rows


def _goes_on(first: JsonObject, second: JsonObject, dialect: Dialect) -> bool:
    ours, theirs = _history(first, dialect), _history(second, dialect)
    same = [_bytes(first.get(key)) == _bytes(second.get(key)) for key in _BEFORE_HISTORY]
    return all(same) and len(theirs) > len(ours) and _bytes(theirs[: len(ours)]) == _bytes(ours)


def _apart(first: JsonObject, second: JsonObject | None, key: str = "") -> list[Difference]:
    ours: object = first.get(key) if key else first
    theirs: object = (second or {}).get(key) if key else second
    if _bytes(ours) == _bytes(theirs):
        return []
    return [*differences(ours, theirs, key or "body")] or _reordered(key or "body")


def _reordered(place: str) -> list[Difference]:
    return [Difference(place, "the same bytes", "the same keys in another order")]


def _begins(item: object, longer: object) -> bool:
    """Whether a message is the beginning of another: a turn may be gone on with in the same message."""
    if isinstance(item, dict) and isinstance(longer, dict):
        return list(item) == list(longer)[: len(item)] and all(_begins(item[key], longer[key]) for key in item)
    if isinstance(item, list) and isinstance(longer, list) and 0 < len(item) <= len(longer):
        return _bytes(item[:-1]) == _bytes(longer[: len(item) - 1]) and _begins(item[-1], longer[len(item) - 1])
    if isinstance(item, str) and isinstance(longer, str):
        return longer.startswith(item)
    return _bytes(item) == _bytes(longer)


def _history(body: JsonObject, dialect: Dialect) -> list[object]:
    return list(arr(body.get(_HISTORY[dialect])))


def _bytes(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
