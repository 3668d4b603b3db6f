"""Which kinds of failure have one cause, so that they are one finding.

A kind of failure is a consequence of another where it shows only in cases in which that one does; where a literal or a
second check finds at the same end what that one finds, of the same thing and in the same directions; and where it is
what a client gives back of an answer that was wrong already. Kinds are a family where a fault does the same to at least
three of them: each reason why an answer ended becomes ``stop``, signatures of calls, texts and tails are lost.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

from bridgecheck.checks import CHECKS
from bridgecheck.checks.laws import REQUEST_ROUNDTRIP
from bridgecheck.model.verdict import STATUSES, CaseResult, Verdict
from bridgecheck.report.fingerprint import (
    ABSENT,
    LAWS_AND_RELATIONS,
    SYSTEM_IN_A_TURN,
    defect_shape_without_direction,
    lost_added_or_differs,
    part_kind,
    path_shape,
    request_concept,
    response_concept,
)

Direction: TypeAlias = tuple[str, str]

STAND_ALONE: Final = frozenset({"adapter.completes", "request.settings"})
"""Checks whose findings are consequences of no other: each crash and each lost setting is mended by itself."""

FEWEST_SHARED: Final = 2
"""Cases in which two kinds of failure have to stand together before one is taken for a consequence of the other."""

FEWEST_IN_FAMILY: Final = {
    "request.settings": 4, "request.other": 4, "response.other": 4, "response.finish": 3, "response.error": 3,
    "response.usage": 3, "relay.signatures": 3,
}  # fmt: skip
"""Check -> how many of its kinds are a family: where so many go wrong alike, none of them is mended by itself."""

CONTENT: Final = (
    "response.text", "response.tool_calls", "response.media", "response.refusal", "response.reasoning", "response.code",
)  # fmt: skip
"""Checks of what an answer holds: where three of them find nothing, answers are lost as a whole."""

_LITERALS: Final = "expect."
_FEWEST_ALIKE: Final = 3

CALLS_AND_CONTENT: Final = (
    "harness.", "adapter.", "relay.expected_calls", "relay.next_turn", "relay.one_call", "response.error",
    "response.choices", "response.text", "response.tool_calls", "response.media", "response.refusal",
    "request.system", "request.turns", "request.tools", "request.tool_choice", "request.acceptable", "stream.",
)  # fmt: skip
"""What the checks begin with whose failures lose a call or content: their findings come first."""

METADATA: Final = frozenset({
    "response.usage", "response.identity", "response.other", "request.other", "request.added", "request.features",
    "request.deterministic", "request.prefix_stable", "stream.incremental",
})  # fmt: skip
"""Checks of what neither the model nor the user reads: their findings come last."""

REMEMBERED: Final = frozenset({
    "response.error", "response.choices", "response.text", "response.reasoning", "response.order", "response.refusal",
    "response.tool_calls", "response.number_text", "response.media", "response.code", "client.wire_shape",
    "stream.terminates_once", "stream.blocks", "stream.calls_contiguous",
})  # fmt: skip
"""Checks of what a client gives back as history: where they fail, the history of the next request is wrong too."""

_SIDES: Final = {check.id: check.side for check in CHECKS}
_SHAPES: Final = ("client.wire_shape", "upstream.wire_shape", "request.acceptable")
"""Checks of documents, which other checks read: they find the same fault of the same thing."""
_HISTORY: Final = re.compile(
    r"^(?:upstream_request\[(?P<call>\d+)\] )?(?:(?:messages|contents|turns|signature of|step|id of|ids)\b|$)"
)
"""Locations in the history of a request."""
_NOTHING: Final = (ABSENT, '""', "nothing is there")
_NORMAL_ENDS: Final = ("stop", "tool_calls")
"""Reasons of an answer that came to its end: which of the two depends on its calls."""


@dataclass(frozen=True, slots=True)
class UnexplainedVerdict:
    """A failure that nothing explains, and the checks of the failures that it explains."""

    case: CaseResult
    verdict: Verdict
    explained_checks: tuple[str, ...] = ()

    @property
    def direction(self) -> Direction:
        return self.case.key.client, self.case.key.upstream

    @property
    def shape(self) -> tuple[str, ...]:
        return defect_shape_without_direction(self.case, self.verdict)

    @property
    def case_id(self) -> tuple[str, str]:
        return str(self.case.key), self.case.where


@dataclass
class Group:
    """Failures of one kind, or of a family. ``consequences``: other failures that the same fault causes."""

    hits: list[UnexplainedVerdict]
    consequences: list[UnexplainedVerdict] = field(default_factory=list)

    @property
    def check(self) -> str:
        return self.hits[0].verdict.check

    @cached_property
    def cases(self) -> frozenset[tuple[str, str]]:
        return frozenset(hit.case_id for hit in self.hits)

    @cached_property
    def directions(self) -> frozenset[Direction]:
        return frozenset(hit.direction for hit in self.hits)

    @cached_property
    def end(self) -> str:
        return _end(self.hits[0].verdict)

    @cached_property
    def concept(self) -> str:
        """What the failures are about, in words that checks and literals share; "" if that is not known."""
        rows = self.hits[0].verdict.differences
        if not rows:
            return ""
        shape = path_shape(rows[0].path)
        if shape.endswith("parts[]"):
            shape += f" {part_kind(rows[0].expected if lost_added_or_differs(rows[0]) == 'lost' else rows[0].actual)}"
        return request_concept(shape) if self.end == "request" else response_concept(shape)

    @cached_property
    def cause_key(self) -> tuple[bool, int, bool, int, int]:
        """A sort key that puts what may be a cause before what may follow from it: what a client gives back last."""
        worst = min(STATUSES.index(hit.verdict.status) for hit in self.hits)
        is_law = self.check.startswith(LAWS_AND_RELATIONS)
        return bool(_history_turn(self.hits[0])), worst, is_law, self.weight, -len(self.hits)

    @cached_property
    def weight(self) -> int:
        is_metadata = self.check == "client.wire_shape" and self.concept == "usage"
        return 3 if is_metadata else weight(self.check)

    @cached_property
    def is_lost(self) -> bool:
        """Whether something arrives as nothing in one of the failures."""
        return any(row.actual in _NOTHING for hit in self.hits for row in hit.verdict.differences)

    @cached_property
    def loses_answers(self) -> bool:
        """Whether it is the family of what answers hold."""
        return len({hit.verdict.check for hit in self.hits} & set(CONTENT)) >= _FEWEST_ALIKE


def weight(check: str) -> int:
    """Return 0 for a check of calls and content, 2 for one of metadata, 1 for the rest."""
    return 2 if check in METADATA else 0 if check.startswith(CALLS_AND_CONTENT) else 1


def join_by_cause(kinds: Iterable[Sequence[UnexplainedVerdict]], arrived: frozenset[Direction]) -> list[Group]:
    """Return each kind of failure with the kinds that have the same cause, named by what weighs most.

    ``arrived``: directions in which settings arrive: there none is lost with the rest."""
    groups = [Group(list(hits)) for hits in kinds]
    joined: list[Group] = []
    of_answer: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for group in sorted(_join_families(groups, arrived), key=lambda group: group.cause_key):
        number = _find_wrong_answer_before(group, of_answer)
        if number is None:
            number = next((at for at, cause in enumerate(joined) if _is_consequence(group, cause)), None)
        if number is None:
            number = len(joined)
            joined.append(group)
        else:
            joined[number].consequences.extend(group.hits)
        for hit in group.hits:
            if group.check in REMEMBERED:
                of_answer[hit.case_id].append((hit.verdict.turn, number))
    return joined


def _join_families(groups: Sequence[Group], arrived: frozenset[Direction]) -> Iterator[Group]:
    families: dict[tuple[str, ...], list[Group]] = defaultdict(list)
    for group in groups:
        families[_family(group, arrived)].append(group)
    yield from families.pop(_NO_FAMILY, ())
    for family, members in families.items():
        fewest = FEWEST_IN_FAMILY.get(family[0], _FEWEST_ALIKE)
        for together in _split_by_direction(members):
            if len({_kind_in_family(group) for group in together}) < fewest:
                yield from together
            else:
                yield Group([hit for group in together for hit in group.hits])


def _split_by_direction(groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Split into lists of groups that share a direction with the largest one."""
    rest = list(groups)
    while rest:
        largest = max(rest, key=lambda group: len(group.hits))
        yield [group for group in rest if group.directions & largest.directions]
        rest = [group for group in rest if not group.directions & largest.directions]


_NO_FAMILY: Final[tuple[str, ...]] = ("",)


def _family(group: Group, arrived: frozenset[Direction]) -> tuple[str, ...]:
    """Return what the kinds of a family have in common: the check, and what became of each; of literals what they are
    about."""
    rows = group.hits[0].verdict.differences
    if not rows or (group.check == "request.settings" and group.directions & arrived):
        return _NO_FAMILY
    if group.check in CONTENT and group.is_lost:
        return ("content is lost",)
    if group.check.startswith(_LITERALS):
        return (_LITERALS, group.end, group.concept) if group.concept else _NO_FAMILY
    if group.check not in FEWEST_IN_FAMILY:
        return _NO_FAMILY
    became: str = lost_added_or_differs(rows[0])
    if group.check in ("response.finish", "response.error"):
        if became != "differs" or not path_shape(rows[0].path).endswith(("finish", "error.kind")):
            return _NO_FAMILY
        became = _class(rows[0].actual)
        return group.check, "a normal end" if became in _NORMAL_ENDS else became
    return group.check, "" if group.check == "relay.signatures" else became


def _kind_in_family(group: Group) -> str:
    hit = group.hits[0]
    if group.check.startswith(_LITERALS):
        return hit.case.key.scenario.partition("/")[0]
    if group.check in CONTENT:
        return group.check
    row = hit.verdict.differences[0]
    is_class = group.check in ("response.finish", "response.error")
    return _class(row.expected).partition(" or ")[0] if is_class else path_shape(row.path)


def _class(value: str) -> str:
    """Return the classes without the provider's or the client's own word for them, which stands in brackets."""
    return value.partition(" (")[0]


def _is_consequence(group: Group, cause: Group) -> bool:
    if group.check in STAND_ALONE or group.hits[0].verdict.status == "ERROR" or group.end != cause.end:
        return False
    if group.check.startswith(LAWS_AND_RELATIONS) and _is_same_in_another_form(group, cause):
        return True
    if (
        cause.loses_answers
        and group.directions <= cause.directions
        and (group.is_lost or group.check == "response.finish")
    ):
        return True
    if group.directions & cause.directions and group.hits[0].shape[1:] == cause.hits[0].shape[1:] == (
        SYSTEM_IN_A_TURN,
    ):
        return True
    if _is_same_read_again(group, cause) or _ends_too_soon_alike(group, cause):
        return True
    if not group.cases <= cause.cases:
        return False
    if group.check.startswith("expect.") and cause.check.startswith("expect."):
        return True
    if group.check == cause.check and (group.cases == cause.cases or group.check == "response.usage"):
        return len(group.cases) >= FEWEST_SHARED or group.check in METADATA
    return 2 * len(group.cases) >= len(cause.cases) and len(group.cases) >= FEWEST_SHARED


def _is_same_read_again(group: Group, cause: Group) -> bool:
    """Return whether of a literal and a check, or of a check of documents and another, each finds what the other finds,
    of the same thing and in the same directions."""
    literals = group.check.startswith(_LITERALS), cause.check.startswith(_LITERALS)
    if all(literals) or not (any(literals) or {group.check, cause.check} & set(_SHAPES)):
        return False
    if not group.concept or group.concept != cause.concept:
        return False
    is_wider = (literals[1] or cause.check in _SHAPES) and cause.directions <= group.directions
    return is_wider or group.directions <= cause.directions


def _ends_too_soon_alike(group: Group, cause: Group) -> bool:
    """Return whether both give a normal end to answers that had the same other one: ``stop`` or, beside calls,
    ``tool_calls``."""
    if group.check != "response.finish" or cause.check != "response.finish" or not group.directions & cause.directions:
        return False
    first, second = (each.hits[0].verdict.differences[0] for each in (cause, group))
    classes = [set(_class(row.expected).split(" or ")) for row in (first, second)]
    are_normal = {_class(first.actual), _class(second.actual)} <= set(_NORMAL_ENDS)
    return are_normal and classes[0] <= classes[1]


def _is_same_in_another_form(group: Group, cause: Group) -> bool:
    """Return whether a law or a relation shows in another form what the cause shows of answers in their own: of the
    same thing in the same direction, or in most of its scenarios."""
    if cause.end != "response" or cause.check.startswith(LAWS_AND_RELATIONS):
        return False
    concepts = [{_first_concept(hit) for hit in each.hits} for each in (group, cause)]
    if "" not in concepts[0] and group.directions & cause.directions and concepts[0] <= concepts[1]:
        return True
    plain = {(hit.direction, hit.case.key.scenario, hit.case.where) for hit in cause.hits}
    shared = sum((hit.direction, hit.case.key.scenario, hit.case.where) in plain for hit in group.hits)
    return 2 * shared >= len(group.hits)


def _first_concept(hit: UnexplainedVerdict) -> str:
    rows = hit.verdict.differences
    return response_concept(path_shape(rows[0].path)) if rows else ""


def _find_wrong_answer_before(group: Group, of_answer: dict[tuple[str, str], list[tuple[int, int]]]) -> int | None:
    """Return the number of the finding that these failures of histories follow from, of several the most frequent:
    before each of them an answer of its case was wrong already. ``of_answer``: case -> turn of a wrong answer, and its
    finding."""
    found = Counter[int]()
    for hit in group.hits:
        turn = _history_turn(hit)
        before = {finding for answered, finding in of_answer.get(hit.case_id, ()) if answered < turn}
        if not before:
            return None
        found.update(before)
    return found.most_common(1)[0][0]


def _history_turn(hit: UnexplainedVerdict) -> int:
    """Return the turn in whose request a failure shows, where it is one of the history; else 0."""
    found = [_HISTORY.search(row.path) for row in hit.verdict.differences]
    if _end(hit.verdict) != "request" or not all(found):
        return 0
    return max([hit.verdict.turn, *(int(item["call"] or 0) for item in found if item)])


def _end(verdict: Verdict) -> str:
    """Return the end of the adapter at which a failure shows: request or response; else the check."""
    side = _SIDES.get(verdict.check, "")
    if side == "expectation":
        at_request = any(row.path.startswith("upstream") for row in verdict.differences)
        return "request" if at_request or verdict.check == "expect.prompt" else "response"
    if side in ("case", ""):
        return verdict.check
    return "request" if side == "request" or verdict.check == REQUEST_ROUNDTRIP else "response"
