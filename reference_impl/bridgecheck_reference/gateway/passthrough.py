"""Same dialect on both sides: bytes through, in both directions. A mapped model's name is the only thing changed."""

import asyncio
import json
from collections.abc import Iterable
from typing import Final

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import obj, objs
from bridgecheck_reference.errors import redact_json
from bridgecheck_reference.failures import INCOMPLETE, INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error_with_status_of_code
from bridgecheck_reference.gateway.keys import CREDENTIALS, key_header
from bridgecheck_reference.gateway.paths import quote_model, resource_name, resource_path
from bridgecheck_reference.gateway.reply import Framing, Reply, new_framing
from bridgecheck_reference.gateway.upstream import (
    UpstreamResponse,
    decode_json_or_text,
    not_an_object_error,
    raise_conversion_errors_as_upstream_errors,
    transport_error,
)
from bridgecheck_reference.gateway.upstream_calls import convert_refusal

HOP_BY_HOP: Final = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "expect",
})  # fmt: skip
"""Headers of one connection, not of the message (RFC 9110, 7.6.1)."""

_OWN_HEADERS: Final = frozenset({"host", "content-length", "accept-encoding"})
_ENCODINGS: Final = ("gzip", "deflate")
_LARGEST_ERROR: Final = 1024 * 1024
_EVENT_ENDS: Final = (b"\n\n", b"\r\n\r\n")


async def pass_through(call: Call, reply: Reply) -> None:
    """Send the request on as it is and the answer back as it comes."""
    content, reencoded = _request_content(call)
    headers = forwarded_request_headers(call, body_reencoded=reencoded)
    async with call.upstream.open(call.method, _upstream_path(call), headers, content) as response:
        if response.status >= 300 or response.content_type == "text/html":
            await _send_error_redirect_or_html(call, reply, response)
        else:
            await _send_body(call, reply, response)


def forwarded_request_headers(call: Call, *, body_reencoded: bool) -> list[tuple[str, str]]:
    """Return the client's own, minus those of its connection; an upstream's own key takes the place of the client's."""
    dropped = HOP_BY_HOP | _OWN_HEADERS | _header_names(call.headers.get("connection", ""))
    dropped |= {"content-encoding"} if body_reencoded else set()
    dropped |= CREDENTIALS if call.upstream.key else set()
    headers = [(name, value) for name, value in call.headers.items() if name not in dropped]
    if call.upstream.key or not CREDENTIALS.intersection(call.headers):
        headers += key_header(call.upstream.dialect, call.upstream.key or call.client_key)
    accepted = call.headers.get("accept-encoding", "")
    return [*headers, ("accept-encoding", ", ".join(name for name in _ENCODINGS if name in accepted) or "identity")]


def forwarded_response_headers(
    headers: Iterable[tuple[str, str]], dropped: frozenset[str] = frozenset()
) -> list[tuple[str, str]]:
    listed = {name for key, value in headers if key.lower() == "connection" for name in _header_names(value)}
    return [(name, value) for name, value in headers if name.lower() not in HOP_BY_HOP | listed | dropped]


def _header_names(connection: str) -> set[str]:
    return {name.strip().lower() for name in connection.split(",") if name.strip()}


def _upstream_path(call: Call) -> str:
    path = call.target.path
    if "{model}" in path:
        named = resource_path(call.model) if call.client == "gemini" else quote_model(call.model)
        path = path.replace("{model}", named)
    return path + (f"?{call.query}" if call.query else "")


def _request_content(call: Call) -> tuple[bytes, bool]:
    """The body to send, and whether it is another than the client's."""
    if call.body is None:
        return b"", False
    renamed = _rename_model(call) if call.model != call.requested_model else call.request_or_empty
    if renamed is call.request_or_empty:
        return call.body.raw, False
    return json.dumps(renamed, separators=(",", ":")).encode(), True


def _rename_model(call: Call) -> JsonObject:
    """The body under the mapped name. Gemini repeats the path's model in the bodies of some methods."""
    request = call.request_or_empty
    if call.client != "gemini":
        return {**request, "model": call.model}
    name = {"model": resource_name(call.model)}
    changed: JsonObject = {**name} if "model" in request else {}
    if isinstance(request.get("generateContentRequest"), dict):
        changed["generateContentRequest"] = {**obj(request["generateContentRequest"]), **name}
    if isinstance(request.get("requests"), list):
        changed["requests"] = [{**item, **name} for item in objs(request["requests"])]
    return {**request, **changed} if changed else request


async def _send_body(call: Call, reply: Reply, response: UpstreamResponse) -> None:
    """The head waits for the first bytes: an answer that never begins is a failed call. An event stream that breaks
    at the end of an event is ended with an error event; anything else is cut off."""
    headers = forwarded_response_headers(response.headers.multi_items())
    reply.losses = response.reported_losses
    tail = b""
    try:
        async for piece in response.raw():
            if not reply.status:
                await reply.start(response.status, headers)
            tail = (tail + piece)[-4:]
            await reply.write(piece)
    except (GatewayError, asyncio.CancelledError):
        reply.set_failure_framing(
            _framing_for_broken_event_stream(call, response) if tail.endswith(_EVENT_ENDS) else None
        )
        raise
    if not reply.status:
        await reply.start(response.status, headers)
    await reply.send_body_end()


def _framing_for_broken_event_stream(call: Call, response: UpstreamResponse) -> Framing | None:
    if response.content_type != "text/event-stream" or "content-encoding" in response.headers:
        return None
    return new_framing(call.client, "sse")


async def _send_error_redirect_or_html(call: Call, reply: Reply, response: UpstreamResponse) -> None:
    """An error, or a page or another address where an answer should be: as it came if it is JSON and holds no key,
    else as a new error."""
    raw = await _read_raw_error_body(response)
    document = decode_json_or_text(_unpack_or_raise(response, raw))
    if response.status < 400 and (response.status >= 300 or not isinstance(document, dict | list)):
        raise not_an_object_error(response, document)
    with raise_conversion_errors_as_upstream_errors():
        clean = redact_json(document, call.secrets)
    if not isinstance(document, dict | list) or clean != document:
        raise convert_refusal(call, clean, response.status, response.headers)
    await reply.start(response.status, forwarded_response_headers(response.headers.multi_items()))
    await reply.write(raw)
    await reply.send_body_end()


def _unpack_or_raise(response: UpstreamResponse, raw: bytes) -> bytes:
    try:
        return httpx.Response(response.status, headers=response.headers, content=raw).content
    except httpx.DecodingError as error:
        raise transport_error(error, INCOMPLETE) from None


async def _read_raw_error_body(response: UpstreamResponse) -> bytes:
    received = b""
    async for piece in response.raw():
        received += piece
        if len(received) > _LARGEST_ERROR:
            raise upstream_error_with_status_of_code(
                INVALID, f"upstream answered {response.status} with more than {_LARGEST_ERROR} bytes"
            )
    return received
