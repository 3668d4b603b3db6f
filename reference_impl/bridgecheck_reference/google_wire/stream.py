"""An open Gemini stream: bytes of the response in, documents out, failures as ``ProviderError``."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from bridgecheck.wire import JsonObject
from bridgecheck_reference.failures import INCOMPLETE, INVALID, document_failure, local_failure, transport_failure
from bridgecheck_reference.sse import StreamDocuments

if TYPE_CHECKING:
    import httpx2


class WireStream:
    """Documents of an open stream, as they arrive. Closing it before its end frees the connection."""

    def __init__(self, response: "httpx2.Response", secrets: tuple[str, ...]) -> None:
        self._response = response
        self._secrets = secrets
        self._documents = self._read()

    def __aiter__(self) -> "WireStream":
        return self

    async def __anext__(self) -> JsonObject:
        return await anext(self._documents)

    async def aclose(self) -> None:
        await self._documents.aclose()
        await self._response.aclose()

    async def _read(self) -> AsyncGenerator[JsonObject, None]:
        import httpx2

        decoder = StreamDocuments()
        try:
            async for chunk in self._response.aiter_bytes():
                for document in decoder.feed(chunk):
                    yield self._good(document)
                decoder.check()
            for document in decoder.close():
                yield self._good(document)
        except httpx2.RequestError as error:
            raise transport_failure(error, INCOMPLETE, "gemini", self._secrets) from None
        except ValueError as error:
            raise local_failure(INVALID, f"not JSON: {error}", dialect="gemini", secrets=self._secrets) from None
        finally:
            await self._response.aclose()

    def _good(self, document: object) -> JsonObject:
        if not isinstance(document, dict):
            raise ValueError(f"an event is no object: {document!r}")
        if document.get("error"):
            raise document_failure(document, dialect="gemini", status=None, secrets=self._secrets)
        return document
