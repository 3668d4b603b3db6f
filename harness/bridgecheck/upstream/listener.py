"""Taking connections on 127.0.0.1, and answering what comes on each with what one function says."""

import asyncio
import json
import traceback
from collections.abc import Callable
from typing import Final, NamedTuple

from bridgecheck.model.exchange import HttpRequest
from bridgecheck.upstream.peer import MAX_BODY, Peer, Reader, Refused, Unwatched, Watch
from bridgecheck.upstream.script import JSON_TYPE, Answer

HOST: Final = "127.0.0.1"


class Reply(NamedTuple):
    answer: Answer
    watch: Watch = Unwatched()


class Listener:
    """``reply``: what a request gets; it is given the request and its bytes as they came. ``refused``: told, in words,
    of what came and is no request. ``errors``: tracebacks of what went wrong in here, nobody else's fault."""

    def __init__(
        self,
        reply: Callable[[HttpRequest, bytes], Reply],
        refused: Callable[[str], None] = lambda words: None,
        max_body: int = MAX_BODY,
    ) -> None:
        self.errors: list[str] = []
        self._reply = reply
        self._refused = refused
        self._max_body = max_body
        self._server: asyncio.Server | None = None
        self._open: dict[Peer, asyncio.Task[None] | None] = {}

    async def start(self, port: int = 0) -> int:
        """Listens; the port it got. Raises OSError if the port is taken."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: asyncio.StreamReaderProtocol(Reader(loop), self._accept, loop), HOST, port
        )
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Closes, whatever is under way."""
        if self._server is not None:
            self._server.close()
        tasks = list(filter(None, self._open.values()))
        # A handler whose connection is gone ends by itself; cancelling it would make asyncio complain.
        for peer in self._open:
            peer.abort()
        await asyncio.gather(*tasks, return_exceptions=True)

    def hang_up(self, whose: Callable[[Watch], bool]) -> None:
        """Breaks off answers that are under way."""
        for peer in self._open:
            if peer.watch is not None and whose(peer.watch):
                peer.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reader, Reader)
        peer = Peer(reader, writer, self._max_body)
        self._open[peer] = asyncio.current_task()
        try:
            await self._serve(peer)
        except ConnectionError:
            # The client left: nobody is there to be told.
            pass
        except Exception:
            self.errors.append(traceback.format_exc(limit=-6))
            peer.abort()
        finally:
            del self._open[peer]
            writer.close()

    async def _serve(self, peer: Peer) -> None:
        try:
            while (request := await peer.request()) is not None:
                reply = self._reply(request, peer.raw)
                if not await peer.answer(reply.answer, reply.watch):
                    return
        except Refused as refusal:
            self._refused(str(refusal))
            await peer.refuse(error(refusal.status, str(refusal)))


def error(status: int, message: str) -> Answer:
    """An answer of the server itself, as no provider words it. SDKs that ask are told not to try again."""
    body = json.dumps({"error": {"code": status, "type": "bridgecheck_edge", "message": message}}).encode()
    return Answer(status, (("content-type", JSON_TYPE), ("x-should-retry", "false")), (body,))
