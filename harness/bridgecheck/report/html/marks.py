"""Which lines of a document a difference is about.

A difference of the wire names a place in a document; one of the normal form names none, for the same thing stands
elsewhere in each dialect. There the values are looked for: what was expected in the document it comes from, what was
got in the one it ended in. A value that stands in many places, or is as common as ``0``, marks nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.model.verdict import Difference, Verdict

View: TypeAlias = str
"""client_request, upstream_request, upstream_response or client_response."""

REQUEST: Final = ("client_request", "upstream_request")
RESPONSE: Final = ("upstream_response", "client_response")
VIEWS: Final[tuple[View, ...]] = (*REQUEST, *RESPONSE)

SHORTEST: Final = 2
"""Characters of a text, digits of a number that are looked for."""

_LABEL: Final[dict[str, View]] = {
    "client_response": "client_response",
    "client_events": "client_response",
    "upstream_request": "upstream_request",
}
_LABELLED: Final = re.compile(r"(client_response|client_events|upstream_request)\[\d*\] ?(.*)")
_EVENT: Final = re.compile(r"events(\[\d+\])")
_NATIVE: Final = re.compile(r"\w+ \((?:provider: )?(?P<word>\w+)\)")
_OPERAND: Final = re.compile(r"(?:\w+ )+(?P<json>[\[{\"\d-].*)")
_DOCUMENT_CHECKS: Final[dict[str, View]] = {
    "request.acceptable": "upstream_request",
    "upstream.wire_shape": "upstream_request",
    "client.wire_shape": "client_response",
}
"""Checks whose differences name places in a document."""


@dataclass(frozen=True, slots=True)
class Place:
    """``value``: the JSON text that has to stand there, "" for any."""

    path: re.Pattern[str]
    value: str = ""


@dataclass(slots=True)
class Wanted:
    """What marks a line of one document: its value as JSON text, or its place."""

    values: set[str] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)


def wanted(verdicts: Iterable[Verdict]) -> dict[View, Wanted]:
    """For every view, what these verdicts' differences say of it."""
    found = {view: Wanted() for view in VIEWS}
    for verdict in verdicts:
        for difference in verdict.differences:
            source, target = _pair(verdict.check, difference)
            found[source].values |= set(_values(difference.expected))
            found[target].values |= set(_values(difference.actual))
            for view, place in _places(verdict.check, difference):
                found[view].places.append(place)
    return found


def _pair(check: str, difference: Difference) -> tuple[View, View]:
    """The document the expectation comes from, and the one that was judged."""
    labelled = _LABELLED.match(difference.path)
    if labelled:
        return REQUEST if labelled[1] == "upstream_request" else RESPONSE
    return REQUEST if check == "expect.prompt" or _sides().get(check) == "request" else RESPONSE


@cache
def _sides() -> dict[str, str]:
    return {check.id: check.side for check in CHECKS}


def _places(check: str, difference: Difference) -> Iterator[tuple[View, Place]]:
    """The place in a document that a difference names; none for one of the normal form."""
    labelled, event = _LABELLED.fullmatch(difference.path), _EVENT.match(difference.path)
    if labelled:
        yield _LABEL[labelled[1]], Place(_pattern(labelled[2]), _scalar(difference.actual))
    elif check in _DOCUMENT_CHECKS:
        yield _DOCUMENT_CHECKS[check], Place(_pattern(difference.path))
    elif event:
        yield "client_response", Place(re.compile(re.escape(event[1])))


def _scalar(text: str) -> str:
    """Its JSON text as a document has it; "" where it is no single value."""
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return "" if isinstance(value, (list, dict)) else json.dumps(value, ensure_ascii=False)


def _pattern(path: str) -> re.Pattern[str]:
    """The end of a line's place; ``[]`` is any index, ``*`` any key."""
    steps = re.escape(path.removeprefix("[].")).replace(r"\[\]", r"\[\d+\]").replace(r"\*", r"[^.\[]+")
    return re.compile(rf"(?:.*[.\]])?{steps}")


def _values(text: str) -> Iterator[str]:
    """The JSON texts of what one side of a difference names, those worth looking for."""
    native, operand = _NATIVE.fullmatch(text), _OPERAND.fullmatch(text)
    if native:
        yield json.dumps(native["word"])
        return
    try:
        value = json.loads(operand["json"] if operand else text)
    except ValueError:
        return
    yield from (json.dumps(leaf, ensure_ascii=False) for leaf in _leaves(value) if _telling(leaf))


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, (list, dict)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _leaves(member)
    else:
        yield value


def _telling(leaf: object) -> bool:
    if isinstance(leaf, bool) or not isinstance(leaf, (str, int, float)):
        return False
    return len(str(leaf)) >= SHORTEST
