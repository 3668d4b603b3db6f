"""Which provider a request is passed on to, with which path and headers. Pure.

A client's base URL has the edge's address in place of the provider's scheme and host; so what stands before the SDK's
own base path in ``--serve`` (``/api`` of https://openrouter.ai/api/v1) stands before every path that is passed on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote, urlsplit

from bridgecheck.codec.body import header_value
from bridgecheck.errors import RefusedAtStart
from bridgecheck.model.exchange import Headers, HttpRequest
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS, endpoint

CONVERSATION_HEADER: Final = "x-bridgecheck-conversation"
_NAMED: Final = re.compile(r"/~([^/?]*)(?=/)")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")

_OF_THE_CONNECTION: Final = frozenset({
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
    "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers that belong to one connection and are not passed on (RFC 9110, section 7.6.1)."""

_KEY_HEADERS: Final = frozenset({"api-key", "authorization", "x-api-key", "x-goog-api-key"})
_KEY_PARAMETER: Final = re.compile(r"(?<=[?&])key=[^&]*&?")
SERVED: Final[tuple[Dialect, ...]] = tuple(name for name, record in RECORDS.items() if record.host)


class BadServe(RefusedAtStart):
    """--serve or --key-env is not what it should be."""


class BadName(Exception):
    """A request names its conversation by what is no name."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where requests of a dialect go. ``prefix``: stands before every path, "" for none; ``key``: sent in place of the
    client's credentials, "" to pass those on."""

    dialect: Dialect
    scheme: str
    host: str
    port: int
    prefix: str = ""
    key: str = ""

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return self.origin + self.prefix

    def outgoing_request(self, request: HttpRequest) -> HttpRequest:
        """Return a request as this provider is sent it: with its path, and its key if there is one."""
        headers = tuple(pair for pair in request.headers if _is_passed_on(pair[0], request.headers))
        headers = tuple(
            (name, _plain_encodings(value) if name == "accept-encoding" else value) for name, value in headers
        )
        path = request.path
        if self.key:
            record = RECORDS[self.dialect]
            headers = tuple(pair for pair in headers if pair[0] not in _KEY_HEADERS)
            headers = (*headers, (record.key_header, record.key_prefix + self.key))
            path = _KEY_PARAMETER.sub("", path).rstrip("?&")
        return replace(request, path=self.prefix + path, headers=headers)


_PORTS: Final = {"https": 443, "http": 80}


def parse_serve(option: str, keys: Mapping[str, str] | None = None) -> Provider:
    """Return the provider of ``DIALECT=URL``. ``keys``: dialect -> key. Raises BadServe."""
    name, _, url = option.partition("=")
    expected = f"DIALECT=https://HOST with one of {', '.join(SERVED)}"
    if name not in SERVED:
        raise BadServe(f"no dialect {name!r}", f"--serve {option}", expected)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadServe(f"{url!r} is no address: {error}", f"--serve {option}", expected) from error
    if parts.scheme not in _PORTS or not parts.hostname or parts.query or parts.username or not url.isprintable():
        raise BadServe(f"{url!r} is no address of a provider", f"--serve {option}", expected)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        what = "a key would cross the network unencrypted"
        raise BadServe(what, f"--serve {option}", "https://, or http:// to this machine")
    prefix = parts.path.rstrip("/").removesuffix(RECORDS[name].base_path).rstrip("/")
    return Provider(
        name, parts.scheme, parts.hostname, port or _PORTS[parts.scheme], prefix, (keys or {}).get(name, "")
    )


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def find_provider(providers: Sequence[Provider], request: HttpRequest) -> Provider | None:
    """Return the provider that a request is for: by the shape of its path, then by headers that SDKs send; None if it
    is for none of them. A single provider gets everything that no other dialect's path has."""
    found = endpoint(request.path)
    if found is not None and found.operation != "models":
        return next((provider for provider in providers if provider.dialect == found.dialect), None)
    if len(providers) == 1:
        return providers[0]
    dialect = _dialect_of_headers(request.headers)
    return next((provider for provider in providers if provider.dialect == dialect), None)


def split_conversation_name(request: HttpRequest) -> tuple[str, HttpRequest]:
    """Return the name of the conversation that a request gives, "" for none, and the request without it: ``/~NAME``
    before or inside its path, or the header. Raises BadName."""
    named = _NAMED.search(request.path.partition("?")[0])
    name = unquote(named[1]) if named else header_value(request.headers, CONVERSATION_HEADER)
    if (named or name) and not _NAME.fullmatch(name):
        raise BadName(f"{name!r} is no name of a conversation: up to 120 letters, digits, '.', '_' and '-'")
    path = request.path.replace(named[0], "", 1) if named else request.path
    headers = tuple(pair for pair in request.headers if pair[0] != CONVERSATION_HEADER)
    return name, replace(request, path=path, headers=headers)


def response_headers_to_pass_on(headers: Headers) -> Headers:
    """Return the headers of a response without those of the connection; a length stays."""
    return tuple(pair for pair in headers if pair[0] == "content-length" or _is_passed_on(pair[0], headers))


def _is_passed_on(name: str, headers: Headers) -> bool:
    named_by_connection = header_value(headers, "connection").lower().replace(" ", "").split(",")
    return name not in _OF_THE_CONNECTION and name not in named_by_connection


def _plain_encodings(value: str) -> str:
    """Return what the client accepts of what a recording can hold decoded."""
    offered = [offer.strip() for offer in value.split(",")]
    remaining = [offer for offer in offered if offer.partition(";")[0].strip() in ("gzip", "identity")]
    return ", ".join(remaining) or "identity"


def _dialect_of_headers(headers: Headers) -> Dialect:
    names = {name for name, _ in headers}
    for record in RECORDS.values():
        own = {name for name, _ in record.headers} | ({record.key_header} if not record.key_prefix else set())
        if names & (own - {""}):
            return record.name
    return MOST_SPOKEN
