"""The way to the upstreams: raw HTTP, no SDK. An answer is opened first, then read."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from bridgecheck.wire import JsonObject
from bridgecheck_reference import __version__
from bridgecheck_reference.convert.anthropic.settings import API_VERSION
from bridgecheck_reference.gateway.answer import Answer, transport_error
from bridgecheck_reference.gateway.config import LOOPBACK, GatewayConfig, UpstreamConfig
from bridgecheck_reference.gateway.errors import GatewayError
from bridgecheck_reference.gateway.keys import key_header


class Upstream:
    """One upstream. ``open`` raises ``GatewayError`` for a call that brought no answer at all."""

    def __init__(self, config: UpstreamConfig, gateway: GatewayConfig) -> None:
        self.dialect = config.dialect
        self.key = config.key
        self._max_answer_bytes = gateway.max_answer_bytes
        self._url = config.url
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(gateway.read_timeout_s, connect=gateway.connect_timeout_s),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
            trust_env=urlsplit(config.url).hostname not in LOOPBACK,  # a proxy cannot reach this machine's loopback
        )

    async def close(self) -> None:
        await self._client.aclose()

    def headers(self, client_key: str) -> list[tuple[str, str]]:
        """Of a call that was converted: nothing of the client's but, where there is no own one, its key."""
        version = [("anthropic-version", API_VERSION)] if self.dialect == "anthropic" else []
        return [
            ("content-type", "application/json"),
            ("accept", "*/*"),
            ("accept-encoding", "gzip, deflate"),
            ("user-agent", f"bridgecheck-reference/{__version__}"),
            *version,
            *key_header(self.dialect, self.key or client_key),
        ]

    @asynccontextmanager
    async def open(
        self, method: str, path: str, headers: Sequence[tuple[str, str]], content: bytes = b""
    ) -> AsyncIterator[Answer]:
        """The answer once its head is there; leaving the block hangs up on an answer that has not ended."""
        try:
            raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            request = httpx.Request(method, self._url + path, headers=raw, content=content)
            response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
            raise transport_error(error) from None
        answer = Answer(response, self._max_answer_bytes)
        try:
            yield answer
        finally:
            await answer.close()


def encode_request(document: JsonObject, asked: JsonObject | None = None) -> bytes:
    """``GatewayError`` 400 for text that has no UTF-8 and numbers that JSON cannot say. ``asked``: the client's
    request, whose member it names, if that is another document."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        field = _unwritable(asked or document)
        where = field or "the request"
        raise GatewayError(
            400, f"{where}: holds half of a surrogate pair, which is no character", field=field
        ) from None
    except ValueError:
        raise GatewayError(400, "the request holds NaN or Infinity, which JSON cannot say") from None


def _unwritable(document: JsonObject) -> str:
    """The first member that has no UTF-8, "" if each has."""
    for key, value in document.items():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return key
    return ""
