"""One unary call to an upstream, for the operations that are no generation."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import is_error
from bridgecheck_reference.gateway.refusal import refusal, refused
from bridgecheck_reference.gateway.upstream import encode_request


async def fetch(call: Call, path: str, document: JsonObject | None = None) -> JsonObject:
    """GET without a document, POST with one. ``GatewayError``, in the client's dialect, for anything but an answer."""
    content = b"" if document is None else encode_request(document)
    method = "GET" if document is None else "POST"
    async with call.upstream.open(method, path, call.upstream.headers(call.client_key), content) as answer:
        if answer.status != 200:
            raise await refusal(call, answer)
        found = await answer.object()
        if is_error(found):
            raise refused(call, found, 200)
        return found
