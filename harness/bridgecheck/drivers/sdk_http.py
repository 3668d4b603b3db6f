"""HTTP clients for the SDKs: no proxy, no environment, one TLS context per process (making one costs 25-50 ms)."""

import functools
import ssl
from typing import Final

from bridgecheck.model.exchange import Headers

TIMEOUT_S: Final = 30.0
"""Seconds without a byte."""


@functools.cache
def tls() -> ssl.SSLContext:
    """The one context of this process."""
    return ssl.create_default_context()


class Connection:
    """Where a call goes, and its HTTP clients: an asynchronous one belongs to one event loop, so they live for one
    call. ``headers``: of the caller, beside those of the SDK."""

    def __init__(self, base_url: str, api_key: str, headers: Headers = ()) -> None:
        import httpx2

        self.base_url = base_url
        self.api_key = api_key
        self.client = httpx2.Client(headers=list(headers), verify=tls(), trust_env=False, timeout=TIMEOUT_S)
        self.async_client = httpx2.AsyncClient(headers=list(headers), verify=tls(), trust_env=False, timeout=TIMEOUT_S)

    def close(self) -> None:
        self.client.close()

    async def aclose(self) -> None:
        self.client.close()
        await self.async_client.aclose()
