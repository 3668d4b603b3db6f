"""Counting tokens for a client of another dialect: the upstream's own count, or an estimate where it has none."""

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.token_count import (
    anthropic_count_request,
    counted_by_anthropic,
    counted_by_gemini,
    gemini_count_request,
    request_of_gemini_count,
)
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.check import text_field
from bridgecheck_reference.gateway.errors import upstream_error
from bridgecheck_reference.gateway.fetch import fetch
from bridgecheck_reference.gateway.paths import resource, resource_name
from bridgecheck_reference.gateway.reply import Reply
from bridgecheck_reference.generator.estimate import estimate_tokens
from bridgecheck_reference.routes import convert_request

ESTIMATED = "x-bridgecheck-estimated"
"""Response header, "true" where the number is an estimate (``generator/estimate.py``)."""

_UNUSED_LIMIT = 1
"""Anthropic's count takes no ``max_tokens``, its conversions need one; it costs no tokens."""


async def count(call: Call, reply: Reply) -> None:
    """Answer ``countTokens`` or ``count_tokens``."""
    if call.upstream.dialect == "openai-chat":
        total = max(1, estimate_tokens(_converted(call, "gemini")))
        await reply.document(_told(call, total), headers=[(ESTIMATED, "true")])
        return
    request = _converted(call, call.upstream.dialect)
    if call.upstream.dialect == "gemini":
        body = gemini_count_request(request, resource_name(call.model))
        total_or_none = counted_by_gemini(await fetch(call, f"/v1beta/{resource(call.model)}:countTokens", body))
    else:
        body = anthropic_count_request(request)
        total_or_none = counted_by_anthropic(await fetch(call, "/v1/messages/count_tokens", body))
    if total_or_none is None:
        raise upstream_error(INVALID, "upstream's answer names no number of tokens")
    await reply.document(_told(call, total_or_none))


def _converted(call: Call, upstream: Dialect) -> JsonObject:
    """The request whose tokens are asked for, in the upstream's dialect."""
    if call.client == "gemini":
        request = request_of_gemini_count(call.request)
        if upstream == "gemini":
            return request
    else:
        text_field(call.request, "model")
        request = {"max_tokens": _UNUSED_LIMIT, **call.request, "model": call.model}
    return convert_request(call.client, upstream, request, call.model, stream=False, profile=call.profile).value


def _told(call: Call, total: int) -> JsonObject:
    return {"totalTokens": total} if call.client == "gemini" else {"input_tokens": total}
