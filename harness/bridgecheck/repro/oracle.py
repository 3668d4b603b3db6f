"""How a script can tell, without a judge, whether the fault shows.

raising     the adapter broke: whether it still does
expecting   the scenario expects something literally, of the wire: whether that is so
unchanged   anything else: whether what comes out is what came out when the fault was found
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.checks.check import Side
from bridgecheck.checks.expect_wire import place
from bridgecheck.errors import BadTarget
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.scenario import WirePredicate
from bridgecheck.model.verdict import Verdict
from bridgecheck.repro.fault import Fault
from bridgecheck.repro.focus import focus
from bridgecheck.repro.meant import LITERAL
from bridgecheck.wire import JsonObject

Kind: TypeAlias = Literal["raising", "expecting", "unchanged"]

COMPLETES: Final = "adapter.completes"

UNSEEN: Final = frozenset({"relay.cancel", "request.deterministic", "client.no_secret", "relation.two_streams"})
"""Checks of what does not stand in the documents of one exchange: who leaves, what a second time gives, keys."""

MEMBERS: Final[dict[str, tuple[str, ...]]] = {
    "stream.incremental": ("steps",),
    "client.framing": ("raw",),
    "relay.expected_calls": ("sent",),
}
"""Checks of what surrounds the documents, and the members of what was seen that tell of it: how many events left with
each that came, the bytes, the calls."""

_SENT: Final = ("sent",)
_RECEIVED: Final = ("received", "status")
LOOKED_AT: Final[dict[Side, tuple[str, ...]]] = {
    "request": _SENT,
    "response": _RECEIVED,
    "stream": _RECEIVED,
    "sdk": _RECEIVED,
    "law": _RECEIVED,
    "relation": _RECEIVED,
}
"""Where a check of this side looks; of any other in both."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """``expected``: what is shown as expected, in the shape that the part of this name reads. ``looked_at``: members of
    what was seen, for ``unchanged``."""

    kind: Kind
    expected: tuple[JsonObject, ...] = ()
    looked_at: tuple[str, ...] = ()


def oracle(fault: Fault) -> Oracle:
    """Raises BadTarget for a fault that one exchange does not show."""
    lead = fault.verdicts[0]
    if lead.check in UNSEEN or (lead.check == "stream.incremental" and fault.key.layer != "wire"):
        what = f"{lead.check} is not about what is said, so no exchange of documents shows it"
        raise BadTarget(what, str(fault.key), "another finding", fault.finding.command_line)
    if lead.check == COMPLETES and (fault.seen.crash or fault.seen.refused):
        return Oracle("raising")
    literal = tuple(_literal(fault))
    if literal:
        return Oracle("expecting", literal)
    side = next((check.side for check in CHECKS if check.id == lead.check), None)
    looked_at = LOOKED_AT.get(side, (*_SENT, *_RECEIVED)) if side else (*_SENT, *_RECEIVED)
    if lead.check in MEMBERS:
        return Oracle("unchanged", _rows(lead), MEMBERS[lead.check])
    around = focus(fault)
    return Oracle("unchanged", _rows(lead), tuple(f"{path}." for path in around) or looked_at)


def _rows(lead: Verdict) -> tuple[JsonObject, ...]:
    said: JsonObject = {"path": lead.check, "expected": "what its rule says", "got": lead.message.partition("\n")[0]}
    return tuple(dict(asdict(row)) for row in lead.differences) or (said,)


def _literal(fault: Fault) -> Iterator[JsonObject]:
    """The literal expectations that are not met."""
    rows = [row for verdict in fault.verdicts if verdict.check == LITERAL for row in verdict.differences]
    failed = {(row.path, row.expected) for row in rows}
    places = {row.path for row in rows}
    bound = {one.operand for one in fault.scenario.expect.wire if one.operator == "bind" and place(one) in places}
    for one in fault.scenario.expect.wire:
        stated = (place(one), f"{one.operator} {canonical(one.operand)}")
        if _speaks(one, fault) and (stated in failed or (one.operator == "bind" and one.operand in bound)):
            index = one.index if one.on == "upstream_request" else one.turn
            yield {"on": one.on, "index": index, "path": one.path, "operator": one.operator, "operand": one.operand}


def _speaks(one: WirePredicate, fault: Fault) -> bool:
    """Of the dialect and the mode of this case."""
    dialect = fault.key.upstream if one.on == "upstream_request" else fault.key.client
    mode = {"client_events": "stream", "client_response": "unary"}.get(one.on, fault.key.mode)
    return one.dialect in (None, dialect) and one.mode in (None, fault.key.mode) and mode == fault.key.mode
