"""The HTTP clients of one google-genai client, the hook that keeps the body of a stream from it, and that stream."""

import re
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.failures import INCOMPLETE, INVALID, document_failure, local_failure, transport_failure
from bridgecheck_reference.http_client import async_client, tls_context
from bridgecheck_reference.sse import StreamDocuments

if TYPE_CHECKING:
    import httpx2

detached_responses: ContextVar["list[httpx2.Response] | None"] = ContextVar("detached", default=None)
"""Where the hook puts the response of the stream that this task is opening; None when it opens none."""


_PUBLISHER: Final = "/publishers/google"
_PROJECT: Final = re.compile(r"/projects/[^/]+/locations/[^/]+")


def has_vertex_project_and_location(base_url: str | None) -> bool:
    """Whether a base URL names a project and a location, as Vertex AI's do:
    ``https://HOST/v1/projects/P/locations/L``, with or without ``/publishers/google``. The SDK then sends
    ``publishers/google/models/...`` behind it and no version."""
    return _PROJECT.search(base_url or "") is not None


class GenaiHttpClients:
    """The HTTP clients of one google-genai client, and the options that make it use them."""

    def __init__(self, config: ProviderConfig) -> None:
        import httpx2

        self.client, self._owned = async_client(config)
        # The SDK makes a sync client of its own otherwise, with one more TLS context.
        self._unused_sync = httpx2.Client(verify=tls_context())
        hooks = self.client.event_hooks
        if _keep_stream_and_show_sdk_empty_body not in hooks["response"]:
            self.client.event_hooks = {**hooks, "response": [*hooks["response"], _keep_stream_and_show_sdk_empty_body]}
        self.options: dict[str, object] = {
            "httpx_async_client": self.client,
            "httpx_client": self._unused_sync,
            "async_client_args": {"ssl": tls_context()},
        }
        self.vertex = has_vertex_project_and_location(config.base_url)
        if config.base_url:
            self.options["base_url"] = config.base_url.removesuffix("/").removesuffix(_PUBLISHER)
        if self.vertex:
            self.options["base_url_resource_scope"] = "COLLECTION"
        if config.timeout_s is not None:
            self.options["timeout"] = round(config.timeout_s * 1000)

    async def close(self) -> None:
        self._unused_sync.close()
        if self._owned:
            await self.client.aclose()


async def _keep_stream_and_show_sdk_empty_body(response: "httpx2.Response") -> None:
    """Response hook: a good stream opened by ``GoogleWire`` is kept for it, and the SDK is shown an empty body."""
    import httpx2

    slot = detached_responses.get()
    if slot is None or response.status_code != httpx2.codes.OK:
        return
    slot.append(
        httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
    )
    response.stream = httpx2.ByteStream(b"")


class WireStream:
    """Documents of an open stream, as they arrive. Closing it before its end frees the connection."""

    def __init__(self, response: "httpx2.Response", secrets: tuple[str, ...]) -> None:
        self._response = response
        self._secrets = secrets
        self._documents = self._read_documents()

    def __aiter__(self) -> "WireStream":
        return self

    async def __anext__(self) -> JsonObject:
        return await anext(self._documents)

    async def aclose(self) -> None:
        await self._documents.aclose()
        await self._response.aclose()

    async def _read_documents(self) -> AsyncGenerator[JsonObject, None]:
        import httpx2

        decoder = StreamDocuments()
        try:
            async for chunk in self._response.aiter_bytes():
                for document in decoder.feed(chunk):
                    yield self._check_document(document)
                decoder.raise_deferred_error()
            for document in decoder.close():
                yield self._check_document(document)
        except httpx2.RequestError as error:
            raise transport_failure(error, INCOMPLETE, "gemini", self._secrets) from None
        except ValueError as error:
            raise local_failure(INVALID, f"not JSON: {error}", dialect="gemini", secrets=self._secrets) from None
        finally:
            await self._response.aclose()

    def _check_document(self, document: object) -> JsonObject:
        if not isinstance(document, dict):
            raise ValueError(f"an event is no object: {document!r}")
        if document.get("error"):
            raise document_failure(document, dialect="gemini", status=None, secrets=self._secrets)
        return document
