"""Files with a list ``interactions``, in YAML or JSON, each by itself: a broken one does not hide the others."""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridgecheck.cassette import store
from bridgecheck.errors import BadCassette, BadTraffic
from bridgecheck.model.jsonvalue import obj

_LIST_HEAD: Final = re.compile(r"^interactions:[ \t]*(?:#.*)?$", re.MULTILINE)
_ITEM: Final = re.compile(r"^( *)- ", re.MULTILINE)


class RawInteraction(NamedTuple):
    """An interaction as a YAML or JSON value, or what is ``bad`` with it. ``number``: from 0; -1 for the whole file."""

    number: int
    where: str
    value: object = None
    bad: BadTraffic | None = None


def decode_or_bad(data: bytes, file: str, expected: str) -> str | BadTraffic:
    """Return the text of a file that has to be UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return BadTraffic(f"not UTF-8 at byte {error.start}", f"{file}:{line}", expected)


def parse_json_or_bad(text: str, file: str, expected: str) -> object:
    """Return the value of a JSON text, a BadTraffic for one that is broken or nested too deeply."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return BadTraffic(f"broken JSON: {error.msg}", f"{file}:{error.lineno}", expected)
    except RecursionError:
        return BadTraffic("JSON nested too deeply", file, expected)


def list_interactions(data: bytes, file: str, expected: str) -> Iterator[RawInteraction]:
    """Yield the interactions of a file. ``expected``: the format, in words."""
    text = decode_or_bad(data, file, expected)
    if isinstance(text, BadTraffic):
        yield RawInteraction(-1, text.where, bad=text)
    elif text.lstrip().startswith("{") and '"' in text.lstrip()[1:40]:
        yield from _list_json(text, file, expected)
    else:
        yield from _list_yaml(text, file, expected)


def _list_json(text: str, file: str, expected: str) -> Iterator[RawInteraction]:
    value = parse_json_or_bad(text, file, expected)
    if isinstance(value, BadTraffic):
        yield RawInteraction(-1, value.where, bad=value)
        return
    interactions = obj(value).get("interactions")
    if not isinstance(interactions, list):
        bad = BadTraffic("no list `interactions`", file, expected)
        yield RawInteraction(-1, file, bad=bad)
        return
    for number, item in enumerate(interactions):
        yield RawInteraction(number, f"{file}: interactions[{number}]", item)


def _list_yaml(text: str, file: str, expected: str) -> Iterator[RawInteraction]:
    try:
        raw = store.raw_interactions(text, file)
    except BadCassette as error:
        yield from _salvage(text, file, expected, error)
        return
    lines = [text.count("\n", 0, start) + 1 for start, _ in _interaction_blocks_by_offset(text)]
    for number, item in enumerate(raw):
        # Flow style or anchors may hide where an interaction begins; then its number must do.
        where = f"{file}:{lines[number]}" if len(lines) == len(raw) else f"{file}: interactions[{number}]"
        yield RawInteraction(number, where, item)


def _salvage(text: str, file: str, expected: str, broken: BadCassette) -> Iterator[RawInteraction]:
    """Yield the interactions of a file that as a whole is no YAML, read block by block."""
    blocks = list(_interaction_blocks_by_offset(text))
    if not blocks:
        yield RawInteraction(-1, broken.where, bad=BadTraffic(broken.what, broken.where, expected))
    for number, (start, block) in enumerate(blocks):
        where = f"{file}:{text.count(chr(10), 0, start) + 1}"
        try:
            raw = store.raw_interactions("interactions:\n" + block, where)
        except BadCassette as error:
            bad = BadTraffic(f"interactions[{number}]: {error.what}", where, expected)
            yield RawInteraction(number, where, bad=bad)
        else:
            yield RawInteraction(number, where, raw[0] if raw else None)


def _interaction_blocks_by_offset(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, text) of each interaction in block style; the last ends at the next top-level key."""
    head = _LIST_HEAD.search(text)
    first = _ITEM.search(text, head.end()) if head else None
    if head is None or first is None or text[head.end() : first.start()].strip():
        return
    dash = re.compile(rf"^{first.group(1)}- |^[A-Za-z_]+:", re.MULTILINE)
    starts = [match.start() for match in dash.finditer(text, first.start())]
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        if text.startswith(first.group(), start):
            yield start, text[start:stop]
