"""Sources as links. Only http and https addresses become one; anything else stays text."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.model.scenario import Basis, Source

_URL: Final = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:)\]]")
_TRACKER: Final = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>\d+)")


@dataclass(frozen=True, slots=True)
class Bit:
    """A piece of text; ``url``: where it leads, "" for nowhere."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """``kind``: what a rule rests on, "" for a plain source. ``bits``: the reference, its addresses as links."""

    kind: str
    bits: tuple[Bit, ...]
    note: str = ""


def basis(said: Basis) -> Cited:
    return Cited(said.kind, linked(said.ref), f"read {said.date}" if said.date else "")


def source(said: Source) -> Cited:
    if is_address(said.url):
        return Cited("", (Bit(said.ref or said.url, said.url),), said.note)
    return Cited("", linked(said.ref), said.note)


def text(said: str) -> Cited:
    """Free text in which addresses lead somewhere."""
    return Cited("", linked(said))


def linked(text: str) -> tuple[Bit, ...]:
    """The text in pieces: addresses, and issues of a public tracker (``owner/name#1``), lead there."""
    found: list[Bit] = []
    at = 0
    for match in re.finditer(f"{_URL.pattern}|{_TRACKER.pattern}", text):
        if match.start() > at:
            found.append(Bit(text[at : match.start()]))
        issue = match["repository"]
        url = f"https://github.com/{issue}/issues/{match['number']}" if issue else match[0]
        found.append(Bit(match[0], url if is_address(url) else ""))
        at = match.end()
    return (*found, Bit(text[at:])) if at < len(text) else tuple(found)


def is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and url.isprintable()
