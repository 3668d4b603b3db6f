"""A cassette in another format, and what of it that format could not take."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from bridgecheck.cassette.formats.item import TrafficItem, item_of_bytes
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.errors import BadTraffic
from bridgecheck.wire import Dialect


class Written(NamedTuple):
    """``text``: the file. ``preserved``: number of interactions in it. ``left_out``: per reason, of those not in it."""

    text: str
    preserved: int
    left_out: Counter[str]


def items_of_cassette(cassette: Cassette) -> Iterator[TrafficItem | BadTraffic]:
    """Yield the interactions of a cassette, decoded."""
    for number, recorded in enumerate(cassette.interactions):
        where = f"{cassette.where}: interactions[{number}]"
        yield item_of_bytes(partial(_itself, recorded), where, str(number), "a recorded call")


def why_no_call(item: TrafficItem | BadTraffic, dialect: Dialect) -> str:
    """Return why an interaction is no call of this dialect that a file of documents can hold, "" if it is."""
    if isinstance(item, BadTraffic):
        return f"not understood ({item.what})"
    response = item.interaction.response
    if response.dialect != dialect or item.notes != ():
        return f"not of the {dialect} dialect"
    if response.text:
        return "the answer is no JSON"
    return ""


def _itself(recorded: RecordedInteraction) -> RecordedInteraction:
    return recorded
