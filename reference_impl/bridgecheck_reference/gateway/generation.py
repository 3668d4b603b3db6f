"""A generation whose client and upstream speak different dialects: converted there and back."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.anthropic.stream_to_openai import message_to_start_event_with_content
from bridgecheck_reference.convert.errors import retry_after
from bridgecheck_reference.default_adapter import PipedStream, ReferenceAdapter
from bridgecheck_reference.failures import INVALID
from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.errors import (
    GatewayError,
    is_error_event,
    status_of_event,
    upstream_error_with_status_of_code,
)
from bridgecheck_reference.gateway.keys import without_keys
from bridgecheck_reference.gateway.paths import resource_path
from bridgecheck_reference.gateway.reply import Reply, new_framing
from bridgecheck_reference.gateway.request_body import check_request
from bridgecheck_reference.gateway.upstream import (
    UpstreamResponse,
    encode_request,
    raise_conversion_errors_as_upstream_errors,
)
from bridgecheck_reference.gateway.upstream_calls import convert_refusal, read_refusal
from bridgecheck_reference.loss import LOSSES_HEADER
from bridgecheck_reference.routes import convert_request


async def generate_converted(call: Call, reply: Reply) -> None:
    """Answer a generation. Raises ``GatewayError``, ``ConversionError`` or ``UnknownFormatError``."""
    check_request(call.client, call.request_or_empty)
    request = call.request_or_empty if call.client == "gemini" else {**call.request_or_empty, "model": call.model}
    call = call.with_request(call.signatures.restore(call.client, request))
    request = call.request_or_empty
    result = convert_request(
        call.client, call.upstream.dialect, request, call.model, stream=call.streams, profile=call.profile
    )
    reply.losses = len(result.losses)
    path = generate_path(call.upstream.dialect, call.model, stream=call.streams)
    content = encode_request(result.value, call.request_or_empty)
    async with call.upstream.open("POST", path, call.upstream.headers(call.client_key), content) as response:
        if response.status != 200:
            raise await read_refusal(call, response)
        reply.losses += response.reported_losses
        await (_send_stream if call.streams else _send_document)(call, reply, response)


def generate_path(upstream: Dialect, model: str, *, stream: bool) -> str:
    """Behind the upstream's base URL."""
    if upstream == "gemini":
        return f"/v1beta/{resource_path(model)}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")
    return "/chat/completions" if upstream == "openai-chat" else "/v1/messages"


async def _send_document(call: Call, reply: Reply, response: UpstreamResponse) -> None:
    document = await response.object()
    adapter = ReferenceAdapter(call.profile)
    with raise_conversion_errors_as_upstream_errors():
        status, converted = adapter.from_upstream(
            document,
            client=call.client,
            upstream=call.upstream.dialect,
            status=200,
            model=call.model,
            request=call.request_or_empty,
        )
    reply.losses += len(adapter.take_losses())
    headers = [(LOSSES_HEADER, str(reply.losses))]
    if status >= 400:
        raise GatewayError(
            status,
            "upstream answered with an error",
            document=converted,
            wait=retry_after(document),
            headers=tuple(headers),
        )
    call.signatures.reader(call.client).read(converted)
    await reply.document(converted, status, headers)


async def _send_stream(call: Call, reply: Reply, response: UpstreamResponse) -> None:
    """The head waits for the first thing to say: a stream that begins with an error is a failed call."""
    machine = ReferenceAdapter(call.profile).stream(
        client=call.client, upstream=call.upstream.dialect, model=call.model, request=call.request_or_empty
    )
    before = reply.losses
    failed = False
    async with aclosing(_convert_events(call, machine, response)) as batches:
        async for events in batches:
            if not reply.status:
                _raise_early_error(call, events[0])
                await reply.start_stream(new_framing(call.client, call.framing), [(LOSSES_HEADER, str(before))])
            await reply.events(events)
            failed = is_error_event(events[-1])
            reply.losses = before + len(machine.losses)
    if not reply.status:
        raise upstream_error_with_status_of_code(INVALID, "upstream answered with an empty stream")
    await reply.end_stream(failed=failed)


async def _convert_events(
    call: Call, machine: PipedStream, response: UpstreamResponse
) -> AsyncGenerator[list[JsonObject], None]:
    """Events for the client, those of one upstream event together; never an empty list. An error is the last."""
    started = has_events = False
    signatures = call.signatures.reader(call.client)
    async with aclosing(response.documents()) as documents:
        async for document in documents:
            if not started and is_error_event(document):
                raise convert_refusal(call, document, 200)
            started = True
            with raise_conversion_errors_as_upstream_errors():
                events = machine.feed(_message_as_start_event_or_unchanged(document))
            if events:
                has_events = True
                for event in events:
                    signatures.read(event)
                yield [_redact_if_error(call, event) for event in events]
                if is_error_event(events[-1]):
                    return
    with raise_conversion_errors_as_upstream_errors():
        events = machine.close()
    if events and not has_events and is_error_event(events[0]):
        raise GatewayError(502, "upstream ended without an answer", document=events[0])
    for event in events:
        signatures.read(event)
    if events:
        yield [_redact_if_error(call, event) for event in events]


def _message_as_start_event_or_unchanged(document: JsonObject) -> JsonObject:
    """Return a whole Messages answer as one event; the converters of the other dialects read theirs as it is."""
    return message_to_start_event_with_content(document) if document.get("type") == "message" else document


def _redact_if_error(call: Call, event: JsonObject) -> JsonObject:
    return without_keys(event, call.secrets) if is_error_event(event) else event


def _raise_early_error(call: Call, event: JsonObject) -> None:
    if is_error_event(event):
        status = status_of_event(call.client, event)
        raise GatewayError(status, "the answer began with an error", document=event, wait=retry_after(event))
