"""One conversation: messages in, events of the provider out, and the history that is left.

``Chat.stream`` takes one message at a time: a second waits until the answer before it is read, failed or closed. A
stream that breaks, or ends with an answer that cannot be used, is opened again up to three times, and says so with
``Retry``. What a message leaves in the history:

    answered           the message and the answer without its thoughts
    failed, closed     nothing; the result of a tool stays
    cancelled          nothing of the whole prompt, from its first message on

Source: core/geminiChat.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken, cancellable_call
from bridgecheck_reference.chat.answer import AnswerFold, IdMaker, InvalidStreamError
from bridgecheck_reference.chat.documents import child, has_result
from bridgecheck_reference.chat.events import Retry
from bridgecheck_reference.chat.fallback import Fallback
from bridgecheck_reference.chat.history import INTERRUPTED, request_contents, view, with_tool_ids
from bridgecheck_reference.chat.nudges import add_nudge
from bridgecheck_reference.chat.quota import NETWORK_CODES
from bridgecheck_reference.chat.retry import Surroundings, retry
from bridgecheck_reference.chat.settings import ChatSettings, real_surroundings
from bridgecheck_reference.chat.tokens import estimate_contents
from bridgecheck_reference.errors import CallCancelled, ProviderError
from bridgecheck_reference.failures import INCOMPLETE, INVALID
from bridgecheck_reference.generator.bridge import ProviderBridge
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.providers.protocol import LLMProvider

TextOrParts: TypeAlias = "str | JsonObject | list[JsonObject]"
"""A text, a part, or parts (results of tools among them)."""

DEFAULT_SETTINGS: Final = ChatSettings()


def to_parts(message: TextOrParts) -> list[JsonObject]:
    """Return the message as parts."""
    if isinstance(message, str):
        return [{"text": message}]
    return message if isinstance(message, list) else [message]


def to_generator(target: ContentGenerator | LLMProvider) -> ContentGenerator:
    """Return what requests go through: a provider is called over the bridge."""
    return ProviderBridge(target) if isinstance(target, LLMProvider) else target


@dataclass(frozen=True, slots=True)
class _State:
    history: list[JsonObject]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Prompt:
    id: str
    before: _State


@dataclass(frozen=True, slots=True)
class _Sending:
    user: JsonObject
    token: CancelToken | None
    prompt_id: str
    config: JsonObject
    before: _State


class Chat:
    """``target`` is not closed with the chat. ``request``: members that every request has beside its contents
    (systemInstruction, tools, generationConfig). ``history``: contents to begin with, user or model.
    ``fallback``: which model is asked, None for ``model`` always."""

    def __init__(
        self,
        target: ContentGenerator | LLMProvider,
        model: str,
        *,
        request: JsonObject | None = None,
        history: Sequence[JsonObject] = (),
        settings: ChatSettings = DEFAULT_SETTINGS,
        around: Surroundings | None = None,
        fallback: Fallback | None = None,
    ) -> None:
        self.generator = to_generator(target)
        self.settings = settings
        self.around = around or real_surroundings()
        self.fallback = fallback or Fallback(model, self.around.now_ms)
        self._request = dict(request or {})
        self._history: list[JsonObject] = []
        self._sending = asyncio.Lock()
        self._prompt: _Prompt | None = None
        self.set_history(history)

    def history(self, *, curated: bool = False) -> list[JsonObject]:
        """Return a copy of the contents as they are for the model in use; ``curated``: those that requests have."""
        return deepcopy(self._view(curated=curated))

    def set_history(self, history: Sequence[JsonObject]) -> None:
        """Calls and results without ids get some. ``ValueError`` for a role that is neither user nor model."""
        for content in history:
            if content.get("role") not in ("user", "model"):
                raise ValueError(f"history: expected role user or model, got {content.get('role')!r}")
        self._history = deepcopy(with_tool_ids(history))
        self.last_prompt_tokens = estimate_contents(self._history)

    def add_history(self, content: JsonObject) -> None:
        """Append a content."""
        self._history = with_tool_ids([*self._history, deepcopy(content)])

    async def stream(
        self,
        message: TextOrParts,
        token: CancelToken | None = None,
        *,
        prompt_id: str = "chat",
        config: JsonObject | None = None,
    ) -> "ChatStream":
        """Return the answer's events, which have to be read to the end or closed. ``prompt_id``: of the user's prompt,
        the same for the results of tools that follow. ``config``: members of generationConfig for this message.

        Reading raises ``ProviderError`` (retries used up), ``InvalidStreamError``, ``CallCancelled``."""
        await cancellable_call(token, self._sending.acquire)
        state = _State(list(self._history), self.last_prompt_tokens)
        if self._prompt is None or self._prompt.id != prompt_id:
            self._prompt = _Prompt(prompt_id, state)
        user: JsonObject = {"role": "user", "parts": deepcopy(to_parts(message))}
        if not has_result(user) and self._history and has_result(self._history[-1]):
            self._history.append({"role": "model", "parts": [{"text": INTERRUPTED}]})
        self._history.append(user)
        return ChatStream(self, _Sending(user, token, prompt_id, dict(config or {}), state))

    def _view(self, *, curated: bool) -> list[JsonObject]:
        return view(self._history, self.fallback.model, curated=curated)

    async def _events(self, sending: _Sending) -> AsyncGenerator[JsonObject | Retry, None]:
        curated, invalid = self._view(curated=True), None
        attempts = min(self.settings.stream_attempts, self.settings.retry.max_attempts)
        make_id = IdMaker(self.around.now_ms)
        for attempt in range(attempts):
            if attempt:
                yield Retry()
            opened = await self._open(curated, sending, invalid)
            fold = AnswerFold(behind_result=has_result(sending.user), make_id=make_id)
            try:
                async with aclosing(_read(opened)) as events:
                    async for event in events:
                        fold.feed(event)
                        yield event
                self._remember(fold.close(), fold.usage)
                return
            except InvalidStreamError as error:
                invalid = error
                if attempt == attempts - 1:
                    raise
            except ProviderError as error:
                if attempt == attempts - 1 or not _is_transient(error):
                    raise
            wait_s = self.settings.first_stream_wait_s * 2**attempt
            await cancellable_call(sending.token, partial(self.around.sleep, wait_s))

    async def _open(
        self, curated: list[JsonObject], sending: _Sending, invalid: InvalidStreamError | None
    ) -> ContentStream:
        async def send() -> ContentStream:
            contents = request_contents(curated, self.fallback.model)
            request: JsonObject = {
                **self._request,
                "model": self.fallback.model,
                "contents": add_nudge(contents, invalid.reason if invalid else None),
            }
            if sending.config:
                request["generationConfig"] = {**child(self._request, "generationConfig"), **sending.config}
            if sending.token is not None:
                request["config"] = {"abortSignal": sending.token}
            return await self.generator.generate_content_stream(request, sending.prompt_id)

        stream = await retry(
            send, self.settings.retry, self.around,
            token=sending.token, fall_back=self.fallback.after, max_attempts=self.fallback.max_attempts,
        )  # fmt: skip
        self.fallback.availability.mark_healthy(self.fallback.model)
        return stream

    def _remember(self, content: JsonObject, usage: JsonObject | None) -> None:
        self._history.append(deepcopy(content))
        tokens = (usage or {}).get("promptTokenCount")
        self.last_prompt_tokens = tokens if isinstance(tokens, int) else self.last_prompt_tokens

    def _end(self, sending: _Sending, *, answered: bool, cancelled: bool) -> None:
        """Take back what did not get an answer, and let the next message through."""
        if not answered:
            if cancelled and self._prompt is not None:
                self._restore(self._prompt.before)
                self._prompt = None
            elif not has_result(sending.user):
                self._restore(sending.before)
        self._sending.release()

    def _restore(self, state: _State) -> None:
        self._history, self.last_prompt_tokens = list(state.history), state.tokens


async def _read(stream: ContentStream) -> AsyncGenerator[JsonObject, None]:
    """The events of a stream, each the reader's own. A connection that breaks ends it: through a bridge that cannot be
    told from a stream without a finish reason."""
    try:
        async for event in stream:
            yield deepcopy(event)
    except ProviderError as error:
        if error.code != INCOMPLETE:
            raise
    finally:
        await stream.aclose()


def _is_transient(error: ProviderError) -> bool:
    status = error.status or 0
    return error.code in NETWORK_CODES or (error.code != INVALID and (status in (429, 499) or 500 <= status < 600))


class ChatStream:
    """The events of one answer, and ``Retry`` where it begins again. Its end, clean or not, lets the next message
    through; closing it early leaves the message out of the history."""

    def __init__(self, chat: Chat, sending: _Sending) -> None:
        self._chat = chat
        self._sending = sending
        self._events = chat._events(sending)
        self._ended = False

    def __aiter__(self) -> AsyncIterator[JsonObject | Retry]:
        return self

    async def __anext__(self) -> JsonObject | Retry:
        if self._ended:
            raise StopAsyncIteration
        try:
            return await anext(self._events)
        except StopAsyncIteration:
            self._end(answered=True)
            raise
        except BaseException as error:
            self._end(cancelled=isinstance(error, CallCancelled | asyncio.CancelledError))
            raise

    async def aclose(self) -> None:
        """Hang up."""
        self._end()
        await self._events.aclose()

    def _end(self, *, answered: bool = False, cancelled: bool = False) -> None:
        if not self._ended:
            self._ended = True
            token = self._sending.token
            cancelled = cancelled or (token is not None and token.cancelled)
            self._chat._end(self._sending, answered=answered, cancelled=cancelled)
