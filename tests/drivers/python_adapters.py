"""Adapters in Python, each a kind of its own, for tests that run them in a process of their own and in this one."""

import http.client
import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit


class TransparentGateway:
    """Forwards the client's request and the response unchanged."""

    name, version, routes = "passing", "1", (("openai-chat", "openai-chat"), ("gemini", "gemini"))

    async def handle(self, request: Any, upstream: Any) -> Any:
        return await upstream.send(request)


class SocketSession:
    """Uses the standard library's HTTP client, without async."""

    def __init__(self, base_url: str) -> None:
        self.client = http.client.HTTPConnection(urlsplit(base_url).netloc)

    def send_request(self, model: str, method: str, body: Any) -> http.client.HTTPResponse:
        path = f"/v1beta/models/{model}:{method}"
        self.client.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        return self.client.getresponse()

    def generate(self, body: Any, *, model: str) -> Any:
        return json.loads(self.send_request(model, "generateContent", body).read())

    def stream(self, body: Any, *, model: str) -> Iterator[Any]:
        for line in self.send_request(model, "streamGenerateContent?alt=sse", body):
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))

    def close(self) -> None:
        self.client.close()


class SocketAdapter:
    name, version, routes, transport = "plain", "1", (("gemini", "gemini"),), "socket"

    def connect(self, *, client: str, upstream: str, base_url: str, api_key: str) -> SocketSession:
        return SocketSession(base_url)


class TellsEnvironment:
    """Gives back the variables that its process has, in the place of a converted request."""

    name, version, routes = "tells", "1", (("openai-chat", "gemini"),)

    def to_upstream(self, body: Any, **context: object) -> Any:
        return {"pid": os.getpid(), "folder": os.getcwd(), "variables": dict(os.environ)}  # noqa: PTH109 - JSON


gateway, socket, tells = TransparentGateway(), SocketAdapter(), TellsEnvironment()
