"""Embeddings for a client of another dialect. Anthropic has none, as client and as upstream."""

from bridgecheck_reference.convert.embeddings import (
    gemini_embedding_request_to_openai,
    gemini_embedding_response_to_openai,
    openai_embedding_request_to_gemini,
    openai_embedding_response_to_gemini,
)
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.check import text_field
from bridgecheck_reference.gateway.converted import LOSSES
from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.fetch import fetch
from bridgecheck_reference.gateway.paths import resource, resource_name
from bridgecheck_reference.gateway.reply import Reply


async def embed(call: Call, reply: Reply) -> None:
    """Answer ``embedContent``, ``batchEmbedContents`` or ``/v1/embeddings``."""
    if call.upstream.dialect == "anthropic":
        raise GatewayError(501, "embeddings: an Anthropic upstream has none", code="not_implemented")
    if call.client == "openai-chat":
        await _for_openai(call, reply)
    else:
        await _for_gemini(call, reply)


async def _for_openai(call: Call, reply: Reply) -> None:
    text_field(call.request, "model")
    result = openai_embedding_request_to_gemini(call.request, model=resource_name(call.model))
    answer = await fetch(call, f"/v1beta/{resource(call.model)}:batchEmbedContents", result.value)
    reply.losses = len(result.losses)
    told = gemini_embedding_response_to_openai(answer, request=call.request, model=call.model)
    await reply.document(told, headers=[(LOSSES, str(reply.losses))])


async def _for_gemini(call: Call, reply: Reply) -> None:
    result = gemini_embedding_request_to_openai(call.request, model=call.model)
    answer = await fetch(call, "/embeddings", result.value)
    reply.losses = len(result.losses)
    told = openai_embedding_response_to_gemini(answer, batch=call.target.operation == "embed_many")
    await reply.document(told, headers=[(LOSSES, str(reply.losses))])
