"""Same dialect on both sides: bytes through, in both directions. A mapped model's name is the only thing changed."""

import asyncio
import json
from collections.abc import Iterable
from typing import Final

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.json_values import obj, objs
from bridgecheck_reference.errors import redacted
from bridgecheck_reference.failures import INCOMPLETE, INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, upstream_error
from bridgecheck_reference.gateway.keys import CREDENTIALS, key_header
from bridgecheck_reference.gateway.paths import in_path, resource, resource_name
from bridgecheck_reference.gateway.reply import Framing, Reply, framing
from bridgecheck_reference.gateway.upstream import Answer, decoded, not_an_object, reading_answer, transport_error
from bridgecheck_reference.gateway.upstream_calls import refused

HOP_BY_HOP: Final = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "expect",
})  # fmt: skip
"""Headers of one connection, not of the message (RFC 9110, 7.6.1)."""

_OURS: Final = frozenset({"host", "content-length", "accept-encoding"})
_PACKINGS: Final = ("gzip", "deflate")
_LARGEST_ERROR: Final = 1024 * 1024
_ENDS: Final = (b"\n\n", b"\r\n\r\n")


async def passed(call: Call, reply: Reply) -> None:
    """Send the request on as it is and the answer back as it comes."""
    content, changed = _content(call)
    headers = request_headers(call, changed=changed)
    async with call.upstream.open(call.method, _path(call), headers, content) as answer:
        if answer.status >= 300 or answer.content_type == "text/html":
            await _error(call, reply, answer)
        else:
            await _body(call, reply, answer)


def request_headers(call: Call, *, changed: bool) -> list[tuple[str, str]]:
    """The client's own, minus those of its connection; the upstream's own key in place of the client's."""
    dropped = HOP_BY_HOP | _OURS | _listed(call.headers.get("connection", ""))
    dropped |= {"content-encoding"} if changed else set()
    dropped |= CREDENTIALS if call.upstream.key else set()
    kept = [(name, value) for name, value in call.headers.items() if name not in dropped]
    if call.upstream.key or not CREDENTIALS.intersection(call.headers):
        kept += key_header(call.upstream.dialect, call.upstream.key or call.client_key)
    wanted = call.headers.get("accept-encoding", "")
    return [*kept, ("accept-encoding", ", ".join(name for name in _PACKINGS if name in wanted) or "identity")]


def response_headers(
    headers: Iterable[tuple[str, str]], dropped: frozenset[str] = frozenset()
) -> list[tuple[str, str]]:
    listed = {name for key, value in headers if key.lower() == "connection" for name in _listed(value)}
    return [(name, value) for name, value in headers if name.lower() not in HOP_BY_HOP | listed | dropped]


def _listed(connection: str) -> set[str]:
    return {name.strip().lower() for name in connection.split(",") if name.strip()}


def _path(call: Call) -> str:
    path = call.target.path
    if "{model}" in path:
        named = resource(call.model) if call.client == "gemini" else in_path(call.model)
        path = path.replace("{model}", named)
    return path + (f"?{call.query}" if call.query else "")


def _content(call: Call) -> tuple[bytes, bool]:
    """The body to send, and whether it is another than the client's."""
    if call.body is None:
        return b"", False
    renamed = _renamed(call) if call.model != call.asked else call.request
    if renamed is call.request:
        return call.body.raw, False
    return json.dumps(renamed, separators=(",", ":")).encode(), True


def _renamed(call: Call) -> JsonObject:
    """The body under the mapped name. Gemini repeats the path's model in the bodies of some methods."""
    request = call.request
    if call.client != "gemini":
        return {**request, "model": call.model}
    name = {"model": resource_name(call.model)}
    changed: JsonObject = {**name} if "model" in request else {}
    if isinstance(request.get("generateContentRequest"), dict):
        changed["generateContentRequest"] = {**obj(request["generateContentRequest"]), **name}
    if isinstance(request.get("requests"), list):
        changed["requests"] = [{**item, **name} for item in objs(request["requests"])]
    return {**request, **changed} if changed else request


async def _body(call: Call, reply: Reply, answer: Answer) -> None:
    """The head waits for the first bytes: an answer that never begins is a failed call. An event stream that breaks
    at the end of an event is ended with an error event; anything else is cut off."""
    headers = response_headers(answer.headers.multi_items())
    tail = b""
    try:
        async for piece in answer.raw():
            if not reply.status:
                await reply.start(answer.status, headers)
            tail = (tail + piece)[-4:]
            await reply.write(piece)
    except (GatewayError, asyncio.CancelledError):
        reply.can_tell(_framing(call, answer) if tail.endswith(_ENDS) else None)
        raise
    if not reply.status:
        await reply.start(answer.status, headers)
    await reply.finish()


def _framing(call: Call, answer: Answer) -> Framing | None:
    if answer.content_type != "text/event-stream" or "content-encoding" in answer.headers:
        return None
    return framing(call.client, "sse")


async def _error(call: Call, reply: Reply, answer: Answer) -> None:
    """An error, or a page or another address where an answer should be: as it came if it is JSON and holds no key,
    else told anew."""
    raw = await _limited(answer)
    document = decoded(_unpacked(answer, raw))
    if answer.status < 400 and (answer.status >= 300 or not isinstance(document, dict | list)):
        raise not_an_object(answer, document)
    with reading_answer():
        clean = redacted(document, call.secrets)
    if not isinstance(document, dict | list) or clean != document:
        raise refused(call, clean, answer.status, answer.headers)
    await reply.start(answer.status, response_headers(answer.headers.multi_items()))
    await reply.write(raw)
    await reply.finish()


def _unpacked(answer: Answer, raw: bytes) -> bytes:
    try:
        return httpx.Response(answer.status, headers=answer.headers, content=raw).content
    except httpx.DecodingError as error:
        raise transport_error(error, INCOMPLETE) from None


async def _limited(answer: Answer) -> bytes:
    kept = b""
    async for piece in answer.raw():
        kept += piece
        if len(kept) > _LARGEST_ERROR:
            raise upstream_error(INVALID, f"upstream answered {answer.status} with more than {_LARGEST_ERROR} bytes")
    return kept
