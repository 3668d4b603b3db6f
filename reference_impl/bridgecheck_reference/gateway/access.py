"""Who may use the gateway: a web page must not spend the key that the gateway holds.

A page in a browser on the same machine reaches any local server: by its address (the browser sends the page's
``Origin``, or ``Sec-Fetch-Site`` where it sends none), or under a name of the page's own that resolves to this machine
(DNS rebinding: then ``Host`` is that name). A gateway that holds a key refuses both. Sources:
https://fetch.spec.whatwg.org/#origin-header, https://www.w3.org/TR/fetch-metadata/ (read 2026-11-24).
"""

import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from bridgecheck_reference.gateway.config import LOOPBACK, GatewayConfig
from bridgecheck_reference.gateway.errors import GatewayError

_ANY_ADDRESS: Final = ("0.0.0.0", "::")
_OWN_SITE: Final = ("", "none", "same-origin")
"""Values of ``Sec-Fetch-Site`` that no other page's request has; "" where no browser sent it."""


def check_access(config: GatewayConfig, headers: Mapping[str, str], client_key: str) -> None:
    """Raise ``GatewayError`` 401 for a client without the gateway's client key, where it has one, and 403 for a request
    to another host or from another origin, where the gateway holds a key. ``headers``: names in lower case."""
    if config.client_key and not hmac.compare_digest(client_key.encode(), config.client_key.encode()):
        raise GatewayError(401, "this gateway expects its own client key", code="invalid_api_key")
    if not config.holds_key:
        return
    host = headers.get("host")  # every browser sends it; programs of HTTP/1.0 and callers in this process need not
    if host is not None and not _is_own_host(config, host):
        raise GatewayError(
            403,
            f"this gateway does not serve the host {host[:100]!r}; allow it with --allow-host",
            code="host_not_allowed",
        )
    origin = headers.get("origin")
    is_own = origin is None or _authority(origin) == _authority(f"http://{host or ''}") != ("", None)
    if not is_own or headers.get("sec-fetch-site", "").lower() not in _OWN_SITE:
        raise GatewayError(403, "this gateway takes no requests of web pages", code="origin_not_allowed")


def _is_own_host(config: GatewayConfig, host: str) -> bool:
    name = _authority(f"http://{host}")[0]
    if name in LOOPBACK or name == config.listen_host or name in config.allow_hosts:
        return bool(name)
    return config.listen_host in _ANY_ADDRESS and _is_address(name)


def _is_address(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _authority(url: str) -> tuple[str, int | None]:
    """Return host name and port of a URL; ("", None) for none, as of the origin ``null``."""
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").rstrip("."), parts.port
    except ValueError:  # brackets without an address, a port that is no number
        return "", None
