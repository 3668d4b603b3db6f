"""Stand-ins for what tells who recorded a conversation: ``prepare_for_writing``. The recorder does not call it yet.

Headers are kept by allow-list, keys in addresses are masked, and what tells who recorded it (project, organisation,
account and request ids, e-mail addresses) gets a stand-in of the same length and alphabet: the same one wherever it
stands in the conversation, in requests and responses, also split over two chunks or two events. Whoever is live keeps
the true ones: nothing here changes what is passed on.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Final

from bridgecheck.cassette import redact
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.codec.unpack import ENCODINGS, Unpacker
from bridgecheck.secrets.readings import joined_texts, unescape

_IDS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![A-Za-z0-9])(?:org|proj|user|req|acct)[-_](?P<id>[A-Za-z0-9]{8,})",
        r"(?<![A-Za-z0-9_-])(?:projects|organizations|folders|accounts)/(?P<id>[A-Za-z0-9][A-Za-z0-9-]{4,})",
        (
            r"(?i)(?:request|project|organization|account|consumer)[-_]?(?:id|number)?[\"'\ue000-\ue0ff]?\s*[:=]\s*"
            r"[\"'\ue000-\ue0ff]?(?:projects/)?(?P<id>(?=[a-z-]*[0-9])[A-Za-z0-9][A-Za-z0-9-]{7,})"
        ),
        r"(?<![A-Za-z0-9._%+-])(?P<id>[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})",
        r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:(?P<id>[0-9]{12}):",
    )
)
"""The group ``id`` gets the stand-in; what stands before it tells of what kind it is, and stays."""

_ALPHABETS: Final = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(slots=True)
class StandIns:
    """The map of one conversation. A stand-in depends on how many there were before, and on nothing of the true id."""

    _of: dict[str, str] = field(default_factory=dict)

    def stand_in(self, true: str) -> str:
        """Return the stand-in of an id: digits for digits, letters for letters of the same case, the rest as it is."""
        if true not in self._of:
            taken = {*self._of, *self._of.values()}
            tries = (_draw_like(true, f"{len(self._of)}/{number}") for number in range(1000))
            self._of[true] = next((made for made in tries if made not in taken), _draw_like(true, "none is left"))
        return self._of[true]

    def replace_in(self, text: str) -> str:
        """Return the text with a stand-in for every id, whatever escapes it is written with; as long as before."""
        characters = list(text)
        reading = unescape(text)
        plain = reading.decoded if reading else text
        for positions, true in _ids_with_positions(plain):
            for position, old, new in zip(positions, true, self.stand_in(true), strict=True):
                start, end = reading.original_span(position, position + 1) if reading else (position, position + 1)
                written = text[start:end] if old == new else _written_like(text[start:end], new)
                characters[start:end] = [written, *[""] * (end - start - 1)]
        return "".join(characters)


def prepare_for_writing(cassette: Cassette, where: str) -> Cassette:
    """Return the conversation as it may be written. ``where``: the file, for the error. Raises SecretFound, which names
    the kind and the place of what looks like a credential, never the credential."""
    stand_ins = StandIns()
    prepared = replace(cassette, interactions=tuple(_prepare(item, stand_ins) for item in cassette.interactions))
    redact.refuse_secrets(prepared, where)
    return prepared


def without_ids(text: str) -> str:
    """Return a text in which every id is the same as its stand-in would be: its letters are ``a``, its digits 0. To
    compare a request with a recorded one, put both bodies through it."""
    reading = unescape(text)
    plain = reading.decoded if reading else text
    characters = list(plain)
    for positions, true in _ids_with_positions(plain):
        for position, character in zip(positions, true, strict=True):
            characters[position] = "0" if character.isdigit() else "a" if character.isalpha() else character
    return "".join(characters)


def _prepare(recorded: RecordedInteraction, stand_ins: StandIns) -> RecordedInteraction:
    recorded = redact.mask_interaction(_unpack(recorded))
    request = recorded.request
    request = replace(request, path=stand_ins.replace_in(request.path), body=_replace_in_bytes(request.body, stand_ins))
    body = _replace_in_bytes(recorded.body, stand_ins)
    borders = [0, *accumulate(map(len, recorded.chunks))]
    chunks = tuple(body[start:end] for start, end in pairwise(borders))
    return replace(recorded, request=request, chunks=chunks)


def _replace_in_bytes(body: bytes, stand_ins: StandIns) -> bytes:
    try:
        return stand_ins.replace_in(body.decode()).encode()
    except UnicodeDecodeError:
        return body


def _unpack(recorded: RecordedInteraction) -> RecordedInteraction:
    """Return a compressed response without its encoding, chunk by chunk; one that does not unpack as it is."""
    encoding = next((value.lower() for name, value in recorded.headers if name.lower() == "content-encoding"), "")
    if encoding not in ENCODINGS:
        return recorded
    unpacker = Unpacker(encoding)
    try:
        chunks = tuple(b"".join(unpacker.feed(chunk)) for chunk in recorded.chunks)
    except zlib.error:
        return recorded
    headers = tuple(pair for pair in recorded.headers if pair[0].lower() not in ("content-encoding", "content-length"))
    return replace(recorded, headers=headers, chunks=chunks)


def _ids_with_positions(text: str) -> Iterator[tuple[list[int], str]]:
    """Yield every id with the position of each of its characters, also of those that several events hold together."""
    for pattern in _IDS:
        for found in pattern.finditer(text):
            yield list(range(*found.span("id"))), found["id"]
    for joined in joined_texts(text):
        for pattern in _IDS:
            for found in pattern.finditer(joined.joined):
                spans = joined.original_spans(*found.span("id"))
                if len(spans) > 1:
                    yield [position for span in spans for position in range(*span)], found["id"]


def _draw_like(true: str, seed: str) -> str:
    """Return a text of the same length and alphabets. An e-mail's top-level domain becomes one that is none."""
    drawn = iter(_digits_of(seed, len(true)))
    made = "".join(
        next((alphabet[number % len(alphabet)] for alphabet in _ALPHABETS if character in alphabet), character)
        for character, number in zip(true, drawn, strict=False)
    )
    if "@" not in true:
        return made
    last = len(made) - made.rfind(".") - 1
    return made[:-last] + "z" * last


def _digits_of(seed: str, count: int) -> list[int]:
    data = b""
    while len(data) < count:
        data += sha256(f"{seed}/{len(data)}".encode()).digest()
    return list(data[:count])


def _written_like(written: str, character: str) -> str:
    r"""Return a character as long as it was written: behind ``\u00`` as such an escape, behind ``%`` as such."""
    if len(written) > 1 and written.startswith("\\"):
        return f"{written[:-2]}{ord(character):02x}"
    return f"{written[:-2]}{ord(character):02X}" if len(written) > 1 else character
