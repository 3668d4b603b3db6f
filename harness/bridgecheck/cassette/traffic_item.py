"""One interaction of recorded traffic, with where it stands."""

from dataclasses import dataclass
from typing import Literal

from bridgecheck.model.exchange import Interaction


@dataclass(frozen=True, slots=True)
class TrafficItem:
    """One recorded interaction. ``where``: file and line. ``operation``: generate, count_tokens, embed, models or
    other. ``title``: short text for a report; ``group``: recordings of one conversation share it, "" if unknown.
    ``notes``: what to know of it: sdk_level (objects of an SDK, not of the wire), url_assumed, synthetic_suspect,
    json_array_stream, unmodelled_endpoint."""

    id: str
    where: str
    interaction: Interaction
    operation: str = "generate"
    source: Literal["traffic"] = "traffic"
    title: str = ""
    group: str = ""
    notes: tuple[str, ...] = ()
