"""Where thinking stood in an answer that a Chat client was told: ``after`` of an entry of ``reasoning_details``.

A Chat message has one text and a list of calls, and no place between them; Anthropic signs thinking where it stands,
and refuses a turn in which it moved (NousResearch/hermes-agent#41266). Clients that send ``reasoning_details`` back
send this along: ``{"text": characters before it, "calls": calls before it}``, absent for thinking that comes first.
"""

from collections.abc import Sequence
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import integer, obj

AFTER: Final = "after"


def placed(detail: JsonObject, length: int, calls: int) -> JsonObject:
    """The entry with its place, unless nothing stands before it."""
    return {**detail, AFTER: {"text": length, "calls": calls}} if length or calls else detail


def order_of(details: Sequence[JsonObject], length: int, calls: int) -> list[JsonObject] | None:
    """The order (``convert/order``) of a message with these entries, so many characters of text and so many calls; None
    where no entry says its place. Text comes before all calls; a place beyond the end is the end."""
    if not any(AFTER in detail for detail in details):
        return None
    entries: list[JsonObject] = []
    said = called = 0
    for detail in details:
        behind = min(_count(detail, "calls"), calls)
        upto = length if behind else min(_count(detail, "text"), length)
        entries += [*_text(upto - said), *_calls(behind - called), {"reasoning": True}]
        said, called = max(said, upto), max(called, behind)
    return [*entries, *_text(length - said), *_calls(calls - called)]


def _count(detail: JsonObject, kind: str) -> int:
    return max(integer(obj(detail.get(AFTER)).get(kind)) or 0, 0)


def _text(length: int) -> list[JsonObject]:
    return [{"text": length}] if length > 0 else []


def _calls(number: int) -> list[JsonObject]:
    return [{"call": True} for _ in range(number)]
