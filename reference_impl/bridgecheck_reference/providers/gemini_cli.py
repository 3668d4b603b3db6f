"""gemini-cli as a provider: each call is a run of the program, in folders of its own (see ``cli_bridge``)."""

import asyncio
import os
import shlex
import time
from collections import deque
from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.cli_bridge.assistant_events import Event
from bridgecheck_reference.cli_bridge.chat_answer import ChatAnswer, create_failure
from bridgecheck_reference.cli_bridge.chat_request import read_context
from bridgecheck_reference.cli_bridge.event_stream import AssistantMessageEventStream
from bridgecheck_reference.cli_bridge.slots import QueueFullError, Slots
from bridgecheck_reference.cli_bridge.stream_fn import create_gemini_cli_stream_fn
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.conversion_profile import NATIVE, Profile
from bridgecheck_reference.convert.json_values import obj, text
from bridgecheck_reference.errors import ConfigError
from bridgecheck_reference.providers.protocol import BaseProvider, OpenAICompletion, OpenAIRequest
from bridgecheck_reference.streams import FinishRequiringOpenAIStream

DEFAULT_PROCESSES: Final = 4
DEFAULT_QUEUE: Final = 16
_RETRY_S: Final = 2.0
"""About as long as a short run takes."""
_TIMEOUT_S: Final = 600.0


class GeminiCliProvider(BaseProvider):
    """``LLMProvider`` over gemini-cli, without tools.

    Of the config: ``api_key`` (GEMINI_API_KEY of the program, "" for what its environment has), ``timeout_s`` of one
    run, and the options ``command`` (text as in a shell, or a list), ``processes`` (runs at once), ``queue`` (how many
    more wait; the next one is refused with 429), ``env`` (None: this process's own). ``ConfigError``.
    """

    def __init__(self, config: ProviderConfig, profile: Profile = NATIVE) -> None:
        self.profile = profile
        options = config.options
        processes = _read_count(options, "processes", DEFAULT_PROCESSES, least=1)
        self._slots = Slots(processes, _read_count(options, "queue", DEFAULT_QUEUE, least=0))
        env = options.get("env")
        environment = dict(env if isinstance(env, Mapping) else os.environ)
        if config.api_key:
            environment["GEMINI_API_KEY"] = config.api_key
        timeout_s = _TIMEOUT_S if config.timeout_s is None else config.timeout_s
        command = read_command(options.get("command", "gemini"))
        # The working folder of a run with tools, which these are not.
        self._stream_fn = create_gemini_cli_stream_fn(os.devnull, command, env=environment, timeout_s=timeout_s)

    @property
    def name(self) -> str:
        return "gemini-cli"

    async def _answer_openai_request(self, params: OpenAIRequest) -> OpenAICompletion:
        run = await self._start(params)
        try:
            last: Event = {}
            async for event in run.events:
                last = event
            return _new_answer(params).completion(last)
        finally:
            await run.aclose()

    async def _open_openai_chunks(self, params: OpenAIRequest) -> FinishRequiringOpenAIStream:
        stream = _ChunkStream(await self._start(params), _new_answer(params))
        await stream.read_first()
        return FinishRequiringOpenAIStream(stream)

    async def _start(self, params: OpenAIRequest) -> "_Run":
        """Return a run, once there is room for it. ``ConversionError``; ``ProviderError`` 429 for a full queue."""
        context = read_context(params)
        try:
            await self._slots.take()
        except QueueFullError as error:
            raise create_failure(429, str(error), _RETRY_S) from None
        token = CancelToken()
        events = self._stream_fn(text(params.get("model")) or None, context, {"signal": token})
        return _Run(events, token, self._slots)

    async def close(self) -> None:
        """Nothing is kept between two calls."""


def read_command(command: object) -> tuple[str, ...]:
    """Return the words of a command; ``ConfigError`` for none, and for a quotation without an end."""
    try:
        arguments = shlex.split(command) if isinstance(command, str) else command
    except ValueError as error:
        raise ConfigError(f"the command of gemini-cli: {error}") from None
    if (
        not isinstance(arguments, list | tuple)
        or not arguments
        or not all(isinstance(value, str) for value in arguments)
    ):
        raise ConfigError("the command of gemini-cli: expected a program and its arguments")
    return tuple(arguments)


def _read_count(options: Mapping[str, object], name: str, default: int, *, least: int) -> int:
    value = options.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"option {name!r} of gemini-cli: expected a whole number from {least}, got {value!r}")
    return value


def _new_answer(params: OpenAIRequest) -> ChatAnswer:
    with_usage = obj(params.get("stream_options")).get("include_usage") is True
    return ChatAnswer(f"chatcmpl-{uuid4().hex}", int(time.time()), text(params.get("model")), with_usage=with_usage)


class _Run:
    """One run of the program. ``aclose`` ends it, and returns when its processes and files are gone."""

    def __init__(self, events: AssistantMessageEventStream, token: CancelToken, slots: Slots) -> None:
        self.events = events
        self._token = token
        self._slots = slots
        self._closing: asyncio.Future[None] | None = None

    async def aclose(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._end())
        await asyncio.shield(self._closing)

    async def _end(self) -> None:
        self._token.cancel("the caller left")
        try:
            await self.events.result()
        finally:
            self._slots.release()


class _ChunkStream:
    """Chunks of a run, which is ended with its last one."""

    def __init__(self, run: _Run, answer: ChatAnswer) -> None:
        self._run = run
        self._answer = answer
        self._ready: deque[JsonObject] = deque()

    async def read_first(self) -> None:
        """Wait for the first chunk, so that a refusal is raised before the stream begins."""
        try:
            self._ready.appendleft(await anext(self))
        except StopAsyncIteration:
            return
        except BaseException:
            await self.aclose()
            raise

    def __aiter__(self) -> "_ChunkStream":
        return self

    async def __anext__(self) -> JsonObject:
        while not self._ready:
            try:
                self._ready.extend(self._answer.feed(await anext(self._run.events)))
            except BaseException:
                await self.aclose()
                raise
        return self._ready.popleft()

    async def aclose(self) -> None:
        await self._run.aclose()
