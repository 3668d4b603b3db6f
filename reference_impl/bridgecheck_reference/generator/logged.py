"""Logs every call of a generator: what, for whom, how long, how it ended. Never content, never a credential."""

import logging
from time import perf_counter
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.generator.watched import WatchedStream

LOGGER: Final = logging.getLogger("bridgecheck_reference.generator")
# Without it a program that configures no logging would get warnings on its stderr.
LOGGER.addHandler(logging.NullHandler())


class LoggingContentGenerator:
    """``ContentGenerator`` around another. One record a call: INFO, or WARNING where it failed.

    Fields are in the record's ``extra``: method, model, user_prompt_id, role, duration_ms, outcome ("ok", "abandoned",
    or the error's code or class), status (HTTP, None), events (of a stream, None).
    """

    def __init__(self, wrapped: ContentGenerator, logger: logging.Logger = LOGGER) -> None:
        self.wrapped = wrapped
        self._logger = logger

    def __repr__(self) -> str:
        return f"LoggingContentGenerator({self.wrapped!r})"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        call = _Call(self._logger, "generateContent", request, user_prompt_id, role)
        with call:
            answer = await self.wrapped.generate_content(request, user_prompt_id, role)
        call.done()
        return answer

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        call = _Call(self._logger, "generateContentStream", request, user_prompt_id, role)
        with call:
            stream = await self.wrapped.generate_content_stream(request, user_prompt_id, role)
        return WatchedStream(stream, on_event=call.event, on_end=call.done)

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        call = _Call(self._logger, "countTokens", request)
        with call:
            answer = await self.wrapped.count_tokens(request)
        call.done()
        return answer

    async def embed_content(self, request: JsonObject) -> JsonObject:
        call = _Call(self._logger, "embedContent", request)
        with call:
            answer = await self.wrapped.embed_content(request)
        call.done()
        return answer

    async def close(self) -> None:
        await self.wrapped.close()


class _Call:
    """One call as it is logged. As a context manager it logs the failure that leaves it."""

    def __init__(
        self, logger: logging.Logger, method: str, request: JsonObject, user_prompt_id: str = "", role: str = ""
    ) -> None:
        self._logger = logger
        self._method = method
        self._about = {"model": request.get("model", ""), "user_prompt_id": user_prompt_id, "role": role}
        self._started = perf_counter()
        self._events: int | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None:
            self.done(error)

    def event(self, event: JsonObject) -> None:
        self._events = (self._events or 0) + 1

    def done(self, error: BaseException | None = None) -> None:
        """``error``: what ended the call; ``GeneratorExit`` stands for a stream that was closed before its end."""
        outcome = _outcome(error)
        milliseconds = round((perf_counter() - self._started) * 1000, 3)
        level = logging.INFO if outcome in ("ok", "abandoned") else logging.WARNING
        fields = {
            "method": self._method,
            **self._about,
            "duration_ms": milliseconds,
            "outcome": outcome,
            "status": getattr(error, "status", None),
            "events": self._events,
        }
        self._logger.log(level, "%s %s in %.1f ms", self._method, outcome, milliseconds, extra=fields)


def _outcome(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    if isinstance(error, GeneratorExit):
        return "abandoned"
    return (error.code if isinstance(error, ProviderError) else "") or type(error).__name__
