"""Generators around another: one logs every call, one records every response.

The log has what was called, for whom, how long it took and how it ended; never content, never a credential.

Recordings are in gemini-cli's format (see ``fake``). Every event is turned into text when it arrives, so that what the
reader does to it later is not recorded; a call that fails, breaks in the middle or is abandoned is recorded as that.
(gemini-cli keeps the live objects and records only calls that were read to their end.) Lines are appended one at a
time, in the order in which calls end.
"""

import json
import logging
from pathlib import Path
from time import perf_counter
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.generator.fake import Method, MockResponse, error_to_json
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.streams import WatchedStream

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
        call.log_end()
        return answer

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        call = _Call(self._logger, "generateContentStream", request, user_prompt_id, role)
        with call:
            stream = await self.wrapped.generate_content_stream(request, user_prompt_id, role)
        return WatchedStream(stream, on_event=call.count_event, on_end=call.log_end)

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        call = _Call(self._logger, "countTokens", request)
        with call:
            answer = await self.wrapped.count_tokens(request)
        call.log_end()
        return answer

    async def embed_content(self, request: JsonObject) -> JsonObject:
        call = _Call(self._logger, "embedContent", request)
        with call:
            answer = await self.wrapped.embed_content(request)
        call.log_end()
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
            self.log_end(error)

    def count_event(self, _event: JsonObject) -> None:
        self._events = (self._events or 0) + 1

    def log_end(self, error: BaseException | None = None) -> None:
        """``error``: what ended the call; ``GeneratorExit`` stands for a stream that was closed before its end."""
        outcome = _ok_abandoned_or_error_code_or_class(error)
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


def _ok_abandoned_or_error_code_or_class(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    if isinstance(error, GeneratorExit):
        return "abandoned"
    return (error.code if isinstance(error, ProviderError) else "") or type(error).__name__


class RecordingContentGenerator:
    """``ContentGenerator`` around another, outermost of all. ``path``: the file, made with the first line."""

    def __init__(self, wrapped: ContentGenerator, path: str) -> None:
        self.wrapped = wrapped
        self._path = Path(path)

    def __repr__(self) -> str:
        return f"RecordingContentGenerator({self.wrapped!r})"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        try:
            answer = await self.wrapped.generate_content(request, user_prompt_id, role)
        except BaseException as error:
            self._record_failure("generateContent", error)
            raise
        self._append_line(MockResponse("generateContent", answer))
        return answer

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        try:
            stream = await self.wrapped.generate_content_stream(request, user_prompt_id, role)
        except BaseException as error:
            self._record_failure("generateContentStream", error)
            raise
        arrived: list[str] = []
        return WatchedStream(
            stream,
            on_event=lambda event: arrived.append(json.dumps(event, ensure_ascii=False)),
            on_end=lambda error: self._record_stream(arrived, error),
        )

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        try:
            answer = await self.wrapped.count_tokens(request)
        except BaseException as error:
            self._record_failure("countTokens", error)
            raise
        self._append_line(MockResponse("countTokens", answer))
        return answer

    async def embed_content(self, request: JsonObject) -> JsonObject:
        try:
            answer = await self.wrapped.embed_content(request)
        except BaseException as error:
            self._record_failure("embedContent", error)
            raise
        self._append_line(MockResponse("embedContent", answer))
        return answer

    async def close(self) -> None:
        await self.wrapped.close()

    def _record_failure(self, method: Method, error: BaseException) -> None:
        self._append_line(MockResponse(method, [] if method == "generateContentStream" else None, error_to_json(error)))

    def _record_stream(self, arrived: list[str], error: BaseException | None) -> None:
        events = [json.loads(text) for text in arrived]
        abandoned = isinstance(error, GeneratorExit)
        failure = error_to_json(error) if error is not None and not abandoned else None
        self._append_line(MockResponse("generateContentStream", events, failure, "abandoned" if abandoned else ""))

    def _append_line(self, response: MockResponse) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(response.line())


def layers(generator: ContentGenerator) -> list[ContentGenerator]:
    """The generator and what it is wrapped around, outermost first."""
    found = [generator]
    while isinstance(outer := found[-1], LoggingContentGenerator | RecordingContentGenerator):
        found.append(outer.wrapped)
    return found


def unwrap(generator: ContentGenerator) -> ContentGenerator:
    """The innermost generator: the one that answers."""
    return layers(generator)[-1]
