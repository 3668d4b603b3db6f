"""A provider on loopback: HTTP/1.1 or HTTP/2, over TLS under an authority made for the test, or without.

It answers the n-th request with the n-th answer and sends chunks exactly where the answer has them. With a ``gate`` a
chunk leaves only after the test let it.
"""

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
import trustme

from bridgecheck.model.exchange import End, HttpRequest

JSON = (("content-type", "application/json"),)
SSE = (("content-type", "text/event-stream"),)


@dataclass
class Answer:
    """``chunks``: each a chunk of HTTP/1.1 or a DATA frame. ``end``: "timeout" sends nothing more. ``sized``: with a
    content-length, in one piece."""

    chunks: Sequence[bytes]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = SSE
    end: End = "complete"
    sized: bool = False


@dataclass
class StandIn:
    """``gate``: called before each chunk but the first, with its number; blocks until it may leave."""

    answers: Callable[[HttpRequest, int], Answer]
    http: str = "1.1"
    authority: trustme.CA | None = None
    gate: Callable[[int], None] = lambda number: None
    requests: list[HttpRequest] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"{'https' if self.authority else 'http'}://localhost:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await (self._handle_http2 if self.http == "2" else self._handle_http1)(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self.errors.append(error)
        finally:
            writer.close()

    def _answer(self, request: HttpRequest) -> Answer:
        self.requests.append(request)
        return self.answers(request, len(self.requests) - 1)

    async def _wait_for_gate(self, number: int) -> None:
        if number:
            await asyncio.get_running_loop().run_in_executor(None, self.gate, number)

    async def _handle_http1(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = head.strip().split("\r\n")
        headers = tuple((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
        length = next((int(value) for name, value in headers if name == "content-length"), 0)
        body = await reader.readexactly(length)
        method, path, _ = start.split(" ")
        answer = self._answer(HttpRequest(method, path, headers, body))
        framing = f"content-length: {sum(map(len, answer.chunks))}" if answer.sized else "transfer-encoding: chunked"
        lines = [
            f"HTTP/1.1 {answer.status} X",
            *(f"{name}: {value}" for name, value in answer.headers),
            framing,
            "",
            "",
        ]
        writer.write("\r\n".join(lines).encode())
        await writer.drain()
        for number, chunk in enumerate(answer.chunks):
            await self._wait_for_gate(number)
            writer.write(chunk if answer.sized else b"%x\r\n%b\r\n" % (len(chunk), chunk))
            await writer.drain()
        if answer.end == "complete":
            writer.write(b"" if answer.sized else b"0\r\n\r\n")
            await writer.drain()
        await self._end(answer, reader, writer)

    async def _end(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answer.end == "reset":
            await asyncio.sleep(0.05)
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        elif answer.end in ("timeout", "client_closed"):
            await reader.read()
            self.hung_up.set()

    async def _handle_http2(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        http.initiate_connection()
        headers: tuple[tuple[str, str], ...] = ()
        body, stream, is_whole = b"", 0, False
        while not is_whole:
            writer.write(http.data_to_send())
            data = await reader.read(65536)
            if not data:
                return
            for event in http.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    headers, stream = tuple((str(name), str(value)) for name, value in event.headers), event.stream_id
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data
                    http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                is_whole = is_whole or isinstance(event, h2.events.StreamEnded)
        pseudo = dict(headers)
        answer = self._answer(HttpRequest(pseudo[":method"], pseudo[":path"], headers, body))
        http.send_headers(stream, [(":status", str(answer.status)), *answer.headers])
        for number, chunk in enumerate(answer.chunks):
            writer.write(http.data_to_send())
            await writer.drain()
            await self._wait_for_gate(number)
            while http.local_flow_control_window(stream) < len(chunk):
                http.receive_data(await reader.read(65536))
            http.send_data(stream, chunk)
        if answer.end == "complete":
            http.end_stream(stream)
        elif answer.end == "reset":
            http.reset_stream(stream, 2)
        writer.write(http.data_to_send())
        await writer.drain()
        if answer.end == "complete":
            await reader.read()  # closing at once would overtake what was sent
        elif answer.end != "reset":
            await self._end(answer, reader, writer)


@contextlib.contextmanager
def serve(stand_in: StandIn) -> Iterator[StandIn]:
    """Listen in a thread while the block runs; what failed in there is raised at its end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    context = None
    if stand_in.authority is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        stand_in.authority.issue_cert("localhost").configure_cert(context)
        context.set_alpn_protocols(["h2" if stand_in.http == "2" else "http/1.1"])

    async def start() -> asyncio.Server:
        return await asyncio.start_server(stand_in.handle, "127.0.0.1", 0, ssl=context, limit=2**22)

    async def stop() -> None:
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    server = asyncio.run_coroutine_threadsafe(start(), loop).result()
    stand_in.port = server.sockets[0].getsockname()[1]
    try:
        yield stand_in
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    if stand_in.errors:
        raise stand_in.errors[0]


def in_order(*answers: Answer) -> Callable[[HttpRequest, int], Answer]:
    return lambda request, number: answers[min(number, len(answers) - 1)]
