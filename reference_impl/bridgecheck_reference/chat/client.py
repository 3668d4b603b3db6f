"""What a program drives: one message in, and events until somebody else has to act, the user or a tool.

Before a turn: the session's limit, compression, the size of the window. During it: loops, of which the model is told
once. After it, if the model asked for no tool: who speaks next, if that is to be asked.
Source: core/client.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.chat import DEFAULT_SETTINGS, Chat, TextOrParts, to_generator, to_parts
from bridgecheck_reference.chat.compression import CompressionJob, CompressionStatus, Compressor, SummaryCompressor
from bridgecheck_reference.chat.events import (
    ChatCompressed,
    ContextWindowWillOverflow,
    Error,
    Event,
    LoopDetected,
    MaxSessionTurns,
    ModelInfo,
    UserCancelled,
)
from bridgecheck_reference.chat.fallback import Fallback, ModelPolicy, Notify
from bridgecheck_reference.chat.loops import LoopDetector
from bridgecheck_reference.chat.next_speaker import check_next_speaker
from bridgecheck_reference.chat.retry import Surroundings
from bridgecheck_reference.chat.settings import MAX_TURNS, ChatSettings, real_surroundings
from bridgecheck_reference.chat.tokens import count_request, token_limit
from bridgecheck_reference.chat.turn import Turn
from bridgecheck_reference.chat.utility import UtilityCalls
from bridgecheck_reference.errors import CallCancelled
from bridgecheck_reference.generator.protocol import ContentGenerator
from bridgecheck_reference.providers.protocol import LLMProvider

CONTINUE: Final = "Please continue."
"""What a model is sent that goes on by itself."""
_LOOP: Final = "[You seem to repeat yourself: {detail}. Check that you make progress, and try something else if not.]"


class ChatClient:
    """``preamble``: contents that begin the history and every compressed one. ``chain``, ``notify``: see ``Fallback``.
    ``compressor``: None for the one that asks the model for a summary."""

    def __init__(
        self,
        target: ContentGenerator | LLMProvider,
        model: str,
        *,
        request: JsonObject | None = None,
        preamble: Sequence[JsonObject] = (),
        history: Sequence[JsonObject] = (),
        settings: ChatSettings = DEFAULT_SETTINGS,
        around: Surroundings | None = None,
        chain: Sequence[ModelPolicy] = (),
        notify: Notify | None = None,
        compressor: Compressor | None = None,
    ) -> None:
        self._settings = settings
        around = around or real_surroundings()
        generator = to_generator(target)
        self._fallback = Fallback(model, around.now_ms, chain, notify)
        self._preamble = list(preamble)
        self.chat = Chat(
            generator, model, request=request, history=[*preamble, *history], settings=settings, around=around,
            fallback=self._fallback,
        )  # fmt: skip
        self._utility = UtilityCalls(generator, around)
        self._compressor = compressor or SummaryCompressor(generator, self._utility)
        self._loops = LoopDetector()
        self._session_turns = 0
        self._prompt_id: str | None = None
        self._compression_failed = False
        self._model_announced = False

    def send(
        self, message: TextOrParts, token: CancelToken | None = None, *, prompt_id: str, turns: int = MAX_TURNS
    ) -> "ClientStream":
        """Return the events. ``prompt_id``: of the user's prompt, the same for the results of tools. ``turns``: how
        often the model may go on by itself, ``MAX_TURNS`` at most; when they are used up the events end."""
        return ClientStream(self, message, token, prompt_id, min(turns, MAX_TURNS))

    async def _run(self, stream: "ClientStream") -> AsyncGenerator[Event, None]:
        try:
            while stream._next is not None:
                message, stream._next = stream._next, None
                async with aclosing(self._run_turn(stream, message)) as events:
                    async for event in events:
                        yield event
                stream._turns_left -= 1
        except CallCancelled:
            yield UserCancelled()

    async def _run_turn(self, stream: "ClientStream", message: TextOrParts) -> AsyncGenerator[Event, None]:
        is_new = self._prompt_id != stream.prompt_id
        self._fallback.availability.start_turn()
        if is_new:
            self._prompt_id = stream.prompt_id
            self._loops.reset()
        stream.turn = Turn(self.chat, stream.prompt_id)
        self._session_turns += 1
        if 0 < self._settings.max_session_turns < self._session_turns:
            yield MaxSessionTurns()
            return
        if stream._turns_left <= 0:
            return
        if is_new:
            self._model_announced = False
        if (compressed := await self._compress(stream)) is not None:
            yield compressed
        if (overflow := await self._overflow(message)) is not None:
            yield overflow
            return
        if not self._model_announced and not stream.is_cancelled():
            self._model_announced = True
            yield ModelInfo(self._fallback.start_turn())
        async with aclosing(self._watch(stream, message)) as events:
            async for event in events:
                yield event
        if stream._next is None and not stream._stopped and await self._model_goes_on(stream):
            stream._next = CONTINUE

    async def _watch(self, stream: "ClientStream", message: TextOrParts) -> AsyncGenerator[Event, None]:
        """The turn's events; at a loop it ends, and the model is told so, once a prompt."""
        assert stream.turn is not None
        async with aclosing(stream.turn.run(message, stream._token)) as events:
            async for event in events:
                found = self._loops.feed(event) if self._settings.detect_loops else 0
                if found:
                    break
                yield event
                stream._stopped = stream._stopped or isinstance(event, Error)
            else:
                return
        if found > 1 or stream._turns_left <= 1:
            stream._stopped = True
            yield LoopDetected() if found > 1 else MaxSessionTurns()
        else:
            self._loops.resume()
            stream._next = _LOOP.format(detail=self._loops.detail)

    async def _model_goes_on(self, stream: "ClientStream") -> bool:
        if not self._settings.next_speaker_check or stream.is_cancelled() or stream.turn is None:
            return False
        if stream.turn.pending_tool_calls:
            return False
        model = self._settings.next_speaker_model or self._fallback.model
        curated, full = self.chat.history(curated=True), self.chat.history()
        speaker = await check_next_speaker(curated, full, self._utility, model, stream.prompt_id, stream._token)
        return speaker == "model"

    async def _compress(self, stream: "ClientStream") -> ChatCompressed | None:
        tokens, share = self.chat.last_prompt_tokens, self._settings.compression_threshold
        curated = self.chat.history(curated=True)
        if not curated or not share or tokens < share * token_limit(self._fallback.model):
            return None
        job = CompressionJob(
            curated, tokens, self._fallback.model, stream.prompt_id, self._preamble, self._compression_failed
        )
        found = await self._compressor.compress(job, stream._token)
        self._compression_failed = self._compression_failed or found.status is CompressionStatus.INFLATED
        if found.status is CompressionStatus.TRUNCATED and found.history is not None:
            self.chat.set_history(found.history)
        if found.status is not CompressionStatus.COMPRESSED or found.history is None:
            return None
        self._compression_failed = False
        self.chat.set_history([*self._preamble, *found.history])
        return ChatCompressed(found.original_tokens, found.new_tokens)

    async def _overflow(self, message: TextOrParts) -> ContextWindowWillOverflow | None:
        model = self._fallback.model
        remaining = token_limit(model) - self.chat.last_prompt_tokens
        size = await count_request(self.chat.generator, model, to_parts(message))
        return ContextWindowWillOverflow(size, remaining) if size > remaining else None


class ClientStream:
    """Events of one message. ``turn``: the last one, None before the first event."""

    def __init__(
        self, client: ChatClient, message: TextOrParts, token: CancelToken | None, prompt_id: str, turns: int
    ) -> None:
        self.prompt_id = prompt_id
        self.turn: Turn | None = None
        self._token = token
        self._turns_left = turns
        self._next: TextOrParts | None = message
        self._stopped = False
        self._events = client._run(self)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Hang up; the message leaves no trace."""
        await self._events.aclose()

    def is_cancelled(self) -> bool:
        return self._token is not None and self._token.cancelled
