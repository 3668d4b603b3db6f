"""The native path, flag off: google-genai straight, nothing converted. ``google_wire.calls`` says how it is called."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancellableStream, cancellable_call
from bridgecheck_reference.config import ProviderConfig, shown_url
from bridgecheck_reference.generator.protocol import ContentStream, cancel_token, texts, wire_request
from bridgecheck_reference.google_wire.calls import connect


class NativeContentGenerator:
    """``ContentGenerator`` on the Gemini API. ``model`` is used for requests that name none."""

    def __init__(self, config: ProviderConfig, model: str = "") -> None:
        self._model = model
        self._base_url = config.base_url
        self._wire = connect(config)

    def __repr__(self) -> str:
        return f"NativeContentGenerator({shown_url(self._base_url)!r})"

    async def generate_content(self, request: JsonObject, user_prompt_id: str, role: str = "main") -> JsonObject:
        model, body = wire_request(request, self._model)
        return await cancellable_call(cancel_token(request), lambda: self._wire.generate(model, body))

    async def generate_content_stream(
        self, request: JsonObject, user_prompt_id: str, role: str = "main"
    ) -> ContentStream:
        model, body = wire_request(request, self._model)
        token = cancel_token(request)
        stream = await cancellable_call(token, lambda: self._wire.stream(model, body))
        return stream if token is None else CancellableStream(stream, token)

    async def count_tokens(self, request: JsonObject) -> JsonObject:
        model, body = wire_request(request, self._model)
        return {"totalTokens": await self._wire.count_tokens(model, {"contents": body.get("contents", [])})}

    async def embed_content(self, request: JsonObject) -> JsonObject:
        model, body = wire_request(request, self._model)
        vectors = await self._wire.embed(model, texts(body), {})
        return {"embeddings": [{"values": vector} for vector in vectors]}

    async def close(self) -> None:
        await self._wire.close()
