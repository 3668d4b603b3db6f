"""An upstream of Chat Completions in this process: an httpx transport over a provider, without a socket.

The gateway calls it as it calls any other, so clients of every dialect are served in the same way.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import openai_type_and_code
from bridgecheck_reference.errors import ConversionError, ProviderError
from bridgecheck_reference.loss import LOSSES_HEADER, Losses
from bridgecheck_reference.providers.protocol import LLMProvider, OpenAIChunkStream

URL: Final = "http://provider.invalid"
"""The base URL of requests to it; nothing is resolved."""
_OWNER: Final = "google"


class ProviderTransport(httpx.AsyncBaseTransport):
    """Serves ``/chat/completions``, ``/models`` (those named) and ``/models/NAME``; closes the provider with itself.

    ``find_losses``: what of a request has no effect; how much that is stands in a header of the answer.
    """

    def __init__(
        self, provider: LLMProvider, models: Sequence[str], find_losses: Callable[[JsonObject], Losses]
    ) -> None:
        self._provider = provider
        self._models = tuple(models)
        self._find_losses = find_losses

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        try:
            if (request.method, path) == ("POST", "/chat/completions"):
                return await self._generate(json.loads(await request.aread()))
        except ConversionError as error:
            return _error_response(400, str(error), error.field)
        except ProviderError as error:
            headers = {} if error.retry_after is None else {"retry-after": f"{error.retry_after:g}"}
            return _document(error.status or 502, error.body, headers)
        if path == "/models":
            return _document(200, {"object": "list", "data": [_model(name) for name in self._models]})
        if (name := path.removeprefix("/models/")) in self._models:
            return _document(200, _model(name))
        return _error_response(404, f"this upstream has no {path}")

    async def _generate(self, params: JsonObject) -> httpx.Response:
        if params.get("stream") is not True:
            return _document(200, await self._provider.generate(params), self._losses_header(params))
        chunks = await self._provider.generate_stream(params)
        headers = {"content-type": "text/event-stream", **self._losses_header(params)}
        return httpx.Response(200, headers=headers, stream=_EventBytes(chunks))

    def _losses_header(self, params: JsonObject) -> dict[str, str]:
        return {LOSSES_HEADER: str(len(self._find_losses(params)))}

    async def aclose(self) -> None:
        await self._provider.close()


class _EventBytes(httpx.AsyncByteStream):
    """Chunks as events; a failure is the last one, without ``[DONE]``."""

    def __init__(self, chunks: OpenAIChunkStream) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._chunks:
                yield _event(chunk)
        except ProviderError as error:
            yield _event(error.body)
            return
        yield b"data: [DONE]\n\n"

    async def aclose(self) -> None:
        await self._chunks.aclose()


def _event(document: JsonObject) -> bytes:
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": _OWNER}


def _error_response(status: int, message: str, field: str = "") -> httpx.Response:
    kind, code = openai_type_and_code(status)
    return _document(status, {"error": {"message": message, "type": kind, "param": field or None, "code": code}})


def _document(status: int, document: JsonObject, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """Return a response that can be read byte for byte too, which httpx allows of a stream alone."""
    content = json.dumps(document).encode()
    named = {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})}
    return httpx.Response(status, headers=named, stream=httpx.ByteStream(content))
