"""Where in a JSON or TOML text a value stands, for messages that point at a mistake. Python's parsers do not report it
for what is valid JSON or TOML."""

import re
from collections.abc import Iterator, Sequence
from json import JSONDecoder
from typing import Final

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = JSONDecoder()


def json_position(text: str, path: Sequence[str | int]) -> str:
    """Return ``line:column`` of the value at ``path`` in a valid JSON document; of its nearest ancestor that exists, if
    it is not there (a missing key, say)."""
    offset = _skip_space(text, 0)
    for step in path:
        found = _find_member(text, offset, step)
        if found is None:
            break
        offset = found
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _find_member(text: str, offset: int, step: str | int) -> int | None:
    """Return the offset of the member ``step`` of the object or array that starts at ``offset``."""
    opening = text[offset : offset + 1]
    if opening == "{" and isinstance(step, str):
        return _find_value_of_key(text, offset + 1, step)
    if opening == "[" and isinstance(step, int):
        return _find_item(text, offset + 1, step)
    return None


def _find_value_of_key(text: str, offset: int, key: str) -> int | None:
    offset = _skip_space(text, offset)
    while text[offset] != "}":
        found, end = _DECODER.raw_decode(text, offset)
        value = _skip_space(text, _skip_space(text, end) + 1)
        if found == key:
            return value
        offset = _skip_value_and_comma(text, value)
    return None


def _find_item(text: str, offset: int, index: int) -> int | None:
    offset = _skip_space(text, offset)
    for _ in range(index):
        if text[offset] == "]":
            return None
        offset = _skip_value_and_comma(text, offset)
    return None if text[offset] == "]" else offset


def _skip_value_and_comma(text: str, offset: int) -> int:
    """Return the offset of what follows the value there and its comma: the next member, or the closing bracket."""
    _, end = _DECODER.raw_decode(text, offset)
    end = _skip_space(text, end)
    return _skip_space(text, end + 1) if text[end] == "," else end


_HEADER: Final = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.\s-]+)+?)\s*=""")
_KEY_PART: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*\.?""")
_LONG_QUOTES: Final = ('"' * 3, "'" * 3)


def toml_line(source: str, path: Sequence[str]) -> int:
    """Return the 1-based number of the line on which the key at ``path`` of a valid document is written, or its nearest
    ancestor that has a line of its own (a key of an inline table has none); 1 if there is neither."""
    depth, found = 0, 1
    for number, key in _toml_keys(source):
        if depth < len(key) <= len(path) and tuple(path[: len(key)]) == key:
            depth, found = len(key), number
    return found


def _toml_keys(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the lines that begin a key or a table, each with its whole path; not those within long strings."""
    table: tuple[str, ...] = ()
    open_quotes = ""
    for number, text in enumerate(source.split("\n"), 1):
        if not open_quotes:
            header, key = _HEADER.match(text), _KEY.match(text)
            if header is not None:
                table = _split_key(header[1])
                yield number, table
            elif key is not None:
                yield number, (*table, *_split_key(key[1]))
        open_quotes = _find_open_quotes(text, open_quotes)


def _split_key(name: str) -> tuple[str, ...]:
    return tuple(next(filter(None, match.groups()), "") for match in _KEY_PART.finditer(name))


def _find_open_quotes(line: str, open_quotes: str) -> str:
    """Return the quotes of the long string that a line leaves open, "" if it leaves none."""
    offset = 0
    while offset < len(line):
        if open_quotes:
            end = line.find(open_quotes, offset)
            if end < 0:
                return open_quotes
            offset, open_quotes = end + len(open_quotes), ""
            continue
        starts = [(line.find(quotes, offset), quotes) for quotes in _LONG_QUOTES if quotes in line[offset:]]
        if not starts:
            return ""
        offset, open_quotes = min(starts)
        offset += len(open_quotes)
    return open_quotes
