"""Token counts, embeddings and model lists for a client whose dialect is not the upstream's.

Anthropic has no embeddings, as client and as upstream.
"""

from typing import Final
from urllib.parse import quote

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.embeddings import (
    gemini_batch_embedding_response_to_openai,
    gemini_embedding_request_to_openai,
    openai_embedding_request_to_gemini_batch,
    openai_embedding_response_to_gemini,
)
from bridgecheck_reference.convert.model_list import (
    Model,
    next_page_token,
    read_model,
    read_models,
    write_model,
    write_models,
)
from bridgecheck_reference.convert.token_count import (
    anthropic_token_count,
    build_anthropic_count_request,
    build_gemini_count_request,
    gemini_token_count,
    unwrap_gemini_count_request,
)
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error_with_status_of_code
from bridgecheck_reference.gateway.paths import quote_model, resource_name, resource_path
from bridgecheck_reference.gateway.reply import Reply
from bridgecheck_reference.gateway.request_body import require_nonempty_text_field
from bridgecheck_reference.gateway.upstream_calls import fetch
from bridgecheck_reference.generator.estimate import estimate_tokens
from bridgecheck_reference.loss import LOSSES_HEADER
from bridgecheck_reference.routes import convert_request

ESTIMATED = "x-bridgecheck-estimated"
"""Response header, "true" where the number is an estimate (``generator/estimate.py``)."""

_UNUSED_LIMIT = 1
"""Anthropic's count_tokens takes no ``max_tokens``, its conversions need one; it costs no tokens."""


async def count_tokens(call: Call, reply: Reply) -> None:
    """Answer ``countTokens`` or ``count_tokens``."""
    if call.upstream.dialect == "openai-chat":
        total = max(1, estimate_tokens(_whole_counted_request_in_dialect(call, "gemini")))
        await reply.document(_count_document(call, total), headers=[(ESTIMATED, "true")])
        return
    request = _whole_counted_request_in_dialect(call, call.upstream.dialect)
    if call.upstream.dialect == "gemini":
        body = build_gemini_count_request(request, resource_name(call.model))
        total_or_none = gemini_token_count(await fetch(call, f"/v1beta/{resource_path(call.model)}:countTokens", body))
    else:
        body = build_anthropic_count_request(request)
        total_or_none = anthropic_token_count(await fetch(call, "/v1/messages/count_tokens", body))
    if total_or_none is None:
        raise upstream_error_with_status_of_code(INVALID, "upstream's answer names no number of tokens")
    await reply.document(_count_document(call, total_or_none))


def _whole_counted_request_in_dialect(call: Call, target: Dialect) -> JsonObject:
    """Return the request whose tokens are to be counted, in the upstream's dialect."""
    if call.client == "gemini":
        request = unwrap_gemini_count_request(call.request_or_empty)
        if target == "gemini":
            return request
    else:
        require_nonempty_text_field(call.request_or_empty, "model")
        request = {"max_tokens": _UNUSED_LIMIT, **call.request_or_empty, "model": call.model}
    return convert_request(call.client, target, request, call.model, stream=False, profile=call.profile).value


def _count_document(call: Call, total: int) -> JsonObject:
    return {"totalTokens": total} if call.client == "gemini" else {"input_tokens": total}


async def embed_texts(call: Call, reply: Reply) -> None:
    """Answer ``embedContent``, ``batchEmbedContents`` or ``/v1/embeddings``."""
    if call.upstream.dialect == "anthropic":
        raise GatewayError(501, "embeddings: an Anthropic upstream has none", code="not_implemented")
    if call.client == "openai-chat":
        await _embed_for_openai(call, reply)
    else:
        await _embed_for_gemini(call, reply)


async def _embed_for_openai(call: Call, reply: Reply) -> None:
    require_nonempty_text_field(call.request_or_empty, "model")
    result = openai_embedding_request_to_gemini_batch(call.request_or_empty, model=resource_name(call.model))
    response = await fetch(call, f"/v1beta/{resource_path(call.model)}:batchEmbedContents", result.value)
    reply.losses = len(result.losses)
    document = gemini_batch_embedding_response_to_openai(response, request=call.request_or_empty, model=call.model)
    await reply.document(document, headers=[(LOSSES_HEADER, str(reply.losses))])


async def _embed_for_gemini(call: Call, reply: Reply) -> None:
    result = gemini_embedding_request_to_openai(call.request_or_empty, model=call.model)
    response = await fetch(call, "/embeddings", result.value)
    reply.losses = len(result.losses)
    document = openai_embedding_response_to_gemini(response, batch=call.target.operation == "embed_many")
    await reply.document(document, headers=[(LOSSES_HEADER, str(reply.losses))])


_MOST_PAGES: Final = 20
"""Of up to 1,000 models each. An upstream that always has one more page is not followed for ever."""

_PAGES: Final[dict[Dialect, tuple[str, str]]] = {
    "gemini": ("/v1beta/models?pageSize=1000", "&pageToken="),
    "openai-chat": ("/models", ""),
    "anthropic": ("/v1/models?limit=1000", "&after_id="),
}
"""Upstream -> path of the first page, and what goes before the word that asks for another one."""


async def list_upstream_models(call: Call, reply: Reply) -> None:
    """Answer ``GET models``."""
    upstream = call.upstream.dialect
    path, more = _PAGES[upstream]
    found: list[Model] = []
    page = ""
    for _ in range(_MOST_PAGES):
        document = await fetch(call, path + (more + quote(page, safe="") if page else ""))
        found += read_models(upstream, document)
        page = next_page_token(upstream, document)
        if not page or not more:
            break
    await reply.document(write_models(call.client, found))


async def show_upstream_model(call: Call, reply: Reply) -> None:
    """Answer ``GET models/{model}``."""
    upstream = call.upstream.dialect
    if upstream == "gemini":
        path = f"/v1beta/{resource_path(call.model)}"
    else:
        path = ("/v1/models/" if upstream == "anthropic" else "/models/") + quote_model(call.model)
    model = read_model(upstream, await fetch(call, path))
    await reply.document(write_model(call.client, model))
