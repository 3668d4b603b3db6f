"""Clients of the edge: the official SDKs, sync and async, and one that sends bytes. What each receives can be compared."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from bridgecheck.drivers.sdk_clients import import_sdk
from bridgecheck.drivers.sdk_result import Connection
from bridgecheck.model.exchange import Request
from bridgecheck.wire import JsonObject, Mode
from bridgecheck.wire.facts import RECORDS, base_url

from . import token_counts
from .gate import Gate
from .raw_client import post
from .served_recordings import ServedRecording


class Received(NamedTuple):
    """``documents``: of an SDK; or the status and the chunks of a body. ``error``: what the SDK raised, or the end of a
    body that is not complete; "" for none."""

    documents: list[object]
    error: str


Client = Callable[[str, ServedRecording, Gate], Received]
"""``client(origin, sample, gate)`` sends the request of a recording to an edge and tells the gate of each event."""


def call_sync(origin: str, sample: ServedRecording, gate: Gate) -> Received:
    connection, *arguments = _arguments(origin, sample)
    received = Received([], "")
    try:
        for document in _sdk_of(sample).request_documents(connection, *arguments):
            gate.receive()
            received.documents.append(document)
    except Exception as error:
        return received._replace(error=f"{type(error).__name__}: {error}")
    finally:
        gate.open()
        connection.close_sync_client()
    return received


def call_async(origin: str, sample: ServedRecording, gate: Gate) -> Received:
    return asyncio.run(_call_async(origin, sample, gate))


async def _call_async(origin: str, sample: ServedRecording, gate: Gate) -> Received:
    connection, *arguments = _arguments(origin, sample)
    received = Received([], "")
    try:
        async for document in _sdk_of(sample).request_documents_async(connection, *arguments):
            gate.receive()
            received.documents.append(document)
    except Exception as error:
        return received._replace(error=f"{type(error).__name__}: {error}")
    finally:
        gate.open()
        await connection.aclose_both_clients()
    return received


def send_bytes(origin: str, sample: ServedRecording, gate: Gate) -> Received:
    """Send what was recorded to the path that was recorded: no SDK has each of them."""
    gate.open()
    request = sample.request
    received = post(origin, f"/~{sample.name}{request.path}", request.body, request.headers)
    return Received([received.status, *received.chunks], "" if received.end == "complete" else received.end)


CLIENTS: Final[dict[str, Client]] = {"sync": call_sync, "async": call_async, "bytes": send_bytes}


def _arguments(origin: str, sample: ServedRecording) -> tuple[Connection, Mode, JsonObject, str]:
    request = sample.item.interaction.request
    assert isinstance(request, Request)
    body = RECORDS[sample.dialect].body_in_mode(request.body, sample.mode)
    connection = Connection(base_url(sample.dialect, f"{origin}/~{sample.name}"), "not-a-key")
    return connection, sample.mode, body, request.model


def _sdk_of(sample: ServedRecording) -> Any:
    if sample.item.operation == "generate":
        return import_sdk(sample.dialect)
    return {"anthropic": token_counts.anthropic, "gemini": token_counts.Gemini}[sample.dialect]()
