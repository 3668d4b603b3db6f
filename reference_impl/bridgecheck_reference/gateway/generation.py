"""A generation whose client and upstream speak different dialects: converted there and back."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.anthropic.stream_to_openai import message_to_events
from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.default_adapter import PipedStream, ReferenceAdapter
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import GatewayError, is_error, status_of_event, upstream_error
from bridgecheck_reference.gateway.keys import without_keys
from bridgecheck_reference.gateway.paths import resource
from bridgecheck_reference.gateway.reply import Reply, framing
from bridgecheck_reference.gateway.request_body import check_request
from bridgecheck_reference.gateway.upstream import Answer, encode_request, reading_answer
from bridgecheck_reference.gateway.upstream_calls import refusal, refused
from bridgecheck_reference.routes import convert_request

LOSSES: Final = "x-bridgecheck-losses"
"""Response header: how many things the conversion could not say; of a stream, those of its request."""


async def generate(call: Call, reply: Reply) -> None:
    """Answer a generation. Raises ``GatewayError``, ``ConversionError`` or ``UnknownFormatError``."""
    check_request(call.client, call.request)
    request = call.request if call.client == "gemini" else {**call.request, "model": call.model}
    call = call.with_request(request)
    result = convert_request(
        call.client, call.upstream.dialect, request, call.model, stream=call.streams, profile=call.profile
    )
    reply.losses = len(result.losses)
    path = generate_path(call.upstream.dialect, call.model, stream=call.streams)
    content = encode_request(result.value, call.request)
    async with call.upstream.open("POST", path, call.upstream.headers(call.client_key), content) as answer:
        if answer.status != 200:
            raise await refusal(call, answer)
        await (_stream if call.streams else _whole)(call, reply, answer)


def generate_path(upstream: Dialect, model: str, *, stream: bool) -> str:
    """Behind the upstream's base URL."""
    if upstream == "gemini":
        return f"/v1beta/{resource(model)}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")
    return "/chat/completions" if upstream == "openai-chat" else "/v1/messages"


async def _whole(call: Call, reply: Reply, answer: Answer) -> None:
    document = await answer.object()
    adapter = ReferenceAdapter(call.profile)
    with reading_answer():
        status, told = adapter.from_upstream(
            document,
            client=call.client,
            upstream=call.upstream.dialect,
            status=200,
            model=call.model,
            request=call.request,
        )
    reply.losses += len(adapter.take_losses())
    headers = [(LOSSES, str(reply.losses))]
    if status >= 400:
        raise GatewayError(
            status, "upstream answered with an error", document=told, wait=retry_after(document), headers=tuple(headers)
        )
    await reply.document(told, status, headers)


async def _stream(call: Call, reply: Reply, answer: Answer) -> None:
    """The head waits for the first thing to say: a stream that begins with an error is a failed call."""
    machine = ReferenceAdapter(call.profile).stream(
        client=call.client, upstream=call.upstream.dialect, model=call.model, request=call.request
    )
    before = reply.losses
    failed = False
    async with aclosing(_events(call, machine, answer)) as batches:
        async for events in batches:
            if not reply.status:
                _fail_early(call, events[0])
                await reply.start_stream(framing(call.client, call.framing), [(LOSSES, str(before))])
            await reply.events(events)
            failed = is_error(events[-1])
            reply.losses = before + len(machine.losses)
    if not reply.status:
        raise upstream_error(INVALID, "upstream answered with an empty stream")
    await reply.end_stream(failed=failed)


async def _events(call: Call, machine: PipedStream, answer: Answer) -> AsyncGenerator[list[JsonObject], None]:
    """Events for the client, those of one upstream event together; never an empty list. An error is the last."""
    begun = said = False
    async with aclosing(answer.documents()) as documents:
        async for document in documents:
            if not begun and is_error(document):
                raise refused(call, document, 200)
            begun = True
            with reading_answer():
                events = [made for event in _as_events(document) for made in machine.feed(event)]
            if events:
                said = True
                yield [_clean(call, event) for event in events]
                if is_error(events[-1]):
                    return
    with reading_answer():
        events = machine.close()
    if events and not said and is_error(events[0]):
        raise GatewayError(502, "upstream ended without an answer", document=events[0])
    if events:
        yield [_clean(call, event) for event in events]


def _as_events(document: JsonObject) -> list[JsonObject]:
    """A whole Messages answer where events were asked for; the machines of the other dialects read theirs as one."""
    return message_to_events(document) if document.get("type") == "message" else [document]


def _clean(call: Call, event: JsonObject) -> JsonObject:
    return without_keys(event, call.secrets) if is_error(event) else event


def _fail_early(call: Call, event: JsonObject) -> None:
    if is_error(event):
        status = status_of_event(call.client, event)
        raise GatewayError(status, "the answer began with an error", document=event, wait=retry_after(event))
