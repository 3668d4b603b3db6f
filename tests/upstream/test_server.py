"""The edge server on the wire: what a bare socket receives."""

import asyncio
import errno
import gc
import socket
import time

import pytest

from bridgecheck.model.exchange import End
from bridgecheck.upstream.listener import AsyncScriptServer
from bridgecheck.upstream.wire_response import WireResponse

JSON = (("content-type", "application/json"),)
CHAT_BODY = b"POST /v1/x?y=1 HTTP/1.1\r\nHost: h\r\nX-Odd: A  b\r\nContent-Length: 4\r\n\r\n\x00\xffab"


async def _connect(server: AsyncScriptServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(*_address(server))


def _address(server: AsyncScriptServer) -> tuple[str, int]:
    host, port = server.base_url.removeprefix("http://").partition("/")[0].split(":")
    return host, int(port)


async def read_answer(answer: WireResponse) -> bytes:
    """Return all bytes of one response, until the server closes or sends nothing more."""
    async with AsyncScriptServer([answer]) as server:
        reader, writer = await _connect(server)
        writer.write(CHAT_BODY)
        exchange_bytes = b""
        try:
            while data := await asyncio.wait_for(reader.read(65536), 0.2):
                exchange_bytes += data
        except TimeoutError:
            pass
        finally:
            writer.close()
        return exchange_bytes


def test_each_write_is_a_chunk_of_its_own() -> None:
    exchange_bytes = asyncio.run(read_answer(WireResponse(200, JSON, (b"ab\r\n", b"c", "é".encode()))))
    head, _, body = exchange_bytes.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"transfer-encoding: chunked" in head.lower()
    assert body == b"4\r\nab\r\n\r\n1\r\nc\r\n2\r\n\xc3\xa9\r\n0\r\n\r\n"


def test_writes_arrive_one_after_another() -> None:
    async def main() -> list[bytes]:
        async with AsyncScriptServer([WireResponse(200, JSON, (b"first", b"second"))]) as server:
            reader, writer = await _connect(server)
            writer.write(CHAT_BODY)
            reads = []
            while not reads or not reads[-1].endswith(b"0\r\n\r\n"):
                reads.append(await reader.read(65536))
            writer.close()
            return reads

    reads = asyncio.run(main())
    assert not any(b"first" in read and b"second" in read for read in reads)


def test_a_complete_body_has_its_length() -> None:
    exchange_bytes = asyncio.run(read_answer(WireResponse(429, (*JSON, ("retry-after", "2")), (b"{}",))))
    assert exchange_bytes.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"retry-after: 2\r\n" in exchange_bytes
    assert b"content-length: 2\r\n" in exchange_bytes
    assert exchange_bytes.endswith(b"\r\n\r\n{}")


def test_a_cut_body_lacks_its_last_chunk() -> None:
    exchange_bytes = asyncio.run(read_answer(WireResponse(200, JSON, (b"ab",), "cut")))
    assert exchange_bytes.endswith(b"2\r\nab\r\n")


def test_a_reset_reaches_the_client_after_the_recorded_bytes() -> None:
    async def main() -> bytes:
        async with AsyncScriptServer([WireResponse(200, JSON, (b"ab",), "reset")]) as server:
            reader, writer = await _connect(server)
            writer.write(CHAT_BODY)
            exchange_bytes = await reader.readuntil(b"2\r\nab\r\n")
            with pytest.raises(ConnectionResetError):
                await reader.read()
            writer.close()
            return exchange_bytes

    assert b"chunked" in asyncio.run(main())


@pytest.mark.skipif(not hasattr(socket, "AF_NETLINK"), reason="the system does not tell what a socket holds")
def test_a_reset_waits_for_a_client_that_is_slow_to_read() -> None:
    def read_late(address: tuple[str, int]) -> tuple[int, bytes, int]:
        with socket.create_connection(address) as client:
            client.sendall(CHAT_BODY)
            client.recv(65536)  # the head, which the rest waits for
            time.sleep(0.1)
            error_before = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            received = client.recv(65536)
            time.sleep(0.1)
            return error_before, received, client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)

    async def main() -> tuple[int, bytes, int]:
        async with AsyncScriptServer([WireResponse(200, JSON, (b"ab",), "reset")]) as server:
            return await asyncio.to_thread(read_late, _address(server))

    error_before, received, error_after = asyncio.run(main())
    assert (error_before, received, error_after) == (0, b"2\r\nab\r\n", errno.ECONNRESET)


@pytest.mark.parametrize("end", ["timeout", "client_closed"])
def test_a_stall_lasts_until_the_client_leaves(end: End) -> None:
    exchange_bytes = asyncio.run(read_answer(WireResponse(200, JSON, (b"ab",), end)))
    assert exchange_bytes.endswith(b"2\r\nab\r\n")


def test_requests_are_recorded_and_the_connection_is_reused() -> None:
    async def main() -> AsyncScriptServer:
        async with AsyncScriptServer(
            [WireResponse(200, JSON, (b"1",)), WireResponse(200, JSON, (b"2",))], "/v1"
        ) as server:
            assert server.base_url.endswith("/v1")
            reader, writer = await _connect(server)
            for expected in (b"1", b"2", b'{"error": {"message": "no more answers"}}'):
                # Cut in two: a request may arrive in pieces.
                writer.write(CHAT_BODY[:50])
                await asyncio.sleep(0.01)
                writer.write(CHAT_BODY[50:])
                await reader.readuntil(b"\r\n\r\n")
                assert await reader.readexactly(len(expected)) == expected
            writer.close()
            return server

    server = asyncio.run(main())
    assert [(sent.method, sent.path, sent.body) for sent in server.log] == [("POST", "/v1/x?y=1", b"\x00\xffab")] * 3
    assert ("x-odd", "A  b") in server.log[0].headers
    assert server.misses == 1


def test_a_client_that_waits_gets_100_continue() -> None:
    head, end, body = CHAT_BODY.replace(b"Host: h", b"Host: h\r\nExpect: 100-continue").partition(b"\r\n\r\n")

    async def main() -> tuple[bytes, bytes]:
        async with AsyncScriptServer([WireResponse(200, JSON, (b"{}",))]) as server:
            reader, writer = await _connect(server)
            writer.write(head + end)
            interim = await reader.readuntil(b"\r\n\r\n")
            writer.write(body)
            exchange_bytes = await reader.readuntil(b"\r\n\r\n")
            writer.close()
            return interim, exchange_bytes

    interim, exchange_bytes = asyncio.run(main())
    assert interim.startswith(b"HTTP/1.1 100 ")
    assert exchange_bytes.startswith(b"HTTP/1.1 200 OK")


def test_invalid_requests_do_not_stop_the_server() -> None:
    async def main() -> int:
        async with AsyncScriptServer([WireResponse(200, JSON, (b"1",))]) as server:
            _, broken = await _connect(server)
            broken.write(b"\x16\x03\x01 no http\r\n\r\n")
            await broken.drain()
            broken.close()
            reader, writer = await _connect(server)
            writer.write(CHAT_BODY)
            await reader.readuntil(b"\r\n\r\n")
            writer.close()
            return len(server.log)

    assert asyncio.run(main()) == 1


def test_the_server_is_always_stopped() -> None:
    async def main() -> str:
        with pytest.raises(RuntimeError, match="body failed"):
            async with AsyncScriptServer([WireResponse(200, JSON, (b"1",), "timeout")]) as server:
                reader, writer = await _connect(server)
                writer.write(CHAT_BODY)
                await reader.readuntil(b"\r\n\r\n")
                raise RuntimeError("body failed")
        assert len(asyncio.all_tasks()) == 1, "a connection is still being served"
        writer.close()
        return server.base_url

    url = asyncio.run(main())
    gc.collect()
    host, port = url.removeprefix("http://").split(":")
    with pytest.raises(OSError, match=r"refused|Connect"):
        asyncio.run(asyncio.open_connection(host, int(port)))
