"""Transcript: all that was seen on both sides of an adapter in one case."""

from dataclasses import dataclass
from typing import Final

from bridgecheck.model.exchange import Interaction
from bridgecheck.wire import JsonObject

UNMODELLED: Final = "endpoint not modelled"
"""How the player begins a miss of an endpoint that bridgecheck knows nothing of."""


@dataclass(frozen=True, slots=True)
class DeclaredLoss:
    """A loss as the adapter itself reports it (the reference does; a black box does not)."""

    path: str
    reason: str
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One case as it happened.

    ``client``: per turn what the client sent and received; ``upstream``: in order of arrival what the adapter sent
    and what the player answered. ``crash``: the adapter's traceback if it raised, hung or returned nonsense, ""
    otherwise. ``refused``: its words if it said it does not support this request, "" otherwise. ``misses``: requests
    the cassette did not hold; ``unasked``: recorded interactions the adapter never asked for. ``stopped``: why the
    next turn could not be asked, "" if every turn was.
    ``again``: per upstream call the body of the same request
    converted a second time, None where that was not done.

    ``arrivals``: per turn, in order, "r" for a request that the adapter sent, "u" for what reached it of a streamed
    answer (an event at wire level, a chunk at sdk level) and "c" for an event that left it; at sdk level also "x" where
    the client went away and "q" where the adapter let go of a connection.
    """

    client: tuple[Interaction, ...]
    upstream: tuple[Interaction, ...]
    crash: str = ""
    refused: str = ""
    misses: tuple[str, ...] = ()
    unasked: int = 0
    losses: tuple[DeclaredLoss, ...] = ()
    arrivals: tuple[str, ...] = ()
    stopped: str = ""
    again: tuple[JsonObject | None, ...] = ()
