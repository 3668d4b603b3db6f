"""The openai SDK against ``serve --upstream gemini-cli=COMMAND`` with @google/gemini-cli 0.61.0 itself behind it."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import openai
import pytest

from ..fakes import becomes_true
from ..scripted_answers import ModelAnswer, ProviderError, answer
from .conftest import GEMINI_CLI
from .served_cli import MODEL, RUN_S, ServedCli, serve_cli

pytestmark = [pytest.mark.realclients, pytest.mark.slow]

HISTORY: Final[list[Any]] = [
    {"role": "system", "content": "Be brief."}, {"role": "user", "content": "My name is Ida."},
    {"role": "assistant", "content": "Hello Ida."}, {"role": "user", "content": "Who am I?"},
]  # fmt: skip


@pytest.fixture
def gateway(node: str, tmp_path: Path) -> Iterator[ServedCli]:
    with serve_cli(node, tmp_path) as found:
        yield found


def sdk(gateway: ServedCli) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{gateway.origin}/v1", api_key="client-key", max_retries=0, timeout=RUN_S)


async def read_stream(api: openai.AsyncOpenAI, messages: list[Any]) -> list[Any]:
    stream = await api.chat.completions.create(
        model=MODEL, messages=messages, stream=True, stream_options={"include_usage": True}
    )
    return [chunk async for chunk in stream]


def text_of(chunks: list[Any]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


@pytest.mark.row("S5.17", "S5.18", "S5.20")
def test_a_stream_with_history(gateway: ServedCli) -> None:
    gateway.provider.play(answer("gemini", ModelAnswer("You are Ida."), "stream"))

    async def run() -> list[Any]:
        async with sdk(gateway) as api:
            return await read_stream(api, HISTORY)

    chunks = asyncio.run(run())
    assert text_of(chunks) == "You are Ida."
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason] == ["stop"]
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (11, 7)
    (body,) = gateway.provider.bodies
    assert body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert gateway.turns(0) == [
        ("user", [{"text": "My name is Ida."}]), ("model", [{"text": "Hello Ida."}]), ("user", [{"text": "Who am I?"}]),
    ]  # fmt: skip
    # Its client's key is no key of the program's.
    assert "client-key" not in str(gateway.provider.log[0].headers) + str(body)
    gateway.assert_nothing_left()


@pytest.mark.row("S5.17")
def test_a_whole_answer_and_a_refusal(gateway: ServedCli) -> None:
    gateway.provider.play(
        answer("gemini", ModelAnswer("You are Ida."), "stream"), answer("gemini", ProviderError(400, "not so"), "unary")
    )

    async def run() -> Any:
        async with sdk(gateway) as api:
            completion = await api.chat.completions.create(model=MODEL, messages=HISTORY)
            with pytest.raises(openai.BadRequestError, match="not so"):
                await api.chat.completions.create(model=MODEL, messages=HISTORY)
        return completion

    completion = asyncio.run(run())
    assert completion.choices[0].message.content == "You are Ida." and completion.usage.total_tokens == 18
    gateway.assert_nothing_left()


def test_eight_at_once(gateway: ServedCli) -> None:
    """More than run at once; each has its own history and gets the answer to its own question."""
    gateway.provider.play(*(answer("gemini", ModelAnswer(f"Answer {at}."), "stream") for at in range(8)))

    async def run() -> list[str]:
        async with sdk(gateway) as api:
            streams = (
                read_stream(api, [
                    {"role": "user", "content": f"first {at}"}, {"role": "assistant", "content": f"yes {at}"},
                    {"role": "user", "content": f"second {at}"},
                ])
                for at in range(8)
            )  # fmt: skip
            return [text_of(chunks) for chunks in await asyncio.gather(*streams)]

    answers = asyncio.run(run())
    received = [gateway.turns(number) for number in range(8)]
    expected = [
        [("user", [{"text": f"first {at}"}]), ("model", [{"text": f"yes {at}"}]), ("user", [{"text": f"second {at}"}])]
        for at in range(8)
    ]
    assert sorted(received, key=str) == expected
    # The provider answers in order of arrival, which is not that of the clients.
    assert answers == [f"Answer {received.index(turns)}." for turns in expected]
    assert gateway.provider.misses == 0
    gateway.assert_nothing_left()


@pytest.mark.parametrize("after_text", [True, False], ids=["behind the first text", "before the first text"])
def test_an_abort_in_the_middle(gateway: ServedCli, after_text: bool) -> None:
    """The program, all that it started and its files are gone; the next request is answered."""
    whole = answer("gemini", ModelAnswer("You are Ida, I think."), "stream")
    gateway.provider.play(replace(whole, writes=whole.writes[:1] if after_text else (), end="timeout"), whole)

    async def leave() -> str:
        async with sdk(gateway) as api:
            call = asyncio.create_task(api.chat.completions.create(model=MODEL, messages=HISTORY, stream=True))
            received = ""
            if after_text:
                stream = await call
                async for chunk in stream:
                    received = text_of([chunk])
                    if received:
                        break
                assert gateway.folders and gateway.processes(), "it is under way"
                await stream.close()
            else:
                await asyncio.to_thread(becomes_true, lambda: bool(gateway.provider.log), RUN_S)
                assert gateway.folders and gateway.processes(), "it is under way"
                call.cancel()
            await asyncio.to_thread(gateway.assert_nothing_left)
            return received + "|" + text_of(await read_stream(api, HISTORY))

    assert asyncio.run(leave()) == ("You are Ida" if after_text else "") + "|You are Ida, I think."
    assert len(gateway.provider.log) == 2
    gateway.assert_nothing_left()


_LEAVES_BEHIND: Final = """
import os, pathlib, subprocess, sys
wait = "import time; time.sleep(600)"
subprocess.Popen([sys.executable, "-c", wait], start_new_session=True, stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
(pathlib.Path(os.environ["TMPDIR"]).parents[1] / "forgotten").touch()
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_what_is_left_is_seen(node: str, tmp_path: Path) -> None:
    """The check of the tests above finds a process and a file that outlive their run."""
    command = (sys.executable, "-c", _LEAVES_BEHIND, node, str(GEMINI_CLI))
    with serve_cli(node, tmp_path, command=command) as gateway:
        gateway.provider.play(answer("gemini", ModelAnswer("You are Ida."), "stream"))

        async def run() -> str:
            async with sdk(gateway) as api:
                return text_of(await read_stream(api, HISTORY))

        assert asyncio.run(run()) == "You are Ida."
        with pytest.raises(AssertionError, match="forgotten"):
            gateway.assert_nothing_left(1)
        (gateway.temporary / "forgotten").unlink()
        with pytest.raises(AssertionError, match=r"run: process \d+$"):
            gateway.assert_nothing_left(1)
        (left,) = gateway.processes()
        os.kill(left, signal.SIGKILL)
