"""Unary calls to an upstream, and an upstream's refusal in the client's dialect."""

from collections.abc import Mapping

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.convert.json_values import obj
from bridgecheck_reference.default_adapter import ReferenceAdapter
from bridgecheck_reference.failures import wait_of
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, is_error
from bridgecheck_reference.gateway.upstream import Answer, decoded, encode_request, not_an_object


async def refusal(call: Call, answer: Answer) -> GatewayError:
    """An upstream's error in the client's dialect: its status, its words, and when to try again."""
    document = decoded(await answer.whole())
    if answer.status < 400:
        return not_an_object(answer, document)
    return refused(call, document, answer.status, answer.headers)


def refused(call: Call, document: object, status: int, headers: Mapping[str, str] | None = None) -> GatewayError:
    """The same for an error document at hand. ``headers``: of an answer whose status was an error, else None."""
    wait = wait_of(headers) if headers is not None else None
    body = _with_wait(_error_object(document, status), wait)
    if call.client == call.upstream.dialect:
        told = status, body
    else:
        told = ReferenceAdapter().from_upstream(
            body, client=call.client, upstream=call.upstream.dialect, status=status, model=call.model, request={}
        )
    passed = [(name, headers[name]) for name in ("retry-after", "retry-after-ms") if headers and name in headers]
    return GatewayError(
        told[0],
        f"upstream answered with status {told[0]}",
        document=told[1],
        wait=retry_after(document) if wait is None else wait,
        headers=tuple(passed),
    )


def _error_object(document: object, status: int) -> JsonObject:
    if isinstance(document, list) and document:
        document = document[0]
    if isinstance(document, dict) and document:
        return document
    words = document.strip()[:500] if isinstance(document, str) else ""
    return {"error": {"message": words or f"upstream answered with status {status}"}}


def _with_wait(body: JsonObject, wait: float | None) -> JsonObject:
    """Seconds of a header, put where every converter of errors looks for them, unless the document says them."""
    error = obj(body.get("error"))
    if wait is None or not error or retry_after(body) is not None:
        return body
    return {**body, "error": {**error, "metadata": {**obj(error.get("metadata")), "retry_after_seconds": wait}}}


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
