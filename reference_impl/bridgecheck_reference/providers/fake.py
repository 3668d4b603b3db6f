"""A provider that answers from a script of IR documents: for tests of whatever stands above the providers."""

from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from typing import TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.errors import ConfigError, MockResponseError
from bridgecheck_reference.providers.protocol import BaseProvider, OpenAICompletion, OpenAIRequest
from bridgecheck_reference.streams import FinishRequiringOpenAIStream

Reply: TypeAlias = "JsonObject | Exception | Sequence[JsonObject | Exception]"
"""An answer, a failure of the call, or the chunks of a stream (a failure among them breaks it there)."""


class FakeProvider(BaseProvider):
    """Gives its replies in order and keeps the requests in ``calls``. ``options["replies"]`` of the config.

    ``MockResponseError`` when the replies are used up, or the next one is for the other kind of call.
    """

    def __init__(
        self, config: ProviderConfig | None = None, profile: Profile = NATIVE, *, replies: Sequence[Reply] = ()
    ) -> None:
        scripted = (config.options if config else {}).get("replies", replies)
        if not isinstance(scripted, list | tuple):
            raise ConfigError("option 'replies' of the fake provider: expected a list")
        self.profile = profile
        self.calls: list[tuple[str, JsonObject]] = []
        self.closed = 0
        self._replies: list[Reply] = list(scripted)

    @property
    def name(self) -> str:
        return "fake"

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        reply = self._next("generate", params)
        if not isinstance(reply, dict):
            raise MockResponseError("the next scripted reply is a stream, and generate was called")
        return reply

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        reply = self._next("generate_stream", params)
        if isinstance(reply, dict):
            raise MockResponseError("the next scripted reply is a whole answer, and generate_stream was called")
        return FinishRequiringOpenAIStream(_Script(reply))

    async def close(self) -> None:
        self.closed += 1

    def _next(self, method: str, params: JsonObject) -> "JsonObject | Sequence[JsonObject | Exception]":
        self.calls.append((method, deepcopy(params)))
        if not self._replies:
            raise MockResponseError(f"No more scripted replies for {method}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class _Script:
    def __init__(self, items: "Sequence[JsonObject | Exception]") -> None:
        self._items = iter(items)

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        item = next(self._items, None)
        if item is None:
            raise StopAsyncIteration
        if isinstance(item, Exception):
            raise item
        return deepcopy(item)

    async def aclose(self) -> None:
        self._items = iter(())
