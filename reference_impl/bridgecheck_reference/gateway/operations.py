"""Which way a request takes: through untouched, or converted by its operation."""

from collections.abc import Awaitable, Callable
from typing import Final

from bridgecheck_reference.gateway.call import Call
from bridgecheck_reference.gateway.converted import generate
from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.passing import passed
from bridgecheck_reference.gateway.paths import Operation
from bridgecheck_reference.gateway.reply import Reply

_CONVERTED: Final[dict[Operation, Callable[[Call, Reply], Awaitable[None]]]] = {"generate": generate}


async def answer(call: Call, reply: Reply) -> None:
    """Answers one request. Raises ``GatewayError``, ``ConversionError`` or ``UnknownFormatError``."""
    if call.client == call.upstream.dialect:
        await passed(call, reply)
    elif call.target.operation in _CONVERTED:
        await _CONVERTED[call.target.operation](call, reply)
    else:
        raise GatewayError(501, f"{call.target.operation} is not served over {call.upstream.dialect}")
