"""What recording costs: CPU time of the edge's process a chunk, recorded beside passed through; and its memory.

    python bench/recording.py [--chunks 20000] [--rounds 3]

A provider on loopback sends one stream; a client reads it. CPU time is read when the client has the last byte, and
again when the recorder has ended: what lies between is the writing of the cassette. Memory is read while the stream
runs.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final, Literal, TypeAlias

from figures import Figure

Mode: TypeAlias = Literal["live", "record"]
MODES: Final[tuple[Mode, ...]] = ("live", "record")
LIMIT: Final = 1.3
GROWN_MB: Final = 16
CHUNKS: Final = 20_000
ROUNDS: Final = 3
CHUNK: Final = b'data: {"choices":[{"index":0,"delta":{"content":"some words of an answer "}}]}\n\n'
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """``stream_s``, ``total_s``: CPU seconds until the last byte, until the end; ``grown_kb``: resident memory from the
    tenth part of the stream to its end."""

    stream_s: float
    total_s: float
    grown_kb: int


@contextmanager
def provider(chunks: int) -> Iterator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        framed = b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK)
        for _ in range(chunks // 20):
            writer.write(framed * 20)
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(answer, "127.0.0.1", 0), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


# Started in the background, it ignores Ctrl-C, and the edge that it ends by that would inherit it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def measure_mode(mode: Mode, url: str, chunks: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bridgecheck", "record", "--mode", mode, "--serve", f"openai-chat={url}"]
        edge = subprocess.Popen([*command, "--out", f"{folder}/out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert edge.stdout is not None
        host = edge.stdout.readline().decode().split("//")[1].strip()
        before = cpu_seconds(edge.pid)
        connection = HTTPConnection(host)
        connection.request("POST", "/v1/chat/completions", b"{}", {"content-type": "application/json"})
        response, received, early_kb = connection.getresponse(), 0, 0
        size = chunks // 20 * 20 * len(CHUNK)
        while data := response.read1(65536):
            received += len(data)
            if not early_kb and received > size // 10:
                early_kb = resident_kb(edge.pid)
            if received > size - 4 * len(data):
                late_kb = resident_kb(edge.pid)
        assert received == size, f"received {received} of {size} bytes"
        streamed = cpu_seconds(edge.pid)
        edge.send_signal(signal.SIGINT)
        children = os.times()
        edge.communicate()
        ended = os.times()
        total = (ended.children_user + ended.children_system) - (children.children_user + children.children_system)
        return Cost(streamed - before, total - before, late_kb - early_kb)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def measure_all(chunks: int, rounds: int) -> tuple[Cost, Cost]:
    """Return the least that passing through and recording cost in so many rounds."""
    with provider(chunks) as url:
        costs = [(measure_mode("live", url, chunks), measure_mode("record", url, chunks)) for _ in range(rounds)]
    passed, recorded = (min(row, key=lambda cost: cost.stream_s) for row in zip(*costs, strict=True))
    return passed, recorded


def measure() -> Iterator[Figure]:
    passed, recorded = measure_all(CHUNKS, ROUNDS)
    microseconds = 1e6 / CHUNKS
    times = f"{recorded.stream_s * microseconds:.1f} beside {passed.stream_s * microseconds:.1f} us"
    yield Figure(
        "a chunk recorded, to one passed through",
        recorded.stream_s / passed.stream_s,
        LIMIT,
        "x",
        slack=1,
        detail=times,
    )
    yield Figure("memory while 9 of 10 chunks are recorded", recorded.grown_kb / 1024, GROWN_MB, "MB", slack=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    passed, recorded = measure_all(options.chunks, options.rounds)
    ratio = recorded.stream_s / passed.stream_s
    microseconds = 1e6 / options.chunks
    print(f"passed through: {passed.stream_s * microseconds:.1f} us a chunk; memory {passed.grown_kb:+d} kB")
    print(
        f"recorded: {recorded.stream_s * microseconds:.1f} us a chunk, {ratio:.2f}x; memory {recorded.grown_kb:+d} kB"
    )
    print(f"with its cassette written: {recorded.total_s * microseconds:.1f} us a chunk")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
