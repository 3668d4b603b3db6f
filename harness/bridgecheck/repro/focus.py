"""Where in the documents a fault shows: the parts of them on which the verdict hangs.

Each place is taken out in turn, and the check asked again. Where it no longer complains of the same, what stands around
the place matters, absent members too; whatever else an adapter changes later does not. Complaints that come on top are
those of the hole that was made.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.checks import CHECKS
from bridgecheck.checks.check import Check
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import Difference
from bridgecheck.report.fingerprint import kind
from bridgecheck.repro.fault import Fault
from bridgecheck.repro.parts.unchanged import leaves
from bridgecheck.run.record import Record
from bridgecheck.run.verdicts import evidence

ASKED: Final = frozenset({"request", "response", "stream"})
"""Checks of these sides see nothing but the documents of both ends."""
MOST: Final = 200
"""Places; a case with more is looked at as a whole."""

SENT: Final = "sent"
RECEIVED: Final = "received"

Told = tuple[tuple[Difference, ...], ...]


def complains(fault: Fault) -> bool | None:
    """Whether the check of the finding complains of what was seen; None for one that sees more than documents."""
    check = _check(fault)
    return None if check is None else bool(_told(check, fault, fault.seen))


def focus(fault: Fault) -> tuple[str, ...]:
    """Paths as ``parts/unchanged`` writes them, each for all that stands below it; () where none can be told."""
    check = _check(fault)
    if check is None:
        return ()
    told = _told(check, fault, fault.seen)
    if any(kind(row) == "lost" for row in _rows(told)):
        return ()  # what is mended will stand where nothing stands now
    places = list(dict.fromkeys(path for path, _ in _leaves(fault.seen)))
    if not told or len(places) > MOST:
        return ()
    rows = _rows(told)
    around = {_parent(path) for path in places if not rows <= _rows(_told(check, fault, _without(fault.seen, path)))}
    return tuple(sorted(path for path in around if not any(_below(path, other) for other in around)))


def _check(fault: Fault) -> Check | None:
    check = next((one for one in CHECKS if one.id == fault.verdicts[0].check), None)
    whole = len(fault.seen.client) == len(fault.seen.upstream)
    return check if check is not None and check.side in ASKED and whole else None


def _rows(told: Told) -> frozenset[Difference]:
    return frozenset(row for rows in told for row in rows)


def _told(check: Check, fault: Fault, seen: Transcript) -> Told:
    """What the check complains of; () where it does not, or cannot make anything of the documents."""
    record = Record(
        client=list(seen.client),
        upstream=list(seen.upstream),
        answered_by=list(range(len(seen.upstream))),
        arrivals=list(seen.arrivals),
        again=list(seen.again),
    )
    found = check.run(evidence(fault.key, record, fault.scenario, fault.driver))
    return tuple(one.differences for one in found if one.status in ("FAIL", "WARN"))


def _leaves(seen: Transcript) -> Iterator[tuple[str, object]]:
    for call in seen.upstream:
        if call.request is not None:
            yield from leaves(call.request.body, f"{SENT}[]")
    for turn in seen.client:
        yield from leaves(list(turn.response.documents), f"{RECEIVED}[]")


def _without(seen: Transcript, path: str) -> Transcript:
    """With nothing at this path."""
    if path.startswith(SENT):
        return replace(seen, upstream=tuple(_unsaid(call, path) for call in seen.upstream))
    return replace(seen, client=tuple(_unheard(turn, path) for turn in seen.client))


def _unsaid(call: Interaction, path: str) -> Interaction:
    request: Request | None = call.request
    if request is None:
        return call
    return replace(call, request=replace(request, body=obj(_pruned(request.body, f"{SENT}[]", path))))


def _unheard(turn: Interaction, path: str) -> Interaction:
    response: Response = turn.response
    documents = tuple(_pruned(one, f"{RECEIVED}[][]", path) for one in response.documents)
    return replace(turn, response=replace(response, documents=documents))


def _pruned(value: object, at: str, path: str) -> object:
    if not path.startswith(at):
        return value
    if isinstance(value, dict):
        return {key: _pruned(item, f"{at}.{key}", path) for key, item in value.items() if f"{at}.{key}" != path}
    if isinstance(value, list):
        return [] if path == at else [_pruned(item, f"{at}[]", path) for item in value if f"{at}[]" != path]
    return value


def _parent(path: str) -> str:
    """``received[][].usage`` of ``received[][].usage.total_tokens``."""
    return path.rpartition(".")[0] or path


def _below(path: str, other: str) -> bool:
    return path != other and path.startswith((f"{other}.", f"{other}["))
