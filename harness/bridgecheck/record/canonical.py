"""The canonical form of a request: what two requests have in common that ask for the same. Pure.

Two requests match when method, path and canonical body are equal. A JSON body is compared as a document, so that the
order of members and white space do not count; volatile paths, which whoever records declares, are left out. Any other
body is compared byte for byte, the random boundary of a form left out. Keys in the query never count. Ids that have
stand-ins in cassettes (cassette/stand_ins) are compared by their shape.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from bridgecheck.cassette.redact import mask_keys_and_project_ids
from bridgecheck.cassette.stand_ins import find_ids, replace_ids, shape_of
from bridgecheck.codec.body import decompress_body_if_possible, header_value
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import arr, obj, parse_json
from bridgecheck.wire.facts import RECORDS, endpoint

VolatilePath: TypeAlias = tuple[str, ...]
"""Steps into a document: names of members, ``*`` for every item of a list or every member."""

ABSENT: Final = "(absent)"
_KEY_PARAMETERS: Final = frozenset({"key", "api_key", "api-key", "access_token"})
_SYSTEM_MEMBERS: Final = ("system", "systemInstruction", "system_instruction", "instructions")
_CACHE_MARK: Final = "cache_control"
_BOUNDARY: Final = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)
_SHOWN: Final = 60


def parse_volatile_path(text: str) -> VolatilePath:
    """Return the steps of ``metadata.user_id`` or ``messages.*.id``. Raises ValueError for an empty step."""
    steps = tuple(text.split("."))
    if not all(steps):
        raise ValueError(f"{text!r} has an empty step")
    return steps


@dataclass(frozen=True, slots=True)
class CanonicalRequest:
    """``document``: the decoded body without its volatile members and with shapes in place of ids, a text for one that
    is no JSON. ``key``: equal for requests that match. ``history``: one digest a turn, each of all turns up to it and
    of the system instruction; ``turns``: the turns themselves, as text. ``ids``: those of the body, in an order that
    requests of one key share."""

    method: str
    path: str
    document: object
    key: str
    history: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return f"{self.method} {self.path}"


def canonical_request(request: HttpRequest, volatile: Iterable[VolatilePath] = ()) -> CanonicalRequest:
    """Return the canonical form of a request; ``request.body`` may be compressed."""
    path, document = _canonical_path(request.path), _decode_body(request)
    for steps in volatile:
        document = _without(document, steps)
    written = _dump(document)
    shaped = replace_ids(written, shape_of)
    comparable = document if shaped == written else parse_json(shaped.encode("utf-8", "surrogatepass"))
    return CanonicalRequest(
        request.method, path, comparable, _digest(request.method, path, shaped),
        tuple(_history(comparable, _turns(request.path, comparable))), tuple(_turns(request.path, document)),
        () if shaped == written else find_ids(written),
    )  # fmt: skip


def find_first_difference(recorded: object, sent: object, path: str = "") -> str:
    """Return where two documents differ first and how, "" where they are equal. Values are cut to some characters."""
    if isinstance(recorded, dict) and isinstance(sent, dict):
        for name in [*recorded, *(name for name in sent if name not in recorded)]:
            inner = f"{path}.{name}" if path else str(name)
            found = find_first_difference(recorded.get(name, ABSENT), sent.get(name, ABSENT), inner)
            if found:
                return found
        return ""
    if isinstance(recorded, list) and isinstance(sent, list):
        for number in range(max(len(recorded), len(sent))):
            before, after = (items[number] if number < len(items) else ABSENT for items in (recorded, sent))
            if found := find_first_difference(before, after, f"{path}[{number}]"):
                return found
        return ""
    if _dump(recorded) == _dump(sent):
        return ""
    before, after = _shorten_around_difference(_dump(recorded), _dump(sent))
    return f"{path or 'the body'}: recorded {before}, sent {after}"


def count_equal_leaves(recorded: object, sent: object) -> int:
    """Return how many leaves stand with the same value at the same path in both: how near two documents are."""
    if isinstance(recorded, dict) and isinstance(sent, dict):
        return sum(count_equal_leaves(value, sent[name]) for name, value in recorded.items() if name in sent)
    if isinstance(recorded, list) and isinstance(sent, list):
        return sum(map(count_equal_leaves, recorded, sent))
    return int(_dump(recorded) == _dump(sent))


def _decode_body(request: HttpRequest) -> object:
    body = decompress_body_if_possible(request.body, request.headers)
    try:
        return parse_json(body) if body.strip() else ""
    except ValueError:
        text = body.decode("utf-8", "backslashreplace")
    boundary = _BOUNDARY.search(header_value(request.headers, "content-type"))
    return text.replace(boundary[1], "BOUNDARY") if boundary else text


def _canonical_path(path: str) -> str:
    address = urlsplit(replace_ids(mask_keys_and_project_ids(path), shape_of))
    pairs = [
        pair for pair in parse_qsl(address.query, keep_blank_values=True) if pair[0].lower() not in _KEY_PARAMETERS
    ]
    return f"{address.path}?{urlencode(sorted(pairs))}" if pairs else address.path


def _without(document: object, steps: Sequence[str]) -> object:
    """Return the document without what these steps lead to."""
    if isinstance(document, list) and steps[:1] == ("*",):
        return [_without(item, steps[1:]) for item in document] if steps[1:] else []
    if not isinstance(document, dict):
        return document
    is_last = len(steps) == 1
    return {
        name: value if steps[0] not in (name, "*") else _without(value, steps[1:])
        for name, value in document.items()
        if not (is_last and steps[0] in (name, "*"))
    }


def _turns(path: str, document: object) -> list[str]:
    found = endpoint(path)
    member = RECORDS[found.dialect].turns_member if found else "messages"
    return [_dump(_without_cache_marks(turn)) for turn in arr(obj(document).get(member))]


def _without_cache_marks(value: object) -> object:
    """Return a turn without marks for the provider's cache, which clients move from turn to turn."""
    if isinstance(value, dict):
        return {name: _without_cache_marks(item) for name, item in value.items() if name != _CACHE_MARK}
    return [_without_cache_marks(item) for item in value] if isinstance(value, list) else value


def _history(document: object, turns: Iterable[str]) -> Iterator[str]:
    system = [_without_cache_marks(obj(document).get(name)) for name in _SYSTEM_MEMBERS]
    digest = _digest(_dump(system))
    for turn in turns:
        digest = _digest(digest, turn)
        yield digest


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _dump(value: object) -> str:
    if value is ABSENT:
        return ABSENT
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _shorten_around_difference(first: str, second: str) -> tuple[str, str]:
    """Return both texts from shortly before the character in which they differ, and not much more of them."""
    shared = next((at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    start = max(0, shared - _SHOWN // 2)
    return _shorten(first, start), _shorten(second, start)


def _shorten(text: str, start: int) -> str:
    piece = text[start : start + _SHOWN]
    return f"{'...' if start else ''}{piece}{'...' if start + _SHOWN < len(text) else ''}"
