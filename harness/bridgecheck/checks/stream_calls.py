"""stream.calls_contiguous: one call of a Chat stream ends before the next begins.

Recorded clients break on anything else: the stream helpers of openai 3.52.0 (Python) and 7.55.0 (JavaScript) close a
call as soon as another index appears, and raise when the first comes back; a delta without an index is a TypeError.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import JsonObject

CHECK: Final = "stream.calls_contiguous"


def contiguous(evidence: Evidence) -> list[Verdict]:
    """Deltas of one call stand together, under an index of its own."""
    return [_judged(view) for view in response_views(evidence) if _calls(view.client_response)]


def _judged(view: ResponseView) -> Verdict:
    rows = list(_faults(view.client_response))
    own = {row.note for row in _faults(view.upstream_response)}
    if rows and all(row.note in own for row in rows):
        return verdict(CHECK, "INHERITED", rows, turn=view.turn)
    return result(CHECK, rows, turn=view.turn)


def _faults(response: Response) -> Iterator[Difference]:
    """Each kind of fault of each choice, where it first shows."""
    seen: dict[int, dict[int, str]] = {}
    for place, choice, delta in _calls(response):
        ids = seen.setdefault(choice, {})
        fault = _fault(ids, delta)
        if fault:
            yield Difference(f"events[{place}].choice[{choice}]", "one call after another", _shown(delta), fault)
        index = integer(delta.get("index"))
        if index is not None:
            ids[index] = text(delta.get("id")) or ids.pop(index, "")


def _fault(ids: dict[int, str], delta: JsonObject) -> str:
    """``ids``: index -> id of the calls so far, the one under way last."""
    index, named = integer(delta.get("index")), text(delta.get("id"))
    if index is None:
        return "a delta without an index"
    if index in ids and named and ids[index] and named != ids[index]:
        return "two calls under one index"
    return "a call taken up again" if index in ids and index != next(reversed(ids)) else ""


def _calls(response: Response) -> list[tuple[int, int, JsonObject]]:
    """(event, choice, delta of a call), in order."""
    if response.dialect != "openai-chat" or response.mode != "stream":
        return []
    return [
        (at, integer(choice.get("index")) or 0, delta)
        for at, document in enumerate(response.documents)
        for choice in objs(obj(document).get("choices"))
        for delta in objs(obj(choice.get("delta")).get("tool_calls"))
    ]


def _shown(delta: JsonObject) -> str:
    return f"index {delta.get('index')}, id {delta.get('id')}"
