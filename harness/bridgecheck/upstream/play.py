"""One cassette as the edge server plays it: which answers, in what manner, and what was seen of it."""

import asyncio
import threading
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck.cassette.playback import Playback
from bridgecheck.cassette.recorded import Cassette
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream import encode
from bridgecheck.upstream.faults import Fault, befall
from bridgecheck.upstream.listener import Reply
from bridgecheck.upstream.peer import Watch
from bridgecheck.upstream.script import Answer
from bridgecheck.upstream.step import Step, step_for
from bridgecheck.wire import Dialect, Mode


@dataclass(frozen=True, slots=True)
class Manner:
    """How answers are played. ``pace``: a factor on the recorded times, 0: every write at once, 1: as recorded.
    ``gzip``: bodies packed, where the client takes that. ``in_step``: streams wait for the client behind the adapter,
    which then has to ``note("c")`` each event (see step). ``faults``: what goes wrong, one after another."""

    pace: float = 0
    gzip: bool = False
    in_step: bool = False
    faults: tuple[Fault, ...] = ()


AT_ONCE: Final = Manner()


class Play(Playback):
    """A Playback over sockets. ``raw``: every request byte for byte, side traffic among them; credentials stand in it,
    so it never goes to a file. ``marker``: what its requests carry, "" if they are all that come."""

    def __init__(
        self,
        cassette: Cassette,
        dialect: Dialect,
        mode: Mode,
        loop: asyncio.AbstractEventLoop,
        manner: Manner = AT_ONCE,
        marker: str = "",
    ) -> None:
        super().__init__(cassette, dialect)
        self.dialect = dialect
        self.mode = mode
        self.marker = marker
        self.raw: list[bytes] = []
        self._loop = loop
        self._manner = manner
        self._showings: list[Showing] = []
        self._changed = threading.Condition()

    def shows(self, watch: Watch) -> bool:
        """Whether an answer is of this play."""
        return isinstance(watch, Showing) and watch.play is self

    def reply(self, request: HttpRequest, url: str, raw: bytes) -> Reply:
        """What goes over the socket, and who looks on. In the loop of the server."""
        self.raw.append(raw)
        before = len(self.exchanges)
        recorded = self.answer(request, url)
        answer = encode.answer(recorded, self._manner.pace)
        if len(self.exchanges) > before:  # side traffic goes well
            answer = self._befallen(answer)
        step = step_for(answer, self.dialect) if self._manner.in_step else None
        return Reply(encode.encoded(answer, request, self._manner.gzip), self._show(step))

    def _befallen(self, answer: Answer) -> Answer:
        """With what goes wrong with it. That is what was answered, then."""
        last = self.exchanges[-1]
        for fault in self._manner.faults:
            if fault.strikes(len(self.exchanges) - 1):
                answer = befall(answer, fault, self.dialect)
                told = replace(
                    last.answer, status=answer.status, headers=answer.headers, chunks=answer.writes, end=answer.end
                )
                self.exchanges[-1] = last._replace(answer=told)
        return answer

    def note(self, letter: str) -> None:
        super().note(letter)
        for showing in tuple(self._showings):
            showing.told(letter)

    def settled(self, seconds: float) -> bool:
        """Waits until no answer that was begun is under way any more, but no longer than this; whether none is. An
        adapter may take a moment to hang up after its client is gone."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._showings, seconds)

    def over(self, showing: "Showing") -> None:
        """The answer is out, or its client gone."""
        with self._changed:
            self._showings.remove(showing)
            self._changed.notify_all()

    def _show(self, step: Step | None) -> "Showing":
        showing = Showing(self, step, self._loop)
        with self._changed:
            self._showings.append(showing)
        return showing


class Showing:
    """One answer under way; a peer.Watch."""

    def __init__(self, play: Play, step: Step | None, loop: asyncio.AbstractEventLoop) -> None:
        self.play = play
        self._step = step
        self._loop = loop

    def note(self, letter: str) -> None:
        self.play.note(letter)
        if letter == "q":
            self.play.over(self)

    def told(self, letter: str) -> None:
        """What the client behind the adapter notes, in its own thread: "c" for an event, "x" when it goes away."""
        if self._step is not None and letter in "cx" and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._step.heard if letter == "c" else self._step.left)

    async def ready(self, write: int) -> None:
        if self._step is not None:
            await self._step.ready(write)
