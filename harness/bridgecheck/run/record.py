"""What one case left behind while it was played; a Transcript when it is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import Interaction, Request, Response
from bridgecheck.model.transcript import DeclaredLoss, Transcript
from bridgecheck.normalise import nonsense
from bridgecheck.upstream.relay import NothingReceived
from bridgecheck.wire import JsonObject

Ask: TypeAlias = Callable[[Sequence[Response]], Request]
"""The client's request of a turn, given what it received in the turns before. May raise NothingReceived."""

MOST: Final = 5
"""Mistakes told of one answer."""


class NotPlayable(HarnessError):
    """This case cannot be played on this layer: it is NOT_APPLICABLE, with these words."""

    code = "not-playable"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn to play: what the client asks, and the provider's recorded answers in order. ``leaves_after``: events of
    a stream after which a client at sdk level goes away, 0: it stays."""

    ask: Ask
    answers: tuple[Response, ...]
    leaves_after: int = 0


@dataclass(slots=True)
class Record:
    """Grows while the case is played, so that what went before a crash is kept. ``asking``: the request of the turn
    under way, None between turns. ``stopped``: why a later turn could not be asked, "" if it could."""

    client: list[Interaction] = field(default_factory=list)
    upstream: list[Interaction] = field(default_factory=list)
    answered_by: list[int] = field(default_factory=list)
    losses: list[DeclaredLoss] = field(default_factory=list)
    arrivals: list[str] = field(default_factory=list)
    crash: str = ""
    refused: str = ""
    misses: tuple[str, ...] = ()
    unasked: int = 0
    stopped: str = ""
    again: list[JsonObject | None] = field(default_factory=list)
    asking: Request | None = None

    @property
    def received(self) -> list[Response]:
        return [interaction.response for interaction in self.client]

    def ask(self, turn: Turn, *, headers: bool = False) -> Request | None:
        """The request of the next turn; None if what it refers to was never received. ``headers``: whether the adapter
        is given those that the client sends."""
        try:
            asked = turn.ask(self.received)
            self.asking = asked if headers else replace(asked, headers=())
        except NothingReceived as nothing:
            self.stopped = nothing.what
            return None
        return self.asking

    def answer(self, request: Request | None, response: Response, by: int, arrivals: str = "") -> None:
        wrong = nonsense(response)
        if wrong and not self.crash:
            self.crash = f"what it answered is no outcome document: {'; '.join(wrong[:MOST])}"
        self.client.append(Interaction(request, response))
        self.arrivals.append(arrivals)
        self.answered_by.append(by)
        self.asking = None

    def break_off(self) -> None:
        """The turn under way ended without an answer: the client saw its connection break."""
        if self.asking is not None:
            self.answer(self.asking, Response(self.asking.dialect, self.asking.mode, end="reset"), -1)

    def transcript(self) -> Transcript:
        return Transcript(
            client=tuple(self.client),
            upstream=tuple(self.upstream),
            crash=self.crash,
            refused=self.refused,
            misses=self.misses,
            unasked=self.unasked,
            losses=tuple(self.losses),
            arrivals=tuple(self.arrivals),
            stopped=self.stopped,
            again=tuple(self.again),
        )
