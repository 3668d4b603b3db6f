"""A conversation: history, and sending with and without a stream.

Everything is in Gemini's words, whoever answers; the chat knows nothing of the representation in between. It is small
on purpose: events, retries, fallback and compression of a whole chat client are no part of it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from copy import deepcopy

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.backends import Backend, backend_of
from bridgecheck_reference.chat.contents import Message, ModelTurn, user_content
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.providers.protocol import LLMProvider


class Chat:
    """One conversation over ``target``, which is not closed with it.

    ``request``: members every request has beside its contents (systemInstruction, tools, generationConfig).
    ``history``: contents to begin with. One message at a time: a second waits until the first one's answer is read to
    its end or closed. A turn enters the history when its answer is complete, which a finish reason says; a call that
    failed, was cancelled or was left leaves no trace.
    """

    def __init__(
        self,
        target: ContentGenerator | LLMProvider,
        model: str,
        *,
        request: JsonObject | None = None,
        history: Sequence[JsonObject] = (),
        prompt_id: str = "chat",
    ) -> None:
        self._backend: Backend = backend_of(target, prompt_id)
        self._model = model
        self._request = dict(request or {})
        self._history = [deepcopy(content) for content in history]
        self._sending = asyncio.Lock()

    @property
    def history(self) -> list[JsonObject]:
        """A copy of all turns so far."""
        return deepcopy(self._history)

    async def send(self, message: Message, token: CancelToken | None = None) -> JsonObject:
        """The whole answer. ``ProviderError``; ``CallCancelled`` when the token ends it."""
        async with self._sending:
            user = user_content(message)
            answer = await self._backend.ask(self._model, self._body(user), token)
            turn = ModelTurn()
            turn.add(answer)
            self._remember(user, turn)
            return answer

    async def stream(self, message: Message, token: CancelToken | None = None) -> "ChatStream":
        """The answer as events. Returns once the provider has accepted the message."""
        await self._sending.acquire()
        try:
            user = user_content(message)
            events = await self._backend.open(self._model, self._body(user), token)
        except BaseException:
            self._sending.release()
            raise
        return ChatStream(events, lambda turn: self._remember(user, turn), self._sending)

    def _body(self, user: JsonObject) -> JsonObject:
        return {**self._request, "contents": [*self._history, user]}

    def _remember(self, user: JsonObject, turn: ModelTurn) -> None:
        content = turn.content()
        if turn.finished:
            self._history += deepcopy([user] if content is None else [user, content])


class ChatStream:
    """Events of one answer. Its end, clean or not, lets the next message through."""

    def __init__(self, events: ContentStream, remember: Callable[[ModelTurn], None], sending: asyncio.Lock) -> None:
        self._events = events
        self._remember = remember
        self._sending = sending
        self._turn = ModelTurn()
        self._ended = False

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        if self._ended:
            raise StopAsyncIteration
        try:
            event = await anext(self._events)
        except StopAsyncIteration:
            self._remember(self._turn)
            self._end()
            raise
        except BaseException:
            self._end()
            raise
        self._turn.add(event)
        return event

    async def aclose(self) -> None:
        """Hangs up; what was said so far is not remembered."""
        self._end()
        await self._events.aclose()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._sending.release()
