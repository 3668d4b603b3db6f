"""Finding and masking credentials in a text, in whatever reading they show."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import fields, replace
from functools import cache, lru_cache
from operator import is_
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from bridgecheck.secrets.kinds import KINDS, REDACTED, lower_case
from bridgecheck.secrets.known_values import known_secrets
from bridgecheck.secrets.readings import base64_runs, decompress, delta_values, joined_texts, unescape
from bridgecheck.secrets.windows import windows

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
KNOWN: Final = "value of this machine's environment or of a recipe"
"""The kind of a secret that is known by its value."""

_MAX_DEPTH: Final = 3
"""Encodings inside one another that are undone: base64 in percent-encoding in base64."""
_REPEATED: Final = 400
"""Characters up to which a text is remembered with its result."""
_SHORTEST: Final = 8
"""Characters of the shortest text that can hold a secret that is known by its form."""

_LONGEST: Final = 64 * 1024
"""Characters that no secret is longer than, in a text that is read in pieces."""

Found = tuple[int, int, str]
"""Start and end of a secret in the text, and its kind."""


def mask_text(text: str) -> str:
    """Return the text with every credential replaced by REDACTED. What holds none is returned as it is."""
    if len(text) > _REPEATED:
        return _mask(text)
    return _mask_short(text, known_secrets())


@lru_cache(maxsize=65_536)
def _mask_short(text: str, known: frozenset[str]) -> str:
    """Return what a text of those that a report repeats in every case becomes; ``known`` tells results apart."""
    return _mask(text)


def _mask(text: str) -> str:
    spans = sorted(find_secrets(text))
    if not spans:
        return text
    pieces, behind = [], 0
    for start, end, _ in spans:
        if end <= behind:
            continue
        if start >= behind:
            pieces += [text[behind:start], REDACTED]
        behind = end
    return "".join((*pieces, text[behind:]))


def mask_strings(value: T) -> T:
    """Return a dataclass, tuple, list, dict or string with every string in it masked, keys too; numbers and the like as
    they are. What holds no credential is returned itself, not as a copy."""
    return cast(T, _mask_value(value, {}))


def find_secret_kinds(data: bytes) -> tuple[str, ...]:
    """Return the kinds of secrets in a body, each once, in the order of KINDS, those known by their value last."""
    plain, found, joined = decompress(data), set[str](), dict[str, str]()
    for window in windows(plain):
        text = plain[window.before : window.behind].decode("utf-8", "replace")
        found.update(kind for _, _, kind in find_secrets(text))
        if window.end - window.start < len(plain):
            found.update(_kinds_in_deltas(plain[window.start : window.end].decode("utf-8", "replace"), joined))
    return tuple(name for name in (*(kind.name for kind in KINDS), KNOWN) if name in found)


def _kinds_in_deltas(text: str, ends: dict[str, str]) -> Iterator[str]:
    """Yield the kinds of secrets in what the members of each name hold together, which may be split over more events
    than a window shows. ``ends``: by name, the end of what they held before this text, which becomes that of this."""
    reading = unescape(text)
    values: dict[str, list[str]] = {}
    for name, value in delta_values(reading.decoded if reading else text):
        values.setdefault(name, []).append(value)
    for name, found in values.items():
        joined = ends.get(name, "") + "".join(found)
        yield from (kind for _, _, kind in _find_undecoded(joined))
        cut = max(len(joined) - _LONGEST, 0)
        ends[name] = joined[joined.rfind(" ", 0, cut) + 1 if cut else 0 :][-2 * _LONGEST :]


def find_secrets(text: str, depth: int = 0) -> Iterator[Found]:
    """Yield every secret with the part of the text that has to go, in no order; one may be found twice."""
    if len(text) < _SHORTEST and not known_secrets():
        return
    yield from _find_undecoded(text)
    reading = unescape(text)
    if reading is None:
        yield from _find_encoded_or_split(text, depth)
        return
    for start, end, kind in (*_find_undecoded(reading.decoded), *_find_encoded_or_split(reading.decoded, depth)):
        yield *reading.original_span(start, end), kind


def _find_encoded_or_split(text: str, depth: int) -> Iterator[Found]:
    """Yield base64 that holds secrets, and the parts of those that are split over several members, as over the events
    of a stream."""
    if depth < _MAX_DEPTH:
        for start, end, data in base64_runs(text):
            for _, _, kind in _find_in_bytes(data, depth + 1):
                yield start, end, kind
                break
    for joined in joined_texts(text):
        for start, end, kind in _find_undecoded(joined.joined):
            spans = joined.original_spans(start, end)
            if len(spans) > 1:
                yield from ((*span, kind) for span in spans)


def _find_in_bytes(data: bytes, depth: int) -> Iterator[Found]:
    """Yield what stands in the bytes of a base64 run: of binary data only what stands there plain."""
    if data.isascii():
        yield from find_secrets(data.decode(), depth)
    else:
        yield from _find_undecoded(data.decode("utf-8", "replace"))


def _find_undecoded(text: str) -> Iterator[Found]:
    lower = lower_case(text)
    for kind in KINDS:
        yield from ((start, end, kind.name) for start, end in kind.spans(text, lower))
    for value in known_secrets():
        if value in text:
            yield from ((*found.span(), KNOWN) for found in re.finditer(re.escape(value), text))


def _mask_value(value: Any, results: dict[int, Any]) -> Any:
    """``results``: what became of the dataclasses so far, by identity: most verdicts of a report are the same few."""
    if isinstance(value, str):
        masked = mask_text(value)
        return value if masked == value else masked
    if isinstance(value, tuple | list):
        items = [_mask_value(item, results) for item in value]
        return value if all(map(is_, items, value)) else type(value)(items)
    if isinstance(value, dict):
        pairs = [(_mask_value(key, results), _mask_value(item, results)) for key, item in value.items()]
        return value if all(key in value and value[key] is item for key, item in pairs) else dict(pairs)
    if not hasattr(value, "__dataclass_fields__") or isinstance(value, type):
        return value
    if id(value) not in results:
        former = {name: getattr(value, name) for name in _field_names(cast(Hashable, type(value)))}
        changed = {name: new for name, old in former.items() if (new := _mask_value(old, results)) is not old}
        results[id(value)] = replace(value, **changed) if changed else value
    return results[id(value)]


@cache
def _field_names(kind: Hashable) -> tuple[str, ...]:
    """Return the fields of a dataclass that can hold a string."""
    of_kind = fields(cast("type[DataclassInstance]", kind))
    return tuple(field.name for field in of_kind if field.init and field.type not in (int, float, bool))
