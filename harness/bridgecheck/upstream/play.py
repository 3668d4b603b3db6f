"""One cassette as the edge server plays it: responses, settings, observations, and the pace of its streams."""

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bridgecheck import normalise
from bridgecheck.cassette import playback
from bridgecheck.cassette.interactions import Cassette
from bridgecheck.cassette.match_by_key import RETRYABLE
from bridgecheck.cassette.playback import Playback
from bridgecheck.checks.adapter import CHUNKS_UNDERWAY
from bridgecheck.checks.streams import ENOUGH, numbers_of_chunks_with_text
from bridgecheck.codec.body import decode_response
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream import wire_response
from bridgecheck.upstream.connection import ResponseObserver
from bridgecheck.upstream.faults import Fault, apply_fault
from bridgecheck.upstream.listener import Reply
from bridgecheck.upstream.wire_response import WireResponse
from bridgecheck.wire import Dialect, Mode

MOMENT_S: Final = 0.05
"""How long a write waits for the client to be given something."""
LAST_S: Final = 0.3
"""How long the last words do."""
PATIENCE_S: Final = 1.0
"""How long the last words do where the client has been given nothing at all."""
SETTLED_S: Final = 0.03
"""How long the client is given nothing more before the last words go out: an adapter may make several events of one."""
LEFT_S: Final = 5.0
"""How long an adapter may take to hang up once its client is gone."""
LEAVING_S: Final = 1.5
"""How long a write waits for the adapter to hang up, once its client is gone: on a busy machine 0.9 s were measured."""
UNSEEN_S: Final = 0.6
"""How long the connection stays before it breaks, where the client tells nothing of what it received."""


class StreamPacer:
    """Delays the writes of one stream, so that it shows whether the adapter holds events back.

    A socket takes a whole stream at once: whatever the adapter does, all of it has left before the client received
    anything. So the next write waits until the client received something since the last one, or for a moment: an
    adapter need not make an event of each. The last text waits longer if the client received nothing at all, and once
    the client left there is time to notice. ``last_text_write``: the number, from 0, of the write up to which it waits
    for the client; -1: it waits only where the client leaves. ``moment_s``: how long each of these writes waits.
    """

    def __init__(self, last_text_write: int = -1, moment_s: float = MOMENT_S) -> None:
        self._last_text_write = last_text_write
        self._moment_s = moment_s
        self._received = asyncio.Event()
        self._received_once = False
        self._has_left = False
        self._writes_since_departure = 0

    def note_received(self) -> None:
        """The client received something. In the server's loop, as everything here."""
        self._received_once = True
        self._received.set()

    def note_departure(self) -> None:
        """The client left."""
        self._has_left = True
        self._received.set()

    async def ready(self, write: int) -> None:
        """Return when write ``write`` may be sent."""
        if self._has_left:
            self._writes_since_departure += 1
            await asyncio.sleep(LEAVING_S if self._writes_since_departure <= CHUNKS_UNDERWAY + 1 else 0)
        elif 0 < write <= self._last_text_write:
            if write < self._last_text_write:
                await self._wait_for_client(self._moment_s)
            else:
                await self._wait_for_last_of_client()
        self._received.clear()

    async def ready_to_break(self) -> None:
        """Return when the connection may break. What an adapter has read and not passed on yet it may throw away then,
        so its verdict would depend on how busy the machine is."""
        if not self._has_left:
            await self._wait_for_last_of_client()

    async def _wait_for_client(self, seconds: float) -> bool:
        """Return whether the client was given something within that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._received.wait()
                return True
        return False

    async def _wait_for_last_of_client(self) -> None:
        has_more = await self._wait_for_client(LAST_S if self._received_once else PATIENCE_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                while has_more and not self._has_left:
                    self._received.clear()
                    has_more = await self._wait_for_client(SETTLED_S)


def pacer_waiting_up_to_last_text(response: WireResponse, dialect: Dialect, client_leaves: bool) -> StreamPacer:
    """Return the pacer of a response. It waits for nobody where no check depends on the time of arrival: whole
    responses, and streams of little text. ``client_leaves``: the client will leave it, so it waits up to its end."""
    if client_leaves:
        return StreamPacer(len(response.writes) - 1, LAST_S)
    decoded = decode_response(dialect, "stream", response.status, response.headers, response.writes, response.end)
    text_positions = numbers_of_chunks_with_text(decoded)
    return StreamPacer(text_positions[-1] - 1) if len(text_positions) >= ENOUGH else StreamPacer()


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How responses are played. ``pace``: a factor on the recorded times, 0: every write at once, 1: as recorded.
    ``gzip``: bodies compressed, where the client accepts that. ``in_step``: streams wait for the client behind the
    adapter, which then has to ``note("c")`` each event. ``before_break_s``: how long a stream that breaks off waits
    before, where they do not. ``faults``: what goes wrong, one after another."""

    pace: float = 0
    gzip: bool = False
    in_step: bool = False
    before_break_s: float = 0
    faults: tuple[Fault, ...] = ()


IMMEDIATE: Final = PlaySettings()


REPEAT_S: Final = 10.0
"""How long after an error that announces nothing the same request may come again: SDKs wait eight seconds at most.
Source: MAX_RETRY_DELAY in _constants.py of openai 3.52.0 and anthropic 2.11.0 (read 2026-11-23)."""
UNSETTLED_S: Final = 30.0
"""The same, of a request whose client left, or whose answer was still under way at the end."""
_ANNOUNCED_FACTOR: Final = 1.25
"""Clients wait somewhat longer than they are told."""


class Play(Playback):
    """A Playback over sockets. ``raw``: every request byte for byte, side traffic included; it contains credentials, so
    it never goes to a file. ``marker``: what its requests contain, "" if it gets all requests. ``request_group``: as in
    ``Edge.play_cassette``."""

    def __init__(
        self, cassette: Cassette, dialect: Dialect, mode: Mode, loop: asyncio.AbstractEventLoop,
        settings: PlaySettings = IMMEDIATE, marker: str = "", request_group: str = "",
    ) -> None:  # fmt: skip
        super().__init__(cassette, dialect)
        self.dialect = dialect
        self.mode = mode
        self.marker = marker
        self.request_group = request_group
        self.raw: list[bytes] = []
        self._loop = loop
        self._settings = settings
        self._ongoing: list[OngoingResponse] = []
        self._has_client_left = False
        self._client_leaves = False
        self._changed = threading.Condition()

    def begin_turn(self, client_leaves: bool) -> None:
        super().begin_turn(client_leaves)
        self._client_leaves = client_leaves

    def owns(self, observer: ResponseObserver) -> bool:
        """Return whether a response belongs to this play."""
        return isinstance(observer, OngoingResponse) and observer.play is self

    def reply(self, request: HttpRequest, url: str, raw: bytes) -> Reply:
        """Return what goes over the socket, and its observer. In the server's loop."""
        self.raw.append(raw)
        before = len(self.exchanges)
        recorded = self.answer(request, url)
        answer = wire_response.response_from_recording(recorded, self._settings.pace)
        if len(self.exchanges) > before:  # side traffic goes well
            answer = self._apply_faults(answer)
        pacer = None
        if self._settings.in_step:
            pacer = pacer_waiting_up_to_last_text(answer, self.dialect, self._client_leaves)
        return Reply(wire_response.apply_content_encoding(answer, request, self._settings.gzip), self._observe(pacer))

    def _apply_faults(self, answer: WireResponse) -> WireResponse:
        """Return the response with its faults, and record it as the one that was sent."""
        last = self.exchanges[-1]
        for fault in self._settings.faults:
            if fault.applies_to(len(self.exchanges) - 1):
                answer = apply_fault(answer, fault, self.dialect)
                head = replace(last.answer, status=answer.status, headers=answer.headers)
                self.exchanges[-1] = last._replace(answer=replace(head, chunks=answer.writes, end=answer.end))
        return answer

    @property
    def is_settled(self) -> bool:
        """Whether nothing of it can be expected any more: its client stayed, all answers were sent, and none said when
        to try again."""
        return not (self._has_client_left or self._ongoing or self._announced_delay())

    def seconds_of_repeats(self) -> float:
        """Return for how many seconds from now one of its requests may come again, 0 if nothing speaks for it."""
        answers = [exchange.answer for exchange in self.exchanges[-1:]]
        is_error = any(
            (answer.status >= 400 or answer.end != "complete") and playback.NO_RETRY[0] not in answer.headers
            for answer in answers
        )
        seconds = UNSETTLED_S if self._has_client_left or self._ongoing else REPEAT_S if is_error else 0
        announced = self._announced_delay()
        return max(seconds, _ANNOUNCED_FACTOR * announced + REPEAT_S) if announced else seconds

    def _announced_delay(self) -> float:
        """Return the seconds to wait before another try that the last answer announced, 0 if it announced none."""
        errors = [exchange.answer for exchange in self.exchanges[-1:] if exchange.answer.status in RETRYABLE]
        outcomes = (normalise.response(answer.response(self.dialect, self.mode)) for answer in errors)
        return max((outcome.error.retry_after or 0 for outcome in outcomes if outcome.error is not None), default=0)

    def was_sent(self, request: HttpRequest) -> bool:
        """Return whether this request was sent before, byte for byte but for its headers."""
        return any(
            (exchange.request.path, exchange.request.body) == (request.path, request.body)
            for exchange in self.exchanges
        )

    def note(self, letter: str) -> None:
        super().note(letter)
        self._has_client_left = self._has_client_left or letter == "x"
        for ongoing in tuple(self._ongoing):
            ongoing.tell_pacer_about_client(letter)

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until no response is under way, but at most ``seconds``; return whether none is. An adapter may take a
        moment to hang up after its client left, and a longer one on a busy machine."""
        seconds = max(seconds, LEFT_S) if self._has_client_left else seconds
        with self._changed:
            return self._changed.wait_for(lambda: not self._ongoing, seconds)

    def forget_ongoing_response(self, ongoing: "OngoingResponse") -> None:
        """Forget a response that was sent, or whose client left."""
        with self._changed:
            self._ongoing.remove(ongoing)
            self._changed.notify_all()

    def _observe(self, pacer: StreamPacer | None) -> "OngoingResponse":
        ongoing = OngoingResponse(self, pacer, self._loop, self._settings.before_break_s)
        with self._changed:
            self._ongoing.append(ongoing)
        return ongoing


class OngoingResponse:
    """One response under way, as its observer."""

    def __init__(
        self, play: Play, pacer: StreamPacer | None, loop: asyncio.AbstractEventLoop, before_break_s: float
    ) -> None:
        self.play = play
        self._pacer = pacer
        self._loop = loop
        self._before_break_s = before_break_s

    def note(self, letter: str) -> None:
        self.play.note(letter)
        if letter == "q":
            self.play.forget_ongoing_response(self)

    def tell_pacer_about_client(self, letter: str) -> None:
        """Note what the client does, from its own thread: "c" for an event received, "x" when it leaves."""
        if self._pacer is not None and letter in "cx" and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pacer.note_received if letter == "c" else self._pacer.note_departure)

    async def ready(self, write: int) -> None:
        if self._pacer is not None:
            await self._pacer.ready(write)

    async def ready_to_break(self) -> None:
        """Return when the connection may break; the client of a whole answer is given nothing before its end."""
        if self.play.mode != "stream":
            return
        if self._pacer is not None:
            await self._pacer.ready_to_break()
        else:
            await asyncio.sleep(self._before_break_s)
