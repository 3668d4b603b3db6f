"""A stream of IR chunks that never ends cleanly without being complete, whichever provider it comes from."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.failures import INCOMPLETE, document_failure, local_failure
from bridgecheck_reference.types.conversion import EventStream


class GuardedStream:
    """Passes chunks through. An error document among them is raised, and so is an end with no finish reason seen."""

    def __init__(self, chunks: EventStream, secrets: tuple[str, ...] = ()) -> None:
        self._chunks = chunks
        self._secrets = secrets
        self._finished = False

    def __aiter__(self) -> "GuardedStream":
        return self

    async def __anext__(self) -> JsonObject:
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if not self._finished:
                raise local_failure(
                    INCOMPLETE, "the stream ended without a finish reason", dialect="openai-chat"
                ) from None
            raise
        if chunk.get("error"):
            await self.aclose()
            raise document_failure(chunk, dialect="openai-chat", status=None, secrets=self._secrets)
        self._finished = self._finished or _finishes(chunk)
        return chunk

    async def aclose(self) -> None:
        await self._chunks.aclose()


def _finishes(chunk: JsonObject) -> bool:
    choices = chunk.get("choices")
    return isinstance(choices, list) and any(isinstance(item, dict) and item.get("finish_reason") for item in choices)
