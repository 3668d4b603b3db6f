"""Recorded interactions as answers: decoded, told apart by what they answer, and paired old to new."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import parse_qs

from bridgecheck.cassette.interactions import RecordedInteraction, decode_recorded_request
from bridgecheck.documented_leaves import path_keys
from bridgecheck.drift.knowledge import top_members
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import canonical, obj
from bridgecheck.wire import Dialect, Mode
from bridgecheck.wire.facts import RECORDS, endpoint

ERROR_STATUS: Final = 400
_API_VERSION: Final = re.compile(r"^/v\d\w*(?=/)")


@dataclass(frozen=True, slots=True)
class Answer:
    """``number``: position among the recordings of its side, from 0. ``request``: None where it has no body that is
    understood. ``documents``: without those that are errors, which are ``errors``, and without
    those that have no member of an answer, which are ``unknown``."""

    number: int
    dialect: Dialect
    mode: Mode
    operation: str
    recorded: RecordedInteraction
    request: Request | None
    response: Response
    documents: tuple[object, ...]
    errors: tuple[object, ...]
    unknown: tuple[object, ...] = ()

    @property
    def is_error(self) -> bool:
        return self.response.status >= ERROR_STATUS

    @property
    def is_whole(self) -> bool:
        """Whether it came to its end, and no error stands in it: only then must it have what every answer has."""
        return self.response.end == "complete" and not self.errors and not self.is_error

    @property
    def requested_form(self) -> str:
        """What the query of the address asks for: ``sse`` or nothing; the framing depends on it."""
        query = parse_qs(self.recorded.request.path.partition("?")[2])
        return ",".join(query.get("alt", ()))

    @property
    def request_key(self) -> str:
        """Equal for requests that ask the same; the version of an API in the path does not count, nor does a query."""
        request = self.recorded.request
        path = _API_VERSION.sub("", request.path.partition("?")[0])
        body = canonical(self.request.body) if self.request is not None else repr(request.body)
        return f"{request.method} {path} {body}"


def decode_answers(recordings: Sequence[RecordedInteraction]) -> list[Answer]:
    """Return the answers of every operation that bridgecheck knows; what goes to another address is left out."""
    found = (_decode(number, recorded) for number, recorded in enumerate(recordings))
    return [answer for answer in found if answer is not None]


def _decode(number: int, recorded: RecordedInteraction) -> Answer | None:
    matched = endpoint(recorded.request.path, recorded.origin.rpartition("/")[2])
    if matched is None or matched.operation == "other":
        return None
    try:
        request = decode_recorded_request(recorded.request) if recorded.request.body else None
    except BridgecheckError:
        request = None
    mode: Mode = request.mode if request is not None else matched.mode or "unary"
    response = recorded.response(matched.dialect, mode)
    kinds = [_kind_of(matched.dialect, mode, response.status, document) for document in response.documents]
    marked = list(zip(response.documents, kinds, strict=True))
    documents, errors, unknown = (
        tuple(document for document, kind in marked if kind == name) for name in ("answer", "error", "unknown")
    )
    return Answer(
        number, matched.dialect, mode, matched.operation, recorded, request, response, documents, errors, unknown
    )


def _kind_of(dialect: Dialect, mode: Mode, status: int, document: object) -> str:
    if status >= ERROR_STATUS or _holds_error(document):
        return "error"
    members = obj(document)
    if not isinstance(document, dict) or not members:
        return "answer"
    if mode == "stream" and RECORDS[dialect].framing.last_type:  # its events are told by their type
        return "answer" if isinstance(members.get("type"), str) else "unknown"
    return "answer" if any(_is_top_member(dialect, name) for name in members) else "unknown"


def _is_top_member(dialect: Dialect, name: str) -> bool:
    keys = {path_keys(known) for known in top_members(dialect)}
    return path_keys(name) in keys


def _holds_error(document: object) -> bool:
    """Whether a document of a stream or of a 200 says that something went wrong."""
    return obj(document).get("error") is not None or obj(document).get("type") == "error"


Group: TypeAlias = tuple[Dialect, str, Mode]
"""Answers that are of one form: dialect, operation, mode."""


Pair: TypeAlias = tuple[Answer, Answer]
"""An old answer and a new one."""


def group_answers(answers: Sequence[Answer]) -> dict[Group, list[Answer]]:
    groups: dict[Group, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.dialect, answer.operation, answer.mode].append(answer)
    return groups


def pair_answers(
    old: Sequence[Answer], new: Sequence[Answer], *, same_conversation: bool
) -> list[tuple[Answer, Answer]]:
    """Return the pairs that answer the same request. ``same_conversation``: both sides hold one conversation, whose
    later requests may differ in what the earlier answers were: what no equal request pairs is paired by position."""
    by_key: dict[str, list[Answer]] = defaultdict(list)
    for answer in reversed(new):
        by_key[answer.request_key].append(answer)
    pairs: list[Pair] = []
    for answer in old:
        if by_key[answer.request_key]:
            pairs.append((answer, by_key[answer.request_key].pop()))
    begins_alike = bool(old and new) and old[0].request_key == new[0].request_key
    if same_conversation or begins_alike:
        pairs += _pair_rest_by_position(old, new, pairs)
    return pairs


def _pair_rest_by_position(old: Sequence[Answer], new: Sequence[Answer], pairs: list[Pair]) -> Iterator[Pair]:
    paired_old, paired_new = ({id(pair[side]) for pair in pairs} for side in (0, 1))
    by_number = {answer.number: answer for answer in new if id(answer) not in paired_new}
    for answer in old:
        match = by_number.get(answer.number)
        if id(answer) not in paired_old and match is not None and match.operation == answer.operation:
            yield answer, match
