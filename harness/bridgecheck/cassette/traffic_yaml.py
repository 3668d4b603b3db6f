"""Traffic as vcrpy cassettes: each interaction apart, so that a broken one does not hide the others."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from bridgecheck.cassette import parse, store
from bridgecheck.cassette.recorded import Recorded, decoded_request
from bridgecheck.cassette.traffic_item import TrafficItem
from bridgecheck.errors import BadCassette, BadTraffic, BridgecheckError
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.wire import Mode
from bridgecheck.wire.facts import MOST_SPOKEN, Endpoint, endpoint

_SHAPE: Final = "a vcrpy v1 cassette"
_LIST: Final = re.compile(r"^interactions:[ \t]*(?:#.*)?$", re.MULTILINE)
_ITEM: Final = re.compile(r"^( *)- ", re.MULTILINE)


def items(data: bytes, file: str, stem: str) -> Iterator[TrafficItem | BadTraffic]:
    """``stem``: what the ids begin with."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        yield BadTraffic(f"not UTF-8 at byte {error.start}", f"{file}:{line}", _SHAPE)
        return
    try:
        raw = store.interactions_of(text, file)
    except BadCassette as error:
        yield from _salvaged(text, file, stem, error)
        return
    lines = [text.count("\n", 0, start) + 1 for start, _ in _blocks(text)]
    for number, item in enumerate(raw):
        # Flow style or anchors may hide where an interaction begins; then its number must do.
        where = f"{file}:{lines[number]}" if len(lines) == len(raw) else f"{file}: interactions[{number}]"
        yield _item(item, where, f"{stem}/{number:04d}")


def _salvaged(text: str, file: str, stem: str, broken: BadCassette) -> Iterator[TrafficItem | BadTraffic]:
    """The file as a whole is no YAML: read block by block."""
    blocks = list(_blocks(text))
    if not blocks:
        yield BadTraffic(broken.what, broken.where, broken.expected)
    for number, (start, block) in enumerate(blocks):
        where = f"{file}:{text.count(chr(10), 0, start) + 1}"
        try:
            raw = store.interactions_of("interactions:\n" + block, where)
        except BadCassette as error:
            yield BadTraffic(f"interactions[{number}]: {error.what}", where, _SHAPE)
        else:
            yield _item(raw[0] if raw else None, where, f"{stem}/{number:04d}")


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """(offset, text) of each interaction in block style; the last one runs to the next top-level key or the end."""
    head = _LIST.search(text)
    first = _ITEM.search(text, head.end()) if head else None
    if head is None or first is None or text[head.end() : first.start()].strip():
        return
    dash = re.compile(rf"^{first.group(1)}- |^[A-Za-z_]+:", re.MULTILINE)
    starts = [found.start() for found in dash.finditer(text, first.start())]
    for start, stop in zip(starts, [*starts[1:], len(text)], strict=True):
        if text.startswith(first.group(), start):
            yield start, text[start:stop]


def _item(raw: object, where: str, identity: str) -> TrafficItem | BadTraffic:
    try:
        recorded = parse.interaction(raw)
        place = endpoint(recorded.request.path, urlsplit(recorded.origin).netloc)
        interaction = _interaction(recorded, place)
    except parse.Malformed as error:
        return BadTraffic(str(error), where, _SHAPE)
    except BridgecheckError as error:
        return BadTraffic(error.what, where, error.expected)
    return TrafficItem(
        id=identity,
        where=where,
        interaction=interaction,
        operation=place.operation if place else "other",
        title=f"{recorded.request.method} {urlsplit(recorded.request.path).path}",
        group=identity.rpartition("/")[0],
        notes=() if place else ("unmodelled_endpoint",),
    )


def _interaction(recorded: Recorded, place: Endpoint | None) -> Interaction:
    if place is None:
        # No dialect is known, and nobody will judge it: it is kept to be counted.
        return Interaction(None, Response(MOST_SPOKEN, "unary", (), recorded.status, recorded.headers))
    request = _request(recorded, place)
    mode: Mode = request.mode if request else place.mode or "unary"
    return Interaction(request, recorded.response(place.dialect, mode))


def _request(recorded: Recorded, place: Endpoint) -> Request | None:
    """None for a request without a body. Only a generation must have one that is understood."""
    if not recorded.request.body:
        return None
    try:
        return decoded_request(recorded.request)
    except BridgecheckError:
        if place.operation == "generate":
            raise
        return None
