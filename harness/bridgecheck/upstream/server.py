"""The edge server: answers on 127.0.0.1 as a script says, write by write, and keeps every request as it came.

An answer ends like this: ``complete`` with the last chunk; ``cut`` by closing before it, so that a client sees an
incomplete body; ``reset`` with a TCP reset; ``timeout`` and ``client_closed`` by saying nothing more until the client
leaves. A write goes out by itself: the next one waits until the socket has taken it.
"""

import asyncio
import socket
import struct
from collections.abc import Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self, TypeAlias

import h11

from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.upstream.script import Answer

_READ: Final = 65536
_SETTLE_S: Final = 0.02
"""A reset overtakes what the client has not read yet: seconds to let it read."""
_NO_MORE: Final = Answer(404, (("content-type", "application/json"),), (b'{"error": {"message": "no more answers"}}',))

Event: TypeAlias = h11.Request | h11.Data | h11.EndOfMessage


class EdgeServer:
    """``async with EdgeServer(answers) as server``: the n-th request gets the n-th answer, whatever it asks for.

    ``base_path`` is what an SDK's base URL carries behind the host (``/v1`` for OpenAI). ``log``: the requests in
    order of arrival, credentials included; ``misses``: how many came after the last answer and got a 404.
    """

    def __init__(self, answers: Sequence[Answer], base_path: str = "") -> None:
        self.log: list[HttpRequest] = []
        self.misses = 0
        self.base_url = ""
        self._answers = tuple(answers)
        self._base_path = base_path
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}{self._base_path}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        # A handler whose connection is gone ends by itself; cancelling it would make asyncio complain.
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*filter(None, self._open.values()), return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open[writer] = asyncio.current_task()
        try:
            await self._serve(_Peer(reader, writer))
        except (ConnectionError, h11.RemoteProtocolError):
            # The client left, or speaks no HTTP: nobody is there to be told.
            pass
        finally:
            del self._open[writer]
            writer.close()

    async def _serve(self, peer: "_Peer") -> None:
        while (request := await peer.request()) is not None:
            number = len(self.log)
            self.log.append(request)
            if number >= len(self._answers):
                self.misses += 1
            if not await peer.answer(self._answers[number] if number < len(self._answers) else _NO_MORE):
                return


class _Peer:
    """One connection. h11 speaks HTTP; this moves the bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)

    async def request(self) -> HttpRequest | None:
        """The next request; None when the client has left."""
        head: h11.Request | None = None
        body = b""
        while (event := await self._event()) is not None:
            if isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif head is not None:
                return HttpRequest(head.method.decode(), head.target.decode(), _headers(head), body)
        return None

    async def answer(self, answer: Answer) -> bool:
        """Plays an answer; whether the connection can take another request."""
        await self._send(
            h11.Response(status_code=answer.status, headers=_framed(answer), reason=_reason(answer.status))
        )
        for write in answer.writes:
            await self._send(h11.Data(data=write))
        if answer.end == "complete":
            await self._send(h11.EndOfMessage())
            return self._next_cycle()
        if answer.end == "reset":
            await asyncio.sleep(_SETTLE_S)
            self._reset()
        elif answer.end != "cut":
            await self._reader.read()
        return False

    async def _event(self) -> Event | None:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                self._http.receive_data(await self._reader.read(_READ))
            elif isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
                return event
            else:
                return None

    async def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()
            # Lets the other side of this loop read before the next write joins it in the socket's buffer.
            await asyncio.sleep(0)

    def _next_cycle(self) -> bool:
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    def _reset(self) -> None:
        """Closing with no time to linger sends a TCP reset."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


def _headers(request: h11.Request) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers)


def _reason(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""


def _framed(answer: Answer) -> list[tuple[str, str]]:
    """One whole write has a length, as unary answers have; anything else is chunked, so that a cut shows."""
    if any(name in ("content-length", "transfer-encoding") for name, _ in answer.headers):
        return list(answer.headers)
    whole = answer.end == "complete" and len(answer.writes) < 2
    size = sum(map(len, answer.writes))
    return [*answer.headers, ("content-length", str(size)) if whole else ("transfer-encoding", "chunked")]
