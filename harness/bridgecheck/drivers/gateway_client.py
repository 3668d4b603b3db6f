"""What a client of each dialect sends to a gateway: address, headers and body of a request."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from bridgecheck.drivers.placeholders import filled
from bridgecheck.model.exchange import Headers, HttpRequest, Request
from bridgecheck.wire import Dialect, JsonObject, Mode

CLIENT_KEY: Final = "not-a-key-of-a-client"
"""What clients say for a key unless a recipe says otherwise: another word than the provider's."""

BASE_PATHS: Final[dict[Dialect, str]] = {"gemini": "", "openai-chat": "/v1", "anthropic": ""}
"""The path of a base URL, as the official SDK of the dialect takes it: only OpenAI's has one."""

TAILS: Final[dict[Dialect, dict[Mode, str]]] = {
    "gemini": {
        "unary": "/v1beta/models/{model}:generateContent",
        "stream": "/v1beta/models/{model}:streamGenerateContent?alt=sse",
    },
    "openai-chat": {"unary": "/chat/completions", "stream": "/chat/completions"},
    "anthropic": {"unary": "/v1/messages", "stream": "/v1/messages"},
}
"""What the SDK puts behind its base URL."""

_KEY: Final[dict[Dialect, tuple[str, str]]] = {
    "gemini": ("x-goog-api-key", ""),
    "openai-chat": ("authorization", "Bearer "),
    "anthropic": ("x-api-key", ""),
}
"""The header with the key, and what stands before it."""

_OWN: Final[dict[Dialect, Headers]] = {
    "gemini": (),
    "openai-chat": (),
    "anthropic": (("anthropic-version", "2023-06-01"),),
}
_ALWAYS: Final[Headers] = (
    ("content-type", "application/json"),
    ("accept", "*/*"),
    ("accept-encoding", "identity"),
    ("user-agent", "bridgecheck"),
)


@dataclass(frozen=True, slots=True)
class ClientSide:
    """How clients of one dialect reach a gateway. ``base_path``: of the base URL, as the SDK takes it. ``model``: what
    they call the model, with ``{model}`` for the scenario's name and ``{upstream}`` for the provider's dialect.
    ``headers``: beside the dialect's own, or in their place; names in lower case."""

    dialect: Dialect
    base_path: str
    model: str = "{model}"
    headers: Headers = ()

    @property
    def key(self) -> str:
        """The client's key: the one in its headers, if a recipe gave one."""
        name, before = _KEY[self.dialect]
        said = dict(self.headers).get(name, "")
        return said.removeprefix(before) or CLIENT_KEY

    def named(self, request: Request, upstream: Dialect) -> tuple[str, JsonObject]:
        """The model as this client calls it, and the body with that name in it."""
        model = filled(self.model, {"model": request.model, "upstream": upstream})
        body = request.body
        return model, body if "model" not in body or model == request.model else {**body, "model": model}

    def request(self, asked: Request, upstream: Dialect, before: str = "") -> HttpRequest:
        """``before``: the path of the gateway's own address."""
        model, body = self.named(asked, upstream)
        tail = TAILS[self.dialect][asked.mode].replace("{model}", quote(model, safe="/"))
        return HttpRequest("POST", f"{before}{self.base_path}{tail}", self._headers(asked.headers), _bytes(body))

    def _headers(self, asked: Headers) -> Headers:
        """The later of one name counts: the dialect's, the recipe's, the scenario's."""
        name, before = _KEY[self.dialect]
        own: dict[str, str] = {name: f"{before}{self.key}", **dict(_OWN[self.dialect])}
        return tuple({**dict(_ALWAYS), **own, **dict(self.headers), **dict(asked)}.items())


def default_clients() -> Mapping[Dialect, ClientSide]:
    return {dialect: ClientSide(dialect, path) for dialect, path in BASE_PATHS.items()}


def _bytes(body: JsonObject) -> bytes:
    """Readable; escaped throughout where a lone surrogate, which has no UTF-8, stands in it."""
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()
