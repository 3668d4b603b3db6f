"""A gateway that is an object in this process, asked with the bytes of its client's HTTP."""

import asyncio
import http.client
import inspect
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: AsyncIterator[bytes]


@dataclass(frozen=True)
class Upstream:
    """The provider as ``handle`` sees it."""

    base_url: str
    dialect: str
    api_key: str

    async def send(self, request: HttpRequest) -> HttpResponse:
        where = urlsplit(self.base_url)
        line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        headers = {name: value for name, value in request.headers if name.lower() not in ("host", "content-length")}
        await asyncio.to_thread(line.request, request.method, request.path, request.body, headers)
        answer = await asyncio.to_thread(line.getresponse)
        named = tuple((name.lower(), value) for name, value in answer.getheaders())
        return HttpResponse(answer.status, named, pieces(answer))


async def pieces(answer: http.client.HTTPResponse) -> AsyncIterator[bytes]:
    try:
        while piece := await asyncio.to_thread(answer.read1, 65536):
            yield piece
    except http.client.HTTPException as broken:
        raise ConnectionError(str(broken)) from broken


class Handled:
    """The object, as a session."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.upstream = Upstream("", "", "")

    def connect(self, *, upstream: str, base_url: str, api_key: str, **rest: str) -> "Handled":
        self.upstream = Upstream(base_url, upstream, api_key)
        return self

    async def exchange(self, body: Any, turn: dict[str, Any]) -> tuple[int, bytes]:
        asked = HttpRequest("POST", turn["path"], tuple(turn["headers"].items()), json.dumps(body).encode())
        given = self.adapter.handle(asked, self.upstream)
        given = await given if inspect.isawaitable(given) else given
        parts = given if isinstance(given, tuple) else (given.status, given.headers, given.body)
        received = b""
        try:
            if hasattr(parts[2], "__aiter__"):
                async for piece in parts[2]:
                    received += piece
            else:
                received = parts[2] if isinstance(parts[2], bytes) else b"".join(parts[2])
        except ConnectionError:
            pass
        return parts[0], received

    def close(self) -> None:
        """Nothing runs."""
