"""Where in a TOML text a key stands, for messages that point at the mistake. Python's parser does not say."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_HEADER: Final = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-]+)+?)\s*=""")
_PART: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*\.?""")
_LONG: Final = ('"' * 3, "'" * 3)


def line(source: str, path: Sequence[str]) -> int:
    """The 1-based number of the line on which the key at ``path`` of a valid document is written, or its nearest
    ancestor that has a line of its own (a key of an inline table has none); 1 if there is neither."""
    best, found = 0, 1
    for number, key in _keys(source):
        depth = len(key)
        if best < depth <= len(path) and tuple(path[:depth]) == key:
            best, found = depth, number
    return found


def _keys(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines that begin a key or a table, each with its whole path; lines within long strings passed over."""
    table: tuple[str, ...] = ()
    within = ""
    for number, text in enumerate(source.split("\n"), 1):
        if not within:
            header, key = _HEADER.match(text), _KEY.match(text)
            if header is not None:
                table = _parts(header[1])
                yield number, table
            elif key is not None:
                yield number, (*table, *_parts(key[1]))
        within = _open_string(text, within)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(next(filter(None, match.groups()), "") for match in _PART.finditer(name))


def _open_string(text: str, within: str) -> str:
    """The quotes of the long string that a line leaves open, "" if it leaves none."""
    at = 0
    while at < len(text):
        if within:
            end = text.find(within, at)
            if end < 0:
                return within
            at, within = end + len(within), ""
            continue
        starts = [(text.find(mark, at), mark) for mark in _LONG if mark in text[at:]]
        if not starts:
            return ""
        at, within = min(starts)
        at += len(within)
    return within
