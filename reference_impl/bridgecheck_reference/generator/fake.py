"""A generator that answers from a file of recorded responses, without any network, and the file's format, which is
gemini-cli's: one JSON object a line,

    {"method": "generateContent", "response": {...}}
    {"method": "generateContentStream", "response": [{...}, {...}]}
    {"method": "countTokens", "response": {"totalTokens": 3}}
    {"method": "embedContent", "response": {...}}

Two keys more, which gemini-cli passes over, tell how a call ended that did not end well: ``error`` (message, status,
code, retry_after, body) and ``end`` ("abandoned": the reader closed the stream early). ``response`` then holds what had
arrived.

Source: --record-responses and --fake-responses of gemini-cli 0.61.0, tried 2026-11-20."""

import json
from collections.abc import AsyncIterator, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import MockResponseError, ProviderError

Method: TypeAlias = Literal["generateContent", "generateContentStream", "countTokens", "embedContent"]


@dataclass(frozen=True, slots=True)
class MockResponse:
    """One recorded call. ``response``: the document, or the events of a stream; None where a call failed at once."""

    method: Method
    response: object
    error: JsonObject | None = None
    end: str = ""

    def line(self) -> str:
        """The line of the file, with its line feed. Non-ASCII is kept, line separators inside strings are escaped."""
        row: JsonObject = {"method": self.method, "response": self.response}
        row |= {"error": self.error} if self.error is not None else {}
        row |= {"end": self.end} if self.end else {}
        return json.dumps(row, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def read_mock_file(path: str) -> list[MockResponse]:
    """Return all lines; blank ones are passed over. ``MockResponseError`` with file and line on what cannot be read."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise MockResponseError(f"{path}: cannot be read: {error.strerror}") from error
    return [_parse_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def _parse_line(line: str, where: str) -> MockResponse:
    try:
        row: object = json.loads(line)
    except ValueError as error:
        raise MockResponseError(f"{where}: not JSON: {error}") from None
    if not isinstance(row, dict) or row.get("method") not in get_args(Method) or "response" not in row:
        raise MockResponseError(f"{where}: expected an object with response and method, one of {get_args(Method)}")
    streamed = row["method"] == "generateContentStream"
    if streamed != isinstance(row["response"], list) and row["response"] is not None:
        raise MockResponseError(
            f"{where}: response of {row['method']}: expected {'a list' if streamed else 'an object'}"
        )
    failure = row.get("error")
    end = str(row.get("end", ""))
    return MockResponse(row["method"], row["response"], failure if isinstance(failure, dict) else None, end)


def error_to_json(error: BaseException) -> JsonObject:
    """Return an exception as it is written down."""
    row: JsonObject = {"message": str(error), "type": type(error).__name__}
    if isinstance(error, ProviderError):
        row |= {"status": error.status, "code": error.code, "retry_after": error.retry_after, "body": error.body}
    return row


def error_from_json(row: JsonObject) -> ProviderError:
    """Return the exception again: always a ``ProviderError``, since that is what a caller has to expect."""
    body, status, seconds = row.get("body"), row.get("status"), row.get("retry_after")
    message = str(row.get("message", ""))
    return ProviderError(
        message,
        body=body if isinstance(body, dict) else {"error": {"code": 500, "message": message, "status": "UNKNOWN"}},
        dialect="gemini",
        status=status if isinstance(status, int) else None,
        code=str(row.get("code", "")),
        retry_after=seconds if isinstance(seconds, int | float) else None,
    )


_SHOWN_LENGTH = 500
"""Characters of a request shown in an error."""


class FakeContentGenerator:
    """``ContentGenerator`` over recorded responses.

    ``recorded_order``: calls have to come in the recorded order with the recorded methods; otherwise each call takes
    the next response of its method. ``MockResponseError`` where there is none.
    """

    def __init__(self, responses: Iterable[MockResponse], *, recorded_order: bool = True) -> None:
        self._left = list(responses)
        self._recorded_order = recorded_order

    @classmethod
    def from_file(cls, path: str, *, recorded_order: bool = True) -> "FakeContentGenerator":
        return cls(read_mock_file(path), recorded_order=recorded_order)

    def __repr__(self) -> str:
        return f"FakeContentGenerator({len(self._left)} responses left)"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        return self._whole("generateContent", request)

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> "FakeStream":
        found = self._next("generateContentStream", request)
        events = found.response if isinstance(found.response, list) else []
        failure = error_from_json(found.error) if found.error is not None else None
        if failure is not None and not events:
            raise failure
        return FakeStream(events, failure)

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        return self._whole("countTokens", request)

    async def embed_content(self, request: JsonObject) -> JsonObject:
        return self._whole("embedContent", request)

    async def close(self) -> None:
        """Nothing is held."""

    def _whole(self, method: Method, request: JsonObject) -> JsonObject:
        found = self._next(method, request)
        if found.error is not None:
            raise error_from_json(found.error)
        if not isinstance(found.response, dict):
            raise MockResponseError(f"the mock response for {method} is no object")
        return deepcopy(found.response)

    def _next(self, method: Method, request: JsonObject) -> MockResponse:
        index = (
            0 if self._recorded_order else next((i for i, item in enumerate(self._left) if item.method == method), None)
        )
        if index is None or not self._left:
            raise MockResponseError(f"No more mock responses for {method}, got request:\n{_shorten(request)}")
        found = self._left[index]
        if found.method != method:
            raise MockResponseError(f"Unexpected call: the next mock response is for {found.method}, not {method}")
        return self._left.pop(index)


class FakeStream:
    """The recorded events, then the recorded failure if there was one."""

    def __init__(self, events: list[JsonObject], failure: Exception | None) -> None:
        self._events = iter(events)
        self._failure = failure

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        event = next(self._events, None)
        if event is not None:
            return deepcopy(event)
        failure, self._failure = self._failure, None
        raise failure or StopAsyncIteration

    async def aclose(self) -> None:
        self._events, self._failure = iter(()), None


def _shorten(request: JsonObject) -> str:
    text = json.dumps(request, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}... ({len(text)} characters)"
