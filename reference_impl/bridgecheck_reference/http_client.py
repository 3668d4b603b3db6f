"""HTTP clients for the SDKs, which run on httpx2: one TLS context for all, made once.

Making a context costs about 30 ms, a client with a ready one less than 1 ms; a provider would make four of them.
"""

from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING

from bridgecheck_reference.config import ProviderConfig
from bridgecheck_reference.errors import ConfigError

if TYPE_CHECKING:
    import httpx2


@cache
def tls_context() -> SSLContext:
    """The TLS context every client of this process shares."""
    import httpx2

    return httpx2.create_ssl_context()


def async_client(config: ProviderConfig) -> "tuple[httpx2.AsyncClient, bool]":
    """The client to use, and whether it is ours to close. ``ConfigError`` if the one given is no httpx2 client."""
    import httpx2

    if config.http_client is None:
        return httpx2.AsyncClient(verify=tls_context(), follow_redirects=True), True
    if not isinstance(config.http_client, httpx2.AsyncClient):
        raise ConfigError("setting 'http_client': expected an httpx2.AsyncClient")
    return config.http_client, False
