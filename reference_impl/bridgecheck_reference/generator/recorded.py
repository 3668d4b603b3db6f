"""Writes down what a generator answered, in gemini-cli's format (see ``mock_file``).

Every event is turned into text when it arrives, so that what the reader does to it later is not recorded; a call that
fails, breaks in the middle or is abandoned is recorded as that. (gemini-cli keeps the live objects and records only
calls that were read to their end.) Lines are appended one at a time, in the order in which calls end.
"""

import json
from pathlib import Path

from bridgecheck.wire import JsonObject
from bridgecheck_reference.generator.mock_file import Method, MockResponse, error_row
from bridgecheck_reference.generator.protocol import ContentGenerator, ContentStream
from bridgecheck_reference.generator.watched import WatchedStream


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
            self._failed("generateContent", error)
            raise
        self._write(MockResponse("generateContent", answer))
        return answer

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        try:
            stream = await self.wrapped.generate_content_stream(request, user_prompt_id, role)
        except BaseException as error:
            self._failed("generateContentStream", error)
            raise
        arrived: list[str] = []
        return WatchedStream(
            stream,
            on_event=lambda event: arrived.append(json.dumps(event, ensure_ascii=False)),
            on_end=lambda error: self._ended(arrived, error),
        )

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        try:
            answer = await self.wrapped.count_tokens(request)
        except BaseException as error:
            self._failed("countTokens", error)
            raise
        self._write(MockResponse("countTokens", answer))
        return answer

    async def embed_content(self, request: JsonObject) -> JsonObject:
        try:
            answer = await self.wrapped.embed_content(request)
        except BaseException as error:
            self._failed("embedContent", error)
            raise
        self._write(MockResponse("embedContent", answer))
        return answer

    async def close(self) -> None:
        await self.wrapped.close()

    def _failed(self, method: Method, error: BaseException) -> None:
        self._write(MockResponse(method, [] if method == "generateContentStream" else None, error_row(error)))

    def _ended(self, arrived: list[str], error: BaseException | None) -> None:
        events = [json.loads(text) for text in arrived]
        abandoned = isinstance(error, GeneratorExit)
        failure = error_row(error) if error is not None and not abandoned else None
        self._write(MockResponse("generateContentStream", events, failure, "abandoned" if abandoned else ""))

    def _write(self, response: MockResponse) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(response.line())
