"""Stand-ins for ids that tell who recorded a conversation: of projects, organisations, accounts, users and requests,
and e-mail addresses. Pure.

A stand-in is as long as the id and of its alphabet, so that offsets into a body hold: digits for digits, letters for
letters of the same case. It has the shape of the id (``shape_of``), so two texts that differ in nothing but such ids
have the same shapes; by that a request is found among recorded ones (record/recordings).

An id of a response may be split over the deltas of a stream (``is_response``); in a request two texts are two.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from bridgecheck.secrets.readings import joined_texts, unescape
from bridgecheck.secrets.windows import windows

_QUOTE: Final = "[\"'\ue000-\ue0ff]?"
"""A quote of a reading (secrets/readings)."""
_UUID: Final = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
_NUMBERED: Final = "(?=[A-Za-z-]*[0-9])[A-Za-z0-9][A-Za-z0-9-]{7,}"

_NO_ONES: Final = (
    r"(?!(?:[A-Za-z0-9-]+\.)*(?:example\.(?:com|org|net)|example|invalid|test)(?![A-Za-z0-9.-]*[A-Za-z0-9]))"
)
"""Domains that are reserved for examples. Source: https://www.rfc-editor.org/rfc/rfc2606 (2026-11-24)."""

_IDS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<![A-Za-z0-9])(?:org|proj|user|req|acct|account|session|device)[-_]"
            rf"(?P<id>{_UUID}|(?=[A-Za-z]*[0-9])[A-Za-z0-9]{{8,}})"
        ),
        r"(?<![A-Za-z0-9_-])(?:projects|accounts)/(?P<id>(?=[a-z0-9]*[-0-9])[a-z0-9][a-z0-9-]{4,})",
        r"(?<![A-Za-z0-9_-])(?:organizations|folders)/(?P<id>[0-9]{5,})",
        (
            rf"(?i)(?:(?:request|organization|account)[-_ ]?(?:id|number)|(?:project|consumer)[-_ ]?(?:id|number)?)"
            rf"{_QUOTE}\s*[:=]\s*{_QUOTE}(?:projects/)?(?P<id>{_NUMBERED})"
        ),
        rf"(?i)\brequest id (?P<id>{_NUMBERED})",
        r"(?i)\bproject (?P<id>[a-z][a-z0-9-]*-[0-9]{5,6}|[0-9]{9,})(?![a-z0-9-])",
        (
            rf"(?<![A-Za-z0-9._%+-])(?P<id>[A-Za-z0-9._%+-]+@{_NO_ONES}"
            r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})"
        ),
        r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:(?P<id>[0-9]{12}):",
    )
)
"""The group ``id`` gets the stand-in; what stands before it tells of what kind it is, and stays."""

_HINT: Final = re.compile(
    r"@|[Pp]roject|[Aa]ccount|[Rr]equest|[Oo]rganization|[Cc]onsumer|folders/|arn:|(?:org|proj|user|req|acct|session|device)[-_]"
    r"|PROJECT|ACCOUNT|REQUEST|ORGANIZATION|CONSUMER|(?:\\(?:u00|x)|%)[2-7]|&[#a]"
)
"""What stands in a request that holds an id, be it escaped. Most have none of it, which is quickly seen."""

_ALPHABETS: Final = ("123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX_ALPHABETS: Final = ("123456789", "abcdef", "ABCDEF")
"""Without a zero, which no number begins with."""
_HEX: Final = re.compile(r"[0-9A-Fa-f-]{16,}")


@dataclass(slots=True)
class StandIns:
    """The map of one conversation, from true ids to stand-ins. A stand-in depends on how many there were before, and on
    nothing of the true id. ``taken``: stand-ins that the conversation has already."""

    known: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def stand_in(self, true: str) -> str:
        """Return the stand-in of an id; what is a stand-in of this conversation stays."""
        made = {*self.known.values(), *self.taken}
        if true in made:
            return true
        if true not in self.known:
            unwanted = {true, *self.known, *made}
            tries = (_draw_like(true, f"{len(self.known)}/{number}") for number in range(1000))
            self.known[true] = next((drawn for drawn in tries if drawn not in unwanted), _draw_like(true, "none left"))
        return self.known[true]

    def replace_in(self, text: str, is_response: bool = False) -> str:
        """Return the text with a stand-in for every id, as long as before."""
        return replace_ids(text, self.stand_in, is_response)


@dataclass(slots=True)
class IdPairs:
    """The map of one conversation as a replay learns it: the ids that the client sends beside those that stand in the
    recording. ``recorded_of`` and ``sent_of`` hold those that differ."""

    recorded_of: dict[str, str] = field(default_factory=dict)
    sent_of: dict[str, str] = field(default_factory=dict)

    def accept(self, sent: Sequence[str], recorded: Sequence[str]) -> bool:
        """Return whether each id stands for the same one as ever, and learn it then."""
        recorded_of, sent_of = dict(self.recorded_of), dict(self.sent_of)
        if len(sent) != len(recorded):
            return False
        for true, stand_in in zip(sent, recorded, strict=True):
            if true == stand_in:
                continue
            if recorded_of.setdefault(true, stand_in) != stand_in or sent_of.setdefault(stand_in, true) != true:
                return False
        self.recorded_of, self.sent_of = recorded_of, sent_of
        return True

    def restore(self, recorded: str) -> str:
        """Return the id that the client sends for a recorded one; one that it never sent as it is."""
        return self.sent_of.get(recorded, recorded)

    def restore_in(self, text: str) -> str:
        """Return the text of a recorded response with the ids that the client sends."""
        return replace_ids(text, self.restore, is_response=True)


def replace_ids(
    text: str, stand_in: Callable[[str], str], is_response: bool = False, where: range | None = None
) -> str:
    """Return the text with another id of the same length for every id, whatever escapes it is written with. ``where``:
    only for ids that begin there."""
    if not (is_response or _HINT.search(text)):
        return text
    reading = unescape(text)
    plain = reading.decoded if reading else text
    changes: list[tuple[int, int, str]] = []
    for positions, true in _ids_with_positions(plain, is_response):
        begin = reading.original_span(positions[0], positions[0] + 1)[0] if reading else positions[0]
        if where is not None and begin not in where:
            continue
        for position, old, new in zip(positions, true, stand_in(true), strict=True):
            if old != new:
                start, end = reading.original_span(position, position + 1) if reading else (position, position + 1)
                changes.append((start, end, _written_like(text[start:end], new)))
    pieces, behind = [], 0
    for start, end, written in sorted(changes):
        pieces += [text[behind:start], written]
        behind = end
    return "".join((*pieces, text[behind:])) if changes else text


def replace_ids_in_bytes(body: bytes, stand_in: Callable[[str], str], is_response: bool = False) -> bytes:
    """Return a body with another id of the same length for every id; bytes that are no UTF-8, as where it breaks off,
    stay."""
    replaced: bytearray | None = None
    for window in windows(body):
        now = body if replaced is None else replaced
        shown = now[window.before : window.behind].decode("utf-8", "surrogateescape")
        start = len(now[window.before : window.start].decode("utf-8", "surrogateescape"))
        end = start + len(now[window.start : window.end].decode("utf-8", "surrogateescape"))
        changed = replace_ids(shown, stand_in, is_response, range(start, end))
        if changed != shown:
            replaced = bytearray(body) if replaced is None else replaced
            replaced[window.before : window.behind] = changed.encode("utf-8", "surrogateescape")
    return body if replaced is None else bytes(replaced)


def find_ids_in_bytes(body: bytes, is_response: bool = False) -> Iterator[str]:
    """Yield the ids in a body, as often as they stand in it or in what two windows of it show."""
    for window in windows(body):
        yield from find_ids(body[window.before : window.behind].decode("utf-8", "surrogateescape"), is_response)


def find_ids(text: str, is_response: bool = False) -> tuple[str, ...]:
    """Return the ids in a text, as often as they stand in it; two texts of the same shapes have theirs in one order."""
    if not (is_response or _HINT.search(text)):
        return ()
    reading = unescape(text)
    return tuple(true for _, true in _ids_with_positions(reading.decoded if reading else text, is_response))


def shape_of(true: str) -> str:
    """Return what an id and its stand-in have in common."""
    kinds = map(_kind_of, true)
    return "".join(
        character if kind is None else _ALPHABETS[kind][0] for character, kind in zip(true, kinds, strict=True)
    )


def _ids_with_positions(text: str, is_response: bool) -> Iterator[tuple[list[int], str]]:
    """Yield every id with the position of each of its characters; of two that overlap the first."""
    covered: set[int] = set()
    for positions, true in (*(_split_ids(text) if is_response else ()), *_whole_ids(text)):
        if covered.isdisjoint(positions):
            covered.update(positions)
            yield positions, true


def _whole_ids(text: str) -> Iterator[tuple[list[int], str]]:
    for pattern in _IDS:
        for found in pattern.finditer(text):
            yield list(range(*found.span("id"))), found["id"]


def _split_ids(text: str) -> Iterator[tuple[list[int], str]]:
    """Yield the ids that several events hold together."""
    for joined in joined_texts(text):
        for pattern in _IDS:
            for found in pattern.finditer(joined.joined):
                spans = joined.original_spans(*found.span("id"))
                if len(spans) > 1:
                    yield [position for span in spans for position in range(*span)], found["id"]


def _draw_like(true: str, seed: str) -> str:
    """Return a text of the same length and alphabets. An e-mail's top-level domain becomes one that is none."""
    drawn = iter(_digits_of(seed, len(true)))
    alphabets = _HEX_ALPHABETS if _HEX.fullmatch(true) else _ALPHABETS
    made = "".join(
        alphabets[kind][number % len(alphabets[kind])] if (kind := _kind_of(character)) is not None else character
        for character, number in zip(true, drawn, strict=True)
    )
    if "@" not in true:
        return made
    host, dot, top_level = made.rpartition(".")
    return host + dot + "z" * len(top_level)


def _kind_of(character: str) -> int | None:
    """Return the place of a character's alphabet, None for one that stays."""
    if not character.isascii() or not character.isalnum():
        return None
    return 0 if character.isdigit() else 1 if character.islower() else 2


def _digits_of(seed: str, count: int) -> list[int]:
    data = b""
    while len(data) < count:
        data += sha256(f"{seed}/{len(data)}".encode()).digest()
    return list(data[:count])


def _written_like(written: str, character: str) -> str:
    r"""Return a character as long as it was written: behind ``\u00`` as such an escape, behind ``%`` as such."""
    if len(written) > 1 and written.startswith("\\"):
        return f"{written[:-2]}{ord(character):02x}"
    if written.startswith("%"):
        return f"{written[:-2]}{ord(character):02X}"
    return character if len(written) == 1 else written  # an entity of HTML has no other of its length
