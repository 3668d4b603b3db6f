"""A conversation kept as Gemini contents, over a content generator or directly over a provider.

Everything is a Gemini document, whoever responds; the chat knows nothing of the representation in between. It is small
on purpose: events, retries, fallback and compression of a whole chat client are no part of it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from copy import deepcopy
from typing import Protocol, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.provider_calls import ProviderCaller
from bridgecheck_reference.providers.protocol import LLMProvider

TextOrParts: TypeAlias = "str | JsonObject | list[JsonObject]"
"""A text, a part, or parts (tool results among them)."""


def user_content_from_text_or_parts(message: TextOrParts) -> JsonObject:
    """Return the message as a content."""
    parts = message if isinstance(message, list) else [{"text": message} if isinstance(message, str) else message]
    return {"role": "user", "parts": parts}


class ModelTurn:
    """Gathers the parts of an answer's first candidate, whole or event by event. Texts that follow each other are one,
    unless only one of them is a thought or either is signed: a signature stays with its part. A blank text behind other
    parts, with which many streams end, is left out."""

    def __init__(self) -> None:
        self.finished = False
        """Whether a finish reason was seen."""
        self._parts: list[JsonObject] = []
        self._texts: list[list[str]] = []
        """The pieces of each part's text, joined once at the end; empty for a part that is no text."""

    def add(self, document: JsonObject) -> None:
        """Add an answer or one event of it."""
        candidate = _candidate_with_index_0(document)
        self.finished = self.finished or bool(candidate.get("finishReason"))
        for part in _candidate_parts(candidate):
            if self._parts and part == {"text": ""}:
                continue
            if self._extends_last_unsigned_text(part):
                self._texts[-1].append(str(part["text"]))
            else:
                self._parts.append(dict(part))
                self._texts.append([str(part["text"])] if "text" in part else [])

    def content(self) -> JsonObject | None:
        """Return the model's content, None for an answer without parts."""
        if not self._parts:
            return None
        joined = [
            {**part, "text": "".join(pieces)} if pieces else part
            for part, pieces in zip(self._parts, self._texts, strict=True)
        ]
        return {"role": "model", "parts": joined}

    def _extends_last_unsigned_text(self, part: JsonObject) -> bool:
        if not self._parts or not self._texts[-1] or "text" not in part:
            return False
        last = self._parts[-1]
        signed = "thoughtSignature" in last or "thoughtSignature" in part
        return not signed and bool(last.get("thought")) == bool(part.get("thought"))


def _candidate_with_index_0(document: JsonObject) -> JsonObject:
    candidates = document.get("candidates")
    found = candidates if isinstance(candidates, list) else []
    return next((item for item in found if isinstance(item, dict) and not item.get("index")), {})


def _candidate_parts(candidate: JsonObject) -> list[JsonObject]:
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


class Backend(Protocol):
    """Gemini documents in and out. ``body``: as on the wire, without the model."""

    async def generate(self, model: str, body: JsonObject, token: CancelToken | None = None) -> JsonObject: ...

    async def open_stream(self, model: str, body: JsonObject, token: CancelToken | None = None) -> ContentStream: ...


class GeneratorBackend:
    """A content generator; ``prompt_id`` names the chat in its logs."""

    def __init__(self, generator: ContentGenerator, prompt_id: str) -> None:
        self._generator = generator
        self._prompt_id = prompt_id

    async def generate(self, model: str, body: JsonObject, token: CancelToken | None = None) -> JsonObject:
        return await self._generator.generate_content(_add_model(model, body, token), self._prompt_id)

    async def open_stream(self, model: str, body: JsonObject, token: CancelToken | None = None) -> ContentStream:
        return await self._generator.generate_content_stream(_add_model(model, body, token), self._prompt_id)


def make_backend(target: ContentGenerator | LLMProvider, prompt_id: str) -> Backend:
    """Return what the chat sends its requests through."""
    if isinstance(target, LLMProvider):
        return ProviderCaller(target, "gemini")
    return GeneratorBackend(target, prompt_id)


def _add_model(model: str, body: JsonObject, token: CancelToken | None) -> JsonObject:
    request: JsonObject = {**body, "model": model}
    return request if token is None else {**request, "config": {"abortSignal": token}}


class Chat:
    """One conversation over ``target``, which is not closed with it.

    ``request``: members every request has beside its contents (systemInstruction, tools, generationConfig).
    ``history``: contents to begin with. One message at a time: a second waits until the first one's answer is read to
    its end or closed. A turn enters the history when its answer is complete, that is, has a finish reason; a call that
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
        self._backend: Backend = make_backend(target, prompt_id)
        self._model = model
        self._request = dict(request or {})
        self._history = [deepcopy(content) for content in history]
        self._sending = asyncio.Lock()

    @property
    def history(self) -> list[JsonObject]:
        """A copy of all turns so far."""
        return deepcopy(self._history)

    async def send(self, message: TextOrParts, token: CancelToken | None = None) -> JsonObject:
        """Return the whole answer. ``ProviderError``; ``CallCancelled`` when the token ends it."""
        async with self._sending:
            user = user_content_from_text_or_parts(message)
            answer = await self._backend.generate(self._model, self._request_body(user), token)
            turn = ModelTurn()
            turn.add(answer)
            self._remember_user_and_any_answer_if_finished(user, turn)
            return answer

    async def stream(self, message: TextOrParts, token: CancelToken | None = None) -> "ChatStream":
        """Return the answer as events, once the provider has accepted the message."""
        await self._sending.acquire()
        try:
            user = user_content_from_text_or_parts(message)
            events = await self._backend.open_stream(self._model, self._request_body(user), token)
        except BaseException:
            self._sending.release()
            raise
        return ChatStream(
            events, lambda turn: self._remember_user_and_any_answer_if_finished(user, turn), self._sending
        )

    def _request_body(self, user: JsonObject) -> JsonObject:
        return {**self._request, "contents": [*self._history, user]}

    def _remember_user_and_any_answer_if_finished(self, user: JsonObject, turn: ModelTurn) -> None:
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
            self._allow_next_message()
            raise
        except BaseException:
            self._allow_next_message()
            raise
        self._turn.add(event)
        return event

    async def aclose(self) -> None:
        """Hang up; the answer so far does not enter the history."""
        self._allow_next_message()
        await self._events.aclose()

    def _allow_next_message(self) -> None:
        if not self._ended:
            self._ended = True
            self._sending.release()
