"""One run of a program: its input, its output, its exit code, and nothing left behind."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from bridgecheck_reference.cli_bridge.process import STDERR_TAIL_BYTES, CliProcess

TIME_LIMIT_S = 30


async def run(code: str, stdin: bytes = b"") -> tuple[bytes, int, str]:
    process = await CliProcess.start([sys.executable, "-c", code], stdin)
    try:
        output = b"".join([chunk async for chunk in process.output()])
        return output, await process.wait(), process.stderr_tail
    finally:
        await process.aclose()


def play(code: str, stdin: bytes = b"") -> tuple[bytes, int, str]:
    return asyncio.run(asyncio.wait_for(run(code, stdin), TIME_LIMIT_S))


def is_running(pid: int) -> bool:
    """Whether a process lives; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def wait_for_end(pid: int) -> None:
    while is_running(pid):
        await asyncio.sleep(0.01)


@pytest.mark.row("S3.22")
@pytest.mark.parametrize("text", ["", "-v --help @a /quit $(x) 'q'\n\x00", "é\u2028" * 500_000])
def test_its_input_arrives_whole_and_ends(text: str) -> None:
    output, code, stderr = play("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", text.encode())
    assert (output, code, stderr) == (text.encode(), 0, "")


@pytest.mark.row("S3.22")
def test_a_program_that_does_not_read_its_input_is_no_error() -> None:
    assert play("import os; os.close(0); print('x')", b"y" * 10_000_000)[:2] == (b"x\n", 0)


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(41)", 41), ("import os; os.kill(os.getpid(), 9)", -9)]
)
def test_exit_codes(code: str, expected: int) -> None:
    assert play(code)[1] == expected


def test_the_end_of_a_long_stderr_is_kept() -> None:
    _, _, stderr = play("import sys; sys.stderr.write('a' * 10**6 + 'the end')")
    assert len(stderr) == STDERR_TAIL_BYTES and stderr.endswith("athe end")


def test_a_program_that_is_missing_is_an_os_error() -> None:
    with pytest.raises(OSError):
        asyncio.run(CliProcess.start(["/no/such/program"], b""))


CHILD = (
    "import subprocess, sys, time; print(subprocess.Popen([sys.executable, '-c', {child!r}]).pid, flush=True); {rest}"
)
SLEEP = "import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"


def test_a_child_that_holds_the_output_open_does_not_delay_the_end() -> None:
    output, code, _ = play(CHILD.format(child=SLEEP, rest="raise SystemExit(3)"))
    assert code == 3
    asyncio.run(asyncio.wait_for(wait_for_end(int(output)), TIME_LIMIT_S))


@pytest.mark.parametrize("program", [SLEEP, STUBBORN])
def test_closing_ends_the_whole_group(program: str) -> None:
    async def play_and_close() -> None:
        process = await CliProcess.start([sys.executable, "-c", CHILD.format(child=program, rest=program)], b"")
        output = process.output()
        child = int(await anext(output))
        await output.aclose()
        await process.aclose()
        await process.aclose()
        assert await process.wait() in (-signal.SIGTERM, -signal.SIGKILL)
        assert not is_running(process.pid)
        await wait_for_end(child)

    asyncio.run(asyncio.wait_for(play_and_close(), TIME_LIMIT_S))


def test_it_leads_a_group_of_its_own() -> None:
    output, _, _ = play("import os; print(os.getpgid(0) == os.getpid())")
    assert output == b"True\n" and os.getpgid(0) > 0
