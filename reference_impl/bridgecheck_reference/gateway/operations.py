"""Which way a request takes: through untouched, or converted by its operation."""

from collections.abc import Awaitable, Callable
from typing import Final

from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.converted import generate
from bridgecheck_reference.gateway.counts import count
from bridgecheck_reference.gateway.embeddings import embed
from bridgecheck_reference.gateway.models import list_models, show_model
from bridgecheck_reference.gateway.passing import passed
from bridgecheck_reference.gateway.paths import Operation
from bridgecheck_reference.gateway.reply import Reply

_CONVERTED: Final[dict[Operation, Callable[[Call, Reply], Awaitable[None]]]] = {
    "generate": generate,
    "count": count,
    "embed": embed,
    "embed_many": embed,
    "models": list_models,
    "model": show_model,
}


async def answer(call: Call, reply: Reply) -> None:
    """Answers one request. Raises ``GatewayError``, ``ConversionError`` or ``UnknownFormatError``."""
    if call.client == call.upstream.dialect:
        await passed(call, reply)
    else:
        await _CONVERTED[call.target.operation](call, reply)
