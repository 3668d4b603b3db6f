"""The native path, flag off: google-genai without conversion (see ``google_wire.calls``)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancellableStream, cancellable_call
from bridgecheck_reference.config import ProviderConfig, public_url
from bridgecheck_reference.generator.protocol import ContentStream, embedded_texts, request_cancel_token, wire_request
from bridgecheck_reference.google_wire.calls import connect_google


class NativeContentGenerator:
    """``ContentGenerator`` on the Gemini API. ``model`` is used for requests that name none."""

    def __init__(self, config: ProviderConfig, model: str = "") -> None:
        self._model = model
        self._base_url = config.base_url
        self._wire = connect_google(config)

    def __repr__(self) -> str:
        return f"NativeContentGenerator({public_url(self._base_url)!r})"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        model, body = wire_request(request, self._model)
        return await cancellable_call(request_cancel_token(request), lambda: self._wire.generate(model, body))

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        model, body = wire_request(request, self._model)
        token = request_cancel_token(request)
        stream = await cancellable_call(token, lambda: self._wire.stream(model, body))
        return stream if token is None else CancellableStream(stream, token)

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        model, body = wire_request(request, self._model)
        return {"totalTokens": await self._wire.count_tokens(model, {"contents": body.get("contents", [])})}

    async def embed_content(self, request: JsonObject) -> JsonObject:
        model, body = wire_request(request, self._model)
        vectors = await self._wire.embed(model, embedded_texts(body), {})
        return {"embeddings": [{"values": vector} for vector in vectors]}

    async def close(self) -> None:
        await self._wire.close()
