"""A text as its reader would decode it, with the position in the text that each decoded character has.

Escapes are undone at every level at once: ``\\n`` in JSON inside JSON reads as the line feed that it is in the end. A
quote that is escaped becomes another character (of U+E000 to U+E0FF, by how it is escaped) than a plain one, so that a
string inside a string still ends where it does."""

import base64
import binascii
import html
import re
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\+(?:u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})|x(?P<x>[0-9A-Fa-f]{2})|(?P<c>[nrtbf/])|(?P<quote>[\"'])|(?P<bare>))"
    r"|%(?:25)*(?P<percent>[0-9A-Fa-f]{2})"
    r"|&(?P<entity>quot|amp|lt|gt|apos|\#[0-9]{1,7}|\#x[0-9A-Fa-f]{1,6});"
    r"|(?P<colour>\x1b\[[0-9;?]*[A-Za-z])"
)
_CONTROL: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_QUOTES: Final = {'"': 0xE000, "'": 0xE080}
_MARKS: Final = ("\\", "%", "&", "\x1b")

_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/]{60,}\r?\n)*[A-Za-z0-9+/_-]{20,}={0,2}")
_BASE64_ALPHABET: Final = str.maketrans("-_", "+/", "\r\n")
_SHORT_RUN: Final = 4096
"""Characters of a run that is also read from its second, third and fourth: what stands before base64 may be of its
alphabet, as the slash of a path is."""

_MEMBER: Final = re.compile(
    "(?P<key>[\"'\ue000-\ue0ff])(?P<name>\\w+)(?P=key)\\s*:\\s*"
    "(?P<quote>[\"'\ue000-\ue0ff])(?P<value>(?:(?!(?P=quote)).)*)(?P=quote)",
    re.DOTALL,
)
"""A member of a JSON object whose value is a string, in a reading, or of a printed dict."""


_DELTAS: Final = frozenset({
    "arguments", "content", "data", "delta", "input", "output", "partial_json", "reasoning", "reasoning_content",
    "refusal", "stringValue", "summary", "text", "thinking",
})  # fmt: skip
"""Members that a stream sends in pieces."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``decoded`` at ``starts[i]`` comes from the original text at ``origins[i]``, and what follows up to the next
    start from what follows there, character by character. The last start is the end."""

    decoded: str
    starts: Sequence[int]
    origins: Sequence[int]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the original text a non-empty span of the decoded one stands, whole escapes included."""
        return self._origin(start), self._end_of_origin(end - 1)

    def _origin(self, position: int) -> int:
        number = bisect_right(self.starts, position) - 1
        return self.origins[number] + position - self.starts[number]

    def _end_of_origin(self, position: int) -> int:
        number = bisect_right(self.starts, position) - 1
        following = number + 1
        if following < len(self.starts) and self.starts[following] == position + 1:
            return self.origins[following]
        return self.origins[number] + position - self.starts[number] + 1


def unescape(text: str) -> Reading | None:
    """Return the text with JSON, Python, percent and HTML escapes undone and without colours; None if it has none."""
    if not any(mark in text for mark in _MARKS):
        return None
    pieces, starts, origins, length, behind = StringIO(), array("Q"), array("Q"), 0, 0
    for found in _ESCAPE.finditer(text):
        plain, decoded = text[behind : found.start()], _decode_escape(found)
        for piece, origin in ((plain, behind), (decoded, found.start())):
            if piece:
                pieces.write(piece)
                starts.append(length)
                origins.append(origin)
                length += len(piece)
        behind = found.end()
    if not behind:
        return None
    pieces.write(text[behind:])
    starts.extend((length, length + len(text) - behind))
    origins.extend((behind, len(text)))
    return Reading(pieces.getvalue(), starts, origins)


def _decode_escape(found: re.Match[str]) -> str:
    """Return one character, or "" for a colour."""
    kind, value = found.lastgroup or "", found[found.lastgroup or 0]
    if kind == "quote":
        return chr(_QUOTES[value] + min(found.end() - found.start() - 1, 63))
    if kind in ("c", "bare"):
        return _CONTROL.get(value, value) or "\\"
    if kind == "colour":
        return ""
    number = ord(html.unescape(f"&{value};")[0]) if kind == "entity" else int(value, 16)
    character = chr(number) if number <= 0x10FFFF else "\ufffd"
    return chr(_QUOTES[character] + 64 + len(kind)) if character in _QUOTES else character


def base64_runs(text: str) -> Iterator[tuple[int, int, bytes]]:
    """Yield where base64 may stand, and what it decodes to, unpacked where that is gzip or zlib."""
    for run in _BASE64.finditer(text):
        bare = run[0].rstrip("=").translate(_BASE64_ALPHABET)
        for skipped in range(4 if len(bare) <= _SHORT_RUN else 1):
            part = bare[skipped:]
            part = part[: len(part) - (len(part) % 4 == 1)]
            with suppress(binascii.Error):
                data = decompress(base64.b64decode(part + "=" * (-len(part) % 4)))
                if not skipped or data.isascii():
                    yield *run.span(), data


def decompress(data: bytes) -> bytes:
    """Return gzip or zlib data decompressed, up to 16 MiB; of cut data what there is; other data as it is."""
    if not data.startswith((b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, 16 * 1024 * 1024)
    except zlib.error:
        return data


@dataclass(frozen=True, slots=True)
class JoinedText:
    """A text that several members of one name hold together, as the events of a stream do. ``starts``: of each piece in
    ``joined``, and the end; ``origins``: of each piece in the original text."""

    joined: str
    starts: Sequence[int]
    origins: Sequence[int]

    def original_spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return where a span of the joined text stands in the original one, a span for each piece."""
        first = bisect_right(self.starts, start) - 1
        spans = []
        for number in range(first, bisect_left(self.starts, end, first)):
            at, behind, origin = self.starts[number], self.starts[number + 1], self.origins[number]
            spans.append((origin + max(start - at, 0), origin + min(end, behind) - at))
        return spans


def delta_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each member that a stream sends in pieces. ``text``: a reading, without escapes."""
    for found in _MEMBER.finditer(text):
        if found["name"] in _DELTAS:
            yield found["name"], found["value"]


def joined_texts(text: str) -> Iterator[JoinedText]:
    """Yield, for each name that several string members have, their values one behind another. ``text``: a reading,
    without escapes."""
    members: dict[str, tuple[array[int], array[int]]] = {}
    for found in _MEMBER.finditer(text):
        start, end = found.span("value")
        if start < end and (name := found["name"]) in _DELTAS:
            starts, origins = members.setdefault(name, (array("Q", [0]), array("Q")))
            starts.append(starts[-1] + end - start)
            origins.append(start)
    for starts, origins in members.values():
        pieces, first, are_equal = StringIO(), text[origins[0] : origins[0] + starts[1]], True
        for number, origin in enumerate(origins):
            piece = text[origin : origin + starts[number + 1] - starts[number]]
            are_equal = are_equal and piece == first
            pieces.write(piece)
        if not are_equal:
            yield JoinedText(pieces.getvalue(), starts, origins)
