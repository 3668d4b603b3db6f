"""Unary calls to an upstream, and an upstream's refusal in the client's dialect."""

from collections.abc import Mapping

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.convert.json_values import obj
from bridgecheck_reference.default_adapter import ReferenceAdapter
from bridgecheck_reference.failures import retry_wait_s
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, is_error_event
from bridgecheck_reference.gateway.upstream import (
    UpstreamResponse,
    decode_json_or_text,
    encode_request,
    not_an_object_error,
)


async def read_refusal(call: Call, response: UpstreamResponse) -> GatewayError:
    """Return an upstream's error in the client's dialect: its status, its message, and when to try again."""
    document = decode_json_or_text(await response.read_all())
    if response.status < 400:
        return not_an_object_error(response, document)
    return convert_refusal(call, document, response.status, response.headers)


def convert_refusal(
    call: Call, document: object, status: int, headers: Mapping[str, str] | None = None
) -> GatewayError:
    """Return the same for an error document at hand. ``headers``: of an answer whose status was an error, else None."""
    wait = retry_wait_s(headers) if headers is not None else None
    found = document[0] if isinstance(document, list) and document else document
    body = found if isinstance(found, dict) and found else None
    message = found.strip()[:500] if isinstance(found, str) else ""
    message = message or f"upstream answered with status {status}"
    if call.client != call.upstream.dialect:
        body = _add_metadata_retry_after_seconds(body or {"error": {"message": message}}, wait)
        status, body = ReferenceAdapter().from_upstream(
            body, client=call.client, upstream=call.upstream.dialect, status=status, model=call.model, request={}
        )
    elif body is not None:
        body = _add_metadata_retry_after_seconds(body, wait)
    retry_headers = [(name, headers[name]) for name in ("retry-after", "retry-after-ms") if headers and name in headers]
    wait = retry_after(document) if wait is None else wait
    return GatewayError(status, message, document=body, wait=wait, headers=tuple(retry_headers))


def _add_metadata_retry_after_seconds(body: JsonObject, wait: float | None) -> JsonObject:
    """Put the seconds of a header where every converter of errors looks for them, unless the document has them."""
    error = obj(body.get("error"))
    if wait is None or not error or retry_after(body) is not None:
        return body
    return {**body, "error": {**error, "metadata": {**obj(error.get("metadata")), "retry_after_seconds": wait}}}


async def fetch(call: Call, path: str, document: JsonObject | None = None) -> JsonObject:
    """GET without a document, POST with one. ``GatewayError``, in the client's dialect, for anything but an answer."""
    content = b"" if document is None else encode_request(document)
    method = "GET" if document is None else "POST"
    async with call.upstream.open(method, path, call.upstream.headers(call.client_key), content) as response:
        if response.status != 200:
            raise await read_refusal(call, response)
        found = await response.object()
        if is_error_event(found):
            raise convert_refusal(call, found, 200)
        return found
