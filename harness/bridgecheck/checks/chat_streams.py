"""stream.calls_contiguous: one call of a Chat stream ends before the next begins.

Recorded clients break on anything else: the stream helpers of openai 3.52.0 (Python) and 7.55.0 (JavaScript) close a
call as soon as another index appears, and raise when the first comes back; a delta without an index is a TypeError.
"""

from collections.abc import Iterator
from typing import Final

from bridgecheck.checks.bases import BREAKS, MEASURED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.view import response_views
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, objs, text
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import JsonObject

_SDK_HELPERS: Final = Basis("client-breaks", "openai 3.52.0, openai 7.55.0 (JavaScript)", MEASURED)


def check_calls_contiguous(evidence: Evidence) -> Iterator[Result]:
    """Deltas of one call stand together, under an index of its own."""
    for view in response_views(evidence):
        if _call_deltas(view.client_response):
            rows = list(_find_call_faults(view.client_response))
            of_provider = {row.note for row in _find_call_faults(view.upstream_response)}
            inherited = rows and all(row.note in of_provider for row in rows)
            yield Result(rows, "INHERITED" if inherited else None, turn=view.turn)


CALLS_CONTIGUOUS: Final = Check(
    "stream.calls_contiguous", "streams", "MUST", BREAKS, "The calls of a Chat stream come one after another, each "
    "under its own index.", check_calls_contiguous, "stream", ("response.choices",),
    rules=(
        Rule("stream.contiguous", "MUST",
            "Deltas of one call in a Chat stream stand together, under an index of its own.", _SDK_HELPERS),
    ),
)  # fmt: skip


def _find_call_faults(response: Response) -> Iterator[Difference]:
    """Yield each kind of fault of each choice, where it first shows."""
    ids_of_choice: dict[int, dict[int, str]] = {}
    for at, choice, delta in _call_deltas(response):
        ids = ids_of_choice.setdefault(choice, {})
        fault = _describe_fault(ids, delta)
        if fault:
            shown = f"index {delta.get('index')}, id {delta.get('id')}"
            yield Difference(f"events[{at}].choice[{choice}]", "one call after another", shown, fault)
        index = integer(delta.get("index"))
        if index is not None:
            ids[index] = text(delta.get("id")) or ids.pop(index, "")


def _describe_fault(ids: dict[int, str], delta: JsonObject) -> str:
    """Return the fault of a delta, "" if none. ``ids``: index -> id of the calls so far, the current one last."""
    index, id_ = integer(delta.get("index")), text(delta.get("id"))
    if index is None:
        return "a delta without an index"
    if index in ids and id_ and ids[index] and id_ != ids[index]:
        return "two calls under one index"
    return "a call taken up again" if index in ids and index != next(reversed(ids)) else ""


def _call_deltas(response: Response) -> list[tuple[int, int, JsonObject]]:
    """Return (event, choice, delta of a call), in order; [] for anything but a Chat stream."""
    if response.dialect != "openai-chat" or response.mode != "stream":
        return []
    return [
        (at, integer(choice.get("index")) or 0, delta)
        for at, document in enumerate(response.documents)
        for choice in objs(obj(document).get("choices"))
        for delta in objs(obj(choice.get("delta")).get("tool_calls"))
    ]
