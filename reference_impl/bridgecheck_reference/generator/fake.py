"""A generator that answers from a file of recorded responses, without any network (see ``mock_file``)."""

import json
from collections.abc import AsyncIterator, Iterable
from copy import deepcopy

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import MockResponseError
from bridgecheck_reference.generator.mock_file import Method, MockResponse, error_of, read_mock_file

_SHOWN = 500
"""Characters of a request shown in an error."""


class FakeContentGenerator:
    """``ContentGenerator`` over recorded responses.

    ``strict``: calls have to come in the recorded order with the recorded methods; otherwise each call takes the next
    response of its method. ``MockResponseError`` where there is none.
    """

    def __init__(self, responses: Iterable[MockResponse], *, strict: bool = True) -> None:
        self._left = list(responses)
        self._strict = strict

    @classmethod
    def from_file(cls, path: str, *, strict: bool = True) -> "FakeContentGenerator":
        return cls(read_mock_file(path), strict=strict)

    def __repr__(self) -> str:
        return f"FakeContentGenerator({len(self._left)} responses left)"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        return self._whole("generateContent", request)

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> "FakeStream":
        found = self._next("generateContentStream", request)
        events = found.response if isinstance(found.response, list) else []
        failure = error_of(found.error) if found.error is not None else None
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
            raise error_of(found.error)
        if not isinstance(found.response, dict):
            raise MockResponseError(f"the mock response for {method} is no object")
        return deepcopy(found.response)

    def _next(self, method: Method, request: JsonObject) -> MockResponse:
        index = 0 if self._strict else next((i for i, item in enumerate(self._left) if item.method == method), None)
        if index is None or not self._left:
            raise MockResponseError(f"No more mock responses for {method}, got request:\n{_shown(request)}")
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


def _shown(request: JsonObject) -> str:
    text = json.dumps(request, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
