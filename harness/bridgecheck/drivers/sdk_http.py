"""HTTP clients for the SDKs: no proxy, no environment, one TLS context per process (making one costs 25-50 ms)."""

import functools
import ssl
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from bridgecheck.model.exchange import Headers

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S: Final = 30.0
"""Seconds without a byte."""


@functools.cache
def tls() -> ssl.SSLContext:
    """The one context of this process."""
    return ssl.create_default_context()


MOST: Final = 64 * 1024 * 1024
"""Bytes of an answer, as they come."""


class TooLong(Exception):
    """An answer that goes on and on."""


class Connection:
    """Where a call goes, and its HTTP clients: an asynchronous one belongs to one event loop, so they live for one
    call. ``headers``: of the caller, beside those of the SDK. An answer of more than ``MOST`` bytes ends in TooLong."""

    def __init__(self, base_url: str, api_key: str, headers: Headers = ()) -> None:
        import httpx2

        self.base_url = base_url
        self.api_key = api_key
        self.client = httpx2.Client(headers=list(headers), verify=tls(), trust_env=False, timeout=TIMEOUT_S)
        self.async_client = httpx2.AsyncClient(
            headers=list(headers),
            verify=tls(),
            trust_env=False,
            timeout=TIMEOUT_S,
            event_hooks={"response": [_limited]},
        )

    def close(self) -> None:
        self.client.close()

    async def aclose(self) -> None:
        self.client.close()
        await self.async_client.aclose()


async def _limited(response: "httpx2.Response") -> None:
    """Puts a limit around the body, which was not read yet."""
    import httpx2

    inner = response.stream
    if isinstance(inner, httpx2.AsyncByteStream):
        response.stream = _limit(inner)


def _limit(inner: "httpx2.AsyncByteStream") -> "httpx2.AsyncByteStream":
    import httpx2

    class Limited(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in inner:
                size += len(chunk)
                if size > MOST:
                    raise TooLong(f"its answer is longer than {MOST} bytes")
                yield chunk

        async def aclose(self) -> None:
            await inner.aclose()

    return Limited()
