"""Scripted providers for real SDK clients."""

from collections.abc import AsyncIterator

import pytest

from ..scripted_upstream import Answer, json_answer, stream_answer, upstream


class Lab:
    """What the tests of this folder use of ``scripted``."""

    Answer = Answer
    serving = staticmethod(upstream)
    json = staticmethod(json_answer)

    @staticmethod
    def gemini(*documents: object, **more: object) -> Answer:
        """A Gemini stream."""
        return stream_answer(*documents, ends="\r\n\r\n", **more)

    @staticmethod
    def openai(*documents: object, terminator: bool = True, **more: object) -> Answer:
        """A Chat stream; ``done``: with the closing ``[DONE]``."""
        return stream_answer(*documents, terminator=terminator, **more)

    @staticmethod
    def anthropic(*documents: dict[str, object], **more: object) -> Answer:
        """An Anthropic stream; an event is named by its type."""
        return stream_answer(*documents, named=True, **more)

    @staticmethod
    async def collect(stream: AsyncIterator[object]) -> list[object]:
        return [item async for item in stream]


@pytest.fixture
def lab() -> Lab:
    return Lab()
