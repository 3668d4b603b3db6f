"""Who runs, who waits, who is refused."""

import asyncio

import pytest

from bridgecheck_reference.cli_bridge.slots import QueueFullError, Slots


async def count_started(tasks: list["asyncio.Task[None]"]) -> int:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return sum(task.done() for task in tasks)


def test_as_many_run_as_may_and_the_rest_wait() -> None:
    async def play() -> None:
        slots = Slots(running=2, waiting=1)
        tasks = [asyncio.create_task(slots.take()) for _ in range(3)]
        assert await count_started(tasks) == 2
        with pytest.raises(QueueFullError, match="2 run and 1 wait"):
            await slots.take()
        slots.release()
        assert await count_started(tasks) == 3

    asyncio.run(play())


def test_one_that_stops_waiting_leaves_its_place() -> None:
    async def play() -> None:
        slots = Slots(running=1, waiting=1)
        await slots.take()
        waiting = asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        again = [asyncio.create_task(slots.take())]
        assert await count_started(again) == 0
        slots.release()
        assert await count_started(again) == 1

    asyncio.run(play())
