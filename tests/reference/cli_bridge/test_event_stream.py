"""The stream: readers that wait, events that are queued, and how it ends."""

import asyncio

import pytest

from bridgecheck_reference.cli_bridge.event_stream import AssistantMessageEventStream, StreamEndedError

SUCCESS = {"type": "done", "reason": "stop", "message": {"n": 1}}
ERROR = {"type": "error", "reason": "aborted", "error": {"n": 2}}
pytestmark = pytest.mark.row("S5.6")


def text(number: int) -> dict[str, object]:
    return {"type": "text_delta", "delta": str(number)}


async def read(stream: AssistantMessageEventStream) -> list[dict[str, object]]:
    return [event async for event in stream]


def run(coroutine: object) -> object:
    async def run_with_limit() -> object:
        return await asyncio.wait_for(coroutine, 20)

    return asyncio.run(run_with_limit())


@pytest.mark.parametrize(("last", "message"), [(SUCCESS, {"n": 1}), (ERROR, {"n": 2})])
def test_what_was_pushed_before_is_queued(last: dict[str, object], message: object) -> None:
    stream = AssistantMessageEventStream()
    for event in (text(1), text(2), last, text(3), SUCCESS):
        stream.push(event)
    assert run(read(stream)) == [text(1), text(2), last], "what comes after the end is ignored"
    assert run(stream.result()) == message


def test_a_reader_waits() -> None:
    async def play() -> list[dict[str, object]]:
        stream = AssistantMessageEventStream()
        reader = asyncio.create_task(read(stream))
        for event in (text(1), SUCCESS):
            await asyncio.sleep(0)
            assert not reader.done()
            stream.push(event)
        return await reader

    assert run(play()) == [text(1), SUCCESS]


def test_several_readers_share_the_events() -> None:
    async def play() -> list[list[dict[str, object]]]:
        stream = AssistantMessageEventStream()
        readers = [asyncio.create_task(read(stream)) for _ in range(3)]
        await asyncio.sleep(0)
        for number in range(10):
            stream.push(text(number))
        stream.push(SUCCESS)
        return await asyncio.gather(*readers)

    found = run(play())
    assert sorted(event["delta"] for events in found for event in events if event is not SUCCESS) == [
        str(n) for n in range(10)
    ]


def test_a_reader_that_was_cancelled_takes_no_event_along() -> None:
    async def play() -> list[dict[str, object]]:
        stream = AssistantMessageEventStream()
        lost = asyncio.create_task(read(stream))
        await asyncio.sleep(0)
        lost.cancel()
        stream.push(text(1))
        stream.push(SUCCESS)
        return await read(stream)

    assert run(play()) == [text(1), SUCCESS]


def test_the_result_is_waited_for() -> None:
    async def play() -> object:
        stream = AssistantMessageEventStream()
        waiting = [asyncio.create_task(stream.result()) for _ in range(2)]
        await asyncio.sleep(0)
        stream.push(text(1))
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        stream.push(SUCCESS)
        return await asyncio.gather(*waiting)

    assert run(play()) == [{"n": 1}, {"n": 1}]


def test_an_end_without_a_result_is_an_error_and_no_hang() -> None:
    stream = AssistantMessageEventStream()
    stream.push(text(1))
    stream.end()
    assert run(read(stream)) == [text(1)]
    with pytest.raises(StreamEndedError):
        run(stream.result())


def test_the_first_end_counts() -> None:
    stream = AssistantMessageEventStream()
    stream.end({"n": 3})
    stream.end({"n": 4})
    stream.push(SUCCESS)
    assert run(stream.result()) == {"n": 3}
