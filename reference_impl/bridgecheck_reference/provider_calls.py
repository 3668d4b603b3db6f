"""Calling a provider in a client's dialect: request in, answer or events out, through the IR and back.

client's request -> OpenAI params -> provider -> OpenAI answer or chunks -> client's answer or events
"""

from collections.abc import AsyncIterator, Mapping

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.convert.pair_converter import ConversionContext
from bridgecheck_reference.convert.pairs import find_pair_converter
from bridgecheck_reference.errors import ProviderError
from bridgecheck_reference.failures import convert_failure, raise_if_error
from bridgecheck_reference.providers.protocol import ABORT_SIGNAL, EXTRA_HEADERS, LLMProvider, OpenAIChunkStream
from bridgecheck_reference.streams import ConvertedStream
from bridgecheck_reference.types.conversion import Machine


class ProviderCaller:
    """A provider, called in ``dialect``, which has a converter to the IR. Failures: ``ProviderError`` in that dialect.

    A ``body`` is as on the wire; ``token`` ends the call.
    """

    def __init__(self, provider: LLMProvider, dialect: Dialect) -> None:
        self.provider = provider.for_client(dialect)
        self._dialect: Dialect = dialect
        self._converter = find_pair_converter(dialect, "openai-chat", self.provider.profile)

    def params(self, model: str, body: JsonObject, *, stream: bool) -> JsonObject:
        """Return the request as the provider takes it; ``ConversionError``, with the field, if it is inexpressible."""
        return self._converter.request(self._context(model, body, stream=stream)).value

    async def generate(
        self, model: str, body: JsonObject, token: CancelToken | None = None, headers: Mapping[str, str] | None = None
    ) -> JsonObject:
        """Return one whole answer. ``headers``: of this call, for a provider that takes some."""
        params = self.params(model, body, stream=False)
        try:
            answer = await self.provider.generate(_add_call_options(params, token, headers))
        except ProviderError as error:
            raise convert_failure(self._dialect, error) from None
        result = self._converter.response(answer, self._context(model, body, stream=False))
        return raise_if_error(result.value, self._dialect, native=answer, status=result.meta.get("status"))

    async def open_stream(
        self, model: str, body: JsonObject, token: CancelToken | None = None, headers: Mapping[str, str] | None = None
    ) -> "ProviderEvents":
        """Return an answer as events, once the provider has accepted the request."""
        params = self.params(model, body, stream=True)
        try:
            chunks = await self.provider.generate_stream(_add_call_options(params, token, headers))
        except ProviderError as error:
            raise convert_failure(self._dialect, error) from None
        return ProviderEvents(chunks, self._converter.stream(self._context(model, body, stream=True)), self._dialect)

    def _context(self, model: str, body: JsonObject, *, stream: bool) -> ConversionContext:
        return ConversionContext(body, model, stream, self.provider.profile)


class ProviderEvents:
    """A provider's chunks as events of a dialect; an error event is raised, and the provider hung up on."""

    def __init__(self, chunks: OpenAIChunkStream, machine: Machine, dialect: Dialect) -> None:
        self._dialect = dialect
        self._events = ConvertedStream(chunks, machine, lambda error: convert_failure(dialect, error))

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        event = await anext(self._events)
        if event.get("error"):
            await self.aclose()
        return raise_if_error(event, self._dialect)

    async def aclose(self) -> None:
        await self._events.aclose()


def _add_call_options(params: JsonObject, token: CancelToken | None, headers: Mapping[str, str] | None) -> JsonObject:
    """Return the document, and what goes with it that is no part of it."""
    signalled = params if token is None else {**params, ABORT_SIGNAL: token}
    return {**signalled, EXTRA_HEADERS: dict(headers)} if headers else signalled
